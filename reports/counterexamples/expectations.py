"""An expectation as a few lines of Python, which set ``expected`` and ``found``.

``before`` runs right before the judged step, ``after`` right after it. The lines may use what ``needs`` names (the functions
of ``reports.counterexamples.functions``), and ``answer`` and ``error`` of the step. Kinds are those of the stream, such as
``field-is``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from model.text.layout import ROOT
from reports.counterexamples.dialect import Dialect, quoted

Expects = Mapping[str, Any]


class CannotCheck(Exception):
    """A short script cannot check this. The text is a part of a sentence, such as ``the engine does not show row ids``."""


@dataclass(frozen=True)
class Check:
    what: str  # the subject of the verdict; ``{path}`` for the variable path
    after: tuple[str, ...]
    before: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)  # constants that are long, by name


def check(expectation: Mapping[str, Any], dialect: Dialect) -> Check:
    """The lines for an expectation of the stream. Raises CannotCheck."""
    return KINDS[expectation["kind"]](expectation["expects"], dialect)


def _check(what: str, before: str, after: str, data: Mapping[str, Any] | None = None) -> Check:
    return Check(what, _lines(after), _lines(before), data or {})


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.strip().split("\n")) if text.strip() else ()


#: The commits of the step. ``old`` has those before it.
_OLD = "old = log()"
_NEW = """new = {version: actions for version, actions in log().items() if version > max(old)}
wrote = [action for actions in new.values() for action in actions]
"""


def _of_log(what: str, after: str, before: str = "", data: Mapping[str, Any] | None = None) -> Check:
    return _check(what, f"{_OLD}\n{before}", _NEW + after.strip("\n"), data)


# Paths --------------------------------------------------------------------------------------------------------------


def _path(path: str) -> str:
    """The expression for a path of the table."""
    return quoted(f"{ROOT}/{path}", ROOT)


def _unchanged(expects: Expects, dialect: Dialect) -> Check:
    state = "dated" if expects["times"] else "state"
    before = f"path = {_path(expects['path'])}\nexpected = {state}(path)"
    return _check("{path}", before, f"found = {state}(path)")


def _gone(expects: Expects, dialect: Dialect) -> Check:
    before = f'path = {_path(expects["path"])}\nassert os.path.lexists(path), "the path does not exist"'
    return _check(
        "{path}", before, 'expected, found = "deleted", "still there" if os.path.lexists(path) else "deleted"'
    )


_LISTED = "before = listing()"


def _nothing_changed(expects: Expects, dialect: Dialect) -> Check:
    before = "before = {path: dated(os.path.join(ROOT, path)) for path in listing()}"
    after = before.replace("before", "after", 1) + "\nexpected = []\n"
    if expects["log"]:
        return _check(
            "paths that changed",
            before,
            after + "found = [path for path in {**before, **after} if before.get(path) != after.get(path)]",
        )
    after += """files = [path for path in before if before[path] != "a directory" and not path.startswith("_delta_log/")]
found = [path for path in files if after.get(path) != before[path]]"""
    return _check("files outside the log that changed", before, after)


def _nothing_deleted(expects: Expects, dialect: Dialect) -> Check:
    files = "deleted = [path for path in deleted if before[path] is not None]\n" if expects["but_directories"] else ""
    after = f"""after = listing()
deleted = [path for path in before if path not in after]
{files}expected, found = [], [path for path in deleted if not path.startswith("_delta_log/")]"""
    return _check("deleted paths", _LISTED, after)


#: Hadoop's local file system writes a checksum file beside each file.
_NEW_FILES = """new_files = [path for path, size in listing().items() if path not in before and size is not None]
new_files = [path for path in new_files if not path.startswith("_delta_log/") and not path.endswith(".crc")]
"""


def _no_file_written(expects: Expects, dialect: Dialect) -> Check:
    found = (
        f"[path for path in new_files if {expects['containing']!r} in path]" if expects["containing"] else "new_files"
    )
    return _check("new files outside the log", _LISTED, f"{_NEW_FILES}expected = []\nfound = {found}")


def _new_files_referenced(expects: Expects, dialect: Dialect) -> Check:
    rows = dialect.count('f"{ROOT}/{path}"')
    after = f"""{_NEW_FILES}referenced = {{name(action[kind]) for action in wrote for kind in action if kind in ("add", "cdc")}}
others = [path for path in new_files if path not in referenced and not path.endswith(".bin")]
expected = []
found = [path for path in others if not path.endswith(".parquet") or {rows}]"""
    return _of_log("new files with rows that no action refers to", after, _LISTED)


# Rows ---------------------------------------------------------------------------------------------------------------


def _attempted(rows: str, dialect: Dialect) -> str:
    return f"""try:
    answer, error = {rows}, None
except {dialect.errors} as problem:
    answer, error = [], problem
"""


def _rows_are(expects: Expects, dialect: Dialect) -> Check:
    rows = list(expects["rows"])
    short = len(repr(rows)) < 60
    row = "plain(row)" if expects.get("plain") else "row, default=str"
    compared = f"""expected = sorted(json.dumps(row) for row in {rows if short else "EXPECTED"})
found = sorted(json.dumps({row}) for row in answer) if error is None else str(error)[:500]"""
    data = {} if short else {"EXPECTED": rows}
    if expects["of"] == "answer":
        return _check("the rows of the result", "", compared, data)
    if expects["of"] == "table":
        read = "# The table as it is now\n" + _attempted(dialect.rows(dialect.read("")), dialect)
        return _check("the rows of the table", "", read + compared, data)
    read = "# The change data feed of the step\n" + _attempted(
        dialect.rows(dialect.changes("min(new)", "max(new)")), dialect
    )
    return _of_log(
        "the rows of the change data feed", read.replace(", None\n", " if new else [], None\n", 1) + compared, data=data
    )


def _readable(expects: Expects, dialect: Dialect) -> Check:
    after = _attempted(dialect.rows(dialect.read("")), dialect)
    return _check(
        "the table", "", after + 'expected = "readable"\nfound = "readable" if error is None else str(error)[:500]'
    )


def _row_ids_kept(expects: Expects, dialect: Dialect) -> Check:
    ids = dialect.row_ids()
    if ids is None:
        raise CannotCheck("the engine does not show row ids")
    after = f"""after = {dialect.rows(ids)}
expected = []
found = [row for row in map(plain, after) if row not in before]"""
    before = f"before = [plain(row) for row in {dialect.rows(ids)}]"
    return _check("rows whose row id or row commit version is new", before, after)


# The log ------------------------------------------------------------------------------------------------------------


def _operations(expects: Expects, dialect: Dialect) -> Check:
    names = list(expects["names"])
    after = f"""expected = list(enumerate({names}, start=max(old) + 1))
found = [
    (version, next((action["commitInfo"].get("operation") for action in actions if "commitInfo" in action), None))
    for version, actions in new.items()
]"""
    return _of_log("the commits of the step", after)


def _no_actions(expects: Expects, dialect: Dialect) -> Check:
    rows = '\nwrote = [action for action in wrote if at(action, "domainMetadata.domain") != "delta.rowTracking"]'
    domain = rows if "domainMetadata" in expects["kinds"] else ""
    after = f"""{domain}
kinds = {{{", ".join(map(repr, expects["kinds"]))}}}
expected, found = [], [action for action in wrote if kinds & set(action)]"""
    return _of_log(f"{' and '.join(expects['kinds'])} actions of the step", after)


def _removes(expects: Expects, dialect: Dialect) -> Check:
    paths = sorted(expects["paths"])
    short = len(repr(paths)) < 90
    after = f"""expected = {paths if short else "EXPECTED"}
found = sorted(name(action["remove"]) for action in wrote if "remove" in action)"""
    return _of_log("the files that the step removes", after, data={} if short else {"EXPECTED": paths})


def _each_once(expects: Expects, dialect: Dialect) -> Check:
    after = """adds = [(name(action["add"]), action["add"].get("deletionVector")) for action in wrote if "add" in action]
removed = [action["remove"] for action in wrote if "remove" in action]
removes = [(name(remove), remove.get("deletionVector")) for remove in removed]
expected = []
found = [path for files in (adds, removes) for path, _ in files if [other for other, _ in files].count(path) > 1]
found += [path for path, vector in adds if (path, vector) in removes]"""
    return _of_log("files with more than one add or remove in the step's commits", after)


def _actions(kind: str) -> str:
    return f'actions = [action["{kind}"] for action in wrote if "{kind}" in action]\n'


#: Adds of files that were not in the table before.
_WRITTEN = """removed = {name(action["remove"]) for action in wrote if "remove" in action}
actions = [action["add"] for action in wrote if "add" in action and name(action["add"]) not in removed]
"""


def _field_is(expects: Expects, dialect: Dialect) -> Check:
    kind, path = expects["kind"], expects["path"]
    one_path = f"path = {quoted(path, ROOT)}\nactions = [one for one in actions if name(one) == path]\n" if path else ""
    after = f"""{_actions(kind)}{one_path}expected = [{expects["value"]!r}] * len(actions)
found = [at(one, {expects["field"]!r}) for one in actions]"""
    of = "each" if path is None else path
    return _of_log(f"{expects['field']} of the {kind} of {of}", after)


def _field_matches(expects: Expects, dialect: Dialect) -> Check:
    kind, measure, dotted = expects["kind"], str(expects["measure"]), repr(expects["field"])
    found = f"\nfound = [at(one, {dotted}) for one in actions]"
    what = f"{expects['field']} of each {kind}"
    files = 'paths = [f"{ROOT}/{name(one)}" for one in actions]\n'
    if measure == "the file's size":
        expected = 'expected = [os.path.getsize(path) if os.path.exists(path) else "no file" for path in paths]'
        return _of_log(what, _actions(kind) + files + expected + found)
    if measure == "the file's modification time":
        expected = "expected = [os.stat(path).st_mtime_ns // 10**6 for path in paths if os.path.exists(path)]"
        return _of_log(what, _WRITTEN + files + expected + found)
    if measure == "the number of rows in the file":
        expected = f"expected = [{dialect.count('path')} for path in paths]"
        return _of_log(what, _actions(kind) + files + expected + found)
    if measure == "the same field of the file's last add":
        after = f"""earlier = [action["add"] for commit in old.values() for action in commit if "add" in action]
adds = {{name(one): one for one in earlier}}
actions = [action["{kind}"] for action in wrote if "{kind}" in action and name(action["{kind}"]) in adds]
assert actions, "the log has no add of these files"
expected = [at(adds[name(one)], {dotted}) for one in actions]"""
        return _of_log(what, after + found)
    if measure == "a time between the start and the end of the step":
        before = f"{_OLD}\nstarted = int(time.time() * 1000)"
        after = f"""ended = int(time.time() * 1000)
{_NEW}values = [action["{kind}"].get({dotted}) for action in wrote if "{kind}" in action]
expected, found = [], [value for value in values if not (isinstance(value, int) and started <= value <= ended)]"""
        return _check(f"{what} that is not between the start and the end of the step", before, after)
    if measure == "the partition values in the names of the file's directories":
        return _of_log(what, _WRITTEN + "expected = [in_path(name(one)) for one in actions]" + found)
    after = """removed = {name(action["remove"]) for action in wrote if "remove" in action}
actions = [
    (version, action["add"]) for version, commit in new.items() for action in commit
    if "add" in action and name(action["add"]) not in removed
]
"""
    expected = f"expected = [version for version, _ in actions]\nfound = [at(one, {dotted}) for _, one in actions]"
    return _of_log(what, after + expected)


def _field_holds(expects: Expects, dialect: Dialect) -> Check:
    after = f"""pattern = {expects["pattern"]!r}
actions = [action["{expects["kind"]}"] for action in wrote if "{expects["kind"]}" in action]
values = [json.dumps(at(one, {expects["field"]!r})) for one in actions]
expected, found = [], [value for value in values if not re.fullmatch(pattern, value)]"""
    return _of_log(f"{expects['field']} of each {expects['kind']} that is not {expects['promised']}", after)


def _field_agrees(expects: Expects, dialect: Dialect) -> Check:
    after = f"""found = sorted({{str(at(one, {expects["field"]!r})) for one in actions}})
expected = found[:1]"""
    return _of_log(f"{expects['field']} of the {expects['kind']} actions", _actions(expects["kind"]) + after)


def _keys_are(expects: Expects, dialect: Dialect) -> Check:
    kind, keys = expects["kind"], sorted(expects["keys"])
    what = f"keys of {expects['field']} of each {kind}"
    if expects["all"]:
        after = f"""expected = [{keys!r}] * len(actions)
found = [sorted(one.get({expects["field"]!r}) or {{}}) for one in actions]"""
        return _of_log(what, _actions(kind) + after)
    after = f"""allowed = {keys!r}
expected, found = [], [key for one in actions for key in one.get({expects["field"]!r}) or {{}} if key not in allowed]"""
    return _of_log(f"other {what}", _actions(kind) + after)


def _greater_than(expects: Expects, dialect: Dialect) -> Check:
    after = f"""values = [at(one, {expects["field"]!r}) for one in actions]
expected, found = [], [value for value in values if not isinstance(value, int) or value <= {expects["value"]}]"""
    return _of_log(f"{expects['field']} of new files up to {expects['value']}", _WRITTEN + after)


def _new_names(expects: Expects, dialect: Dialect) -> Check:
    after = """earlier = [action for commit in old.values() for action in commit]
known = {name(one) for action in earlier for kind, one in action.items() if kind in ("add", "remove")}
expected = []
found = [name(one) for one in actions if name(one) in known or name(one) in before]"""
    return _of_log("added files with names that existed before", _WRITTEN + after, _LISTED)


def _columns_stored(expects: Expects, dialect: Dialect) -> Check:
    columns = dialect.columns('f"{ROOT}/{name(one)}"')
    after = f"""found = []
for one in actions:
    columns = {columns}
    found += [f"{{column}} is missing" for column in NAMES if column not in columns]
    found += [f"{{column}} is there" for column in OTHERS if column in columns]
expected = []"""
    data = {"NAMES": list(expects["names"]), "OTHERS": list(expects["others"])}
    return _of_log("columns of the added files", _WRITTEN + after, data=data)


def _of_operation(operation: str | None) -> str:
    of = "" if operation is None else f'\ninfos = [info for info in infos if info.get("operation") == {operation!r}]'
    return f"""infos = [action["commitInfo"] for action in wrote if "commitInfo" in action]{of}
assert infos, "the step wrote no commitInfo of this operation"
"""


def _info_is(expects: Expects, dialect: Dialect) -> Check:
    operation, value = expects["operation"], expects["value"]
    empty = " or None" if value is None else ""
    after = f"""expected = {value!r}
found = at(infos[-1], {expects["field"]!r}){empty}"""
    what = f"{expects['field']} of {operation or 'the commit'}"
    return _of_log(what, _of_operation(operation) + after)


_DELETED = """after = listing()
deleted = [path for path in before if path not in after and not path.startswith(("_delta_log/", "../"))]
# Hadoop deletes a checksum file along with its file.
deleted = [path for path in deleted if re.sub(r"(^|/)\\.([^/]*)\\.crc$", r"\\1\\2", path) not in set(deleted) - {path}]
"""


def _metric_counts(expects: Expects, dialect: Dialect) -> Check:
    metric, total, operation = expects["metric"], str(expects["total"]), expects["operation"]
    before, found = "", _WRITTEN
    if total == "files added by the commit":
        found += "expected = str(len(actions))"
    elif total == "bytes of the files added by the commit":
        found += "expected = str(sum(os.path.getsize(f'{ROOT}/{name(one)}') for one in actions))"
    elif total == "change files of the commit":
        found = 'expected = str(len([action for action in wrote if "cdc" in action]))'
    else:
        before, found = _LISTED, _DELETED
        if expects["but"]:
            found += f"deleted = [path for path in deleted if path not in {list(expects['but'])!r}]\n"
        if total == "files and directories that the step deleted":
            found += "expected = str(len(deleted))"
        else:
            found += """assert not any(os.path.islink(f"{ROOT}/{path}") for path in before), "VACUUM counts a link's target"
expected = str(sum(before[path] or 0 for path in deleted))"""
    after = f'{_of_operation(operation)}{found}\nfound = at(infos[-1], "operationMetrics.{metric}")'
    return _of_log(f"{metric} of {operation or 'the commit'} ({total})", after, before)


def _last_vacuum(expects: Expects, dialect: Dialect) -> Check:
    after = f"""place = f"{{ROOT}}/_delta_log/_last_vacuum_info"
expected, found = {expects["version"]!r}, "no such file"
if os.path.exists(place):
    with open(place) as file:
        found = json.load(file).get("latestCommitVersionOutsideOfRetentionWindow")"""
    return _check("the version in _last_vacuum_info", "", after)


def _checkpoint_removes(expects: Expects, dialect: Dialect) -> Check:
    after = f"""new = [path for path in listing() if path not in before and path.startswith("_delta_log/")]
new = [os.path.join(ROOT, path) for path in new if path.endswith(".parquet")]
assert new, "the step wrote no checkpoint"
removes = {{unquote(removed) for path in new for removed in {dialect.removes_in("path")}}}
expected, found = [], [path for path in PATHS if path not in removes]"""
    what = "files without a remove in the new checkpoint"
    return _check(what, _LISTED, after, {"PATHS": list(expects["paths"])})


# Answers ------------------------------------------------------------------------------------------------------------


def _fails(expects: Expects, dialect: Dialect) -> Check:
    conditions = list(expects["conditions"])
    if not conditions:
        return _check("the command", "", 'expected, found = "an error", "no error" if error is None else "an error"')
    after = f"""documented = {conditions!r}
found = "no error" if error is None else str(condition(error))
expected = found if any(f"{{found}}.".startswith(f"{{name}}.") for name in documented) else " or ".join(documented)"""
    return _check("the error class of the command", "", after)


def _succeeds(expects: Expects, dialect: Dialect) -> Check:
    after = 'expected, found = "no error", "no error" if error is None else str(error)'
    return _check("the command", "", after)


_PATHS = """assert error is None, error
paths = [os.path.relpath(re.sub("^file:/*", "/", str(row[0])), ROOT) for row in answer]
"""


def _lists(expects: Expects, dialect: Dialect) -> Check:
    path, listed = expects["path"], expects["listed"]
    after = f"""{_PATHS}path = {quoted(path, ROOT)}
found = "listed" if path in paths else "not listed"
expected = {'"listed"' if listed else '"not listed"'}"""
    return _check("{path}", "", after)


def _answers_root(expects: Expects, dialect: Dialect) -> Check:
    return _check("the paths that the command returns", "", f'{_PATHS}expected, found = ["."], paths')


def _answers_paths(expects: Expects, dialect: Dialect) -> Check:
    after = f"""{_PATHS}expected = []
found = [path for path in paths if path == "." or path.startswith("../") or paths.count(path) > 1]
found += [row for row in answer if len(row) != 1]"""
    return _check("rows that are not one path in the table, or are repeated", "", after)


def _by_replay(expects: Expects, dialect: Dialect) -> Check:
    raise CannotCheck(expects["reason"])


KINDS: Mapping[str, Callable[[Expects, Dialect], Check]] = {
    re.sub("_", "-", function.__name__.lstrip("_")): function
    for function in (
        _unchanged,
        _gone,
        _nothing_changed,
        _nothing_deleted,
        _no_file_written,
        _new_files_referenced,
        _rows_are,
        _readable,
        _row_ids_kept,
        _operations,
        _no_actions,
        _removes,
        _each_once,
        _field_is,
        _field_matches,
        _field_holds,
        _field_agrees,
        _keys_are,
        _greater_than,
        _new_names,
        _columns_stored,
        _info_is,
        _metric_counts,
        _last_vacuum,
        _checkpoint_removes,
        _fails,
        _succeeds,
        _lists,
        _answers_root,
        _answers_paths,
        _by_replay,
    )
}

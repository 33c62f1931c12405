"""Checks of the actions that the step wrote to the log, and of other files of the log."""

from __future__ import annotations

from deltalog.names import LAST_VACUUM_INFO
from engines.dialect import Dialect, literal, quoted
from model.text.layout import ROOT
from records.expectations import (
    ColumnsStored,
    FieldHolds,
    FieldIs,
    FieldMatches,
    InfoIs,
    KeysAre,
    Measure,
    MetricCounts,
    NoActions,
    Operations,
    Removes,
    Total,
)
from reports.counterexamples.checks.pieces import LISTED, NEW, OLD, WRITTEN, Check, made, of_log


def operations(expects: Operations) -> Check:
    after = f"""expected = list(enumerate({list(expects.names)}, start=max(old) + 1))
found = [
    (version, next((action["commitInfo"].get("operation") for action in actions if "commitInfo" in action), None))
    for version, actions in new.items()
]"""
    return of_log("the commits of the step", after)


def no_actions(expects: NoActions) -> Check:
    rows = '\nwrote = [action for action in wrote if at(action, "domainMetadata.domain") != "delta.rowTracking"]'
    domain = "domainMetadata" in expects.kinds
    after = f"""{rows if domain else ""}
kinds = {{{", ".join(map(repr, expects.kinds))}}}
expected, found = [], [action for action in wrote if kinds & set(action)]"""
    return of_log(f"{' and '.join(expects.kinds)} actions of the step", after, "at" if domain else "")


def removes(expects: Removes, dialect: Dialect) -> Check:
    paths = sorted(expects.paths)
    if expects.checkpoint:
        removed = dialect.removes_in("path")
        after = f"""new = [path for path in listing() if path not in before and path.startswith("_delta_log/")]
new = [os.path.join(ROOT, path) for path in new if path.endswith(".parquet")]
assert new, "the step wrote no checkpoint"
removes = {{unquote(removed) for path in new for removed in {removed.text}}}
expected, found = [], [path for path in PATHS if path not in removes]"""
        what = "files without a remove in the new checkpoint"
        return made(what, after, "listing os unquote", removed, before=LISTED, data={"PATHS": paths})
    short = len(repr(paths)) < 90
    after = f"""expected = {paths if short else "EXPECTED"}
found = sorted(name(action["remove"]) for action in wrote if "remove" in action)"""
    return of_log("the files that the step removes", after, "name", data={} if short else {"EXPECTED": paths})


def _actions(kind: str) -> str:
    return f"actions = [action[{literal(kind)}] for action in wrote if {literal(kind)} in action]\n"


def field_is(expects: FieldIs) -> Check:
    path = expects.path
    if expects.kind == LAST_VACUUM_INFO:
        after = f"""place = Path(ROOT, "_delta_log", "{LAST_VACUUM_INFO}")
field, expected = {expects.field!r}, {expects.value!r}
found = at(place.read_text("utf-8"), field) if place.exists() else "no such file\""""
        return made(f"{expects.field} in {LAST_VACUUM_INFO}", after, "Path at")
    one_path = f"path = {quoted(path, ROOT)}\nactions = [one for one in actions if name(one) == path]\n" if path else ""
    after = f"""{_actions(expects.kind)}{one_path}expected = [{expects.value!r}] * len(actions)
found = [at(one, {expects.field!r}) for one in actions]"""
    of = "each" if path is None else path
    return of_log(f"{expects.field} of the {expects.kind} of {of}", after, "at name" if path else "at")


_PLACES = 'paths = [f"{ROOT}/{name(one)}" for one in actions]\n'

#: What the field of each action must be, by measure: whether the actions are only the adds of new files, what is ``expected``,
#: and the names that it uses.
_MEASURED = {
    Measure.FILE_SIZE: (
        False,
        _PLACES + 'expected = [os.path.getsize(path) if os.path.exists(path) else "no file" for path in paths]',
        "name os",
    ),
    Measure.FILE_TIME: (
        True,
        _PLACES + "expected = [os.stat(path).st_mtime_ns // 10**6 for path in paths if os.path.exists(path)]",
        "os",
    ),
    Measure.DIRECTORY: (True, "expected = [in_path(name(one)) for one in actions]", "in_path"),
}


def field_matches(expects: FieldMatches, dialect: Dialect) -> Check:
    kind, dotted = expects.kind, repr(expects.field)
    named = literal(kind)
    found = f"\nfound = [at(one, {dotted}) for one in actions]"
    what = f"{expects.field} of each {kind}"
    if expects.measure in _MEASURED:
        of_new, expected, uses = _MEASURED[expects.measure]
        after = (WRITTEN if of_new else _actions(kind)) + expected + found
        return of_log(what, after, f"at name {uses}")
    if expects.measure is Measure.FILE_ROWS:
        rows = dialect.count("path")
        after = f"{_actions(kind)}{_PLACES}expected = [{rows.text} for path in paths]{found}"
        return of_log(what, after, "at name", rows)
    if expects.measure is Measure.ADD:
        after = f"""earlier = [action["add"] for commit in old.values() for action in commit if "add" in action]
adds = {{name(one): one for one in earlier}}
actions = [action[{named}] for action in wrote if {named} in action and name(action[{named}]) in adds]
assert actions, "the log has no add of these files"
expected = [at(adds[name(one)], {dotted}) for one in actions]"""
        return of_log(what, after + found, "at name")
    if expects.measure is Measure.OTHERS:
        after = f"found = sorted({{str(at(one, {dotted})) for one in actions}})\nexpected = found[:1]"
        return of_log(f"{expects.field} of the {kind} actions", _actions(kind) + after, "at")
    if expects.measure is Measure.VERSION:
        after = f"""removed = {{name(action["remove"]) for action in wrote if "remove" in action}}
actions = [
    (version, action["add"]) for version, commit in new.items() for action in commit
    if "add" in action and name(action["add"]) not in removed
]
expected = [version for version, _ in actions]
found = [at(one, {dotted}) for _, one in actions]"""
        return of_log(what, after, "at name")
    return _none_fails(expects)


def _none_fails(expects: FieldMatches) -> Check:
    """Of the other measures, which list the values that are wrong."""
    kind, dotted = expects.kind, repr(expects.field)
    named = literal(kind)
    if expects.measure is Measure.CLOCK:
        before = f"{OLD}\nstarted = int(time.time() * 1000)"
        after = f"""ended = int(time.time() * 1000)
{NEW}values = [action[{named}].get({dotted}) for action in wrote if {named} in action]
expected, found = [], [value for value in values if not (isinstance(value, int) and started <= value <= ended)]"""
        what = f"{expects.field} of each {kind} that is not between the start and the end of the step"
        return made(what, after, "log time", before=before)
    if expects.measure is Measure.ABOVE:
        after = f"""values = [at(one, {dotted}) for one in actions]
expected, found = [], [value for value in values if not isinstance(value, int) or value <= {expects.limit}]"""
        return of_log(f"{expects.field} of new files up to {expects.limit}", WRITTEN + after, "at name")
    if expects.measure is Measure.NEW_NAME:
        after = """earlier = [action for commit in old.values() for action in commit]
known = {name(one) for action in earlier for kind, one in action.items() if kind in ("add", "remove")}
expected = []
found = [name(one) for one in actions if name(one) in known or name(one) in before]"""
        return of_log("added files with names that existed before", WRITTEN + after, "listing name", before=LISTED)
    assert expects.measure is Measure.ONCE
    after = """adds = [(name(action["add"]), action["add"].get("deletionVector")) for action in wrote if "add" in action]
removed = [action["remove"] for action in wrote if "remove" in action]
removes = [(name(remove), remove.get("deletionVector")) for remove in removed]
expected = []
found = [path for files in (adds, removes) for path, _ in files if [other for other, _ in files].count(path) > 1]
found += [path for path, vector in adds if (path, vector) in removes]"""
    return of_log("files with more than one add or remove in the step's commits", after, "name")


def field_holds(expects: FieldHolds) -> Check:
    after = f"""pattern = {expects.pattern!r}
{_actions(expects.kind)}values = [json.dumps(at(one, {expects.field!r})) for one in actions]
expected, found = [], [value for value in values if not re.fullmatch(pattern, value)]"""
    return of_log(f"{expects.field} of each {expects.kind} that is not {expects.promised}", after, "at json re")


def keys_are(expects: KeysAre) -> Check:
    kind, keys = expects.kind, sorted(expects.keys)
    what = f"keys of {expects.field} of each {kind}"
    if expects.all:
        after = f"""expected = [{keys!r}] * len(actions)
found = [sorted(one.get({expects.field!r}) or {{}}) for one in actions]"""
        return of_log(what, _actions(kind) + after)
    after = f"""allowed = {keys!r}
expected, found = [], [key for one in actions for key in one.get({expects.field!r}) or {{}} if key not in allowed]"""
    return of_log(f"other {what}", _actions(kind) + after)


def columns_stored(expects: ColumnsStored, dialect: Dialect) -> Check:
    columns = dialect.columns('f"{ROOT}/{name(one)}"')
    after = f"""found = []
for one in actions:
    columns = {columns.text}
    found += [f"{{column}} is missing" for column in NAMES if column not in columns]
    found += [f"{{column}} is there" for column in OTHERS if column in columns]
expected = []"""
    data = {"NAMES": list(expects.names), "OTHERS": list(expects.others)}
    return of_log("columns of the added files", WRITTEN + after, "name", columns, data=data)


def _of_operation(operation: str | None) -> str:
    of = "" if operation is None else f'\ninfos = [info for info in infos if info.get("operation") == {operation!r}]'
    return f"""infos = [action["commitInfo"] for action in wrote if "commitInfo" in action]{of}
assert infos, "the step wrote no commitInfo of this operation"
"""


def info_is(expects: InfoIs) -> Check:
    empty = " or None" if expects.value is None else ""
    after = f"""expected = {expects.value!r}
found = at(infos[-1], {expects.field!r}){empty}"""
    what = f"{expects.field} of {expects.operation or 'the commit'}"
    return of_log(what, _of_operation(expects.operation) + after, "at")


_DELETED = """after = listing()
deleted = [path for path in before if path not in after and not path.startswith(("_delta_log/", "../"))]
# Hadoop deletes a checksum file along with its file.
deleted = [path for path in deleted if re.sub(r"(^|/)\\.([^/]*)\\.crc$", r"\\1\\2", path) not in set(deleted) - {path}]
"""


def metric_counts(expects: MetricCounts) -> Check:
    metric, total = expects.metric, expects.total
    before, uses = "", "at name"
    if total is Total.ADDED_FILES:
        counted = WRITTEN + "expected = str(len(actions))"
    elif total is Total.ADDED_BYTES:
        counted = WRITTEN + "expected = str(sum(os.path.getsize(f'{ROOT}/{name(one)}') for one in actions))"
        uses = "at name os"
    elif total is Total.CHANGE_FILES:
        counted, uses = 'expected = str(len([action for action in wrote if "cdc" in action]))', "at"
    else:
        before, counted, uses = LISTED, _DELETED, "at listing re"
        if expects.but:
            counted += f"deleted = [path for path in deleted if path not in {list(expects.but)!r}]\n"
        if total is Total.DELETED_FILES:
            counted += "expected = str(len(deleted))"
        else:
            counted += """assert not any(os.path.islink(f"{ROOT}/{path}") for path in before), "VACUUM counts a link's target"
expected = str(sum(before[path] or 0 for path in deleted))"""
            uses += " os"
    after = (
        f"{_of_operation(expects.operation)}{counted}\nfound = at(infos[-1], {literal(f'operationMetrics.{metric}')})"
    )
    what = f"{metric} of {expects.operation or 'the commit'} ({total.value})"
    return of_log(what, after, uses, before=before)

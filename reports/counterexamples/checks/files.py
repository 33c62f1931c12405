"""Checks of the files in the table's directory and beside it."""

from __future__ import annotations

from engines.dialect import Dialect
from records.expectations import Change, Gone, NoFileWritten, NothingChanged, Unchanged
from reports.counterexamples.checks.pieces import LISTED, CannotCheck, Check, made, of_log, path_in_table


def unchanged(expects: Unchanged) -> Check:
    state = "dated" if expects.times else "state"
    before = f"path = {path_in_table(expects.path)}\nexpected = {state}(path)"
    return made(None, f"found = {state}(path)", state, before=before)


def gone(expects: Gone) -> Check:
    before = f'path = {path_in_table(expects.path)}\nassert os.path.lexists(path), "the path does not exist"'
    after = 'expected, found = "deleted", "still there" if os.path.lexists(path) else "deleted"'
    return made(None, after, "os", before=before)


#: For each change: the paths that changed in this way, how they are found, and the names that it uses. ``before`` and ``after``
#: have the state of each path, or in a listing the size of each file.
_STATES, _LISTING = "{path: dated(os.path.join(ROOT, path)) for path in listing()}", "listing()"
_CHANGED = {
    Change.ANY: (
        "paths that changed",
        _STATES,
        "found = [path for path in {**before, **after} if before.get(path) != after.get(path)]",
    ),
    Change.OF_FILES: (
        "files outside the log that changed",
        _STATES,
        """files = [path for path in before if before[path] != "a directory" and not path.startswith("_delta_log/")]
found = [path for path in files if after.get(path) != before[path]]""",
    ),
    Change.DELETION: (
        "deleted paths",
        _LISTING,
        'found = [path for path in before if path not in after and not path.startswith("_delta_log/")]',
    ),
    Change.DELETION_OF_FILES: (
        "deleted files",
        _LISTING,
        """files = [path for path in before if before[path] is not None and not path.startswith("_delta_log/")]
found = [path for path in files if path not in after]""",
    ),
}


def nothing_changed(expects: NothingChanged, dialect: Dialect) -> Check:
    if expects.change is Change.OF_ROW_IDS:
        return _row_ids_kept(dialect)
    what, state, found = _CHANGED[expects.change]
    uses = "listing" if state == _LISTING else "dated listing os"
    return made(what, f"after = {state}\nexpected = []\n{found}", uses, before=f"before = {state}")


def _row_ids_kept(dialect: Dialect) -> Check:
    ids = dialect.row_ids()
    if ids is None:
        raise CannotCheck("the engine does not show row ids")
    rows = dialect.rows(ids)
    after = f"""after = {rows.text}
expected = []
found = [row for row in map(plain, after) if row not in before]"""
    before = f"before = [plain(row) for row in {rows.text}]"
    return made("rows whose row id or row commit version is new", after, "plain", rows, before=before)


#: Hadoop's local file system writes a checksum file beside each file.
_NEW_FILES = """new_files = [path for path, size in listing().items() if path not in before and size is not None]
new_files = [path for path in new_files if not path.startswith("_delta_log/") and not path.endswith(".crc")]
"""


def no_file_written(expects: NoFileWritten, dialect: Dialect) -> Check:
    if expects.but_named:
        return _files_named(dialect)
    found = f"[path for path in new_files if {expects.containing!r} in path]" if expects.containing else "new_files"
    after = f"{_NEW_FILES}expected = []\nfound = {found}"
    return made("new files outside the log", after, "listing", before=LISTED)


def _files_named(dialect: Dialect) -> Check:
    rows = dialect.count('f"{ROOT}/{path}"')
    after = f"""{_NEW_FILES}referenced = {{name(action[kind]) for action in wrote for kind in action if kind in ("add", "cdc")}}
others = [path for path in new_files if path not in referenced and not path.endswith(".bin")]
expected = []
found = [path for path in others if not path.endswith(".parquet") or {rows.text}]"""
    return of_log("new files with rows that no action refers to", after, "listing name", rows, before=LISTED)

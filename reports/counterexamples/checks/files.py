"""Checks of the files in the table's directory and beside it."""

from __future__ import annotations

from engines.dialect import Dialect
from records.expectations import Gone, NewFilesReferenced, NoFileWritten, NothingChanged, NothingDeleted, Unchanged
from reports.counterexamples.checks.pieces import LISTED, Check, made, of_log, path_in_table


def unchanged(expects: Unchanged) -> Check:
    state = "dated" if expects.times else "state"
    before = f"path = {path_in_table(expects.path)}\nexpected = {state}(path)"
    return made("{path}", f"found = {state}(path)", state, before=before)


def gone(expects: Gone) -> Check:
    before = f'path = {path_in_table(expects.path)}\nassert os.path.lexists(path), "the path does not exist"'
    after = 'expected, found = "deleted", "still there" if os.path.lexists(path) else "deleted"'
    return made("{path}", after, "os", before=before)


def nothing_changed(expects: NothingChanged) -> Check:
    before = "before = {path: dated(os.path.join(ROOT, path)) for path in listing()}"
    after = before.replace("before", "after", 1) + "\nexpected = []\n"
    uses = "dated listing os"
    if expects.log:
        after += "found = [path for path in {**before, **after} if before.get(path) != after.get(path)]"
        return made("paths that changed", after, uses, before=before)
    after += """files = [path for path in before if before[path] != "a directory" and not path.startswith("_delta_log/")]
found = [path for path in files if after.get(path) != before[path]]"""
    return made("files outside the log that changed", after, uses, before=before)


def nothing_deleted(expects: NothingDeleted) -> Check:
    files = "deleted = [path for path in deleted if before[path] is not None]\n" if expects.but_directories else ""
    after = f"""after = listing()
deleted = [path for path in before if path not in after]
{files}expected, found = [], [path for path in deleted if not path.startswith("_delta_log/")]"""
    return made("deleted paths", after, "listing", before=LISTED)


#: Hadoop's local file system writes a checksum file beside each file.
_NEW_FILES = """new_files = [path for path, size in listing().items() if path not in before and size is not None]
new_files = [path for path in new_files if not path.startswith("_delta_log/") and not path.endswith(".crc")]
"""


def no_file_written(expects: NoFileWritten) -> Check:
    found = f"[path for path in new_files if {expects.containing!r} in path]" if expects.containing else "new_files"
    after = f"{_NEW_FILES}expected = []\nfound = {found}"
    return made("new files outside the log", after, "listing", before=LISTED)


def new_files_referenced(expects: NewFilesReferenced, dialect: Dialect) -> Check:
    rows = dialect.count('f"{ROOT}/{path}"')
    after = f"""{_NEW_FILES}referenced = {{name(action[kind]) for action in wrote for kind in action if kind in ("add", "cdc")}}
others = [path for path in new_files if path not in referenced and not path.endswith(".bin")]
expected = []
found = [path for path in others if not path.endswith(".parquet") or {rows.text}]"""
    return of_log("new files with rows that no action refers to", after, "listing name", rows, before=LISTED)

"""Laws on files and directories: what must stay, what must go, what must be as it was."""

from __future__ import annotations

from collections.abc import Iterable

from reports.laws.actions import file_of, vector_of
from reports.laws.evidence import DIRECTORY, CannotJudge, Evidence, Finding
from reports.laws.paths import beside, gone_paths, in_log, new_files, writers_may_add
from reports.laws.words import listed, named
from reports.plurals import counted


def stays(seen: Evidence, path: str) -> Finding:
    if path not in seen.before:
        raise CannotJudge(f"{path} was not there before {seen.text}.")
    if path not in seen.after:
        return False, f"{path} is gone after {seen.text}"
    if seen.before[path][2] != seen.after[path][2]:
        return False, f"{path} has other bytes after {seen.text}"
    return True, f"{path} is still there after {seen.text}"


def live_files_stay(seen: Evidence) -> Finding:
    lost = [path for path in sorted(seen.live) if path in seen.before and path not in seen.after]
    if lost:
        return False, f"{seen.text} deleted {listed(lost)}, which the version before it refers to"
    return True, f"all {counted(len(seen.live), 'live file')} are still there after {seen.text}"


def version_files_stay(seen: Evidence, version: int, but: Iterable[str] = ()) -> Finding:
    adds = seen.live_at(version).values()
    files = {path for add in adds for path in (file_of(add, seen.root), vector_of(add, seen.root)) if path is not None}
    inside = sorted(path for path in files.difference(but) if path in seen.before and not beside(path))
    lost = [path for path in inside if path not in seen.after]
    if lost:
        return False, f"{seen.text} deleted {listed(lost)}, which version {version} refers to"
    return True, f"all {counted(len(inside), 'file')} of version {version} are still there after {seen.text}"


def beside_stays(seen: Evidence, path: str | None = None) -> Finding:
    if path is not None:
        return stays(seen, path)
    paths = sorted(path for path in seen.before if beside(path))
    if not paths:
        raise CannotJudge("There is nothing beside the table.")
    wrong = [one for one in paths if one not in seen.after or seen.before[one][2] != seen.after[one][2]]
    if wrong:
        return False, f"{seen.text} deleted or changed {listed(wrong)}, beside the table"
    return True, f"the {len(paths)} files and directories beside the table are as before {seen.text}"


def goes(seen: Evidence, path: str) -> Finding:
    if path not in seen.before:
        raise CannotJudge(f"{path} was not there before {seen.text}.")
    if path in seen.after:
        return False, f"{path} is still there after {seen.text}"
    return True, f"{path} is gone after {seen.text}"


def no_file_went(seen: Evidence) -> Finding:
    gone = [path for path in gone_paths(seen) if seen.before[path] != DIRECTORY]
    if gone:
        return False, f"{listed(gone)} is gone after {seen.text}"
    return True, f"no file outside of _delta_log is gone after {seen.text}"


def nothing_went(seen: Evidence) -> Finding:
    gone = gone_paths(seen)
    if gone:
        return False, f"{listed(gone)} is gone after {seen.text}"
    return True, f"no file and no directory outside of _delta_log is gone after {seen.text}"


def untouched(seen: Evidence, paths: list[str] | None = None) -> Finding:
    if paths is None:
        paths = [path for path, entry in seen.before.items() if not in_log(path) and entry != DIRECTORY]
    if absent := [path for path in paths if path not in seen.before]:
        raise CannotJudge(f"{listed(absent)} was not there before {seen.text}.")
    touched = [path for path in paths if seen.before[path] != seen.after.get(path)]
    if touched:
        return False, f"{seen.text} touched {listed(touched)}"
    return True, f"the bytes and times of {counted(len(paths), 'file')} are as before {seen.text}"


def nothing_changed(seen: Evidence) -> Finding:
    paths = sorted(seen.before.keys() | seen.after.keys())
    changed = [path for path in paths if seen.before.get(path) != seen.after.get(path)]
    if changed:
        return False, f"{seen.text} changed {listed(changed)}"
    return True, f"all {len(paths)} files and directories are as before {seen.text}"


def no_new_files(seen: Evidence) -> Finding:
    new = new_files(seen)
    return not new, f"{seen.text} wrote {listed(new)} outside of _delta_log"


def no_new_data_files(seen: Evidence) -> Finding:
    new = [path for path in new_files(seen) if path.endswith(".parquet")]
    return not new, f"{seen.text} wrote {listed(new)}" if new else f"{seen.text} wrote no data file"


def log_unchanged(seen: Evidence) -> Finding:
    # The two pointers, and the checksum files that Hadoop keeps beside them, may be written anew.
    pointers = ("_last_checkpoint", "_last_vacuum_info", "._last_checkpoint.crc", "._last_vacuum_info.crc")
    inside = [path for path in sorted(seen.before.keys() | seen.after.keys()) if in_log(path)]
    changed = [
        path
        for path in inside
        if path.rsplit("/", 1)[-1] not in pointers
        and seen.before.get(path) != seen.after.get(path)
        and (path in seen.before or not writers_may_add(path))
    ]
    if changed:
        return False, f"{seen.text} changed {listed(changed)}"
    return True, f"the log has nothing changed by {seen.text} but what it added"


def table_is_there(seen: Evidence) -> Finding:
    gone = [path for path in (".", "_delta_log") if path not in seen.after]
    if gone:
        return False, f"{listed(gone)} is gone after {seen.text}"
    rows, error = seen.read_table()
    if rows is None:
        return False, f"the table cannot be read after {seen.text}: {named(error or {})}"
    return True, f"the table is there after {seen.text} and reads {counted(len(rows), 'row')}"

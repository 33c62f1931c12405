"""The laws that a reproduction script checks, each a plain function of what was seen around one step.

``reports.reproduction`` copies the source of the law that a script needs, and of what that law uses, into the script:
so this module uses the standard library only (and what it takes from ``reports``, copied along), and each law can be
read alone.

A law returns a Finding: whether it holds, and a phrase that says what was seen. Paths are relative to the table's
root, as they are on storage (not url-encoded). Where a law cannot be judged at all, such as a file that was gone before
the step, it raises CannotJudge.

| law | it holds when |
| --- | --- |
| ``stays(path)`` | the file or directory is still there, with the same bytes |
| ``live_files_stay()`` | every file that the version before the step refers to is still there |
| ``goes(path)`` | the file or directory is gone |
| ``no_file_went()`` | no file outside of ``_delta_log`` is gone |
| ``nothing_went()`` | neither a file nor a directory outside of ``_delta_log`` is gone |
| ``rows_are(rows)`` | the step's rows are these, as a multiset |
| ``reads(rows)`` | the current version, read after the step, holds these rows, as a multiset |
| ``removed_exactly(paths)`` | the step's single commit removes exactly these files |
| ``no_commit()`` | the step wrote no version |
| ``one_commit()`` | the step wrote exactly one version |
| ``untouched(paths=None)`` | these files (all that were there outside the log) have the same bytes and mtimes |
| ``nothing_changed()`` | all files and directories, the log's too, are as before |
| ``adds_true()`` | each add is true of its file: new and unique path, size, time, partition, record count |
| ``removes_true()`` | each remove says what a live file's add said (NULL partition values may be absent), at a time in the step |
| ``removes_name_all_partitions()`` | the partition values of each remove name exactly the partition columns, the NULL ones too |
| ``one_deletion_timestamp()`` | all removes carry the same deletionTimestamp |
| ``no_conflicting_actions()`` | no two actions of one commit reconcile with each other, no path twice among one kind |
| ``definition_stays()`` | the step's commits hold no protocol, metaData or txn action, and no domainMetadata but row ids' |
| ``no_adds()`` | the step's commits add no file |
| ``no_new_files()`` | no file was written outside of ``_delta_log`` |
| ``no_new_data_files()`` | no Parquet file was written outside of ``_delta_log`` |
| ``all_new_files_referenced()`` | the step's commits name each new file; the log, vectors and Parquet without rows aside |
| ``added_rows_are(rows)`` | the added files hold these rows, as a multiset |
| ``commit_info(expected, present)`` | the last commit's commitInfo has these values and these keys (dotted) |
| ``refused(condition)`` | the engine refused the step with this error condition (any error for ``None``) |
| ``refused(conditions=[…])`` | … with one of these (``None``: an error without any), and nothing changed |
| ``succeeded()`` | the engine ended the step without an error |
| ``lists(path)``, ``lists_not(path)`` | the DRY RUN's rows name the path, or do not |
| ``vacuum_log(expected)`` | it wrote VACUUM START and END alone, with the commitInfo ``expected["START"]``, ``["END"]`` |
| ``log_unchanged()`` | the log's older files have the same bytes; only what a writer may add was added |
| ``table_is_there()`` | the root and its log exist, and the current version can be read |
| ``vectors_are(files)`` | the deletion vectors of the live files hide exactly these row indexes, by the file's path |
| ``vectors_valid()`` | each vector that the step's commits name can be read: file, version, size, checksum, magic, count |
| ``no_vector_written()`` | the step's commits name no new vector, and no vector file was written |
| ``change_rows_are(rows)`` | the change files of the step's commits hold these rows of the table, each a ``delete`` |
| ``no_change_files()`` | the step's commits name no change file, and none was written |
| ``changes_are(rows)`` | the engine's change feed of the step holds these rows, each with its ``_change_type`` behind |
| ``metrics_are(metrics, absent)`` | the last commit's operationMetrics have these values, and lack these names |
| ``times_are_numbers(names)`` | these of the last commit's operationMetrics are whole numbers, not negative |
| ``commit_tag(tag, value)`` | the last commit's commitInfo has this tag (no such tag for ``None``) |
| ``row_ids_kept()`` | each row that is left has the row id and the row commit version that it had |
| ``row_ids_set()`` | each add has baseRowId and defaultRowCommitVersion: a new file's are new, a known file's are its own |
| ``physical_names()`` | partitionValues and new files name the columns by their physical names |

Keys of a commitInfo are dotted: ``operationMetrics.numFilesToDelete``.
Rows are lists of JSON values, in the form of ``reports.values``. With column mapping, the partition columns are meant by
their physical names; a file's rows are those that it stores, less those that its deletion vector hides.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from reports.plurals import counted
from reports.values import comparable
from reports.vectors import BadVector, vector_rows

Row = list[Any]
Action = dict[str, Any]

#: What a listing says of a path: size in bytes, mtime in ns, digest. A directory is DIRECTORY, whatever its time.
Entry = tuple[int, int, str]
Finding = tuple[bool, str]
#: What the engine answered: rows, or an error (exception, condition, message).
Answer = tuple["list[Row] | None", "Action | None"]
DIRECTORY: Entry = (-1, 0, "directory")


class CannotJudge(Exception):
    """The law says nothing here. The text is one sentence that says why."""


class Unreadable(CannotJudge):
    """A file cannot be read as Parquet. The text is one sentence that says why."""


@dataclass(frozen=True)
class Evidence:
    """What was seen around one step of the engine."""

    text: str  # the step, as SQL
    root: str  # the table's directory
    before: dict[str, Entry]  # everything below the root, just before the step
    after: dict[str, Entry]  # and just after it
    live: dict[str, Action]  # path → its add action, in the version before the step
    live_after: dict[str, Action]  # and in the version after it
    commits: list[list[Action]]  # the actions of each version that the step wrote
    schema: list[Action]  # the columns, as the table's schema says them
    partition_by: list[str]  # physical names
    rows: list[Row] | None  # what the step answered
    error: Action | None  # exception, condition, message
    started: int  # ms since the epoch, by the wall clock
    ended: int
    read_file: Callable[[Action], list[Row]]  # all rows that an add's file stores, with the partition's; or Unreadable
    read_changes: Callable[[Action], list[Row]]  # all rows of a cdc's file, the _change_type behind; or Unreadable
    read_table: Callable[[], Answer]  # all rows of the current version, read now
    read_feed: Callable[[], Answer]  # the step's change feed: each row with its _change_type behind
    read_row_ids: Callable[[bool], Answer]  # before (or after): each row with its id and its commit version behind
    read_bytes: Callable[[str], bytes]  # of a file, by its path below the root or its absolute path
    stored_names: Callable[
        [Action], list[str]
    ]  # the names of a file's columns and nested fields, dotted; or Unreadable


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


def rows_are(seen: Evidence, rows: list[Row]) -> Finding:
    if seen.error is not None or seen.rows is None:
        return False, f"{seen.text} gave no rows, but {ending(seen)}"
    return same_rows(seen.rows, rows, seen.text)


def reads(seen: Evidence, rows: list[Row]) -> Finding:
    found, error = seen.read_table()
    if found is None:
        return False, f"the table cannot be read after {seen.text}: {named(error or {})}"
    return same_rows(found, rows, f"the table after {seen.text}")


def removed_exactly(seen: Evidence, paths: list[str]) -> Finding:
    if len(seen.commits) != 1:
        return False, f"{seen.text} wrote {counted(len(seen.commits), 'version')}, not one: {ending(seen)}"
    removed = Counter(file_of(action) for action in actions_of(seen.commits[0], "remove"))
    return same(removed, Counter(paths), f"the files removed by {seen.text}")


def no_commit(seen: Evidence) -> Finding:
    return not seen.commits, f"{seen.text} wrote {counted(len(seen.commits), 'version')}"


def one_commit(seen: Evidence) -> Finding:
    return len(seen.commits) == 1, f"{seen.text} wrote {counted(len(seen.commits), 'version')} ({ending(seen)})"


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


def adds_true(seen: Evidence) -> Finding:
    wrong = []
    adds = [action for commit in seen.commits for action in actions_of(commit, "add")]
    names = Counter(file_of(add) for add in adds)
    for add in adds:
        path = file_of(add)
        size, mtime, _ = seen.after.get(path, DIRECTORY)
        facts: list[tuple[str, Any, Any]] = [("a file of size", add.get("size"), size), ("uses", 1, names[path])]
        facts.append(("dataChange", add.get("dataChange"), True))
        facts.append(("partition columns", sorted(add.get("partitionValues", {})), sorted(seen.partition_by)))
        stats = json.loads(add["stats"]) if add.get("stats") else {}
        if add.get("deletionVector"):
            # A deletion vector keeps its file: the same path, size and time, and the add before it is live. Its
            # statistics have the number of rows that the file stores, and bounds that need not be tight any more
            # (PROTOCOL.md, "Writer Requirements for Deletion Vectors", "Per-file Statistics").
            old = seen.live.get(path, {})
            facts.append(("the live add's size", add.get("size"), old.get("size")))
            facts.append(("the live add's modificationTime", add.get("modificationTime"), old.get("modificationTime")))
            facts.append(("statistics with numRecords", "numRecords" in stats, True))
            facts.append(("tightBounds", stats.get("tightBounds"), False))
        else:
            facts.append(("there before", path in seen.before, False))
            facts.append(("modificationTime", add.get("modificationTime"), mtime // 1_000_000))
            if any("=" in part for part in path.split("/")[:-1]):
                # A timestamp is in UTC in the log, in the session's zone in the name: only its column is compared.
                timed = [physical_name(field) for field in seen.schema if field["type"] == "timestamp"]
                said, shown = (
                    {name: name if name in timed and value is not None else value for name, value in values.items()}
                    for values in (add.get("partitionValues", {}), values_in(path))
                )
                facts.append(("values in the directory's name", said, shown))
        if "numRecords" in stats and size >= 0:
            facts.append(("numRecords", stats["numRecords"], len(seen.read_file(add))))
        wrong += [f"{path}: {name} {said!r}, but found {found!r}" for name, said, found in facts if said != found]
    if wrong:
        return False, f"the commit of {seen.text} adds {listed(wrong)}"
    return True, f"each of the {len(adds)} files that {seen.text} added is as its add says"


def removes_true(seen: Evidence) -> Finding:
    wrong = []
    removes = [action for commit in seen.commits for action in actions_of(commit, "remove")]
    for remove in removes:
        path = file_of(remove)
        add = seen.live.get(path)
        if add is None:
            wrong.append(f"{path}, which was not live")
            continue
        facts: list[tuple[str, Any, Any]] = []
        facts += [(key, remove.get(key), True) for key in ("dataChange", "extendedFileMetadata")]
        facts += [(key, remove.get(key), add.get(key)) for key in ("path", "size")]
        facts.append(("deletion vector", logical_file(remove)[1], logical_file(add)[1]))
        values = [without_nulls(action.get("partitionValues")) for action in (remove, add)]
        facts.append(("partitionValues", values[0], values[1]))
        wrong += [f"{path}: {key} {said!r}, but it must be {found!r}" for key, said, found in facts if said != found]
        stamp = remove.get("deletionTimestamp")
        if not isinstance(stamp, int) or not seen.started <= stamp <= seen.ended:
            wrong.append(f"{path}: deletionTimestamp {stamp!r}, but the step ran from {seen.started} to {seen.ended}")
    if wrong:
        return False, f"the commit of {seen.text} removes {listed(wrong)}"
    return True, f"each of the {len(removes)} removes of {seen.text} says what its file's add said"


def removes_name_all_partitions(seen: Evidence) -> Finding:
    promised = sorted(seen.partition_by)
    wrong = []
    removes = [action for commit in seen.commits for action in actions_of(commit, "remove")]
    for remove in removes:
        columns = sorted(remove.get("partitionValues") or {})
        if columns != promised:
            wrong.append(
                f"{file_of(remove)} with values for {listed(columns)}, but they must be for {listed(promised)}"
            )
    if wrong:
        return False, f"the commit of {seen.text} removes {listed(wrong)}"
    return True, f"each of the {len(removes)} removes of {seen.text} names all partition columns"


def one_deletion_timestamp(seen: Evidence) -> Finding:
    removes = [action for commit in seen.commits for action in actions_of(commit, "remove")]
    stamps = sorted({str(remove.get("deletionTimestamp")) for remove in removes})
    return len(stamps) <= 1, f"the {len(removes)} removes of {seen.text} carry the deletionTimestamps {listed(stamps)}"


def no_conflicting_actions(seen: Evidence) -> Finding:
    wrong = []
    for commit in seen.commits:
        adds, removes = actions_of(commit, "add"), actions_of(commit, "remove")
        for kind, actions in (("add", adds), ("remove", removes), ("cdc", actions_of(commit, "cdc"))):
            paths = Counter(file_of(action) for action in actions)
            wrong += [f"{path} {times} times as {kind}" for path, times in sorted(paths.items()) if times > 1]
        both = {logical_file(add) for add in adds} & {logical_file(remove) for remove in removes}
        wrong += [f"{path} as add and as remove" for path, _ in sorted(both)]
    if wrong:
        return False, f"one commit of {seen.text} has {listed(wrong)}"
    return True, f"no two actions of {seen.text} conflict"


def definition_stays(seen: Evidence) -> Finding:
    kinds = ("protocol", "metaData", "txn")
    wrong = [kind for commit in seen.commits for kind in kinds if actions_of(commit, kind)]
    # A commit that writes rows says how many row ids are in use (PROTOCOL.md, "Row Tracking").
    domains = [domain.get("domain") for commit in seen.commits for domain in actions_of(commit, "domainMetadata")]
    wrong += [f"domainMetadata of {domain}" for domain in domains if domain != "delta.rowTracking"]
    return not wrong, f"the commits of {seen.text} hold {listed(wrong) if wrong else 'nothing that defines the table'}"


def no_adds(seen: Evidence) -> Finding:
    adds = [file_of(action) for commit in seen.commits for action in actions_of(commit, "add")]
    return not adds, f"the commits of {seen.text} add {listed(adds)}"


def no_new_files(seen: Evidence) -> Finding:
    new = new_files(seen)
    return not new, f"{seen.text} wrote {listed(new)} outside of _delta_log"


def no_new_data_files(seen: Evidence) -> Finding:
    new = [path for path in new_files(seen) if path.endswith(".parquet")]
    return not new, f"{seen.text} wrote {listed(new)}" if new else f"{seen.text} wrote no data file"


def all_new_files_referenced(seen: Evidence) -> Finding:
    named = {
        file_of(action) for commit in seen.commits for kind in ("add", "cdc") for action in actions_of(commit, kind)
    }
    unnamed = [path for path in new_files(seen) if path not in named and not path.endswith(".bin")]
    loose = [f"{path} ({found})" for path in unnamed if (found := what_counts(seen, path))]
    if loose:
        return False, f"{seen.text} wrote {listed(loose)}, which its commit does not name"
    counting = len(new_files(seen)) - len(unnamed)
    return True, f"the commit of {seen.text} names each of the {counting} files with rows that it wrote"


def added_rows_are(seen: Evidence, rows: list[Row]) -> Finding:
    adds = [action for commit in seen.commits for action in actions_of(commit, "add")]
    found = [row for add in adds for row in visible_rows(seen, add)]
    return same_rows(found, rows, f"the files added by {seen.text}")


def commit_info(seen: Evidence, expected: dict[str, Any], present: Iterable[str] = ()) -> Finding:
    if not seen.commits:
        return False, f"{seen.text} wrote no version ({ending(seen)})"
    info = info_of(seen.commits[-1])
    wrong = mismatches(info, expected)
    wrong += [f"{key} absent" for key in present if at(info, key) is None]
    if wrong:
        return False, f"the commitInfo of {seen.text} has {listed(wrong)}"
    return True, f"the commitInfo of {seen.text} is as it must be"


def refused(seen: Evidence, condition: str | None = None, conditions: list[str | None] | None = None) -> Finding:
    if seen.error is None:
        return False, f"{seen.text} was not refused"
    found = seen.error["condition"]
    if conditions is None:
        return condition is None or found == condition, f"{seen.text} was refused with {named(seen.error)}"
    # Spark gives some conditions a second part that says more: UNRESOLVED_COLUMN.WITH_SUGGESTION.
    if not any(found == one or (one is not None and str(found).startswith(f"{one}.")) for one in conditions):
        promised = " or ".join(str(one) for one in conditions)
        return False, f"{seen.text} was refused with {named(seen.error)}, not with {promised}"
    stayed, change = nothing_changed(seen)
    return stayed, f"{seen.text} was refused with {named(seen.error)}; {change}"


def succeeded(seen: Evidence) -> Finding:
    return seen.error is None, f"{seen.text}: {ending(seen)}"


def lists(seen: Evidence, path: str) -> Finding:
    if seen.rows is None:
        return False, f"{seen.text} listed nothing, but {ending(seen)}"
    paths = paths_in(seen.rows, seen.root)
    if path in paths:
        return True, f"{seen.text} lists {path}"
    return False, f"{seen.text} does not list {path}; it lists {listed(paths)}"


def lists_not(seen: Evidence, path: str) -> Finding:
    if seen.rows is None:
        return False, f"{seen.text} listed nothing, but {ending(seen)}"
    found = path in paths_in(seen.rows, seen.root)
    return not found, f"{seen.text} lists {path}" if found else f"{seen.text} does not list {path}"


def vacuum_log(seen: Evidence, expected: dict[str, dict[str, Any]]) -> Finding:
    operations = [info_of(commit).get("operation") for commit in seen.commits]
    if operations != ["VACUUM START", "VACUUM END"]:
        return False, f"{seen.text} wrote the operations {operations}, not a VACUUM START and a VACUUM END"
    kinds = {key for commit in seen.commits for action in commit for key in action} - {"commitInfo"}
    wrong = [f"a {kind} action" for kind in sorted(kinds)]
    wrong += [f"START with {text}" for text in mismatches(info_of(seen.commits[0]), expected.get("START", {}))]
    wrong += [f"END with {text}" for text in mismatches(info_of(seen.commits[1]), expected.get("END", {}))]
    if wrong:
        return False, f"the log of {seen.text} has {listed(wrong)}"
    return True, f"the VACUUM START and END of {seen.text} are as they must be"


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


def vectors_are(seen: Evidence, files: dict[str, list[int]]) -> Finding:
    wrong = []
    found = {path: add["deletionVector"] for path, add in seen.live_after.items() if add.get("deletionVector")}
    for path in sorted(found.keys() | files.keys()):
        try:
            rows = vector_rows(found[path], seen.read_bytes) if path in found else []
        except BadVector as problem:
            wrong.append(f"{path}, whose vector {problem}")
            continue
        if rows != sorted(files.get(path, [])):
            wrong.append(f"of {path} the rows {rows} instead of {sorted(files.get(path, []))}")
    if wrong:
        return False, f"after {seen.text}, the deletion vectors hide {listed(wrong)}"
    return True, f"after {seen.text}, the deletion vectors of {counted(len(found), 'live file')} hide the promised rows"


def vectors_valid(seen: Evidence) -> Finding:
    wrong, count = [], 0
    for commit in seen.commits:
        for kind in ("add", "remove"):
            for action in actions_of(commit, kind):
                if action.get("deletionVector"):
                    count += 1
                    try:
                        vector_rows(action["deletionVector"], seen.read_bytes)
                    except BadVector as problem:
                        wrong.append(f"the {kind} of {file_of(action)}, whose vector {problem}")
    if wrong:
        return False, f"the commit of {seen.text} has {listed(wrong)}"
    return True, f"each of the {counted(count, 'deletion vector')} that {seen.text} names can be read"


def no_vector_written(seen: Evidence) -> Finding:
    adds = [add for commit in seen.commits for add in actions_of(commit, "add") if add.get("deletionVector")]
    known = {logical_file(add) for add in seen.live.values()}
    wrong = [f"a vector of {file_of(add)}" for add in adds if logical_file(add) not in known]
    wrong += [path for path in new_files(seen) if path.endswith(".bin")]
    return not wrong, f"{seen.text} wrote {listed(wrong)}" if wrong else f"{seen.text} wrote no deletion vector"


def change_rows_are(seen: Evidence, rows: list[Row]) -> Finding:
    changes = [cdc for commit in seen.commits for cdc in actions_of(commit, "cdc")]
    found = [row for cdc in changes for row in seen.read_changes(cdc)]
    width = len(seen.schema)
    others = sorted({str(row[width:]) for row in found if row[width:] != ["delete"]})
    if others:
        return (
            False,
            f"the change files of {seen.text} hold rows of the change types {listed(others)}, not only 'delete'",
        )
    return same_rows([row[:width] for row in found], rows, f"the {counted(len(changes), 'change file')} of {seen.text}")


def no_change_files(seen: Evidence) -> Finding:
    wrong = [file_of(cdc) for commit in seen.commits for cdc in actions_of(commit, "cdc")]
    wrong += [path for path in new_files(seen) if path.split("/", 1)[0] == "_change_data" and path not in wrong]
    return not wrong, f"{seen.text} wrote {listed(wrong)}" if wrong else f"{seen.text} wrote no change file"


def changes_are(seen: Evidence, rows: list[Row]) -> Finding:
    found, error = seen.read_feed()
    if found is None:
        return False, f"the change feed cannot be read: {named(error or {})}"
    return same_rows(found, rows, f"the change feed, {seen.text}")


def metrics_are(seen: Evidence, metrics: dict[str, Any], absent: Iterable[str] = ()) -> Finding:
    if not seen.commits:
        return False, f"{seen.text} wrote no version ({ending(seen)})"
    found = info_of(seen.commits[-1]).get("operationMetrics") or {}
    wrong = [
        f"{name} = {found.get(name, 'nothing')} instead of {value}"
        for name, value in sorted(metrics.items())
        if str(found.get(name)) != str(value)
    ]
    wrong += [f"{name} = {found[name]}, which must be absent" for name in absent if name in found]
    if wrong:
        return False, f"the operationMetrics of {seen.text} have {listed(wrong)}"
    return True, f"the {counted(len(metrics), 'operation metric')} of {seen.text} are as promised"


def times_are_numbers(seen: Evidence, names: list[str]) -> Finding:
    if not seen.commits:
        return False, f"{seen.text} wrote no version ({ending(seen)})"
    found = info_of(seen.commits[-1]).get("operationMetrics") or {}
    wrong = [f"{name} = {found.get(name, 'nothing')}" for name in names if not str(found.get(name, "")).isdecimal()]
    if wrong:
        return False, f"the operationMetrics of {seen.text} have {listed(wrong)}"
    return True, f"{listed(names)} of {seen.text} are whole numbers"


def commit_tag(seen: Evidence, tag: str, value: str | None) -> Finding:
    if not seen.commits:
        return False, f"{seen.text} wrote no version ({ending(seen)})"
    found = (info_of(seen.commits[-1]).get("tags") or {}).get(tag)
    return found == value, f"the commitInfo of {seen.text} has the tag {tag} = {found!r}; {value!r} is promised"


def row_ids_kept(seen: Evidence) -> Finding:
    (before, problem), (after, other) = seen.read_row_ids(True), seen.read_row_ids(False)
    if before is None or after is None:
        return False, f"the row ids cannot be read: {named(problem or other or {})}"
    strange = forms(after) - forms(before)
    ids = Counter(row[-2] for row in after)
    wrong = [f"{row} (row, id, commit version), which was not there before" for row in sorted(strange.elements())]
    wrong += [f"the id {id} {times} times" for id, times in ids.items() if times > 1]
    if wrong:
        return False, f"after {seen.text} there is {listed(wrong)}"
    return True, f"the {counted(len(after), 'row')} left by {seen.text} have the ids and versions that they had"


def row_ids_set(seen: Evidence) -> Finding:
    # PROTOCOL.md, "Writer Requirements for Row Tracking".
    wrong = []
    keys = ("baseRowId", "defaultRowCommitVersion")
    last = [max((add.get(key) or 0 for add in seen.live.values()), default=-1) for key in keys]
    for commit in seen.commits:
        for kind in ("add", "remove"):
            for action in actions_of(commit, kind):
                path = file_of(action)
                said = [action.get(key) for key in keys]
                if path in seen.live:
                    own = [seen.live[path].get(key) for key in keys]
                    if said != own:
                        wrong.append(f"the {kind} of {path} with {said} where the live add has {own}")
                elif None in said or any((value or 0) <= taken for value, taken in zip(said, last)):
                    wrong.append(f"the {kind} of {path} with {said} where live files have up to {last}")
    if wrong:
        return False, f"the commit of {seen.text} has, of {listed(list(keys))}, {listed(wrong)}"
    return True, f"the actions of {seen.text} have the base row ids and commit versions that they must"


def physical_names(seen: Evidence) -> Finding:
    wrong = []
    partition = set(seen.partition_by)
    stored = set(names_in([field for field in seen.schema if physical_name(field) not in partition]))
    for commit in seen.commits:
        for kind in ("add", "remove", "cdc"):
            for action in actions_of(commit, kind):
                path, keys = file_of(action), set(action.get("partitionValues") or {})
                # That Delta 4.4 leaves NULL partition values out of its removes is another law's business.
                if not keys <= partition or (kind != "remove" and keys != partition):
                    wrong.append(f"the {kind} of {path} with values for {listed(sorted(keys))}")
                if kind == "remove" or path in seen.live:
                    continue
                found = set(seen.stored_names(action))
                if absent := sorted(stored - found):
                    wrong.append(f"{path} without the columns {listed(absent)}")
                # Delta adds columns of its own: row ids, and with the change data feed these two. Delta 4.4 then stores the
                # partition columns too.
                own = {name for name in found if name.startswith("_row-")} | {"_change_type", "__is_cdc"} | partition
                if strange := sorted(found - stored - own):
                    wrong.append(f"{path} with the columns {listed(strange)}")
    if wrong:
        return (
            False,
            f"the commit of {seen.text} has {listed(wrong)}; the partition columns are {listed(sorted(partition))}",
        )
    return True, f"the commit of {seen.text} and its new files name the columns by their physical names"


def visible_rows(seen: Evidence, add: Action) -> list[Row]:
    # Spark reads a small file in its own order, so a row's place is its index.
    rows = seen.read_file(add)
    if not add.get("deletionVector"):
        return rows
    try:
        hidden = set(vector_rows(add["deletionVector"], seen.read_bytes))
    except BadVector as problem:
        raise Unreadable(f"{file_of(add)} has a deletion vector that {problem}") from problem
    return [row for index, row in enumerate(rows) if index not in hidden]


def physical_name(field: Action) -> str:
    # PROTOCOL.md, "Column Mapping": a table without it has no such metadata.
    return str(field.get("metadata", {}).get("delta.columnMapping.physicalName", field["name"]))


def names_in(fields: list[Action], prefix: str = "") -> list[str]:
    # Nested fields are dotted; what is inside an array or a map is as if it stood in its place.
    found = []
    for field in fields:
        name = prefix + physical_name(field)
        found.append(name)
        kinds = [field["type"]]
        while kinds:
            kind = kinds.pop()
            if isinstance(kind, dict):
                kinds += [part for key, part in kind.items() if key.endswith("Type")]
                found += names_in(kind.get("fields", []), f"{name}.")
    return found


def actions_of(commit: list[Action], kind: str) -> list[Action]:
    return [action[kind] for action in commit if action.get(kind) is not None]


def info_of(commit: list[Action]) -> Action:
    return next(iter(actions_of(commit, "commitInfo")), {})


def file_of(action: Action) -> str:
    # The log url-encodes paths (PROTOCOL.md, "Add File and Remove File").
    return unquote(action["path"])


def logical_file(action: Action) -> tuple[str, str]:
    # The primary key of adds and removes (PROTOCOL.md, "Add File and Remove File").
    vector = action.get("deletionVector") or {}
    parts = [str(vector[key]) for key in ("storageType", "pathOrInlineDv", "offset") if vector.get(key) is not None]
    return file_of(action), "@".join(parts)


def in_log(path: str) -> bool:
    return path.split("/", 1)[0] == "_delta_log"


def new_files(seen: Evidence) -> list[str]:
    # ".name.crc" is a checksum that Hadoop's local file system keeps beside a file: not the engine's.
    return [
        path
        for path in sorted(seen.after.keys() - seen.before.keys())
        if not in_log(path) and seen.after[path] != DIRECTORY and not is_checksum(path)
    ]


def what_counts(seen: Evidence, path: str) -> str:
    # Spark's first write task leaves a Parquet file without rows, which Delta deliberately does not commit
    # (TransactionalWrite in Delta's source): such a file counts as nothing, and is told by the empty text.
    if not path.endswith(".parquet"):
        return "no Parquet file"
    try:
        rows = seen.read_file({"path": quote(path), "partitionValues": {}})
    except Unreadable:
        return "which cannot be read"
    return counted(len(rows), "row") if rows else ""


def gone_paths(seen: Evidence) -> list[str]:
    # A file in whose place there is now a directory is gone too, and the other way round.
    return [
        path
        for path, entry in sorted(seen.before.items())
        if not in_log(path) and (path not in seen.after or (entry == DIRECTORY) != (seen.after[path] == DIRECTORY))
    ]


def without_nulls(values: Action | None) -> Action | None:
    # Delta 4.4 leaves NULL partition values out of its removes, but not out of its adds.
    return None if values is None else {name: value for name, value in values.items() if value is not None}


def is_checksum(path: str) -> bool:
    name = path.rsplit("/", 1)[-1]
    return name.startswith(".") and name.endswith(".crc")


def writers_may_add(path: str) -> bool:
    name = path.rsplit("/", 1)[-1]
    return is_checksum(path) or name[:20].isdigit() or name == "_commits" or name == "_sidecars"


def values_in(path: str) -> dict[str, str | None]:
    # Hive's names: column=value, special characters as %XX, NULL as __HIVE_DEFAULT_PARTITION__.
    pairs = [part.split("=", 1) for part in path.split("/")[:-1] if "=" in part]
    return {unquote(key): None if value == "__HIVE_DEFAULT_PARTITION__" else unquote(value) for key, value in pairs}


def paths_in(rows: list[Row], root: str) -> list[str]:
    # A DRY RUN names full paths, such as file:/tmp/t/p=1/f; they are not url-encoded (facts 1.1).
    texts = [str(row[0]) for row in rows]
    texts = ["/" + text[5:].lstrip("/") if text.startswith("file:") else text for text in texts]
    return sorted(text[len(root) + 1 :] if text.startswith(root + "/") else text for text in texts)


def at(value: Any, key: str) -> Any:
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def mismatches(info: Action, expected: dict[str, Any]) -> list[str]:
    found = [(key, at(info, key), value) for key, value in expected.items()]
    return [f"{key} = {seen!r} instead of {value!r}" for key, seen, value in found if seen != value]


def same_rows(found: list[Row], promised: list[Row], what: str) -> Finding:
    return same(forms(found), forms(promised), f"the rows of {what}")


def forms(rows: list[Row]) -> Counter[str]:
    # NaN equals NaN, and -0.0 equals 0.0: as texts of their one form, rows can be counted.
    return Counter(json.dumps(comparable(row), sort_keys=True) for row in rows)


def same(found: Counter[str], promised: Counter[str], what: str) -> Finding:
    more, less = sorted((found - promised).elements()), sorted((promised - found).elements())
    if more or less:
        return False, f"{what}: {len(more)} too many ({listed(more)}), {len(less)} missing ({listed(less)})"
    return True, f"{what} are the {sum(found.values())} promised ones"


def listed(texts: list[str], limit: int = 10) -> str:
    more = [f"and {len(texts) - limit} more"] if len(texts) > limit else []
    return ", ".join(texts[:limit] + more) or "nothing"


def named(error: Action) -> str:
    lines = str(error.get("message", "")).strip().splitlines()
    return f"{error.get('condition') or error.get('exception')}: {lines[0] if lines else ''}"


def ending(seen: Evidence) -> str:
    return "it ended without an error" if seen.error is None else f"it ended with {named(seen.error)}"


#: The laws, by name. All of them are named in this module's docstring.
LAWS: dict[str, Callable[..., Finding]] = {
    law.__name__: law
    for law in (
        stays,
        live_files_stay,
        goes,
        no_file_went,
        nothing_went,
        rows_are,
        reads,
        removed_exactly,
        no_commit,
        one_commit,
        untouched,
        nothing_changed,
        adds_true,
        removes_true,
        removes_name_all_partitions,
        one_deletion_timestamp,
        no_conflicting_actions,
        definition_stays,
        no_adds,
        no_new_files,
        no_new_data_files,
        all_new_files_referenced,
        added_rows_are,
        commit_info,
        refused,
        succeeded,
        lists,
        lists_not,
        vacuum_log,
        log_unchanged,
        table_is_there,
        vectors_are,
        vectors_valid,
        no_vector_written,
        change_rows_are,
        no_change_files,
        changes_are,
        metrics_are,
        times_are_numbers,
        commit_tag,
        row_ids_kept,
        row_ids_set,
        physical_names,
    )
}

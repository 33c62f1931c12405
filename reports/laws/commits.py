"""Laws on the actions that a DELETE commits."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any
from urllib.parse import quote

from reports.laws.actions import actions_of, file_of, logical_file, names_in, physical_name, values_in, without_nulls
from reports.laws.evidence import DIRECTORY, CannotJudge, Evidence, Finding, Unreadable
from reports.laws.paths import new_files
from reports.laws.words import ending, listed, same
from reports.plurals import counted


def removed_exactly(seen: Evidence, paths: list[str]) -> Finding:
    if len(seen.commits) != 1:
        return False, f"{seen.text} wrote {counted(len(seen.commits), 'version')}, not one: {ending(seen)}"
    removed = Counter(file_of(action, seen.root) for action in actions_of(seen.commits[0], "remove"))
    return same(removed, Counter(paths), f"the files removed by {seen.text}")


def no_commit(seen: Evidence) -> Finding:
    return not seen.commits, f"{seen.text} wrote {counted(len(seen.commits), 'version')}"


def one_commit(seen: Evidence) -> Finding:
    return len(seen.commits) == 1, f"{seen.text} wrote {counted(len(seen.commits), 'version')} ({ending(seen)})"


#: The facts that a law on adds may be about, and those of one on removes.
ADD_FACTS = (
    *("a file of size", "uses", "dataChange", "partition columns", "there before", "modificationTime"),
    *("values in the directory's name", "the live add's size", "the live add's modificationTime"),
    *("statistics with numRecords", "tightBounds", "numRecords"),
)
REMOVE_FACTS = (
    *("dataChange", "extendedFileMetadata", "path", "size", "baseRowId", "defaultRowCommitVersion"),
    *("deletion vector", "partitionValues", "deletionTimestamp"),
)


def adds_true(seen: Evidence, facts: list[str] | None = None) -> Finding:
    asked = facts_among(ADD_FACTS, facts)
    wrong = []
    adds = [action for commit in seen.commits for action in actions_of(commit, "add")]
    names = Counter(file_of(add, seen.root) for add in adds)
    for add in adds:
        path = file_of(add, seen.root)
        size, mtime, _ = seen.after.get(path, DIRECTORY)
        told: list[tuple[str, Any, Any]] = [("a file of size", add.get("size"), size), ("uses", 1, names[path])]
        told.append(("dataChange", add.get("dataChange"), True))
        told.append(("partition columns", sorted(add.get("partitionValues", {})), sorted(seen.partition_by)))
        stats = json.loads(add["stats"]) if add.get("stats") else {}
        if add.get("deletionVector"):
            # A deletion vector keeps its file: the same path, size and time, and the add before it is live. Its
            # statistics have the number of rows that the file stores, and bounds that need not be tight any more
            # (PROTOCOL.md, "Writer Requirements for Deletion Vectors", "Per-file Statistics").
            old = seen.live.get(path, {})
            told.append(("the live add's size", add.get("size"), old.get("size")))
            told.append(("the live add's modificationTime", add.get("modificationTime"), old.get("modificationTime")))
            told.append(("statistics with numRecords", "numRecords" in stats, True))
            told.append(("tightBounds", stats.get("tightBounds"), False))
        else:
            told.append(("there before", path in seen.before, False))
            told.append(("modificationTime", add.get("modificationTime"), mtime // 1_000_000))
            if any("=" in part for part in path.split("/")[:-1]):
                # A timestamp is in UTC in the log, in the session's zone in the name: only its column is compared.
                timed = [physical_name(field) for field in seen.schema if field["type"] == "timestamp"]
                said, shown = (
                    {name: name if name in timed and value is not None else value for name, value in values.items()}
                    for values in (add.get("partitionValues", {}), values_in(path))
                )
                told.append(("values in the directory's name", said, shown))
        if "numRecords" in stats and size >= 0:
            told.append(("numRecords", stats["numRecords"], len(seen.read_file(add))))
        told = [one for one in told if one[0] in asked]
        wrong += [f"{path}: {name} {said!r}, but found {found!r}" for name, said, found in told if said != found]
    if wrong:
        return False, f"the commit of {seen.text} adds {listed(wrong)}"
    return True, f"each of the {len(adds)} files that {seen.text} added is as its add says"


def removes_true(seen: Evidence, facts: list[str] | None = None) -> Finding:
    asked = facts_among(REMOVE_FACTS, facts)
    wrong = []
    removes = [action for commit in seen.commits for action in actions_of(commit, "remove")]
    for remove in removes:
        path = file_of(remove, seen.root)
        add = seen.live.get(path)
        if add is None:
            wrong.append(f"{path}, which was not live")
            continue
        told: list[tuple[str, Any, Any]] = []
        told += [(key, remove.get(key), True) for key in ("dataChange", "extendedFileMetadata")]
        kept = ("path", "size", "baseRowId", "defaultRowCommitVersion")
        told += [(key, remove.get(key), add.get(key)) for key in kept]
        told.append(("deletion vector", logical_file(remove)[1], logical_file(add)[1]))
        values = [without_nulls(action.get("partitionValues")) for action in (remove, add)]
        told.append(("partitionValues", values[0], values[1]))
        told = [one for one in told if one[0] in asked]
        wrong += [f"{path}: {key} {said!r}, but it must be {found!r}" for key, said, found in told if said != found]
        stamp = remove.get("deletionTimestamp")
        in_time = isinstance(stamp, int) and seen.started <= stamp <= seen.ended
        if "deletionTimestamp" in asked and not in_time:
            wrong.append(f"{path}: deletionTimestamp {stamp!r}, but the step ran from {seen.started} to {seen.ended}")
    if wrong:
        return False, f"the commit of {seen.text} removes {listed(wrong)}"
    return True, f"each of the {len(removes)} removes of {seen.text} says what its file's add said"


def facts_among(known: tuple[str, ...], facts: list[str] | None) -> tuple[str, ...]:
    """The facts that are asked about: all that are known by default."""
    if facts is None:
        return known
    if not set(facts) <= set(known):
        raise CannotJudge(f"Of these facts there is none such: {listed(sorted(set(facts) - set(known)))}.")
    return tuple(facts)


def removes_name_all_partitions(seen: Evidence) -> Finding:
    promised = sorted(seen.partition_by)
    wrong = []
    removes = [action for commit in seen.commits for action in actions_of(commit, "remove")]
    for remove in removes:
        columns = sorted(remove.get("partitionValues") or {})
        if columns != promised:
            wrong.append(
                f"{file_of(remove, seen.root)} with values for {listed(columns)}, but they must be for {listed(promised)}"
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
            paths = Counter(file_of(action, seen.root) for action in actions)
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
    adds = [file_of(action, seen.root) for commit in seen.commits for action in actions_of(commit, "add")]
    return not adds, f"the commits of {seen.text} add {listed(adds)}"


def all_new_files_referenced(seen: Evidence) -> Finding:
    named = {
        file_of(action, seen.root)
        for commit in seen.commits
        for kind in ("add", "cdc")
        for action in actions_of(commit, kind)
    }
    unnamed = [path for path in new_files(seen) if path not in named and not path.endswith(".bin")]
    loose = [f"{path} ({found})" for path in unnamed if (found := what_counts(seen, path))]
    if loose:
        return False, f"{seen.text} wrote {listed(loose)}, which its commit does not name"
    counting = len(new_files(seen)) - len(unnamed)
    return True, f"the commit of {seen.text} names each of the {counting} files with rows that it wrote"


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


def row_ids_set(seen: Evidence, taken: int) -> Finding:
    # PROTOCOL.md, "Writer Requirements for Row Tracking".
    wrong = []
    keys = ("baseRowId", "defaultRowCommitVersion")
    last = [taken, max((add.get(keys[1]) or 0 for add in seen.live.values()), default=-1)]
    for commit in seen.commits:
        for kind in ("add", "remove"):
            for action in actions_of(commit, kind):
                path = file_of(action, seen.root)
                said = [action.get(key) for key in keys]
                if path in seen.live:
                    own = [seen.live[path].get(key) for key in keys]
                    if said != own:
                        wrong.append(f"the {kind} of {path} with {said} where the live add has {own}")
                elif None in said or any((value or 0) <= before for value, before in zip(said, last)):
                    wrong.append(f"the {kind} of {path} with {said} where {last} are the last that were taken")
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
                path, keys = file_of(action, seen.root), set(action.get("partitionValues") or {})
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

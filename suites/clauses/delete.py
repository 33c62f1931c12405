"""DEL: what a DELETE must do to the log, to storage and to the rows.

Sources: [S0] a walk-through of Delta 0.4's DeleteCommand; [S2] waitingforcode.com on TRUNCATE and metadata-only removal;
[P] PROTOCOL.md; [C n] facts/delta.md, section n.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from deltalog.actions import Add, Remove
from model.delete import LiveFile, Scope
from model.evaluate import evaluate
from model.layout import is_named_by_engine, partition_directory, partition_value
from model.predicate import columns_of, conjuncts
from model.vacuum import checksum_of
from model.values import Row, Type
from suites import evidence
from suites.clause import NOT_MET, Judgement, Law, Violation, clause, each, one
from suites.clauses.definition import redefined
from suites.clauses.reading import misread
from suites.observation import DeleteSeen, ReadSeen, Rows, VacuumSeen


def removed_exactly(d: DeleteSeen) -> Law:
    """The law that a script checks where a DELETE removed the wrong files: by their names, or by what is left."""
    paths = sorted(d.prediction.removed_paths)
    if any(is_named_by_engine(path) for path in paths):
        return Law("reads", {"rows": evidence.rows_as_json(d.promised_rows)})
    return Law("removed_exactly", {"paths": paths})


def _misjudged(d: DeleteSeen, file: LiveFile) -> Violation | None:
    """A live file that was removed though it must stay, or stays though it must be removed."""
    must, was = file.path in d.prediction.removed_paths, file.path in {remove.file for remove in d.removes}
    if must == was:
        return None
    why = "matches the condition and was not removed" if must else "does not match the condition and was removed"
    return Violation(file.path, f"{file.path} {why}.", removed_exactly(d), evidence.of_delete(d))


@clause(
    "DEL-ALL-1",
    "DELETE without a condition removes every live file, adds none and writes no new file.",
    of=DeleteSeen,
    sources=("S0", "S2"),
)
def whole_table(d: DeleteSeen) -> Judgement:
    if d.prediction.scope is not Scope.TABLE or not d.before.live:
        return NOT_MET
    if d.adds or d.appeared:
        written = sorted({add.file for add in d.adds} | d.appeared)
        return one(
            Violation(
                written[0],
                f"DELETE of the whole table wrote {', '.join(written)}.",
                Law("no_new_files"),
                evidence.of_delete(d),
            )
        )
    return each(d.live_files, lambda file: _misjudged(d, file))


@clause(
    "DEL-META-1",
    "A condition over partition columns only removes exactly the live files whose partition values make it TRUE.",
    of=DeleteSeen,
    sources=("S0", "S2"),
)
def partitions_exactly(d: DeleteSeen) -> Judgement:
    if d.prediction.scope is not Scope.PARTITIONS:
        return NOT_MET
    return each(d.live_files, lambda file: _misjudged(d, file))


@clause(
    "DEL-META-2",
    "A DELETE of whole files writes no data file, no deletion vector and no change file, whatever features are on.",
    of=DeleteSeen,
    sources=("S0", "C 2.2"),
)
def partitions_write_nothing(d: DeleteSeen) -> Judgement:
    if d.prediction.scope is Scope.ROWS or not d.prediction.commits:
        return NOT_MET
    if not d.appeared:
        return one(None)
    path = min(d.appeared)
    return one(
        Violation(path, f"A DELETE of whole files wrote {path}.", Law("no_new_files"), evidence.of_path(d, path))
    )


@clause(
    "DEL-META-3",
    "All removes of a DELETE of whole files carry one deletionTimestamp.",
    of=DeleteSeen,
    sources=("S0", "C 2.3"),
)
def partitions_one_timestamp(d: DeleteSeen) -> Judgement:
    if d.prediction.scope is Scope.ROWS or len(d.removes) < 2:
        return NOT_MET
    stamps = sorted({str(remove.deletion_timestamp) for remove in d.removes})
    if len(stamps) == 1:
        return one(None)
    return one(
        Violation(
            "commit",
            f"The removes carry {len(stamps)} deletionTimestamps: {', '.join(stamps)}.",
            Law("one_deletion_timestamp"),
        )
    )


@clause(
    "DEL-NOOP-1",
    "A condition that matches no row, or no partition, writes no commit and changes nothing on storage.",
    of=DeleteSeen,
    sources=("S0", "C 2.2"),
)
def nothing_matched(d: DeleteSeen) -> Judgement:
    if d.prediction.commits:
        return NOT_MET
    if d.refused:
        return one(
            Violation("step", "The DELETE matches nothing, and was refused.", Law("no_commit"), evidence.of_answer(d))
        )
    if d.commits:
        return one(
            Violation(
                "log",
                f"The DELETE matches nothing, and wrote version {d.commits[0].version}.",
                Law("no_commit"),
                evidence.of_delete(d),
            )
        )
    changed = evidence.changes(d.before, d.after)
    return one(
        Violation(changed[0], f"The DELETE matches nothing, and changed {', '.join(changed)}.", Law("nothing_changed"))
        if changed
        else None
    )


@clause(
    "DEL-ROW-1",
    "A condition with a data column removes exactly the files that hold at least one matching row.",
    of=DeleteSeen,
    sources=("S0", "S2"),
)
def rows_exactly(d: DeleteSeen) -> Judgement:
    if d.prediction.scope is not Scope.ROWS or not d.prediction.commits:
        return NOT_MET
    return each(d.live_files, lambda file: _misjudged(d, file))


@clause(
    "DEL-ROW-1B",
    "Every live file that a DELETE does not remove keeps its add as it was.",
    of=DeleteSeen,
    sources=("S0", "P Action Reconciliation"),
)
def others_as_they_were(d: DeleteSeen) -> Judgement:
    others = sorted(set(d.before.live) - d.prediction.removed_paths)
    if not d.prediction.commits:
        return NOT_MET

    def problem(path: str) -> Violation | None:
        now = d.after.live.get(path)
        if now == d.before.live[path] and path not in {add.file for add in d.adds}:
            return None
        how = "is no longer live" if now is None else "was added anew"
        return Violation(path, f"{path} holds no matching row, yet {how}.", removed_exactly(d), evidence.of_delete(d))

    return each(others, problem)


@clause(
    "DEL-ROW-2",
    "Partition conditions joined with data conditions only narrow the candidates: files outside the partitions are untouched even if their rows would match.",
    of=DeleteSeen,
    sources=("S2",),
)
def partitions_narrow(d: DeleteSeen) -> Judgement:
    where, names = d.step.where, d.table.partition_by
    if where is None or d.prediction.scope is not Scope.ROWS:
        return NOT_MET
    parts = conjuncts(where)
    over_partitions = [part for part in parts if columns_of(part) and columns_of(part) <= frozenset(names)]
    over_data = [part for part in parts if not columns_of(part) <= frozenset(names)]
    columns = [column.name for column in d.table.columns]

    def outside(file: LiveFile) -> bool:
        return any(evaluate(part, dict(zip(names, file.partition))) is not True for part in over_partitions)

    def would_match(row: Row) -> bool:
        return all(evaluate(part, dict(zip(columns, row))) for part in over_data)

    subjects = [file for file in d.live_files if outside(file) and any(would_match(row) for row in file.rows)]
    return each(subjects, lambda file: _misjudged(d, file))


def _added_rows(d: DeleteSeen) -> Counter[tuple[Row, Row]]:
    """The rows of the added files, each with its partition. Files that cannot be read have none here."""
    types = {column.name: column.type for column in d.table.columns}
    found: Counter[tuple[Row, Row]] = Counter()
    for add in d.adds:
        rows = d.after.contents.get(add.file)
        if rows is not None:
            values = add.partition_values
            partition = tuple(partition_value(values.get(name), types[name]) for name in d.table.partition_by)
            found.update((partition, row) for row in rows)
    return found


def _flat(rows: Counter[tuple[Row, Row]]) -> Rows:
    flat: Rows = Counter()
    for (_, row), count in rows.items():
        flat[row] += count
    return flat


@clause(
    "DEL-ROW-3",
    "The rows of the added files are the rows of the removed files that do not match, as multisets, partition by partition.",
    of=DeleteSeen,
    sources=("S0",),
)
def survivors(d: DeleteSeen) -> Judgement:
    if d.prediction.scope is not Scope.ROWS or not d.prediction.commits:
        return NOT_MET
    found, expected = _added_rows(d), d.prediction.survivors
    if found == expected:
        return one(None)
    law = Law("added_rows_are", {"rows": evidence.rows_as_json(_flat(expected))})
    missing, more = (expected - found).total(), (found - expected).total()
    message = f"Of the {expected.total()} rows that must survive in the rewritten files, {missing} are missing; {more} rows are there that must not be."
    return one(
        Violation("rows", message, law, (*evidence.of_rows(_flat(expected), _flat(found)), *evidence.of_answer(d)))
    )


@clause("DEL-ROW-3B", "Rows for which the condition is NULL survive.", of=DeleteSeen, sources=("S0",))
def null_survives(d: DeleteSeen) -> Judgement:
    where = d.step.where
    if where is None or d.prediction.scope is not Scope.ROWS or not d.prediction.commits:
        return NOT_MET
    columns = [column.name for column in d.table.columns]
    unknown: Rows = Counter(
        row for file in d.prediction.removed for row in file.rows if evaluate(where, dict(zip(columns, row))) is None
    )
    found = _flat(_added_rows(d))

    def problem(row: Row) -> Violation | None:
        if found[row] >= unknown[row]:
            return None
        law = Law("added_rows_are", {"rows": evidence.rows_as_json(_flat(d.prediction.survivors))})
        return Violation(
            repr(row), f"The condition is NULL for the row {row}, and the row is gone.", law, evidence.of_delete(d)
        )

    return each(sorted(unknown, key=repr), problem)


def _holding_rows(d: DeleteSeen) -> list[str]:
    """The files that appeared, without those that hold no row, and without checksums.

    Spark's first write task makes a file even when it has no row to write; Delta leaves such a file out of the commit, and
    on storage (TransactionalWrite.writeFiles: only "the AddFiles that actually add rows" are returned). docs/findings.md.
    """
    files = [path for path in d.appeared if d.after.listing[path].kind == "file"]
    empty = {path for path in files if d.after.unreferenced.get(path) == 0}
    return sorted(path for path in files if path not in empty and checksum_of(path) not in files)


@clause(
    "DEL-ROW-4",
    "Where no row of the removed files survives, nothing is added and no file with rows is written.",
    of=DeleteSeen,
    sources=("S0", "C TransactionalWrite"),
)
def nothing_survives(d: DeleteSeen) -> Judgement:
    if d.prediction.scope is not Scope.ROWS or not d.prediction.commits or d.prediction.survivors:
        return NOT_MET
    written = sorted({add.file for add in d.adds} | set(_holding_rows(d)))
    return one(
        Violation(
            written[0],
            f"No row survives, yet the DELETE wrote {', '.join(written)}.",
            Law("no_adds"),
            evidence.of_delete(d),
        )
        if written
        else None
    )


@clause(
    "DEL-ROW-5A",
    "After a DELETE the engine reads the rows before it minus the matching ones.",
    of=ReadSeen,
    sources=("S0",),
)
def engine_reads(r: ReadSeen) -> Judgement:
    last = next((seen for seen in reversed(r.earlier) if not isinstance(seen, ReadSeen)), None)
    if not r.is_current or not isinstance(last, DeleteSeen):
        return NOT_MET
    return one(misread(r))


@clause(
    "DEL-ROW-5B",
    "After a DELETE an independent reader reads the rows before it minus the matching ones.",
    of=DeleteSeen,
    sources=("S0",),
)
def independent_reader_reads(d: DeleteSeen) -> Judgement:
    expected, found = d.promised_rows, d.after.rows
    if found == expected:
        return one(None)
    facts = ("a live file cannot be read",) if found is None else evidence.of_rows(expected, found)
    law = Law("reads", {"rows": evidence.rows_as_json(expected)})
    return one(
        Violation(
            "rows",
            f"Version {d.after.version} does not hold the rows that must be left.",
            law,
            (*facts, *evidence.of_answer(d)),
        )
    )


@clause(
    "DEL-ADD-1A",
    "Each added file exists, with the size that its add says.",
    of=DeleteSeen,
    sources=("S0", "P Add File"),
)
def adds_exist(d: DeleteSeen) -> Judgement:
    def problem(add: Add) -> Violation | None:
        entry = d.after.listing.get(add.file)
        if entry is not None and entry.size == add.size:
            return None
        found = "is not on storage" if entry is None else f"has {entry.size} bytes"
        return Violation(add.file, f"The add says that {add.file} has {add.size} bytes; it {found}.", Law("adds_true"))

    return each(d.adds, problem)


@clause(
    "DEL-ADD-1B",
    "Each added file has a new name, in the directory of its partition, and says the values of all partition columns.",
    of=DeleteSeen,
    sources=("S0", "P Data Files"),
)
def adds_placed(d: DeleteSeen) -> Judgement:
    types = {column.name: column.type for column in d.table.columns}
    known = set(d.before.data) | {
        action.file
        for commit in d.before.log.commits.values()
        for action in commit.actions
        if isinstance(action, (Add, Remove))
    }

    def problem(add: Add) -> Violation | None:
        if set(add.partition_values) != set(d.table.partition_by):
            return Violation(
                add.file,
                f"The add of {add.file} has partition values for {sorted(add.partition_values)}.",
                Law("adds_true"),
            )
        try:
            values = tuple(partition_value(add.partition_values[name], types[name]) for name in d.table.partition_by)
        except ValueError:
            said = dict(add.partition_values)
            return Violation(
                add.file, f"The add of {add.file} has partition values of other types: {said}.", Law("adds_true")
            )
        directory = partition_directory(d.table, values)
        if add.file in known:
            return Violation(add.file, f"{add.file} is not a new name.", Law("adds_true"))
        if add.file.rpartition("/")[0] != directory:
            return Violation(
                add.file,
                f"{add.file} does not lie in {directory or 'the root'}, the directory of its partition.",
                Law("adds_true"),
            )
        return None

    return each(d.adds, problem)


@clause(
    "DEL-ADD-1C",
    "Each add has dataChange=true and its file's modificationTime.",
    of=DeleteSeen,
    sources=("S0", "P Add File"),
)
def adds_dated(d: DeleteSeen) -> Judgement:
    def problem(add: Add) -> Violation | None:
        entry = d.after.listing.get(add.file)
        if not add.data_change:
            return Violation(add.file, f"The add of {add.file} has dataChange=false.", Law("adds_true"))
        if entry is not None and entry.modified != add.modification_time:
            return Violation(
                add.file,
                f"The add of {add.file} says {d.instant(add.modification_time)}; the file was modified at {d.instant(entry.modified)}.",
                Law("adds_true"),
            )
        return None

    return each(d.adds, problem)


@clause(
    "DEL-ADD-1D",
    "An added file's statistics, where present, are true of the file.",
    of=DeleteSeen,
    sources=("S0", "P Per-file Statistics"),
)
def adds_statistics(d: DeleteSeen) -> Judgement:
    subjects = [add for add in d.adds if add.stats and d.after.contents.get(add.file) is not None]

    def problem(add: Add) -> Violation | None:
        try:
            wrong = untrue_statistics(json.loads(add.stats or "{}"), d, add.file)
        except (ValueError, TypeError, AttributeError) as malformed:
            wrong = f"they are not of the form that the protocol gives them ({malformed})"
        return (
            Violation(add.file, f"The statistics of {add.file} are not true: {wrong}.", Law("adds_true"))
            if wrong
            else None
        )

    return each(subjects, problem)


def untrue_statistics(stats: dict[str, Any], d: DeleteSeen, path: str) -> str:
    """The first thing that a file's statistics say and its rows do not bear out; empty where all is true."""
    rows = d.after.contents[path] or ()
    if stats.get("numRecords") != len(rows):
        return f"numRecords is {stats.get('numRecords')}, and the file has {len(rows)} rows"
    for position, column in enumerate(d.table.columns):
        if column.name in d.table.partition_by:
            continue
        values = [row[position] for row in rows]
        nulls = stats.get("nullCount", {}).get(column.name)
        if nulls is not None and nulls != values.count(None):
            return f"nullCount of {column.name} is {nulls}, and {values.count(None)} rows have NULL there"
        known = [_comparable(value, column.type) for value in values if value is not None]
        low, high = (stats.get(bound, {}).get(column.name) for bound in ("minValues", "maxValues"))
        if low is not None and known and _comparable(low, column.type) > min(known):
            return f"the minimum of {column.name} is {low!r}, and a row has less"
        if high is not None and known and _comparable(high, column.type) < max(known):
            return f"the maximum of {column.name} is {high!r}, and a row has more"
    return ""


def _comparable(value: Any, type: Type) -> Any:
    """A value, or a bound out of the statistics, such that the order is SQL's."""
    if type is Type.STRING:
        return str(value).encode("utf-8")
    return str(value) if type is Type.DATE else value


@clause(
    "DEL-MET-2",
    "The result counts the rows deleted; or it is -1, where whole files went whose row counts are not known, or are 0.",
    of=DeleteSeen,
    sources=("C 2.2",),
)
def affected_rows(d: DeleteSeen) -> Judgement:
    if d.refused:
        return NOT_MET
    counted = d.prediction.deleted.total()
    if d.prediction.scope is not Scope.ROWS and d.prediction.commits:
        stats = [d.before.live[path].stats for path in d.prediction.removed_paths]
        known = all(text and json.loads(text).get("numRecords") is not None for text in stats)
        counted = counted if known and counted else -1
    if d.outcome.rows == ((counted,),):
        return one(None)
    law = Law("rows_are", {"rows": [[counted]]})
    return one(
        Violation(
            "num_affected_rows",
            f"The DELETE answers {d.outcome.rows}; it must be {counted}.",
            law,
            evidence.of_delete(d),
        )
    )


@clause(
    "DEL-INFO-1C",
    "A DELETE changes neither protocol nor metadata.",
    of=DeleteSeen,
    sources=("P Change Metadata", "P Protocol Evolution"),
)
def definition_stays(d: DeleteSeen) -> Judgement:
    return one(redefined(d)) if d.commits else NOT_MET


@clause(
    "DEL-REM-1A",
    "Each remove carries a deletionTimestamp inside the operation's wall-clock window.",
    of=DeleteSeen,
    sources=("S0", "C 2.3"),
)
def removes_stamped(d: DeleteSeen) -> Judgement:
    def problem(remove: Remove) -> Violation | None:
        stamp = remove.deletion_timestamp
        if stamp is not None and d.outcome.started <= stamp <= d.outcome.ended:
            return None
        said = "no deletionTimestamp" if stamp is None else f"the deletionTimestamp {d.instant(stamp)}"
        window = f"{d.instant(d.outcome.started)} to {d.instant(d.outcome.ended)}"
        return Violation(
            remove.file, f"The remove of {remove.file} has {said}; the DELETE ran from {window}.", Law("removes_true")
        )

    return each(d.removes, problem)


@clause(
    "DEL-REM-1B",
    "Each remove names a live file as its add does, with dataChange=true and, as extended metadata, the add's partition values and size.",
    of=DeleteSeen,
    sources=("S0", "P Remove File", "C 2.3"),
)
def removes_complete(d: DeleteSeen) -> Judgement:
    """A partition column that the remove leaves out counts as NULL here: DEL-REM-1C is about those."""

    def problem(remove: Remove) -> Violation | None:
        add = d.before.live.get(remove.file)
        wrong = []
        if add is None or add.path != remove.path:
            wrong.append("it names no live file" if add is None else f"its path is {remove.path}, the add's {add.path}")
        if not remove.data_change:
            wrong.append("dataChange is false")
        if not remove.extended_file_metadata:
            wrong.append("extendedFileMetadata is not true")
        if remove.partition_values is None:
            wrong.append("it has no partitionValues")
        if add is not None and _not_null(remove.partition_values) != _not_null(add.partition_values):
            wrong.append(f"partitionValues are {remove.partition_values}, the add's {add.partition_values}")
        if add is not None and remove.size != add.size:
            wrong.append(f"the size is {remove.size}, the add's {add.size}")
        return (
            Violation(remove.file, f"The remove of {remove.file} is wrong: {'; '.join(wrong)}.", Law("removes_true"))
            if wrong
            else None
        )

    return each(d.removes, problem)


def _not_null(values: Mapping[str, str | None] | None) -> dict[str, str]:
    return {name: value for name, value in (values or {}).items() if value is not None}


@clause(
    "DEL-REM-1C",
    "The partition values of a remove name every partition column, those that are NULL too.",
    of=DeleteSeen,
    sources=("P Remove File",),
)
def removes_name_all_partitions(d: DeleteSeen) -> Judgement:
    def problem(remove: Remove) -> Violation | None:
        missing = sorted(set(d.table.partition_by) - set(remove.partition_values or {}))
        if not missing:
            return None
        return Violation(
            remove.file,
            f"The remove of {remove.file} leaves out the partition columns {', '.join(missing)}.",
            Law("removes_name_all_partitions"),
        )

    return each(d.removes if d.table.partition_by else (), problem)


@clause(
    "DEL-REM-2",
    "A commit holds no path twice among its adds or among its removes, and no path in both.",
    of=DeleteSeen,
    sources=("P Delta Log Entries", "P Add File and Remove File"),
)
def no_conflicts(d: DeleteSeen) -> Judgement:
    if not d.commits:
        return NOT_MET
    added, removed = Counter(add.file for add in d.adds), Counter(remove.file for remove in d.removes)
    twice = sorted({path for path, count in (added + removed).items() if count > 1})
    return one(
        Violation(twice[0], f"One commit names {', '.join(twice)} more than once.", Law("no_conflicting_actions"))
        if twice
        else None
    )


@clause(
    "DEL-PHYS-1",
    "DELETE deletes, overwrites and touches no existing file: bytes and modification times are as before.",
    of=DeleteSeen,
    sources=("S0",),
)
def nothing_touched(d: DeleteSeen) -> Judgement:
    files = sorted(path for path, entry in d.before.data.items() if entry.kind != "directory")

    def problem(path: str) -> Violation | None:
        before, after = d.before.listing[path], d.after.listing.get(path)
        if after == before:
            return None
        how = "deleted" if after is None else "changed" if after.digest != before.digest else "touched"
        return Violation(path, f"DELETE {how} {path}.", Law("untouched"), evidence.of_path(d, path))

    return each(files, problem)


@clause(
    "DEL-PHYS-2",
    "Every file with rows that a DELETE writes is referred to by its commit.",
    of=DeleteSeen,
    sources=("C 2.2", "C TransactionalWrite"),
)
def nothing_left_behind(d: DeleteSeen) -> Judgement:
    referred = {add.file for add in d.adds}

    def problem(path: str) -> Violation | None:
        if path in referred:
            return None
        return Violation(
            path, f"DELETE wrote {path}, and its commit does not refer to it.", Law("all_new_files_referenced")
        )

    return each(_holding_rows(d), problem)


@clause(
    "DEL-PHYS-3",
    "After a DELETE the log can be replayed.",
    of=DeleteSeen,
    sources=("P Action Reconciliation",),
    of_broken=True,
)
def log_readable(d: DeleteSeen) -> Judgement:
    broken = d.after.broken
    return one(
        Violation("log", f"After the DELETE the table cannot be read: {broken}.", Law("table_is_there"))
        if broken
        else None
    )


@clause("DEL-TT-1", "The version before a DELETE still reads as before it.", of=ReadSeen, sources=("S0", "S1"))
def earlier_version_reads(r: ReadSeen) -> Judgement:
    deleted = any(
        isinstance(seen, DeleteSeen) and seen.commits and seen.before.version >= r.version for seen in r.earlier
    )
    vacuumed = any(isinstance(seen, VacuumSeen) and seen.ran for seen in r.earlier)
    if r.is_current or not deleted or vacuumed or not r.inside_retention:
        return NOT_MET
    return one(misread(r))


@clause(
    "DEL-INFO-1A",
    "A DELETE that removes something is one commit, the next version.",
    of=DeleteSeen,
    sources=("S0", "C 2.4"),
)
def one_commit(d: DeleteSeen) -> Judgement:
    if not d.prediction.commits:
        return NOT_MET
    versions = [commit.version for commit in d.commits]
    if versions == [d.before.version + 1]:
        return one(None)
    return one(
        Violation(
            "log",
            f"The DELETE must write version {d.before.version + 1}; it wrote {versions or 'none'}.",
            Law("one_commit"),
            evidence.of_answer(d),
        )
    )


@clause(
    "DEL-INFO-1B",
    "commitInfo says DELETE, with its predicate, the version before as readVersion, isBlindAppend=false and the isolation level Serializable.",
    of=DeleteSeen,
    sources=("S0", "C 2.4"),
)
def commit_info(d: DeleteSeen) -> Judgement:
    if not d.commits:
        return NOT_MET
    expected = {
        "operation": "DELETE",
        "readVersion": d.before.version,
        "isBlindAppend": False,
        "isolationLevel": "Serializable",
    }
    law = Law("commit_info", {"expected": expected, "present": ["operationParameters.predicate"]})
    fields = dict(d.info.fields) if d.info else {}
    parameters = fields.get("operationParameters")
    wrong = [
        f"{key} is {fields.get(key)!r} instead of {value!r}"
        for key, value in expected.items()
        if fields.get(key) != value
    ]
    if not isinstance(parameters, dict) or not parameters.get("predicate"):
        wrong.append("there is no predicate among its operationParameters")
    return one(
        Violation("commitInfo", f"commitInfo of version {d.after.version}: {'; '.join(wrong)}.", law) if wrong else None
    )

"""DEL-ADD, DEL-ROW-4, DEL-PHYS-2: the adds of a DELETE, and the files that it writes."""

from __future__ import annotations

from deltalog.entries.actions import Add
from deltalog.storage.listing import EntryKind
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, space_kept, wrong_numbers
from harness.observing import evidence
from harness.observing.steps.observation import DeleteObservation, partition_of
from harness.observing.table.vacuum_inputs import vector_path
from model.prediction.delete import ConditionScope, DeleteMethod
from model.prediction.paths import checksum_of
from model.semantics.indexed_columns import INDEXED, indexed_columns
from model.text.layout import escape, is_named_by_engine, partition_directory, physical_name
from model.vocabulary.severity import Severity
from model.vocabulary.table import Table
from model.vocabulary.values import Row, Type
from records.expectations import (
    ByReplay,
    Expectation,
    FieldIs,
    FieldMatches,
    ForbiddenChange,
    KeysAre,
    Measure,
    NoActions,
    NoFileWritten,
    NothingChanged,
    Unchanged,
    about,
)
from suites.clauses.delete.file_statistics import (
    Malformed,
    WrongStatistic,
    has_exact_bounds,
    members,
    parsed,
    read,
    stored_columns,
    wrong_statistics,
)
from suites.clauses.shared import harms
from suites.clauses.shared.causes import NEEDLESS_WRITE, rows_left
from suites.clauses.shared.checks import check_none, check_stored
from suites.clauses.shared.partition_texts import wrong_partition_text


def _new_files_with_rows(d: DeleteObservation) -> list[str]:
    """The new files, except those without rows and checksum files.

    Spark's first write task writes a file even if it has no rows; Delta leaves such a file on storage, and out of the commit
    (TransactionalWrite.writeFiles: only "the AddFiles that actually add rows" are returned; docs/findings.md).
    """
    files = {path for path in d.appeared if d.after.listing[path].kind == "file"}
    may_be_empty = d.prediction.method is DeleteMethod.REWRITE
    empty = {
        path for path in files if may_be_empty and d.after.unreferenced.get(path) == 0 and is_named_by_engine(path)
    }
    return sorted(path for path in files if path not in empty and checksum_of(path) not in files)


def _vector_files(d: DeleteObservation) -> set[str]:
    """The new deletion vector files."""
    names = ((path, path.rpartition("/")[2]) for path in d.appeared)
    return {path for path, name in names if name.startswith("deletion_vector_") and name.endswith(".bin")}


@clause(
    "DEL-ROW-4",
    "If no row of the removed files survives, nothing is added and no file with rows is written.",
    sources=("S0", "C 2.2"),
    harm=harms.NEEDLESS_FILES,
)
def nothing_survives(d: DeleteObservation) -> Judgement:
    if (
        d.prediction.scope is not ConditionScope.ROWS
        or not d.prediction.removed
        or d.prediction.survivors
        or d.prediction.hidden_rows
    ):
        return NOT_EXERCISED
    # Change files hold the deleted rows; the vector of a file whose rows are all deleted is written and not used (C 2.2).
    others = {cdc.file for cdc in d.change_files} | _vector_files(d)
    written = sorted(d.added | (set(_new_files_with_rows(d)) - others))
    message = "No row survives, so the DELETE must write no file with rows; it wrote"
    expectation = NoActions(("add",)) if d.adds else NoFileWritten(but_named=True)
    cause = rows_left(d, NEEDLESS_WRITE)
    return judgement(check_none(written, message, expectation, evidence.of_delete(d), cause))


@clause(
    "DEL-ADD-1A",
    "Each added file exists, and has the size in its add.",
    sources=("S0", "P Add File and Remove File"),
    harm=harms.WRONG_ADDS,
)
def adds_exist(d: DeleteObservation) -> Judgement:
    return each(d.written, lambda add: check_stored(add, d.after.listing.get(add.file)))


@clause(
    "DEL-ADD-1B",
    "Each added file has a new name, in the directory of its partition, and its add has the values of all partition columns.",
    sources=("S0", "P Data Files"),
    harm=harms.WRONG_ADDS,
    implementation="spark",
)
def adds_in_its_directory(d: DeleteObservation) -> Judgement:
    known = _known_paths(d)

    def problem(add: Add) -> Violation | None:
        wrong_name = _check_name(d, add, known)
        if wrong_name is not None:
            return wrong_name
        values = partition_of(d.table, add)
        if not _in_place(d.table, add.file, values):
            directory = partition_directory(d.table, values)
            return Violation(
                add.file,
                f"{add.file} must be in {directory or 'the root'}, the directory of its partition.",
                _in_its_directory(d),
                cause=Cause("another directory", Severity.WRONG_WORDS),
            )
        return None

    return each(d.written, problem)


@clause(
    "DEL-ADD-1E",
    "Each added file has a new name, and its add has the values of all partition columns.",
    sources=("S0", "P Add File and Remove File"),
    harm=harms.WRONG_ADDS,
)
def adds_named(d: DeleteObservation) -> Judgement:
    """Its directory is the engine's own choice (PROTOCOL.md, "Data Files"); DEL-ADD-1B checks Spark's."""
    known = _known_paths(d)
    return each(d.written, lambda add: _check_name(d, add, known))


def _known_paths(d: DeleteObservation) -> frozenset[str]:
    """All paths that existed, or that the log named, before."""
    commits = d.before.log.commits.values()
    named = {add.file for commit in commits for add in commit.adds}
    return frozenset(d.before.data) | named | {remove.file for commit in commits for remove in commit.removes}


def _check_name(d: DeleteObservation, add: Add, known: frozenset[str]) -> Violation | None:
    """An added file must have a new name, and its add the values of all partition columns."""
    names = sorted(physical_name(d.table, name) for name in d.table.partition_by)
    found = sorted(add.partition_values)
    if found != names:
        message = f"The add of {add.file} has partition values for {found}; the partition columns are {names}."
        cause = Cause("values of other partition columns")
        return Violation(add.file, message, KeysAre("add", "partitionValues", names), cause=cause)
    try:
        partition_of(d.table, add)
    except ValueError:
        message = f"The add of {add.file} has partition values of other types: {dict(add.partition_values)}."
        expectation = wrong_partition_text(d) or _in_its_directory(d)
        return Violation(add.file, message, expectation, cause=Cause("partition values of other types"))
    message = f"{add.file} is not a new name: a file of this name exists, or existed, in the table."
    cause = Cause("a name that is taken", Severity.DATA_LOSS)
    return (
        Violation(add.file, message, FieldMatches("add", "path", Measure.NEW_NAME), cause=cause)
        if add.file in known
        else None
    )


def _in_its_directory(d: DeleteObservation) -> Expectation:
    if d.table.maps_columns or any(column.type not in _TYPES_WITH_ONE_TEXT for column in d.table.partition_columns):
        return ByReplay("the names of these directories do not show the partition values")
    return FieldMatches("add", "partitionValues", Measure.DIRECTORY)


def _in_place(table: Table, path: str, values: Row) -> bool:
    """Whether a file is in its partition's directory.

    Always with column mapping, where the directory has no meaning (PROTOCOL.md, "Data Files"). For types whose values have
    several texts, such as TIMESTAMP, only the column's name in the directory's name is compared.
    """
    directory = path.rpartition("/")[0]
    if table.maps_columns:
        return True
    if all(column.type in _TYPES_WITH_ONE_TEXT for column in table.partition_columns):
        return directory == partition_directory(table, values)
    parts = directory.split("/") if directory else []
    names = [f"{escape(name)}=" for name in table.partition_by]
    return len(parts) == len(names) and all(part.startswith(name) for part, name in zip(parts, names))


#: The types whose values each have exactly one text in a directory's name.
_TYPES_WITH_ONE_TEXT = (Type.STRING, Type.BYTE, Type.SHORT, Type.INTEGER, Type.LONG, Type.BOOLEAN, Type.DATE)


@clause(
    "DEL-ADD-1C",
    "Each add has dataChange=true and its file's modificationTime.",
    sources=("S0", "P Add File and Remove File"),
    harm=wrong_numbers("The time of a file in the log is not that of the file."),
    implementation="spark",
)
def adds_dated(d: DeleteObservation) -> Judgement:
    def problem(add: Add) -> Violation | None:
        entry = d.after.listing.get(add.file)
        if not add.data_change:
            return Violation(
                add.file,
                f"The add of {add.file} must have dataChange=true; it has dataChange=false.",
                FieldIs("add", "dataChange", True),
                cause=Cause("dataChange", Severity.UNREADABLE),
            )
        if entry is not None and entry.modified != add.modification_time:
            return Violation(
                add.file,
                f"The add of {add.file} has the modificationTime {d.instant(add.modification_time)}; the file was modified at {d.instant(entry.modified)}.",
                FieldMatches("add", "modificationTime", Measure.FILE_TIME),
                cause=Cause("modificationTime"),
            )
        return None

    return each(d.written, problem)


@clause(
    "DEL-ADD-1D",
    "An added file's statistics, if present, match its rows.",
    sources=("S0", "P Per-file Statistics"),
    harm=harms.WRONG_STATISTICS,
)
def adds_statistics(d: DeleteObservation) -> Judgement:
    subjects = [add for add in d.written if add.stats and d.after.contents.get(add.file) is not None]

    def problem(add: Add) -> Violation | None:
        try:
            wrong = wrong_statistics(read(add.stats), d, add.file)
        except Malformed as malformed:  # an engine may write anything
            wrong = WrongStatistic("they", f"they are not of the form that the protocol defines: {malformed}")
        if wrong is None:
            return None
        expectation: Expectation = ByReplay("the bounds of columns must be compared with the values of a Parquet file")
        if wrong.kind == "numRecords":
            expectation = FieldMatches("add", "stats.numRecords", Measure.FILE_ROWS)
        cause = Cause(f"wrong statistics: {wrong.kind}")
        return Violation(add.file, f"The statistics of {add.file} are wrong: {wrong.text}.", expectation, cause=cause)

    return each(subjects, problem)


@clause(
    "DEL-PHYS-2",
    "The commit of a DELETE refers to every file with rows that it writes.",
    sources=("C 2.2",),
    harm=space_kept("A file that no commit names costs storage until a VACUUM finds it."),
)
def nothing_left_behind(d: DeleteObservation) -> Judgement:
    referred = d.added | {cdc.file for cdc in d.change_files}
    referred |= {
        path for add in d.adds if (path := vector_path(add, d.root)) is not None
    }  # some are named by absolute paths
    if d.prediction.method is DeleteMethod.DELETION_VECTORS and d.prediction.removed:
        # The vector of a file whose rows are all deleted is written and not used (C 2.2); VACUUM deletes it later.
        referred |= _vector_files(d)

    def problem(path: str) -> Violation | None:
        if path in referred:
            return None
        expectation: Expectation = NoFileWritten(but_named=True)
        if d.prediction.scope is not ConditionScope.ROWS:
            expectation = NoFileWritten()
        elif path.endswith(".bin"):
            expectation = ByReplay("the name of a deletion vector's file is encoded in the log")
        message = f"DELETE wrote {path}, and its commit does not refer to it."
        return Violation(path, message, expectation, cause=rows_left(d, NEEDLESS_WRITE))

    return each(_new_files_with_rows(d), problem)


@clause(
    "DEL-ADD-1F",
    "Each added file has statistics: its number of rows, and for the columns that are not nested the null counts, and bounds where the type has them.",
    sources=("S0", "C 2.2"),
    harm=space_kept("Without statistics readers skip no files, and count by reading."),
    implementation="spark",
)
def adds_have_statistics(d: DeleteObservation) -> Judgement:
    """For tables with at most the 32 columns whose statistics Delta collects, or with properties that name them."""
    if len(list(stored_columns(d.table, ()))) > INDEXED:
        return NOT_EXERCISED
    indexed = indexed_columns(d.table)
    columns = [
        (position, physical_name(d.table, column.name), column)
        for position, column in enumerate(d.table.columns)
        if column in indexed
    ]

    def problem(add: Add) -> Violation | None:
        stats = parsed(add.stats)
        rows = d.after.contents.get(add.file) or ()
        lacking = [] if "numRecords" in stats else ["numRecords"]
        for position, name, column in columns:
            lacking += [] if name in members(stats, "nullCount") else [f"nullCount of {column.name}"]
            values = [row[position] for row in rows if row[position] is not None]
            if values and has_exact_bounds(column.type, values):
                bounds = ("minValues", "maxValues")
                lacking += [f"{bound} of {column.name}" for bound in bounds if name not in members(stats, bound)]
        if not lacking:
            return None
        message = f"The statistics of {add.file} lack {', '.join(lacking)}."
        expectation: Expectation = ByReplay("statistics must be compared with the columns of the table")
        if add.stats is None or "numRecords" in lacking:
            expectation = FieldMatches("add", "stats.numRecords", Measure.FILE_ROWS)
        return Violation(add.file, message, expectation)

    return each([add for add in d.written if d.after.contents.get(add.file)], problem)


@clause(
    "DEL-ADD-1G",
    "An add has no field that its table lacks the feature for: no clustering provider, no tags of its own, no row tracking fields without row tracking.",
    sources=("P Add File and Remove File", "P Row Tracking"),
    harm=harms.WRONG_ADDS,
)
def adds_say_no_more(d: DeleteObservation) -> Judgement:
    # Once in the protocol, row tracking is supported, whether or not it is switched on: adds have its fields.
    features = d.before.snapshot.protocol.writer_features or ()
    tracks_rows = "rowTracking" in features
    has_version = tracks_rows or (d.rules.row_versions_with_widening and "typeWidening" in features)

    def problem(add: Add) -> Violation | None:
        before = d.before.live.get(add.file)
        wrong = [] if add.clustering_provider is None else ["clusteringProvider"]
        wrong += ["tags"] if add.tags and (before is None or add.tags != before.tags) else []
        if not tracks_rows and (before is None or before.base_row_id is None):
            wrong += [] if add.base_row_id is None else ["baseRowId"]
            wrong += [] if add.default_row_commit_version is None or has_version else ["defaultRowCommitVersion"]
        message = f"The add of {add.file} must not have {', '.join(wrong)}."
        return Violation(add.file, message, FieldIs("add", wrong[0], None)) if wrong else None

    return each(d.adds, problem)


@clause(
    "DEL-PHYS-4",
    "A DELETE makes no link and no directory without a new file in it, and changes nothing beside the root.",
    sources=("P Add File and Remove File", "C 2.2"),
    harm=space_kept("Files and directories are left that no commit names."),
)
def nothing_else_appears(d: DeleteObservation) -> Judgement:
    new = {path: d.after.data[path].kind for path in sorted(d.appeared)}
    files = [path for path, kind in new.items() if kind is EntryKind.FILE]
    wrong = [path for path, kind in new.items() if kind is EntryKind.LINK]
    wrong += [
        path
        for path, kind in new.items()
        if kind is EntryKind.DIRECTORY and not any(file.startswith(f"{path}/") for file in files)
    ]
    wrong += d.changed_beside
    if not wrong:
        return judgement(None)
    message = f"DELETE must leave nothing but the files of its commit; it changed {evidence.named(wrong)}."
    expectation = about(wrong[0], Unchanged(wrong[0]), otherwise=NothingChanged(ForbiddenChange.OF_FILES))
    return judgement(Violation(wrong[0], message, expectation, evidence.of_path(d, wrong[0])))

"""DEL-DV: deletion vectors."""

from __future__ import annotations

import os
from collections.abc import Sequence, Set
from typing import Any

from deltalog.entries.actions import Add
from deltalog.storage.listing import EntryKind
from deltalog.values.schemas import parse_schema, widened_columns
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, space_kept, unreadable, wrong_answers
from harness.observing import evidence
from harness.observing.steps.observation import DeleteObservation
from harness.observing.table.vacuum_inputs import vector_path
from model.prediction.delete import ConditionScope, DeleteMethod
from model.semantics.indexed_columns import has_bounds, indexed_columns
from model.text.layout import physical_name
from model.vocabulary.severity import Severity
from model.vocabulary.table import Feature
from model.vocabulary.values import Row, Type, is_nested
from records.expectations import ByReplay, Expectation, FieldIs, FieldMatches, Measure, NoFileWritten
from suites.clauses.delete.file_statistics import Malformed, members, parsed, wrong_bounds
from suites.clauses.delete.files import not_added, not_named, removed_exactly, rows_left
from suites.clauses.shared import harms
from suites.clauses.shared.causes import NEEDLESS_REWRITE, NEEDLESS_WRITE
from suites.clauses.shared.causes import rows_left as rows_cause
from suites.clauses.shared.checks import check_none, check_rows_left


@clause(
    "DEL-DV-1A",
    "With deletion vectors on, a file with some matching rows gets a new deletion vector that hides the rows hidden before and the matching ones, and no others.",
    sources=("P Deletion Vectors", "C 2.2"),
    harm=harms.ROWS_HIDDEN,
    needs=("writes_vectors",),
)
def vector_is_the_union(d: DeleteObservation) -> Judgement:
    def problem(path: str) -> Violation | None:
        expected, now = d.prediction.hidden_rows[path], d.after.live.get(path)
        found = None if now is None else d.after.hidden(now)
        if found == expected:
            return None
        state = "the file is no longer live" if now is None else f"it hides {_rows(found)}"
        message = f"The deletion vector of {path} must hide {_rows(expected)}; {state}."
        cause = rows_cause(d, NEEDLESS_REWRITE)
        return Violation(path, message, rows_left(d, "which rows a deletion vector hides"), cause=cause)

    return each(sorted(d.prediction.hidden_rows), problem)


def _rows(indexes: frozenset[int] | None) -> str:
    if indexes is None:
        return "rows that cannot be read"
    return f"the rows {', '.join(map(str, sorted(indexes)))}" if indexes else "no row"


@clause(
    "DEL-DV-1B",
    "The add of a file with a new deletion vector has dataChange=true, the right cardinality, tightBounds=false, numRecords with the hidden rows, and all other fields as before.",
    sources=("P Writer Requirement for Deletion Vectors", "P Per-file Statistics", "C 2.2"),
    harm=wrong_answers("By wrong statistics readers skip rows, or count rows that are deleted."),
    needs=("writes_vectors",),
)
def adds_with_new_vectors(d: DeleteObservation) -> Judgement:
    def problem(add: Add) -> Violation | None:
        before = d.before.live[add.file]
        wrong: list[tuple[str, Expectation]] = [
            (
                f"{name} is {getattr(add, name)!r}, and was {getattr(before, name)!r}",
                FieldMatches("add", field, Measure.ADD),
            )
            for name, field in _AS_BEFORE.items()
            if _told(add, name, d.rules.time_unit) != _told(before, name, d.rules.time_unit)
        ]
        if not add.data_change:
            wrong.append(("dataChange is false", FieldIs("add", "dataChange", True)))
        hidden = d.after.hidden(add)
        if add.deletion_vector is None or hidden is None or add.deletion_vector.cardinality != len(hidden):
            cardinality = "its deletion vector's cardinality is not the number of rows that it hides"
            wrong.append((cardinality, ByReplay("the rows that a deletion vector hides are in its bitmap")))
        stored = d.after.contents.get(add.file)
        stats = parsed(add.stats)
        if stored is not None and stats.get("numRecords") != len(stored):
            records = f"numRecords is {stats.get('numRecords')}, and the file stores {len(stored)} rows"
            wrong.append((records, FieldMatches("add", "stats.numRecords", Measure.FILE_ROWS)))
        if stats.get("tightBounds") is not False:
            wrong.append(("tightBounds is not false", FieldIs("add", "stats.tightBounds", False)))
        if not wrong:
            return None
        texts = "; ".join(text for text, _ in wrong)
        field = getattr(wrong[0][1], "field", "deletionVector.cardinality")
        message, cause = f"The add of {add.file} is wrong: {texts}.", Cause(f"another value: {field}")
        return Violation(add.file, message, wrong[0][1], cause=cause)

    return each(d.hidden_rows, problem)


def _told(add: Add, name: str, time_unit: int) -> object:
    """An attribute of an add; a time as the storage tells it, which a writer may have asked again."""
    told = getattr(add, name)
    return told // time_unit if name == "modification_time" else told


#: What an add with a new deletion vector repeats: attributes of ``Add``, and the fields of the action.
_AS_BEFORE = {
    "size": "size",
    "modification_time": "modificationTime",
    "partition_values": "partitionValues",
    "tags": "tags",
    "base_row_id": "baseRowId",
    "default_row_commit_version": "defaultRowCommitVersion",
}


@clause(
    "DEL-DV-1D",
    "The bounds and null counts of a file with a new deletion vector are those of its add before: they hold for the rows that stay.",
    sources=("P Per-file Statistics",),
    harm=harms.WRONG_STATISTICS,
    needs=("writes_vectors",),
)
def bounds_of_files_with_new_vectors(d: DeleteObservation) -> Judgement:
    """With tightBounds=false only a null count of 0 or of all rows says something.

    Only what Delta collects must stay: it reads the statistics by the columns and types of its own, so the bounds of a BOOLEAN
    that another writer had collected go (StatisticsCollection.scala, statsSchema). A reader then reads the file.
    A bound that a FLOAT had before its column became a DOUBLE is a text of the FLOAT: it may stay as it was.
    """
    indexed = indexed_columns(d.table, nested=True)
    names = {physical_name(d.table, column.name) for column in indexed}
    bounded = {physical_name(d.table, column.name) for column in indexed if has_bounds(column.type)}
    fields = parse_schema(d.before.snapshot.metadata.schema_string)
    singles = widened_columns(fields, Type.FLOAT.value, Type.DOUBLE.value)

    def problem(add: Add) -> Violation | None:
        stats, before = parsed(add.stats), parsed(d.before.live[add.file].stats)
        lost = [
            key
            for key, kept in (("minValues", bounded), ("maxValues", bounded), ("nullCount", names))
            if kept & (members(before, key) - members(stats, key))
        ]
        rows = d.after.contents.get(add.file) or ()
        hidden = d.after.hidden(add) or frozenset()
        try:
            visible = [row for index, row in enumerate(rows) if index not in hidden]
            bound = wrong_bounds({**_without_kept(stats, before, singles), "nullCount": {}}, d, visible)
            wrong = bound.text if bound else _wrong_null_count(stats, d, rows)
            wrong = f"{lost[0]} of columns are gone" if lost else wrong
        except Malformed as malformed:
            wrong = f"they are not of the form that the protocol defines: {malformed}"
        reason = "the bounds of columns must be compared with the values of a Parquet file"
        message = f"The statistics of {add.file} are wrong: {wrong}."
        return Violation(add.file, message, ByReplay(reason)) if wrong else None

    return each(d.hidden_rows, problem)


def _without_kept(stats: dict[str, Any], before: dict[str, Any], names: Set[str]) -> dict[str, Any]:
    """The statistics without those bounds of these columns that are as they were before."""
    found = dict(stats)
    for key in ("minValues", "maxValues"):
        kept = {
            name for name in names & members(stats, key) & members(before, key) if stats[key][name] == before[key][name]
        }
        if kept:
            found[key] = {name: bound for name, bound in stats[key].items() if name not in kept}
    return found


def _wrong_null_count(stats: dict[str, Any], d: DeleteObservation, rows: Sequence[Row]) -> str:
    for position, column in enumerate(d.table.columns):
        name = physical_name(d.table, column.name)
        count = stats["nullCount"][name] if name in members(stats, "nullCount") else None
        nulls = sum(row[position] is None for row in rows)
        if is_nested(column.type) or count is None or column.name in d.table.partition_by:
            continue
        if not isinstance(count, int) or (count == 0 and nulls) or (count == len(rows) and nulls < len(rows)):
            return f"nullCount of {column.name} is {count}, and {nulls} of {len(rows)} rows have NULL there"
    return ""


@clause(
    "DEL-DV-1E",
    "The sizeInBytes of a new deletion vector is its size in its file.",
    sources=("P Deletion Vector Descriptor Schema", "P Deletion Vector File Storage Format"),
    harm=unreadable("A deletion vector that is read by a wrong size cannot be read."),
    needs=("writes_vectors",),
)
def size_of_new_vectors(d: DeleteObservation) -> Judgement:
    def problem(add: Add) -> Violation | None:
        vector, path = add.deletion_vector, vector_path(add, d.after.root)
        entry = d.after.listing.get(path or "")
        if vector is None or path is None or entry is None or entry.kind is not EntryKind.FILE:
            return None  # DEL-DV-1A, DEL-DV-3
        with open(os.path.join(d.after.root, path), "rb") as file:
            file.seek(vector.offset or 0)
            size = int.from_bytes(file.read(4), "big")
        message = f"sizeInBytes of the deletion vector of {add.file} is {vector.size}; in its file it is {size}."
        return None if size == vector.size else Violation(add.file, message, ByReplay("a deletion vector is binary"))

    return each(d.hidden_rows, problem)


@clause(
    "DEL-DV-1C",
    "With deletion vectors on, a DELETE writes no data file.",
    sources=("C 2.2",),
    harm=space_kept("Data files are rewritten although deletion vectors are on."),
    needs=("writes_vectors",),
)
def vectors_write_no_data(d: DeleteObservation) -> Judgement:
    if d.prediction.method is not DeleteMethod.DELETION_VECTORS or not d.prediction.commits:
        return NOT_EXERCISED
    written = sorted(path for path in d.appeared if path.endswith(".parquet"))
    message = "With deletion vectors DELETE must write no data file; it wrote"
    cause = rows_cause(d, NEEDLESS_WRITE)
    return judgement(check_none(written, message, NoFileWritten(".parquet"), cause=cause))


@clause(
    "DEL-DV-2A",
    "With deletion vectors on, DELETE removes each file of which it leaves no row.",
    sources=("C 2.2",),
    harm=space_kept("A file without rows stays, and costs storage and time."),
    implementation="spark",
)
def emptied_files_are_removed(d: DeleteObservation) -> Judgement:
    """A file without numRecords may be kept with all its rows hidden: the engine cannot know that none is left (C 2.2)."""
    if d.prediction.method is not DeleteMethod.DELETION_VECTORS:
        return NOT_EXERCISED

    def problem(path: str) -> Violation | None:
        if path in d.removed and path not in d.after.live:
            return None
        message = f"All rows of {path} are deleted, so it must be removed; it is not removed."
        cause = rows_cause(d, Cause("not removed: a file without rows"))
        return Violation(path, message, _emptied(d, path), cause=cause)

    return each(sorted(d.prediction.removed_paths), problem)


def _emptied(d: DeleteObservation, path: str) -> Expectation:
    if path not in d.removed:
        return removed_exactly(d)
    return not_added(d, path)


@clause(
    "DEL-DV-2B",
    "With deletion vectors on, a file without a matching row does not appear in the commit.",
    sources=("C 2.2",),
    harm=space_kept("Files are written, or removed and added again, that the DELETE does not concern."),
    needs=("writes_vectors",),
)
def files_without_matches(d: DeleteObservation) -> Judgement:
    if d.prediction.method is not DeleteMethod.DELETION_VECTORS or not d.prediction.commits:
        return NOT_EXERCISED
    named = d.added | d.removed

    def problem(path: str) -> Violation | None:
        if path not in named:
            return None
        message = f"{path} has no matching row and must not be in the commit; the commit names it."
        return Violation(path, message, not_named(d, path), cause=rows_cause(d, NEEDLESS_REWRITE))

    return each(sorted(set(d.before.live) - d.prediction.touched), problem)


@clause(
    "DEL-DV-3",
    "Every deletion vector that a commit refers to exists, with the right magic number, size, checksum, version and cardinality.",
    sources=("P Deletion Vector Format", "P Deletion Vector File Storage Format"),
    harm=unreadable("A file whose deletion vector cannot be read cannot be read."),
    needs=("writes_vectors",),
)
def vectors_are_valid(d: DeleteObservation) -> Judgement:
    def problem(add: Add) -> Violation | None:
        assert add.deletion_vector is not None
        found = d.after.vectors.get(add.deletion_vector.unique_id)
        if isinstance(found, frozenset):
            return None
        return Violation(
            add.file,
            f"The deletion vector of {add.file} must be readable; it cannot be read: {found}.",
            ByReplay("a deletion vector is binary"),
            evidence.of_actions(d, add.file),
            cause=Cause("a deletion vector cannot be read"),
        )

    return each([add for add in d.adds if add.deletion_vector is not None], problem)


@clause(
    "DEL-DV-4",
    "With delta.enableDeletionVectors off, existing deletion vectors are respected and no new one is written.",
    sources=("P Writer Requirement for Deletion Vectors",),
    harm=harms.ROWS_HIDDEN,
    needs=(Feature.DELETION_VECTORS_OFF,),
)
def no_new_vectors(d: DeleteObservation) -> Judgement:
    """Only for tables that have deletion vectors; the clauses about rows are about every table."""
    if d.table.has(Feature.DELETION_VECTORS) or not d.prediction.commits:
        return NOT_EXERCISED
    if not any(add.deletion_vector for add in d.before.live.values()):
        return NOT_EXERCISED
    new = sorted(add.file for add in d.adds if add.deletion_vector is not None)
    expectation = FieldIs("add", "deletionVector", None)
    cause = Cause("a deletion vector is written", Severity.UNREADABLE)
    message = "DELETE must write no deletion vector; it wrote one for"
    written = check_none(new, message, expectation, cause=cause)
    return judgement(written or check_rows_left(d))


@clause(
    "DEL-META-2B",
    "A DELETE of whole files keeps their deletion vectors in the removes, and writes none.",
    sources=("P Action Reconciliation", "C 2.2"),
    harm=unreadable("A remove without its deletion vector removes nothing: the deleted file stays live."),
    needs=(Feature.DELETION_VECTORS, Feature.DELETION_VECTORS_OFF),
)
def whole_files_keep_their_vectors(d: DeleteObservation) -> Judgement:
    if d.prediction.scope is ConditionScope.ROWS:
        return NOT_EXERCISED
    removed = {remove.file: remove for remove in d.removes}
    subjects = [
        path for path in sorted(d.prediction.removed_paths & set(removed)) if d.before.live[path].deletion_vector
    ]

    def problem(path: str) -> Violation | None:
        was, now = d.before.live[path].deletion_vector, removed[path].deletion_vector
        if was and now and was.unique_id == now.unique_id:
            return None
        return Violation(
            path,
            f"The remove of {path} must have the deletion vector {was and was.unique_id} of its add; it has {now and now.unique_id}.",
            FieldMatches("remove", "deletionVector", Measure.ADD),
            cause=Cause("another deletion vector"),
        )

    return each(subjects, problem)

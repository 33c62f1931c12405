"""DEL-REM: the removes of a DELETE."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from deltalog.entries.actions import Remove
from deltalog.entries.descriptors import DeletionVectorDescriptor
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, data_loss
from harness.observing.steps.observation import DeleteObservation
from model.prediction.delete import DeleteMethod
from model.text.layout import physical_name
from model.vocabulary.severity import Severity
from model.vocabulary.table import Feature
from records.expectations import (
    ByReplay,
    Expectation,
    FieldIs,
    FieldMatches,
    KeysAre,
    Measure,
    about,
)
from suites.clauses.delete.files import removed_exactly
from suites.clauses.shared import harms
from suites.clauses.shared.checks import check_each_once


@clause(
    "DEL-REM-1A",
    "The deletionTimestamp of each remove lies between the start and the end of the operation, by the wall clock.",
    sources=("S0", "C 2.3"),
    harm=data_loss("A tombstone that looks too old does not protect its file from VACUUM."),
)
def removes_stamped(d: DeleteObservation) -> Judgement:
    def problem(remove: Remove) -> Violation | None:
        stamp = remove.deletion_timestamp
        if stamp is not None and d.outcome.started <= stamp <= d.outcome.ended:
            return None
        found = "no deletionTimestamp" if stamp is None else f"the deletionTimestamp {d.instant(stamp)}"
        window = f"{d.instant(d.outcome.started)} to {d.instant(d.outcome.ended)}"
        return Violation(
            remove.file,
            f"The remove of {remove.file} has {found}; the DELETE ran from {window}.",
            FieldMatches("remove", "deletionTimestamp", Measure.CLOCK),
            cause=_wrong_time(stamp, d.outcome.started),
        )

    return each(d.removes, problem)


def _wrong_time(stamp: int | None, started: int) -> Cause:
    """A tombstone that looks too old does not protect its file; one that looks too young protects it too long."""
    if stamp is None:
        return Cause("no deletionTimestamp", Severity.DATA_LOSS)
    if stamp < started:
        return Cause("the deletionTimestamp is before the DELETE", Severity.DATA_LOSS)
    return Cause("the deletionTimestamp is after the DELETE", Severity.SPACE_KEPT)


@clause(
    "DEL-REM-1B",
    "Each remove has the path of a live file's add and dataChange=true; its partition values and its size, where it has them, are those of the add, and with extendedFileMetadata=true it has both.",
    sources=("S0", "P Add File and Remove File", "C 2.3"),
    harm=harms.WRONG_REMOVES,
)
def removes_complete(d: DeleteObservation) -> Judgement:
    """A partition column that the remove leaves out counts as NULL here: see DEL-REM-1C. All three fields are optional."""

    def problem(remove: Remove) -> Violation | None:
        add = d.before.live.get(remove.file)
        wrong: list[tuple[str, Expectation]] = []
        if add is None:
            wrong.append(("it names no live file", removed_exactly(d)))
        elif add.path != remove.path:
            wrong.append((f"its path is {remove.path}, the add's {add.path}", _as_added("path")))
        if not remove.data_change:
            wrong.append(("dataChange is false", FieldIs("remove", "dataChange", True)))
        told = remove.partition_values is not None or remove.extended_file_metadata
        if remove.partition_values is None and told:
            wrong.append(("it has no partitionValues", _as_added("partitionValues")))
        if add is not None and told and _not_null(remove.partition_values) != _not_null(add.partition_values):
            values = f"partitionValues are {remove.partition_values}, the add's {add.partition_values}"
            wrong.append((values, _as_added("partitionValues")))
        sized = remove.size is not None or remove.extended_file_metadata
        if add is not None and sized and remove.size != add.size:
            expectation = about(
                add.file, FieldIs("remove", "size", add.size, path=add.file), otherwise=_as_added("size")
            )
            wrong.append((f"the size is {remove.size}, the add's {add.size}", expectation))
        return _wrong_remove(remove, wrong)

    return each(d.removes, problem)


def _as_added(field: str) -> FieldMatches:
    return FieldMatches("remove", field, Measure.ADD)


def _wrong_remove(remove: Remove, wrong: Sequence[tuple[str, Expectation]]) -> Violation | None:
    """A violation with all problems in its message, and with the expectation of the first."""
    if not wrong:
        return None
    what = "; ".join(text for text, _ in wrong)
    expectation = wrong[0][1]
    cause = Cause(f"another value: {expectation.field}" if hasattr(expectation, "field") else "it names no live file")
    return Violation(remove.file, f"The remove of {remove.file} is wrong: {what}.", expectation, cause=cause)


def _not_null(values: Mapping[str, str | None] | None) -> dict[str, str]:
    """The values that are not NULL: PROTOCOL.md ("Partition Value Serialization") has both null and the empty string for NULL."""
    return {name: value for name, value in (values or {}).items() if value}


@clause(
    "DEL-REM-1G",
    "Each remove has extended metadata: extendedFileMetadata=true, the partition values and the size.",
    sources=("S0", "C 2.3"),
    harm=harms.REMOVES_WITHOUT_SIZES,
    implementation="spark",
)
def removes_are_extended(d: DeleteObservation) -> Judgement:
    """The values are DEL-REM-1B's."""

    def problem(remove: Remove) -> Violation | None:
        wrong: list[tuple[str, Expectation]] = []
        if not remove.extended_file_metadata:
            wrong.append(("extendedFileMetadata is not true", FieldIs("remove", "extendedFileMetadata", True)))
        if remove.partition_values is None:
            wrong.append(("it has no partitionValues", _as_added("partitionValues")))
        if remove.size is None:
            wrong.append(("it has no size", _as_added("size")))
        return _wrong_remove(remove, wrong)

    return each(d.removes, problem)


@clause(
    "DEL-REM-1C",
    "The partition values of a remove name every partition column, those that are NULL too.",
    sources=("P Add File and Remove File",),
    harm=harms.WRONG_REMOVES,
)
def removes_name_all_partitions(d: DeleteObservation) -> Judgement:
    def problem(remove: Remove) -> Violation | None:
        names = {physical_name(d.table, name) for name in d.table.partition_by}
        missing = sorted(names - set(remove.partition_values or ()))
        if not missing:
            return None
        return Violation(
            remove.file,
            f"The remove of {remove.file} leaves out the partition columns {', '.join(missing)}.",
            KeysAre("remove", "partitionValues", sorted(names)),
            cause=Cause("a partition column is left out"),
        )

    subjects = [remove for remove in d.removes if d.table.partition_by and remove.partition_values is not None]
    return each(subjects, problem)


@clause(
    "DEL-REM-1D",
    "Each remove has the deletion vector and the row tracking fields of the add that it removes.",
    sources=("P Action Reconciliation", "P Row Tracking", "C 2.2", "C 2.3"),
    harm=harms.WRONG_REMOVES,
    needs=(Feature.ROW_TRACKING, Feature.DELETION_VECTORS, Feature.DELETION_VECTORS_OFF),
)
def removes_carry_vectors(d: DeleteObservation) -> Judgement:
    subjects = [
        remove
        for remove in d.removes
        if (add := d.before.live.get(remove.file)) and (add.deletion_vector or add.base_row_id is not None)
    ]

    def problem(remove: Remove) -> Violation | None:
        add = d.before.live[remove.file]
        wrong: list[tuple[str, Expectation]] = []
        if _id(remove.deletion_vector) != _id(add.deletion_vector):
            ids = f"its deletion vector is {_id(remove.deletion_vector)}, the add's {_id(add.deletion_vector)}"
            wrong.append((ids, _as_added("deletionVector")))
        if remove.base_row_id != add.base_row_id:
            wrong.append((f"baseRowId is {remove.base_row_id}, the add's {add.base_row_id}", _as_added("baseRowId")))
        if remove.default_row_commit_version != add.default_row_commit_version:
            found, expected = remove.default_row_commit_version, add.default_row_commit_version
            text = f"defaultRowCommitVersion is {found}, the add's {expected}"
            wrong.append((text, _as_added("defaultRowCommitVersion")))
        return _wrong_remove(remove, wrong)

    return each(subjects, problem)


def _id(vector: DeletionVectorDescriptor | None) -> str | None:
    return None if vector is None else vector.unique_id


@clause(
    "DEL-REM-2",
    "A commit has no path twice in its adds or in its removes; a path in both has different deletion vectors.",
    sources=("P Delta Log Entries", "P Add File and Remove File"),
    harm=harms.WRONG_REMOVES,
)
def no_conflicts(d: DeleteObservation) -> Judgement:
    if not d.commits:
        return NOT_EXERCISED
    return judgement(check_each_once(d.adds, d.removes))


@clause(
    "DEL-REM-1E",
    "All removes of a DELETE that rewrites files have the same deletionTimestamp: they are one operation.",
    sources=("S0", "C 2.3"),
    harm=harms.DIFFERENT_EXPIRY,
    implementation="spark",
)
def rewritten_at_one_time(d: DeleteObservation) -> Judgement:
    """With deletion vectors each file that stays has a time of its own; removes of whole files are DEL-META-3's."""
    if d.prediction.method is not DeleteMethod.REWRITE or len(d.removes) < 2:
        return NOT_EXERCISED
    stamps = sorted({d.instant(remove.deletion_timestamp or 0) for remove in d.removes})
    message = f"The removes must have one deletionTimestamp; they have {len(stamps)}: {', '.join(stamps)}."
    expectation = FieldMatches("remove", "deletionTimestamp", Measure.OTHERS)
    wrong = Violation("commit", message, expectation, cause=Cause("several deletionTimestamps"))
    return judgement(wrong if len(stamps) > 1 else None)


@clause(
    "DEL-REM-1F",
    "A remove has the same deletion vector descriptor and tags as the add, no row tracking field that the add lacks, and, where it has statistics, the number of rows in the file.",
    sources=("P Add File and Remove File", "C 2.3"),
    harm=harms.WRONG_REMOVES,
)
def removes_repeat_the_add(d: DeleteObservation) -> Judgement:
    def problem(remove: Remove) -> Violation | None:
        add = d.before.live.get(remove.file)
        if add is None:
            return None  # DEL-REM-1B
        wrong: list[tuple[str, Expectation]] = []
        for name, field in _REPEATED.items():
            found, expected = getattr(remove, name), getattr(add, name)
            if (found or None) != (expected or None):
                wrong.append((f"{field} is {found}, the add's {expected}", _as_added(field)))
        if add.base_row_id is None and (remove.base_row_id, remove.default_row_commit_version) != (None, None):
            wrong.append(("it has row tracking fields, and its add has none", _as_added("baseRowId")))
        stored = d.before.contents.get(add.file) if d.before.is_read else None
        counted = _number_of_rows(remove.stats)
        if counted is not None and stored is not None and counted != len(stored):
            text = f"its statistics count {counted} rows, and the file has {len(stored)}"
            wrong.append((text, ByReplay("a removed file must be read")))
        return _wrong_remove(remove, wrong)

    return each(d.removes, problem)


#: Fields of a remove that must be those of its add; its size and its partition values are DEL-REM-1B's.
_REPEATED = {"deletion_vector": "deletionVector", "tags": "tags"}


def _number_of_rows(stats: str | None) -> object:
    try:
        return None if stats is None else json.loads(stats).get("numRecords")
    except (ValueError, AttributeError, RecursionError):
        return stats

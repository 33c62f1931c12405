"""DEL: the removes of a DELETE.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from deltalog.actions import Remove
from deltalog.descriptors import DeletionVectorDescriptor
from harness.clause import NOT_EXERCISED, Judgement, Law, Violation, clause, each, one
from harness.observation import DeleteObservation
from model.layout import physical_name
from model.table import Feature


@clause(
    "DEL-REM-1A",
    "Each remove carries a deletionTimestamp inside the operation's wall-clock window.",
    of=DeleteObservation,
    sources=("S0", "C 2.3"),
)
def removes_stamped(d: DeleteObservation) -> Judgement:
    def problem(remove: Remove) -> Violation | None:
        stamp = remove.deletion_timestamp
        if stamp is not None and d.outcome.started <= stamp <= d.outcome.ended:
            return None
        said = "no deletionTimestamp" if stamp is None else f"the deletionTimestamp {d.instant(stamp)}"
        window = f"{d.instant(d.outcome.started)} to {d.instant(d.outcome.ended)}"
        return Violation(
            remove.file,
            f"The remove of {remove.file} has {said}; the DELETE ran from {window}.",
            Law("removes_true", {"facts": ["deletionTimestamp"]}),
        )

    return each(d.removes, problem)


@clause(
    "DEL-REM-1B",
    "Each remove names a live file as its add does, with dataChange=true and, as extended metadata, the add's partition values and size.",
    of=DeleteObservation,
    sources=("S0", "P Add File and Remove File", "C 2.3"),
)
def removes_complete(d: DeleteObservation) -> Judgement:
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
            Violation(
                remove.file,
                f"The remove of {remove.file} is wrong: {'; '.join(wrong)}.",
                Law("removes_true", {"facts": list(_SAID)}),
            )
            if wrong
            else None
        )

    return each(d.removes, problem)


#: The facts of the law, by clause.
_SAID = ("dataChange", "extendedFileMetadata", "path", "size", "partitionValues")
_CARRIED = ("deletion vector", "baseRowId", "defaultRowCommitVersion")


def _not_null(values: Mapping[str, str | None] | None) -> dict[str, str]:
    return {name: value for name, value in (values or {}).items() if value is not None}


@clause(
    "DEL-REM-1C",
    "The partition values of a remove name every partition column, those that are NULL too.",
    of=DeleteObservation,
    sources=("P Add File and Remove File",),
)
def removes_name_all_partitions(d: DeleteObservation) -> Judgement:
    def problem(remove: Remove) -> Violation | None:
        names = {physical_name(d.table, name) for name in d.table.partition_by}
        missing = sorted(names - set(remove.partition_values or {}))
        if not missing:
            return None
        return Violation(
            remove.file,
            f"The remove of {remove.file} leaves out the partition columns {', '.join(missing)}.",
            Law("removes_name_all_partitions"),
        )

    return each(d.removes if d.table.partition_by else (), problem)


@clause(
    "DEL-REM-1D",
    "Each remove carries the deletion vector of the add that it removes, and its row tracking fields.",
    of=DeleteObservation,
    sources=("P Action Reconciliation", "P Row Tracking", "C 2.2", "C 2.3"),
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
        wrong = []
        if _id(remove.deletion_vector) != _id(add.deletion_vector):
            wrong.append(f"its deletion vector is {_id(remove.deletion_vector)}, the add's {_id(add.deletion_vector)}")
        if remove.base_row_id != add.base_row_id:
            wrong.append(f"baseRowId is {remove.base_row_id}, the add's {add.base_row_id}")
        if remove.default_row_commit_version != add.default_row_commit_version:
            wrong.append(
                f"defaultRowCommitVersion is {remove.default_row_commit_version}, "
                f"the add's {add.default_row_commit_version}"
            )
        return (
            Violation(
                remove.file,
                f"The remove of {remove.file} is wrong: {'; '.join(wrong)}.",
                Law("removes_true", {"facts": list(_CARRIED)}),
            )
            if wrong
            else None
        )

    return each(subjects, problem)


def _id(vector: DeletionVectorDescriptor | None) -> str | None:
    return None if vector is None else vector.unique_id


@clause(
    "DEL-REM-2",
    "A commit holds no path twice among its adds or among its removes; one in both has another deletion vector in each.",
    of=DeleteObservation,
    sources=("P Delta Log Entries", "P Add File and Remove File"),
)
def no_conflicts(d: DeleteObservation) -> Judgement:
    if not d.commits:
        return NOT_EXERCISED
    added, removed = Counter(add.file for add in d.adds), Counter(remove.file for remove in d.removes)
    same = {path for path, _ in {add.key for add in d.adds} & {remove.key for remove in d.removes}}
    twice = sorted({path for paths in (added, removed) for path, count in paths.items() if count > 1} | same)
    return one(
        Violation(twice[0], f"One commit names {', '.join(twice)} more than once.", Law("no_conflicting_actions"))
        if twice
        else None
    )

"""DEL-DV: deletion vectors.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

import json

from deltalog.actions import Add
from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, each, one
from harness.expectations import ByReplay, Expectation, FieldIs, FieldMatches, Measure, NoFileWritten
from harness.observation import DeleteObservation
from model.delete import ConditionScope, DeleteMethod
from model.table import Feature
from suites.clauses.delete.files import not_added, not_named, removed_exactly, rows_left
from suites.clauses.reading import left_wrong


@clause(
    "DEL-DV-1A",
    "With deletion vectors on, a partly matched file stays under a new vector that hides the rows hidden before and the matching ones, and no others.",
    of=DeleteObservation,
    sources=("P Deletion Vectors", "C 2.2"),
    needs=("writes_vectors",),
)
def vector_is_the_union(d: DeleteObservation) -> Judgement:
    def problem(path: str) -> Violation | None:
        expected, now = d.prediction.hidden_rows[path], d.after.live.get(path)
        found = None if now is None else d.after.hidden(now)
        if found == expected:
            return None
        what = "is gone" if now is None else f"hides {_rows(found)}"
        return Violation(
            path, f"{path} {what}; it must hide {_rows(expected)}.", rows_left(d, "which rows a deletion vector hides")
        )

    return each(sorted(d.prediction.hidden_rows), problem)


def _rows(indexes: frozenset[int] | None) -> str:
    if indexes is None:
        return "rows that cannot be read"
    return f"the rows {', '.join(map(str, sorted(indexes)))}" if indexes else "no row"


@clause(
    "DEL-DV-1B",
    "The add of a file under a new vector has dataChange=true, its cardinality, tightBounds=false, the physical numRecords, and all else as before.",
    of=DeleteObservation,
    sources=("P Writer Requirement for Deletion Vectors", "P Per-file Statistics", "C 2.2"),
    needs=("writes_vectors",),
)
def masked_adds_are_true(d: DeleteObservation) -> Judgement:
    def problem(add: Add) -> Violation | None:
        before = d.before.live[add.file]
        wrong: list[tuple[str, Expectation]] = [
            (
                f"{name} is {getattr(add, name)!r}, and was {getattr(before, name)!r}",
                FieldMatches("add", field, Measure.ADD),
            )
            for name, field in _AS_BEFORE.items()
            if getattr(add, name) != getattr(before, name)
        ]
        if not add.data_change:
            wrong.append(("dataChange is false", FieldIs("add", "dataChange", True)))
        hidden = d.after.hidden(add)
        if add.deletion_vector is None or hidden is None or add.deletion_vector.cardinality != len(hidden):
            cardinality = "its vector's cardinality is not that of the rows that it hides"
            wrong.append((cardinality, ByReplay("the rows that a deletion vector hides are in its bitmap")))
        stored = d.after.contents.get(add.file)
        stats = json.loads(add.stats or "{}")
        if stored is not None and stats.get("numRecords") != len(stored):
            records = f"numRecords is {stats.get('numRecords')}, and the file stores {len(stored)} rows"
            wrong.append((records, FieldMatches("add", "stats.numRecords", Measure.FILE_ROWS)))
        if stats.get("tightBounds") is not False:
            wrong.append(("tightBounds is not false", FieldIs("add", "stats.tightBounds", False)))
        if not wrong:
            return None
        what = "; ".join(text for text, _ in wrong)
        return Violation(add.file, f"The add of {add.file}: {what}.", wrong[0][1])

    return each(d.hidden_rows, problem)


#: What an add under a new vector repeats: attributes of ``Add``, and the fields of the action.
_AS_BEFORE = {
    "size": "size",
    "modification_time": "modificationTime",
    "partition_values": "partitionValues",
    "tags": "tags",
    "base_row_id": "baseRowId",
    "default_row_commit_version": "defaultRowCommitVersion",
}


@clause(
    "DEL-DV-1C",
    "With deletion vectors on, a DELETE writes no data file.",
    of=DeleteObservation,
    sources=("C 2.2",),
    needs=("writes_vectors",),
)
def vectors_write_no_data(d: DeleteObservation) -> Judgement:
    if d.prediction.method is not DeleteMethod.DELETION_VECTORS or not d.prediction.commits:
        return NOT_EXERCISED
    written = sorted(path for path in d.appeared if path.endswith(".parquet"))
    return one(
        Violation(written[0], f"DELETE wrote {', '.join(written)}.", NoFileWritten(".parquet")) if written else None
    )


@clause(
    "DEL-DV-2A",
    "With deletion vectors on, a file of which no row is left is removed whole.",
    of=DeleteObservation,
    sources=("P Deletion Vectors", "C 2.2"),
    needs=("writes_vectors",),
)
def emptied_files_go(d: DeleteObservation) -> Judgement:
    """A file whose rows its statistics do not count stays, with all of them hidden: the engine cannot know (C 2.2)."""
    if d.prediction.method is not DeleteMethod.DELETION_VECTORS:
        return NOT_EXERCISED

    def problem(path: str) -> Violation | None:
        if path in {remove.file for remove in d.removes} and path not in d.after.live:
            return None
        return Violation(path, f"All rows of {path} are deleted, and it is not removed.", _emptied(d, path))

    return each(sorted(d.prediction.removed_paths), problem)


def _emptied(d: DeleteObservation, path: str) -> Expectation:
    if path not in {remove.file for remove in d.removes}:
        return removed_exactly(d)
    return not_added(d, path)


@clause(
    "DEL-DV-2B",
    "With deletion vectors on, a file without a matching row does not appear in the commit.",
    of=DeleteObservation,
    sources=("C 2.2",),
    needs=("writes_vectors",),
)
def untouched_files_stay_out(d: DeleteObservation) -> Judgement:
    if d.prediction.method is not DeleteMethod.DELETION_VECTORS or not d.prediction.commits:
        return NOT_EXERCISED
    named = {add.file for add in d.adds} | {remove.file for remove in d.removes}

    def problem(path: str) -> Violation | None:
        return (
            Violation(path, f"{path} has no matching row, and the commit names it.", not_named(d, path))
            if path in named
            else None
        )

    return each(sorted(set(d.before.live) - d.prediction.touched), problem)


@clause(
    "DEL-DV-3",
    "Every vector that a commit refers to exists, with the right magic number, size, checksum, version and cardinality.",
    of=DeleteObservation,
    sources=("P Deletion Vector Format", "P Deletion Vector File Storage Format"),
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
            f"The deletion vector of {add.file} cannot be read: {found}.",
            ByReplay("a deletion vector is binary"),
            evidence.of_actions(d, add.file),
        )

    return each([add for add in d.adds if add.deletion_vector is not None], problem)


@clause(
    "DEL-DV-4",
    "With delta.enableDeletionVectors off, existing vectors are honoured and no new one is written.",
    of=DeleteObservation,
    sources=("P Writer Requirement for Deletion Vectors",),
    needs=(Feature.DELETION_VECTORS_OFF,),
)
def no_new_vectors(d: DeleteObservation) -> Judgement:
    """That existing ones are honoured, the clauses about rows say of every table; here it must have some."""
    if d.table.has(Feature.DELETION_VECTORS) or not d.prediction.commits:
        return NOT_EXERCISED
    if not any(add.deletion_vector for add in d.before.live.values()):
        return NOT_EXERCISED
    new = sorted(add.file for add in d.adds if add.deletion_vector is not None)
    if new:
        return one(
            Violation(
                new[0], f"DELETE wrote a deletion vector for {', '.join(new)}.", FieldIs("add", "deletionVector", None)
            )
        )
    return one(left_wrong(d))


@clause(
    "DEL-META-2B",
    "A DELETE of whole files leaves their deletion vectors on the removes, and writes none.",
    of=DeleteObservation,
    sources=("P Action Reconciliation", "C 2.2"),
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
            f"The remove of {path} does not carry its deletion vector.",
            FieldMatches("remove", "deletionVector", Measure.ADD),
        )

    return each(subjects, problem)

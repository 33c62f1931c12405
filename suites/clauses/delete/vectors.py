"""DEL-DV: deletion vectors.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

import json

from deltalog.actions import Add
from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Law, Violation, clause, each, one
from harness.observation import DeleteObservation
from model.delete import ConditionScope, DeleteMethod
from model.table import Feature
from suites.clauses.delete.files import removed_exactly
from suites.clauses.reading import left_wrong


def vectors_are(d: DeleteObservation) -> Law:
    """The law that a script checks where vectors are not as they must be: what each file must hide after the step."""
    hidden = {path: sorted(d.before.hidden(add) or ()) for path, add in d.before.live.items()}
    hidden = {path: rows for path, rows in hidden.items() if path not in d.prediction.removed_paths}
    hidden.update({path: sorted(rows) for path, rows in d.prediction.hidden_rows.items()})
    return Law("vectors_are", {"files": hidden})


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
        return Violation(path, f"{path} {what}; it must hide {_rows(expected)}.", vectors_are(d))

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
        wrong = [
            f"{name} is {getattr(add, name)!r}, and was {getattr(before, name)!r}"
            for name in (
                "size",
                "modification_time",
                "partition_values",
                "tags",
                "base_row_id",
                "default_row_commit_version",
            )
            if getattr(add, name) != getattr(before, name)
        ]
        if not add.data_change:
            wrong.append("dataChange is false")
        hidden = d.after.hidden(add)
        if add.deletion_vector is None or hidden is None or add.deletion_vector.cardinality != len(hidden):
            wrong.append("its vector's cardinality is not that of the rows that it hides")
        stored = d.after.contents.get(add.file)
        stats = json.loads(add.stats or "{}")
        if stored is not None and stats.get("numRecords") != len(stored):
            wrong.append(f"numRecords is {stats.get('numRecords')}, and the file stores {len(stored)} rows")
        if stats.get("tightBounds") is not False:
            wrong.append("tightBounds is not false")
        return Violation(add.file, f"The add of {add.file}: {'; '.join(wrong)}.", Law("adds_true")) if wrong else None

    return each(d.hidden_rows, problem)


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
        Violation(written[0], f"DELETE wrote {', '.join(written)}.", Law("no_new_data_files")) if written else None
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
        return Violation(path, f"All rows of {path} are deleted, and it is not removed.", vectors_are(d))

    return each(sorted(d.prediction.removed_paths), problem)


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
            Violation(path, f"{path} has no matching row, and the commit names it.", removed_exactly(d))
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
            Law("vectors_valid"),
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
        return one(Violation(new[0], f"DELETE wrote a deletion vector for {', '.join(new)}.", Law("no_vector_written")))
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
            Law("removes_true", {"facts": ["deletion vector"]}),
        )

    return each(subjects, problem)

"""DEL-CDF: the change data feed.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from collections import Counter

from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, one
from harness.expectations import ByReplay, Expectation, FieldIs, NoActions, NoFileWritten, Of, RowsAre
from harness.observation import ChangesObservation, DeleteObservation, Rows
from model.delete import DeleteMethod
from model.table import Feature
from model.values import Row


@clause(
    "DEL-CDF-1A",
    "With the change data feed on, a rewriting DELETE writes change files whose rows are exactly the deleted ones, each with _change_type delete.",
    of=DeleteObservation,
    sources=("P Add CDC File", "P Change Data Files", "C 2.2"),
    needs=(Feature.CHANGE_DATA_FEED,),
)
def change_files_hold_the_deleted(d: DeleteObservation) -> Judgement:
    if (
        not d.table.has(Feature.CHANGE_DATA_FEED)
        or d.prediction.method is not DeleteMethod.REWRITE
        or not d.prediction.commits
    ):
        return NOT_EXERCISED
    expectation = _feed(d)
    found: Rows = Counter()
    for cdc in d.change_files:
        rows = d.after.changes.get(cdc.file)
        if rows is None:
            return one(Violation(cdc.file, f"The change file {cdc.file} cannot be read.", expectation))
        kinds = {kind for _, kind in rows}
        if kinds - {"delete"}:
            return one(Violation(cdc.file, f"{cdc.file} has the change types {sorted(map(str, kinds))}.", expectation))
        if cdc.data_change:
            return one(
                Violation(
                    cdc.file, f"The action of {cdc.file} says dataChange=true.", FieldIs("cdc", "dataChange", False)
                )
            )
        found.update(row for row, _ in rows)
    if found == d.prediction.deleted:
        return one(None)
    facts = evidence.of_rows(d.prediction.deleted, found)
    return one(Violation("rows", "The change files do not hold exactly the deleted rows.", expectation, facts))


def _feed(d: DeleteObservation) -> Expectation:
    """The change feed of the DELETE, which reads the change files."""
    if d.table.maps_columns and d.rules.implementation != "spark":
        return ByReplay("delta-rs does not read the change feed of a table with column mapping")
    return RowsAre(Of.CHANGES, [[*row, "delete"] for row in evidence.rows_as_json(d.prediction.deleted)])


@clause(
    "DEL-CDF-1B",
    "A DELETE of whole files, and one by deletion vectors, writes no change file.",
    of=DeleteObservation,
    sources=("P Change Data Files", "C 2.2"),
    needs=(Feature.CHANGE_DATA_FEED,),
)
def no_change_files(d: DeleteObservation) -> Judgement:
    if (
        not d.table.has(Feature.CHANGE_DATA_FEED)
        or d.prediction.method is DeleteMethod.REWRITE
        or not d.prediction.commits
    ):
        return NOT_EXERCISED
    named = sorted(
        {cdc.file for cdc in d.change_files} | {path for path in d.appeared if path.startswith("_change_data/")}
    )
    unwanted = NoActions(("cdc",)) if d.change_files else NoFileWritten("_change_data/")
    return one(Violation(named[0], f"DELETE wrote {', '.join(named)}.", unwanted) if named else None)


@clause(
    "DEL-CDF-1C",
    "The change data feed of a DELETE, read back, is exactly the deleted rows, each with _change_type delete, in every way of deleting.",
    of=ChangesObservation,
    sources=("P Add CDC File", "C 2.2"),
    needs=("change_feed",),
)
def feed_reads_the_deleted(c: ChangesObservation) -> Judgement:
    if c.of is None:
        return NOT_EXERCISED
    expected: Counter[Row] = Counter({(*row, "delete"): count for row, count in c.of.prediction.deleted.items()})
    found = Counter(c.outcome.rows)
    if not c.refused and found == expected:
        return one(None)
    expectation = RowsAre(Of.ANSWER, evidence.rows_as_json(expected))
    facts = evidence.of_answer(c) if c.refused else evidence.of_rows(expected, found)
    return one(Violation("rows", f"The feed of version {c.version} is not the deleted rows.", expectation, facts))

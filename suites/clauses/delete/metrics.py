"""DEL-MET: the result of a DELETE, and the operationMetrics in its commitInfo."""

from __future__ import annotations

from collections.abc import Mapping

from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, judgement
from harness.judging.severity import Cause
from harness.observing import evidence
from harness.observing.steps.observation import DeleteObservation
from model.prediction.delete import ConditionScope, DeleteMethod
from model.text.layout import is_named_by_engine
from model.vocabulary.rules import DELTA_RS, DELTA_RS_COUNTS
from model.vocabulary.steps import Form
from records.expectations import ByReplay, Expectation, FieldHolds, InfoIs, MetricCounts, RowsAre, RowsOf, Total
from suites.clauses.shared import harms

#: Metrics that a DELETE of whole files leaves out if it does not know the row counts.
_UNKNOWN_WITHOUT_ROWS = ("numDeletedRows", "numCopiedRows", "numAddedFiles")

_VECTORS = ("numDeletionVectorsAdded", "numDeletionVectorsRemoved", "numDeletionVectorsUpdated")

#: Metrics about the files that the engine writes, which differ from run to run.
_OF_WRITTEN_FILES = {
    "numAddedFiles": Total.ADDED_FILES,
    "numAddedBytes": Total.ADDED_BYTES,
    "numAddedChangeFiles": Total.CHANGE_FILES,
}

_TIMES = ("executionTimeMs", "scanTimeMs", "rewriteTimeMs")


def expected_metrics(d: DeleteObservation) -> dict[str, int]:
    """The metrics that the commit must have, without times. Files and bytes are those of the log's actions."""
    p = d.prediction
    removed = [d.before.live[path] for path in p.removed_paths]
    if d.step.form is Form.TRUNCATE:
        return {"numRemovedFiles": len(removed)}
    updated = sum(d.before.live[path].deletion_vector is not None for path in p.hidden_rows)
    added = len(p.hidden_rows) - updated
    removed_vectors = sum(add.deletion_vector is not None for add in removed)
    rewrites = p.method is DeleteMethod.REWRITE
    metrics = {
        "numRemovedFiles": len(removed),
        "numAddedFiles": len(d.written),
        "numAddedChangeFiles": len(d.change_files),
        "numDeletedRows": p.deleted.total(),
        "numCopiedRows": p.survivors.total() if rewrites else 0,
        # With deletion vectors, bytes are not counted: no file is written, and those of removed files are left out.
        "numRemovedBytes": 0 if p.method is DeleteMethod.DELETION_VECTORS else sum(add.size for add in removed),
        "numAddedBytes": sum(entry.size for add in d.written if (entry := d.after.listing.get(add.file))),
        # A deletion vector that replaces another counts as added, as removed and as updated.
        "numDeletionVectorsAdded": added + updated,
        "numDeletionVectorsRemoved": removed_vectors + updated,
        "numDeletionVectorsUpdated": updated,
    }
    left_out = (*_absent(d), *(() if d.rules.counts_vectors else _VECTORS))
    return {name: value for name, value in metrics.items() if name not in left_out}


def _absent(d: DeleteObservation) -> tuple[str, ...]:
    """The metrics that must be left out: whole files are removed, and no deleted row is known (C 2.4)."""
    if d.prediction.method is not DeleteMethod.METADATA_ONLY or (_counted(d) and d.prediction.deleted):
        return ()
    return _UNKNOWN_WITHOUT_ROWS


def _counted(d: DeleteObservation) -> bool:
    return all(file.counted for file in d.prediction.removed)


@clause(
    "DEL-MET-1A",
    "operationMetrics match what happened: files, rows, bytes, deletion vectors and change files; unknown row counts are left out.",
    sources=("S0", "C 2.4"),
    harm=harms.WRONG_METRICS,
    implementation="spark",
)
def metrics_are_true(d: DeleteObservation) -> Judgement:
    if not d.commits:
        return NOT_EXERCISED
    found = _found(d)
    expected, absent = expected_metrics(d), _absent(d)
    must = {name: f"must be {value}" for name, value in expected.items() if found.get(name) != str(value)}
    must |= {name: "must be absent" for name in absent if name in found}
    must |= {name: "is no metric" for name in found if name not in {*expected, *absent, *_TIMES, *_VECTORS}}
    if not must:
        return judgement(None)
    first = next(iter(must))
    expectation = _metric(d, first, expected.get(first))
    facts, cause = evidence.of_delete(d), Cause(f"another value: {first}")
    return judgement(Violation("operationMetrics", _told(found, must), expectation, facts, cause=cause))


def _told(found: Mapping[str, object], must: Mapping[str, str]) -> str:
    """What each metric is, and what it must be."""
    return "; ".join(f"{name} is {found.get(name, 'absent')}, and {what}" for name, what in must.items()) + "."


def _metric(d: DeleteObservation, name: str, value: int | None) -> Expectation:
    if name in _OF_WRITTEN_FILES and value is not None:
        return MetricCounts(name, _OF_WRITTEN_FILES[name])
    if not name.endswith("Rows") and any(map(is_named_by_engine, d.prediction.touched)):
        return ByReplay(f"{name} counts files that the engine wrote itself")
    return InfoIs(f"operationMetrics.{name}", None if value is None else str(value))


@clause(
    "DEL-MET-1B",
    "The times in operationMetrics are whole numbers and not negative.",
    sources=("C 2.4",),
    harm=harms.WRONG_METRICS,
    implementation="spark",
)
def times_are_numbers(d: DeleteObservation) -> Judgement:
    if not d.commits:
        return NOT_EXERCISED
    found = _found(d)
    names = _TIMES[:1] if d.step.form is Form.TRUNCATE else _TIMES
    must = {name: "must be a whole number" for name in names if not str(found.get(name, "")).isdecimal()}
    if not must:
        return judgement(None)
    expectation = FieldHolds("commitInfo", f"operationMetrics.{next(iter(must))}", r'"\d+"', "a whole number")
    cause = Cause("a time that is no whole number")
    return judgement(Violation("operationMetrics", _told(found, must), expectation, cause=cause))


def _found(d: DeleteObservation) -> dict[str, object]:
    metrics = d.info.fields.get("operationMetrics") if d.info else None
    return dict(metrics) if hasattr(metrics, "items") else {}  # type: ignore[call-overload]


@clause(
    "DEL-MET-2",
    "The result is the number of deleted rows; or -1, if whole files were removed whose row counts are unknown or 0. DeltaTable and TRUNCATE TABLE return no row.",
    sources=("C 2.2",),
    harm=harms.WRONG_METRICS,
    implementation="spark",
)
def affected_rows(d: DeleteObservation) -> Judgement:
    if d.refused:
        return NOT_EXERCISED
    if not d.step.returns_rows:
        message = f"The DELETE by {d.step.form.value} must return no row; it returned {d.outcome.rows}."
        return judgement(Violation("rows", message, RowsAre(RowsOf.ANSWER, ())) if d.outcome.rows else None)
    counted = d.prediction.deleted.total()
    if d.prediction.scope is not ConditionScope.ROWS and d.prediction.commits:
        counted = counted if _counted(d) and counted else -1
    if d.outcome.rows == ((counted,),):
        return judgement(None)
    expectation = RowsAre(RowsOf.ANSWER, [[counted]])
    message = f"The DELETE returned {d.outcome.rows}; it must be {counted}."
    facts, cause = evidence.of_delete(d), Cause("another number of rows")
    return judgement(Violation("num_affected_rows", message, expectation, facts, cause=cause))


# The metrics of delta-rs ---------------------------------------------------------------------------------------------


def _counts(d: DeleteObservation) -> dict[str, int] | None:
    """What the DELETE did, as delta-rs counts it; None where that is not known, or the engine counts in another way.

    Counted from the files of the commit's own actions, so that a DELETE of wrong rows is judged by other clauses alone.
    num_added_files has the change files too, as the files that were written (crates/core/src/operations/delete.rs).
    """
    if d.rules.implementation != DELTA_RS.implementation or d.refused:
        return None
    removed = [remove.file for remove in d.removes]
    if not d.before.live.keys() >= set(removed):
        return None
    rows = [d.before.visible(path) for path in removed]
    kept = [d.after.contents.get(add.file) for add in d.written]
    if any(found is None for found in (*rows, *kept)):
        return None
    copied = sum(len(found or ()) for found in kept)
    deleted = sum(len(found or ()) for found in rows) - copied
    counts = (deleted, len(d.written) + len(d.change_files), len(removed), copied)
    return dict(zip(DELTA_RS_COUNTS, counts))


def _as_done(d: DeleteObservation, counts: dict[str, int], expectation: Expectation) -> Expectation:
    """The expectation where the DELETE did what it must; else its counts are of something that no right engine does."""
    due = (d.prediction.deleted.total(), len(d.prediction.touched))
    if d.prediction.commits and (counts[DELTA_RS_COUNTS[0]], counts[DELTA_RS_COUNTS[2]]) == due:
        return expectation
    return ByReplay("the counts are those of what the DELETE did, which is not what it must do")


def _must_count_rows(d: DeleteObservation) -> bool:
    """num_deleted_rows is omitted when it cannot be determined without scanning data files (``DeltaTable.delete``)."""
    return bool(d.written) or all(d.counts(d.before.live[remove.file]) for remove in d.removes)


@clause(
    "DEL-MET-3A",
    "The operationMetrics of a DELETE count what it did: the files that it added (change files included) and removed, and the rows that it deleted and copied; the number of deleted rows may be left out only if whole files were removed and one of them has no row count.",
    sources=("R DeltaTable.delete", "R DeleteMetrics"),
    harm=harms.WRONG_METRICS,
    implementation="deltalake",
)
def recorded_counts(d: DeleteObservation) -> Judgement:
    counts = _counts(d)
    if counts is None or not d.commits:
        return NOT_EXERCISED
    found = _found(d)
    optional = () if _must_count_rows(d) else DELTA_RS_COUNTS[:1]
    wrong = [
        name
        for name, value in counts.items()
        if str(found.get(name)) != str(value) and (name in found or name not in optional)
    ]
    if not wrong:
        return judgement(None)
    told = _told(found, {name: f"must be {counts[name]}" for name in wrong})
    expectation = _as_done(d, counts, InfoIs(f"operationMetrics.{wrong[0]}", counts[wrong[0]]))
    return judgement(Violation("operationMetrics", told, expectation, evidence.of_delete(d)))


@clause(
    "DEL-MET-3B",
    "The metrics that a DELETE returns count what it did, or are all 0 if it did nothing; the number of deleted rows may be left out only if whole files were removed and one of them has no row count.",
    sources=("R DeltaTable.delete", "R DeleteMetrics"),
    harm=harms.WRONG_METRICS,
    implementation="deltalake",
)
def returned_counts(d: DeleteObservation) -> Judgement:
    counts = _counts(d)
    if counts is None:
        return NOT_EXERCISED
    expected = tuple(counts.values())
    allowed = [(expected,)] if _must_count_rows(d) else [(expected,), ((None, *expected[1:]),)]
    if d.outcome.rows in allowed:
        return judgement(None)
    names = ", ".join(DELTA_RS_COUNTS)
    message = f"The DELETE returned {d.outcome.rows} ({names}); it must be {allowed[0]}."
    expectation = _as_done(d, counts, RowsAre(RowsOf.ANSWER, [list(expected)]))
    return judgement(Violation("metrics", message, expectation, evidence.of_delete(d)))

"""DEL-MET: what a DELETE says of itself, in its answer and in commitInfo's operationMetrics.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, one
from harness.expectations import ByReplay, Expectation, FieldHolds, InfoIs, MetricCounts, Of, RowsAre, Total
from harness.observation import DeleteObservation
from model.delete import ConditionScope, DeleteMethod
from model.layout import is_named_by_engine
from model.steps import Form

#: Row counts that a DELETE of whole files leaves out of its metrics where it does not know them.
_UNKNOWN_WITHOUT_ROWS = ("numDeletedRows", "numCopiedRows", "numAddedFiles")

_VECTORS = ("numDeletionVectorsAdded", "numDeletionVectorsRemoved", "numDeletionVectorsUpdated")

#: Files that no one but the engine knows beforehand.
_OF_WHAT_WAS_WRITTEN = {
    "numAddedFiles": Total.ADDED_FILES,
    "numAddedBytes": Total.ADDED_BYTES,
    "numAddedChangeFiles": Total.CHANGE_FILES,
}

_TIMES = ("executionTimeMs", "scanTimeMs", "rewriteTimeMs")

#: The forms that answer nothing.
_SILENT = (Form.API_PATH, Form.API_PATH_COLUMN, Form.API_NAME, Form.TRUNCATE)


def expected_metrics(d: DeleteObservation) -> dict[str, int]:
    """The metrics that the commit must have, without times. Files are those of the log; bytes are theirs."""
    p = d.prediction
    removed = [d.before.live[path] for path in p.removed_paths]
    if d.step.form is Form.TRUNCATE:
        return {"numRemovedFiles": len(removed)}
    updated = sum(d.before.live[path].deletion_vector is not None for path in p.hidden_rows)
    added = len(p.hidden_rows) - updated
    gone = sum(add.deletion_vector is not None for add in removed)
    rewrites = p.method is DeleteMethod.REWRITE
    metrics = {
        "numRemovedFiles": len(removed),
        "numAddedFiles": len(d.written),
        "numAddedChangeFiles": len(d.change_files),
        "numDeletedRows": p.deleted.total(),
        "numCopiedRows": p.survivors.total() if rewrites else 0,
        # With deletion vectors, bytes are not counted: no file is written, and those of the files that go are left out.
        "numRemovedBytes": 0 if p.method is DeleteMethod.DELETION_VECTORS else sum(add.size for add in removed),
        "numAddedBytes": sum(entry.size for add in d.written if (entry := d.after.listing.get(add.file))),
        # A vector that replaces another counts as added, as removed and as updated.
        "numDeletionVectorsAdded": added + updated,
        "numDeletionVectorsRemoved": gone + updated,
        "numDeletionVectorsUpdated": updated,
    }
    left_out = (*_absent(d), *(() if d.rules.counts_vectors else _VECTORS))
    return {name: value for name, value in metrics.items() if name not in left_out}


def _absent(d: DeleteObservation) -> tuple[str, ...]:
    """The metrics that must be left out: files went, and no row is known to have gone with them (C 2.4)."""
    if d.prediction.method is not DeleteMethod.METADATA_ONLY or (_counted(d) and d.prediction.deleted):
        return ()
    return _UNKNOWN_WITHOUT_ROWS


def _counted(d: DeleteObservation) -> bool:
    return all(file.counted for file in d.prediction.removed)


@clause(
    "DEL-MET-1A",
    "operationMetrics agree with what happened: files, rows, bytes, deletion vectors and change files; row counts that are not known are left out.",
    of=DeleteObservation,
    sources=("S0", "C 2.4"),
    implementation="spark",
)
def metrics_are_true(d: DeleteObservation) -> Judgement:
    if not d.commits:
        return NOT_EXERCISED
    found = _found(d)
    expected, absent = expected_metrics(d), _absent(d)
    wrong = [
        f"{name} is {found.get(name, 'absent')}, and must be {value}"
        for name, value in expected.items()
        if found.get(name) != str(value)
    ]
    wrong += [f"{name} is {found[name]}, and must be absent" for name in absent if name in found]
    if not wrong:
        return one(None)
    name = wrong[0].split()[0]
    expectation = _metric(d, name, expected.get(name))
    return one(Violation("operationMetrics", f"{'; '.join(wrong)}.", expectation, evidence.of_delete(d)))


def _metric(d: DeleteObservation, name: str, value: int | None) -> Expectation:
    if name in _OF_WHAT_WAS_WRITTEN and value is not None:
        return MetricCounts(name, _OF_WHAT_WAS_WRITTEN[name])
    if not name.endswith("Rows") and any(map(is_named_by_engine, d.prediction.touched)):
        return ByReplay(f"{name} counts files that the engine wrote itself")
    return InfoIs(f"operationMetrics.{name}", None if value is None else str(value))


@clause(
    "DEL-MET-1B",
    "The times among the operationMetrics are whole numbers, not negative.",
    of=DeleteObservation,
    sources=("C 2.4",),
    implementation="spark",
)
def times_are_numbers(d: DeleteObservation) -> Judgement:
    if not d.commits:
        return NOT_EXERCISED
    found = _found(d)
    names = _TIMES[:1] if d.step.form is Form.TRUNCATE else _TIMES
    wrong = [f"{name} is {found.get(name, 'absent')}" for name in names if not str(found.get(name, "")).isdecimal()]
    if not wrong:
        return one(None)
    expectation = FieldHolds("commitInfo", f"operationMetrics.{wrong[0].split()[0]}", r'"\d+"', "a whole number")
    return one(Violation("operationMetrics", f"{'; '.join(wrong)}.", expectation))


def _found(d: DeleteObservation) -> dict[str, object]:
    metrics = d.info.fields.get("operationMetrics") if d.info else None
    return dict(metrics) if hasattr(metrics, "items") else {}  # type: ignore[call-overload]


@clause(
    "DEL-MET-2",
    "The result counts the rows deleted; or it is -1, where whole files went whose row counts are not known, or are 0.",
    of=DeleteObservation,
    sources=("C 2.2",),
    implementation="spark",
)
def affected_rows(d: DeleteObservation) -> Judgement:
    if d.refused or d.step.form in _SILENT:
        return NOT_EXERCISED
    counted = d.prediction.deleted.total()
    if d.prediction.scope is not ConditionScope.ROWS and d.prediction.commits:
        counted = counted if _counted(d) and counted else -1
    if d.outcome.rows == ((counted,),):
        return one(None)
    expectation = RowsAre(Of.ANSWER, [[counted]])
    message = f"The DELETE answers {d.outcome.rows}; it must be {counted}."
    return one(Violation("num_affected_rows", message, expectation, evidence.of_delete(d)))

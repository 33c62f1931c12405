"""DEL-REF: DELETEs that must be refused, and change nothing.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, one
from harness.expectations import NothingChanged, Unchanged, about
from harness.observation import RefusalObservation
from model.steps import InvalidDelete
from model.table import Feature
from suites.clauses.refusing import changed, misanswered


def _misanswered(r: RefusalObservation) -> Violation | None:
    assert r.due is not None, "what is asked here must be refused"
    return misanswered("DELETE", r, r.due)


@clause(
    "DEL-REF-1A",
    "A table with delta.appendOnly=true refuses DELETE, whether rows match or not, with DELTA_CANNOT_MODIFY_APPEND_ONLY.",
    of=RefusalObservation,
    sources=("S0", "P Append-only Tables", "C 2.1"),
    needs=(Feature.APPEND_ONLY,),
)
def append_only(r: RefusalObservation) -> Judgement:
    return one(_misanswered(r)) if r.append_only else NOT_EXERCISED


@clause(
    "DEL-REF-2A",
    "A DELETE with a subquery, a non-deterministic condition, an aggregate, an unknown column or no BOOLEAN condition, and one of a partition directory, of no Delta table or of a view, is refused with the documented error class.",
    of=RefusalObservation,
    sources=("C 2.1",),
)
def blunders(r: RefusalObservation) -> Judgement:
    return one(_misanswered(r)) if isinstance(r.step, InvalidDelete) else NOT_EXERCISED


@clause(
    "DEL-REF-1B",
    "A DELETE of an append-only table changes nothing: version, log files, data files and modification times are as before.",
    of=RefusalObservation,
    sources=("S0", "P Append-only Tables"),
    of_broken=True,
    needs=(Feature.APPEND_ONLY,),
)
def append_only_changes_nothing(r: RefusalObservation) -> Judgement:
    return one(changed("DELETE", r)) if r.append_only else NOT_EXERCISED


@clause(
    "DEL-REF-2B",
    "A DELETE that must be refused changes nothing: version, log files, data files and modification times are as before.",
    of=RefusalObservation,
    sources=("C 2.1",),
    of_broken=True,
)
def blunders_change_nothing(r: RefusalObservation) -> Judgement:
    return one(changed("DELETE", r)) if isinstance(r.step, InvalidDelete) else NOT_EXERCISED


@clause(
    "DEL-REF-3",
    "A DELETE whose condition is an error for some row, and that is refused for it, commits nothing and touches no file that was there.",
    of=RefusalObservation,
    sources=("C 2.2",),
    of_broken=True,
    needs=("casts",),
)
def failing_condition_changes_nothing(r: RefusalObservation) -> Judgement:
    """Files that the failed write left behind are nobody's: VACUUM's to delete."""
    if r.due is not None:
        return NOT_EXERCISED
    paths = [path for path in evidence.changes(r.before, r.after) if path not in r.appeared]
    if not paths:
        return one(None)
    expectation = about(paths[0], Unchanged(paths[0], times=True), otherwise=NothingChanged(log=False))
    return one(Violation(paths[0], f"The DELETE failed, and changed {', '.join(paths)}.", expectation))

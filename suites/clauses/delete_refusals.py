"""DEL-REF: DELETEs that must be refused, and change nothing.

Sources: [S0] a walk-through of Delta 0.4's DeleteCommand; [C n] facts/delta.md, section n.
"""

from __future__ import annotations

from model.steps import BadDelete
from model.table import Feature
from suites import evidence
from suites.clause import NOT_MET, Judgement, Law, Violation, clause, one
from suites.observation import RefusalSeen


def _refused_as_due(r: RefusalSeen) -> Violation | None:
    """What is wrong with the answer to a DELETE that must be refused."""
    due, error = r.due, r.outcome.error
    assert due is not None
    # An engine that names no conditions must refuse it all the same.
    law = Law("refused", {"conditions": sorted(due.conditions) if r.rules.error_classes else [None]})
    wanted = " or ".join(sorted(due.conditions))
    if error is None:
        return Violation("step", f"The DELETE must be refused with {wanted}; it was carried out.", law)
    if r.rules.error_classes and not due.is_met_by(error.condition, error.sqlstate):
        found = f"{error.condition or error.exception} ({error.sqlstate})"
        states = " or ".join(sorted(due.sqlstates))
        return Violation(
            "step",
            f"The DELETE must be refused with {wanted} ({states}); it was with {found}.",
            law,
            evidence.of_answer(r),
        )
    return None


@clause(
    "DEL-REF-1A",
    "A table with delta.appendOnly=true refuses DELETE, whether rows match or not, with DELTA_CANNOT_MODIFY_APPEND_ONLY.",
    of=RefusalSeen,
    sources=("S0", "P Append-only Tables", "C 2.1"),
    needs=(Feature.APPEND_ONLY,),
)
def append_only(r: RefusalSeen) -> Judgement:
    return one(_refused_as_due(r)) if r.append_only else NOT_MET


@clause(
    "DEL-REF-2A",
    "A DELETE with a subquery, a non-deterministic condition, an aggregate, an unknown column or no BOOLEAN condition, and one of a partition directory, of no Delta table or of a view, is refused with the documented error class.",
    of=RefusalSeen,
    sources=("C 2.1",),
)
def blunders(r: RefusalSeen) -> Judgement:
    return one(_refused_as_due(r)) if isinstance(r.step, BadDelete) else NOT_MET


def _changed(r: RefusalSeen) -> Violation | None:
    changed = evidence.changes(r.before, r.after)
    law = Law("nothing_changed")
    return Violation(changed[0], f"The refused DELETE changed {', '.join(changed)}.", law) if changed else None


@clause(
    "DEL-REF-1B",
    "A DELETE of an append-only table changes nothing: version, log files, data files and modification times are as before.",
    of=RefusalSeen,
    sources=("S0", "P Append-only Tables"),
    of_broken=True,
    needs=(Feature.APPEND_ONLY,),
)
def append_only_changes_nothing(r: RefusalSeen) -> Judgement:
    return one(_changed(r)) if r.append_only else NOT_MET


@clause(
    "DEL-REF-2B",
    "A DELETE that must be refused changes nothing: version, log files, data files and modification times are as before.",
    of=RefusalSeen,
    sources=("C 2.1",),
    of_broken=True,
)
def blunders_change_nothing(r: RefusalSeen) -> Judgement:
    return one(_changed(r)) if isinstance(r.step, BadDelete) else NOT_MET


@clause(
    "DEL-REF-3",
    "A DELETE whose condition is an error for some row, and that is refused for it, commits nothing and touches no file that was there.",
    of=RefusalSeen,
    sources=("C 2.2",),
    of_broken=True,
    needs=("casts",),
)
def failing_condition_changes_nothing(r: RefusalSeen) -> Judgement:
    """Files that the failed write left behind are nobody's: VACUUM's to delete."""
    if r.due is not None:
        return NOT_MET
    changed = [path for path in evidence.changes(r.before, r.after) if path not in r.appeared]
    law = Law("untouched")
    return one(Violation(changed[0], f"The DELETE failed, and changed {', '.join(changed)}.", law) if changed else None)

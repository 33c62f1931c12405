"""LIFE-4: a shallow clone and its source, whose files it refers to."""

from __future__ import annotations

from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, judgement
from harness.judging.severity import Cause
from harness.observing import evidence
from harness.observing.steps.observation import CommandObservation, Observation
from model.vocabulary.commands import CommandKind, VacuumClone
from model.vocabulary.severity import Severity
from records.expectations import ByReplay, ForbiddenChange, NothingChanged, Unchanged, about
from suites.clauses.shared import causes, harms
from suites.clauses.shared.checks import check_none, difference
from suites.clauses.shared.earlier_versions import may_be_gone

_BY_REPLAY = ByReplay("the log and the files of the clone must be read")


@clause(
    "LIFE-4A",
    "A shallow clone has the rows that its source had, read from its log and the files alone, until a VACUUM was allowed to delete one of its files.",
    sources=("S5",),
    harm=harms.ROWS_OR_VERSIONS_LOST,
    needs=(CommandKind.SHALLOW_CLONE,),
)
def clones_stay(o: Observation) -> Judgement:
    """VACUUM of the source does not know the clone; it keeps what the source refers to, and what is inside its retention."""
    clone, allowed = o.after.clone, may_be_gone(o)
    if o.clone_rows is None or allowed is None or (clone is not None and not allowed.isdisjoint(clone.files)):
        return NOT_EXERCISED
    if clone is not None and clone.rows == o.clone_rows:
        return judgement(None)
    if clone is None or clone.rows is None:
        gone = sorted(path for path in (clone.files if clone else ()) if o.after.entry(path) is None)
        what = f"{gone[0]} is gone" if gone else "its log or a file cannot be read"
        facts = evidence.of_path(o, gone[0]) if gone else ()
        cause = Cause("the clone cannot be read", Severity.DATA_LOSS)
        return judgement(Violation("clone", f"The clone must be readable; {what}.", _BY_REPLAY, facts, cause=cause))
    message = f"The clone must have the rows that its source had; it has {difference(o.clone_rows, clone.rows)}."
    facts = evidence.of_rows(o.clone_rows, clone.rows)
    return judgement(Violation("clone", message, _BY_REPLAY, facts, cause=causes.rows(o.clone_rows, clone.rows)))


@clause(
    "LIFE-4B",
    "A VACUUM of a shallow clone changes nothing in its source.",
    sources=("S5",),
    harm=harms.ROWS_OR_VERSIONS_LOST,
    needs=(CommandKind.VACUUM_CLONE,),
)
def clones_leave_their_source(c: CommandObservation) -> Judgement:
    if not isinstance(c.step.command, VacuumClone):
        return NOT_EXERCISED
    changed = evidence.changes(c.before, c.after)
    wrong = [path for path in changed if path in c.before.listing or path in c.after.listing]
    message = "The VACUUM of the clone must change nothing in its source; it changed"
    if not wrong:
        return judgement(None)
    # Of other files, those of the clone's own log may change.
    expectation = about(wrong[0], Unchanged(wrong[0], times=True), otherwise=NothingChanged(ForbiddenChange.OF_FILES))
    return judgement(check_none(wrong, message, expectation, cause=causes.changed(c, wrong)))

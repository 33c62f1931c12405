"""LIFE-2: RESTORE after other commands, and after VACUUM."""

from __future__ import annotations

from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, judgement
from harness.judging.severity import data_loss, unreadable
from harness.observing import evidence
from harness.observing.steps.observation import CommandObservation
from model.vocabulary.commands import CommandKind, Restore
from records.expectations import Fails
from suites.clauses.life.restorable import why_not_restorable
from suites.clauses.shared import causes
from suites.clauses.shared.checks import check_table_rows


@clause(
    "LIFE-2A",
    "A RESTORE that succeeds, to a version whose files are all there, gives the table the rows of that version, after a VACUUM too.",
    sources=("S5", "P Add File and Remove File"),
    harm=data_loss("The rows of an earlier version cannot be brought back."),
    needs=(CommandKind.RESTORE,),
)
def restores(c: CommandObservation) -> Judgement:
    if not isinstance(c.step.command, Restore) or c.refused or why_not_restorable(c) is not None:
        return NOT_EXERCISED  # LIFE-1E judges a refusal
    return judgement(check_table_rows(c, c.promised, f"the rows of version {c.version}", evidence.of_answer(c)))


@clause(
    "LIFE-2B",
    "A RESTORE to a version of which a file is gone, or that the log no longer has, is refused.",
    sources=("S5", "C 1.7"),
    harm=unreadable("The table refers to files that are gone."),
    needs=(CommandKind.RESTORE,),
)
def refuses_what_is_gone(c: CommandObservation) -> Judgement:
    why = why_not_restorable(c)
    if why is None:
        return NOT_EXERCISED
    if c.refused:
        return judgement(None)
    message = f"The RESTORE must be refused, as {why}; it succeeded."
    return judgement(Violation(f"version {c.version}", message, Fails(), cause=causes.NOT_REFUSED))

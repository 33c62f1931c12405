"""LIFE-6: what an INSERT must make of the table, and leave as it is. A program goes on from what it has written."""

from __future__ import annotations

from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, judgement
from harness.judging.severity import Cause, fails
from harness.observing import evidence
from harness.observing.steps.observation import InsertObservation
from model.vocabulary.severity import Severity
from records.expectations import ByReplay, Succeeds
from suites.clauses.life.commands import files_fit
from suites.clauses.shared import causes, harms
from suites.clauses.shared.by_command import clauses_of
from suites.clauses.shared.checks import check_none, check_table_rows

_REMOVES = Cause("an INSERT removes a file", Severity.DATA_LOSS)


@clause(
    "LIFE-6A",
    "After an INSERT the table has the rows from before and those of the INSERT, read from the log and the files alone.",
    sources=("S5", "P Add File and Remove File"),
    harm=harms.ROWS_OR_VERSIONS_LOST,
)
def rows_are_added(i: InsertObservation) -> Judgement:
    if i.refused:
        return NOT_EXERCISED
    return judgement(check_table_rows(i, i.expected_rows, "the rows from before and those of the INSERT"))


@clause(
    "LIFE-6B",
    "An INSERT of rows that the table allows succeeds.",
    sources=("S5",),
    harm=fails("An INSERT that must succeed is refused."),
)
def succeeds(i: InsertObservation) -> Judgement:
    if not i.refused:
        return judgement(None)
    message = "The INSERT must succeed; it was refused."
    return judgement(Violation("step", message, Succeeds(), evidence.of_answer(i), cause=causes.error(i)))


EARLIER = clauses_of("LIFE-6C")


@clause(
    "LIFE-6D",
    "The commit of an INSERT removes no file, names none twice, and adds only files that are there, in the size that it says.",
    sources=("P Add File and Remove File",),
    harm=harms.WRONG_FILE_ACTIONS,
)
def only_adds(i: InsertObservation) -> Judgement:
    fit = files_fit(i)
    if not fit.subjects:
        return NOT_EXERCISED
    removed = sorted(remove.file for commit in i.commits for remove in commit.removes)
    problem = check_none(removed, "The INSERT removed", ByReplay("the log must be read"), cause=_REMOVES)
    return Judgement(fit.subjects + 1, (*fit.violations, *([problem] if problem else [])))

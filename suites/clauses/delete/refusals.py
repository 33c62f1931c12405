"""DEL-REF: DELETEs that must be refused and change nothing."""

from __future__ import annotations

from collections.abc import Callable

from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, judgement
from harness.judging.severity import data_loss, wrong_answers
from harness.observing import evidence
from harness.observing.steps.crash_observation import CrashObservation
from harness.observing.steps.observation import DamagedTableObservation, Observation, RefusalObservation
from model.prediction.delete import matches, types_of
from model.prediction.failures import NOT_NULL_VIOLATED, failures, must_fail
from model.prediction.paths import checksum_of
from model.text.layout import is_named_by_engine
from model.vocabulary.predicate import verbatim_tests
from model.vocabulary.steps import Delete, InvalidDelete
from model.vocabulary.table import Feature
from records.expectations import ByReplay, Fails, ForbiddenChange, NothingChanged, Unchanged, about
from suites.clauses.shared import harms
from suites.clauses.shared.by_command import clauses_of
from suites.clauses.shared.causes import changed
from suites.clauses.shared.checks import check_nothing_changed, check_refusal

RefusalCondition = Callable[[RefusalObservation], bool]
RefusalJudge = Callable[[RefusalObservation], Judgement]


def is_append_only(r: RefusalObservation) -> bool:
    return r.append_only


def is_refused_as_append_only(r: RefusalObservation) -> bool:
    """PROTOCOL.md forbids to remove rows. That a DELETE of no row is refused too, only Delta on Spark and delta-rs promise."""
    if not r.append_only or not isinstance(r.step, Delete):
        return r.append_only
    return r.rules.implementation is not None or any(matches(r.step, r.table, row) for row in r.before.rows or ())


def is_invalid(r: RefusalObservation) -> bool:
    return isinstance(r.step, InvalidDelete)


def refused(when: RefusalCondition) -> RefusalJudge:
    def judge(r: RefusalObservation) -> Judgement:
        if not when(r):
            return NOT_EXERCISED
        assert r.due is not None, "an append-only table and an invalid DELETE have an expected refusal"
        return judgement(check_refusal("DELETE", r, r.due))

    return judge


def changes_nothing(when: RefusalCondition) -> RefusalJudge:
    def judge(r: RefusalObservation) -> Judgement:
        return judgement(check_nothing_changed("The refused DELETE", r)) if when(r) else NOT_EXERCISED

    return judge


REFUSALS = (
    clause(
        "DEL-REF-1A",
        "A table with delta.appendOnly=true refuses DELETE with DELTA_CANNOT_MODIFY_APPEND_ONLY; Delta on Spark and delta-rs also where no row matches.",
        sources=("S0", "P Append-only Tables", "C 2.1"),
        harm=data_loss("Rows are gone from a table that forbids to delete any."),
        needs=(Feature.APPEND_ONLY,),
    )(refused(is_refused_as_append_only)),
    clause(
        "DEL-REF-2A",
        "A DELETE with a subquery, a non-deterministic condition, an aggregate or window function, an unknown column or a condition that is not BOOLEAN, and a DELETE of a partition directory, of something that is no Delta table or of a view, is refused with the documented error class.",
        sources=("C 2.1",),
        harm=data_loss("A DELETE with a condition that cannot be decided deletes rows."),
    )(refused(is_invalid)),
    clause(
        "DEL-REF-1B",
        "A DELETE of an append-only table changes nothing: version, log files, data files and modification times are as before.",
        sources=("S0", "P Append-only Tables"),
        harm=harms.DELETED_AND_REFUSED,
        of_broken=True,
        needs=(Feature.APPEND_ONLY,),
    )(changes_nothing(is_append_only)),
    clause(
        "DEL-REF-2B",
        "A DELETE that must be refused changes nothing: version, log files, data files and modification times are as before.",
        sources=("C 2.1",),
        harm=harms.DELETED_AND_REFUSED,
        of_broken=True,
    )(changes_nothing(is_invalid)),
)


@clause(
    "DEL-REF-3",
    "A DELETE that is refused because its condition is an error for some row, or because it would write a NULL struct that has a NOT NULL field, commits nothing, touches no existing file, and leaves nothing new but files that it was writing.",
    sources=("C 2.2",),
    harm=harms.DELETED_AND_FAILED,
    of_broken=True,
    needs=("casts",),
)
def failed_condition(r: RefusalObservation) -> Judgement:
    return check_left_as_it_was(r) if r.due is None else NOT_EXERCISED


def check_left_as_it_was(r: Observation) -> Judgement:
    """A DELETE that failed on its way must change nothing. Files that it wrote are orphans, which VACUUM deletes later."""
    left = {path for path in r.appeared if is_named_by_engine(path) or is_named_by_engine(checksum_of(path) or "")}
    left |= {path for path in r.appeared if any(file.startswith(f"{path}/") for file in left)}
    paths = [path for path in evidence.changes(r.before, r.after) if path not in left]
    if not paths:
        return judgement(None)
    message = f"The DELETE failed and must not touch existing files; it changed {evidence.named(paths)}."
    expectation = about(paths[0], Unchanged(paths[0], times=True), otherwise=NothingChanged(ForbiddenChange.OF_FILES))
    return judgement(Violation(paths[0], message, expectation, cause=changed(r, paths)))


HALF_READ = clauses_of("DEL-REF-6")

_FAILS_FOR_A_ROW = "whose condition is an error for some row"


@clause(
    "DEL-REF-4",
    "A DELETE that is refused because its condition is an error for some row, or because it would write a NULL struct that has a NOT NULL field, says which: a documented error class with its SQLSTATE.",
    sources=("S3", "C 2.2"),
    harm=harms.WRONG_DELETE_REFUSAL,
    of_broken=True,
    implementation="spark",
    needs=("casts",),
)
def failed_condition_is_named(r: RefusalObservation) -> Judgement:
    """The class must be one that a part of the condition can end in: a cast of a text is no division by zero."""
    error = r.outcome.error
    if r.due is not None or error is None or not isinstance(r.step, Delete) or r.step.where is None:
        return NOT_EXERCISED
    if verbatim_tests(r.step.where):
        return NOT_EXERCISED  # any function may have an error class of its own
    possible = NOT_NULL_VIOLATED if r.writes_null else failures(r.step.where, types_of(r.table))
    named = (error.condition or "").split(".")[0]
    if named in possible and possible[named] == error.sqlstate:
        return judgement(None)
    found = f"{error.condition or error.exception} ({error.sqlstate or 'no SQLSTATE'})"
    due = " or ".join(f"{name} ({sqlstate})" for name, sqlstate in sorted(possible.items()))
    what = "that would write a NULL struct with a NOT NULL field" if r.writes_null else _FAILS_FOR_A_ROW
    message = f"A DELETE {what} must name the error, as {due}; it named {found}."
    reason = "a failed task names its error in the words of Spark"
    return judgement(Violation("step", message, ByReplay(reason), evidence.of_answer(r)))


@clause(
    "DEL-REF-5",
    "A DELETE fails if its condition compares arithmetic or a cast with a value, and is an error for a visible row (or, if it uses partition columns only, for a live file).",
    sources=("S3", "C 2.2"),
    harm=wrong_answers("A DELETE decides on rows by a condition that has no value for them, and says nothing."),
    of_broken=True,
    needs=("casts",),
)
def due_error_is_raised(o: Observation) -> Judgement:
    """No order of evaluation, no statistics and no simplification can spare the error of such a condition.

    Not judged: a DELETE that was killed, perhaps before it came to the row, and one that may leave rows which it cannot read.
    """
    if isinstance(o, (CrashObservation, DamagedTableObservation)):
        return NOT_EXERCISED
    appends = o.table.has(Feature.APPEND_ONLY)
    if not isinstance(o.step, Delete) or appends or not must_fail(o.step, o.table, o.live_files):
        return NOT_EXERCISED
    if o.outcome.error is not None:
        return judgement(None)
    message = "The condition is an error for some row that the DELETE must read; it ended without an error."
    return judgement(Violation("step", message, Fails()))

"""DEL-REF: DELETEs that must be refused and change nothing."""

from __future__ import annotations

from collections.abc import Callable

from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, judgement
from harness.expectations import ByReplay, NothingChanged, Unchanged, about
from harness.observation import RefusalObservation
from model.layout import is_named_by_engine
from model.steps import InvalidDelete
from model.table import Feature
from model.vacuum import checksum_of
from suites.clauses.causes import changed
from suites.clauses.checks import check_nothing_changed, check_refusal

Condition = Callable[[RefusalObservation], bool]
Judge = Callable[[RefusalObservation], Judgement]


def is_append_only(r: RefusalObservation) -> bool:
    return r.append_only


def is_invalid(r: RefusalObservation) -> bool:
    return isinstance(r.step, InvalidDelete)


def refused(when: Condition) -> Judge:
    def judge(r: RefusalObservation) -> Judgement:
        if not when(r):
            return NOT_EXERCISED
        assert r.due is not None, "an append-only table and an invalid DELETE have an expected refusal"
        return judgement(check_refusal("DELETE", r, r.due))

    return judge


def changes_nothing(when: Condition) -> Judge:
    def judge(r: RefusalObservation) -> Judgement:
        return judgement(check_nothing_changed("The refused DELETE", r)) if when(r) else NOT_EXERCISED

    return judge


REFUSALS = (
    clause(
        "DEL-REF-1A",
        "A table with delta.appendOnly=true refuses DELETE, whether rows match or not, with DELTA_CANNOT_MODIFY_APPEND_ONLY.",
        sources=("S0", "P Append-only Tables", "C 2.1"),
        needs=(Feature.APPEND_ONLY,),
    )(refused(is_append_only)),
    clause(
        "DEL-REF-2A",
        "A DELETE with a subquery, a non-deterministic condition, an aggregate, an unknown column or a condition that is not BOOLEAN, and a DELETE of a partition directory, of something that is no Delta table or of a view, is refused with the documented error class.",
        sources=("C 2.1",),
    )(refused(is_invalid)),
    clause(
        "DEL-REF-1B",
        "A DELETE of an append-only table changes nothing: version, log files, data files and modification times are as before.",
        sources=("S0", "P Append-only Tables"),
        of_broken=True,
        needs=(Feature.APPEND_ONLY,),
    )(changes_nothing(is_append_only)),
    clause(
        "DEL-REF-2B",
        "A DELETE that must be refused changes nothing: version, log files, data files and modification times are as before.",
        sources=("C 2.1",),
        of_broken=True,
    )(changes_nothing(is_invalid)),
)


@clause(
    "DEL-REF-3",
    "A DELETE that is refused because its condition is an error for some row commits nothing, touches no existing file, and leaves nothing new but files that it was writing.",
    sources=("C 2.2",),
    of_broken=True,
    needs=("casts",),
)
def failed_condition(r: RefusalObservation) -> Judgement:
    """Files that the failed write left behind are orphans, which VACUUM deletes later."""
    if r.due is not None:
        return NOT_EXERCISED
    left = {path for path in r.appeared if is_named_by_engine(path) or is_named_by_engine(checksum_of(path) or "")}
    left |= {path for path in r.appeared if any(file.startswith(f"{path}/") for file in left)}
    paths = [path for path in evidence.changes(r.before, r.after) if path not in left]
    if not paths:
        return judgement(None)
    message = f"The DELETE failed and must not touch existing files; it changed {', '.join(paths)}."
    expectation = about(paths[0], Unchanged(paths[0], times=True), otherwise=NothingChanged(log=False))
    return judgement(Violation(paths[0], message, expectation, cause=changed(r, paths)))


#: What a condition may end in for a row, with the SQLSTATEs: Spark's error conditions under ANSI rules.
_FAILURES = {
    "ARITHMETIC_OVERFLOW": "22003",
    "BINARY_ARITHMETIC_OVERFLOW": "22003",
    "CAST_INVALID_INPUT": "22018",
    "CAST_OVERFLOW": "22003",
    "DATETIME_OVERFLOW": "22008",
    "DIVIDE_BY_ZERO": "22012",
    "NUMERIC_VALUE_OUT_OF_RANGE": "22003",
    "REMAINDER_BY_ZERO": "22012",
}


@clause(
    "DEL-REF-4",
    "A DELETE that is refused because its condition is an error for some row says which: a documented error class with its SQLSTATE.",
    sources=("S3", "C 2.2"),
    of_broken=True,
    implementation="spark",
    needs=("casts",),
)
def failed_condition_is_named(r: RefusalObservation) -> Judgement:
    error = r.outcome.error
    if r.due is not None or error is None:
        return NOT_EXERCISED
    named = (error.condition or "").split(".")[0]
    if named in _FAILURES and _FAILURES[named] == error.sqlstate:
        return judgement(None)
    found = f"{error.condition or error.exception} ({error.sqlstate or 'no SQLSTATE'})"
    message = (
        f"A DELETE whose condition is an error for some row must name a class of Spark's conditions; it named {found}."
    )
    reason = "a failed task names its error in the words of Spark"
    return judgement(Violation("step", message, ByReplay(reason), evidence.of_answer(r)))

"""READ-2: what the engine answers when it is asked for less than all rows (model.vocabulary.readings)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from engines.port import Answer
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each
from harness.judging.severity import Cause
from harness.observing.steps.observation import ReadObservation
from model.codec import value_to_json
from model.vocabulary.readings import Reading, bounds_of, filtered_by, is_ordered, sought_of
from model.vocabulary.values import Row
from records.expectations import Answers, ByReplay, Expectation
from suites.clauses.shared import harms
from suites.clauses.shared.checks import check_rows_read

_SOURCES = ("P Action Reconciliation", "P Per-file Statistics")

_BY_REPLAY = ByReplay("a script reads all rows")


def _judged(
    r: ReadObservation,
    reading: Reading,
    wrong: Callable[[Answer], str | None],
    expected: Callable[[Answer], Expectation] = lambda _: _BY_REPLAY,
) -> Judgement:
    """``wrong``: what is wrong with an answer; None: nothing. A wrong read is judged by READ-1 and by the clauses of DELETE."""

    def problem(asked: tuple[str, Answer]) -> Violation | None:
        way, answer = asked
        error = answer.error
        found = wrong(answer) if error is None else "it failed"
        if found is None:
            return None
        message = f"{way} must agree with the {r.rows.total()} rows that a read returns; {found}."
        facts = () if error is None else (f"{error.exception}: {error.message}",)
        cause = Cause(f"{'another answer' if error is None else 'an error'} of {way}", is_error=error is not None)
        return Violation("rows", message, expected(answer), facts, cause=cause)

    return each(r.answers(reading), problem) if check_rows_read(r) is None else NOT_EXERCISED


@clause(
    "READ-2A",
    "Each way to count the rows of the table gives the number that a read returns; one that goes by statistics, at most that.",
    sources=(*_SOURCES, "R DeltaTable.count"),
    harm=harms.WRONG_READS,
)
def rows_are_counted(r: ReadObservation) -> Judgement:
    total = r.rows.total()

    def more(answer: Answer) -> str | None:
        found = answer.rows[0][0] if len(answer.rows) == 1 else None
        return None if isinstance(found, int) and found <= total else f"it gave {list(answer.rows)}"

    def expected(answer: Answer) -> Expectation:
        return Answers(answer.reading, [[total]])

    exact = _judged(r, Reading.COUNT, lambda answer: _unequal(((total,),), answer.rows), expected)
    at_most = _judged(r, Reading.COUNTED, more, expected)
    return Judgement(exact.subjects + at_most.subjects, (*exact.violations, *at_most.violations))


@clause(
    "READ-2B",
    "The least and the greatest value of a column are those of the rows that a read returns.",
    sources=_SOURCES,
    harm=harms.WRONG_READS,
)
def bounds_are_right(r: ReadObservation) -> Judgement:
    names = [column.name for column in r.expected_version.table.columns]
    rows = list(r.rows)

    def wrong(answer: Answer) -> str | None:
        return _unequal((bounds_of(rows, [names.index(name) for name in answer.columns]),), answer.rows)

    return _judged(r, Reading.BOUNDS, wrong)


@clause(
    "READ-2C",
    "A read with a limit of one returns a row of the table, or none if it has none.",
    sources=_SOURCES,
    harm=harms.WRONG_READS,
)
def a_limit_gives_a_row(r: ReadObservation) -> Judgement:
    def wrong(answer: Answer) -> str | None:
        right = len(answer.rows) == min(1, r.rows.total()) and not Counter(answer.rows) - r.rows
        return None if right else f"it returned {list(answer.rows)}"

    return _judged(r, Reading.ONE, wrong)


@clause(
    "READ-2D",
    "A dataset of to_pyarrow_dataset counts by a condition on one column as many rows as a read has for which it holds.",
    sources=(*_SOURCES, "R DeltaTable.to_pyarrow_dataset"),
    harm=harms.WRONG_READS,
    implementation="deltalake",
)
def a_condition_gives_its_rows(r: ReadObservation) -> Judgement:
    """Columns are compared with a value that they have, so that files are skipped by it, and tested for NULL."""
    columns = r.expected_version.table.columns
    names, rows = [column.name for column in columns], list(r.rows.elements())

    def wrong(answer: Answer) -> str | None:
        return _unequal((filtered_by(rows, [names.index(name) for name in answer.columns]),), answer.rows)

    def expected(answer: Answer) -> Expectation:
        asked = answer.columns or [column.name for column in columns if is_ordered(column.type)]  # an error names none
        places = [names.index(name) for name in asked]
        sought = [value_to_json(value) for value in sought_of(rows, places)]
        return Answers(Reading.FILTERED, [filtered_by(rows, places)], asked, sought)

    return _judged(r, Reading.FILTERED, wrong, expected)


def _unequal(expected: tuple[Row, ...], found: tuple[Row, ...]) -> str | None:
    return None if found == expected else f"it gave {found[0] if found else 'nothing'} and not {expected[0]}"

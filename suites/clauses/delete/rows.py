"""DEL-ROW, DEL-TT: which rows a DELETE leaves, for the engine and for other readers."""

from __future__ import annotations

from collections import Counter

from engines.port import Answer
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, wrong_answers
from harness.observing import evidence
from harness.observing.steps.observation import DeleteObservation, ReadObservation, partition_of
from harness.observing.steps.vacuums import vacuums_of
from harness.observing.table.table_state import Rows
from model.prediction.delete import DeleteMethod, matches
from model.vocabulary.readings import Reading
from model.vocabulary.values import Row
from records.expectations import Answers, ByReplay, Expectation, RowsOf
from suites.clauses.delete.files import removed_exactly, rows_left
from suites.clauses.shared import harms
from suites.clauses.shared.by_command import clauses_of
from suites.clauses.shared.causes import NEEDLESS_REWRITE
from suites.clauses.shared.causes import rows_left as rows_cause
from suites.clauses.shared.checks import MOST, check_rows_left, check_rows_read, difference, rows_are


def _added_rows(d: DeleteObservation) -> Counter[tuple[Row, Row]]:
    """The visible rows of the added files, each with its partition; none of files that cannot be read."""
    found: Counter[tuple[Row, Row]] = Counter()
    for add in d.adds:
        rows = d.after.visible(add.file) if add.file in d.after.live else None
        if rows is not None:
            partition = partition_of(d.table, add)
            found.update((partition, row) for _, row in rows)
    return found


def _flat(rows: Counter[tuple[Row, Row]]) -> Rows:
    flat: Rows = Counter()
    for (_, row), count in rows.items():
        flat[row] += count
    return flat


@clause(
    "DEL-ROW-3",
    "The rows of the added files are the rows of the removed files that do not match, as multisets, partition by partition.",
    sources=("S0",),
    harm=harms.ROWS_LOST,
)
def survivors(d: DeleteObservation) -> Judgement:
    if d.prediction.method is DeleteMethod.METADATA_ONLY or not d.prediction.commits:
        return NOT_EXERCISED
    found, expected = _added_rows(d), d.prediction.survivors
    if found == expected:
        return judgement(None)
    missing, more = (expected - found).total(), (found - expected).total()
    message = f"Of the {expected.total()} rows that must survive in the rewritten files, {missing} are missing; {more} rows are unexpected."
    return judgement(
        Violation(
            "rows",
            message,
            _survivors(d),
            (*evidence.of_rows(_flat(expected), _flat(found)), *evidence.of_answer(d)),
            cause=rows_cause(d, NEEDLESS_REWRITE),
        )
    )


def _survivors(d: DeleteObservation) -> Expectation:
    """The added files must hold other rows if the DELETE removes the wrong files: then these are the expectation."""
    if d.removed != d.prediction.touched and d.has_its_rows:
        return removed_exactly(d)
    return rows_left(d, "which rows are in the added files")


@clause("DEL-ROW-3B", "Rows for which the condition is NULL survive.", sources=("S0",), harm=harms.ROWS_LOST)
def null_survives(d: DeleteObservation) -> Judgement:
    if d.prediction.method is DeleteMethod.METADATA_ONLY or not d.prediction.commits:
        return NOT_EXERCISED
    unknown: Rows = Counter(
        row for (_, row) in d.prediction.survivors.elements() if matches(d.step, d.table, row) is None
    )
    found = _flat(_added_rows(d))
    for path in d.prediction.touched & d.after.live.keys() - d.added:  # left as they were
        found.update(row for _, row in d.after.visible(path) or ())

    def problem(row: Row) -> Violation | None:
        if found[row] >= unknown[row]:
            return None
        message = f"The condition is NULL for the row {row}, which must survive; it does not."
        cause = rows_cause(d, NEEDLESS_REWRITE)
        return Violation(repr(row), message, _survivors(d), evidence.of_delete(d), cause=cause)

    return each(sorted(unknown, key=repr), problem)


@clause(
    "DEL-ROW-5A",
    "After a DELETE the engine reads the rows before it minus the matching ones.",
    sources=("S0",),
    harm=harms.ROWS_LOST,
)
def engine_reads(r: ReadObservation) -> Judgement:
    if not r.is_current or not isinstance(r.after_step, DeleteObservation):
        return NOT_EXERCISED
    return judgement(check_rows_read(r))


@clause(
    "DEL-ROW-5B",
    "After a DELETE an independent reader reads the rows before it minus the matching ones.",
    sources=("S0",),
    harm=harms.ROWS_LOST,
)
def independent_reader_reads(d: DeleteObservation) -> Judgement:
    return judgement(check_rows_left(d))


@clause(
    "DEL-ROW-5C",
    "Both ways in which delta-rs reads a table, QueryBuilder and to_pyarrow_table, return the same rows, unless it says that it cannot read the table in the second.",
    sources=("R DeltaTable.to_pyarrow_table",),
    harm=wrong_answers("Programs that read the table in the other way get other rows."),
    implementation="deltalake",
)
def ways_of_reading_agree(r: ReadObservation) -> Judgement:
    return each(r.answers(Reading.ROWS), lambda asked: _other_rows(r, *asked))


def _other_rows(r: ReadObservation, way: str, answer: Answer) -> Violation | None:
    found, error = Counter(answer.rows), answer.error
    if error is None and found == r.rows:
        return None
    problem = f"it read {difference(r.rows, found)}" if error is None else "it failed"
    message = f"{way} must return the {r.rows.total()} rows that QueryBuilder returned; {problem}."
    facts = evidence.of_rows(r.rows, found) if error is None else (f"{error.exception}: {error.message}",)
    cause = _OTHER_ROWS if error is None else _FAILED
    few = r.rows.total() <= MOST
    rows = Answers(Reading.ROWS, evidence.rows_as_json(r.rows)) if few else ByReplay("it is to have too many rows")
    return Violation("rows", message, rows, facts, cause=cause)


_OTHER_ROWS = Cause("other rows by to_pyarrow_table")
_FAILED = Cause("an error of to_pyarrow_table")
_STALE = Cause("the cache has other rows")  # no loss: they are in the table


@clause(
    "DEL-CACHE-1",
    "A session that has cached the table reads after its DELETE the rows before it minus the matching ones.",
    sources=("S0", "C 2.2"),
    harm=wrong_answers("A session that has cached the table answers with rows that are deleted."),
    needs=("caches",),
)
def cached_table_is_refreshed(d: DeleteObservation) -> Judgement:
    if not d.step.cached or d.refused:
        return NOT_EXERCISED
    found, expected = Counter(d.outcome.cached_rows or ()), d.expected_rows
    if found == expected:
        return judgement(None)
    message = f"Through its cache the session must read {expected.total()} rows; it read {difference(expected, found)}."
    facts = evidence.of_rows(expected, found)
    # The script's session has cached the table too, and so reads it through its cache.
    expectation = rows_are(RowsOf.TABLE, expected)
    return judgement(Violation("cached rows", message, expectation, facts, cause=_STALE))


@clause(
    "DEL-TT-1", "The version before a DELETE reads the same after it.", sources=("S0", "S1"), harm=harms.HISTORY_LOST
)
def earlier_version_reads(r: ReadObservation) -> Judgement:
    deleted = any(
        isinstance(one, DeleteObservation) and one.commits and one.before.version >= r.version for one in r.earlier
    )
    if r.is_current or not deleted or vacuums_of(r.earlier) or not r.inside_retention:
        return NOT_EXERCISED
    return judgement(check_rows_read(r))


EARLIER = clauses_of("DEL-TT-2")

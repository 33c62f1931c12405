"""What the engine has said of the verbatim tests of a DELETE, put into its condition."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from engines.port import Outcome
from harness.observing.table.table_state import TableState
from model.vocabulary.predicate import And, Answered, Not, Or, Predicate, Verbatim, Wrapped, key_of, verbatim_tests
from model.vocabulary.steps import Delete
from model.vocabulary.table import Table
from model.vocabulary.values import Row


def answered(step: Delete, outcome: Outcome, state: TableState, table: Table) -> Delete | None:
    """The DELETE with a condition that can be evaluated on the rows of ``state``, which the table has before it.

    ``outcome`` is that of the ``Ask`` before the DELETE. None if it is no basis to judge the DELETE: an error, other rows than
    the table's, another answer for the same values, or a live file without visible rows, of which nothing is known.
    """
    tests, width = verbatim_tests(step.where), len(table.columns)
    if outcome.error is not None or Counter(row[:width] for row in outcome.rows) != state.rows:
        return None
    if not all(state.visible(path) for path in state.live):
        return None
    found = [_truths(test, place, outcome.rows, table) for place, test in enumerate(tests, width)]
    truths = {test: one for test, one in zip(tests, found) if one is not None}
    if step.where is None or len(truths) < len(set(tests)):
        return None
    return replace(step, where=_with_truths(step.where, truths))


def _truths(test: Verbatim, place: int, rows: tuple[Row, ...], table: Table) -> dict[str, bool | None] | None:
    """The answers in the column at ``place``, by the values of the test's columns; None if they differ for the same values."""
    names = [column.name for column in table.columns]
    truths: dict[str, bool | None] = {}
    for row in rows:
        key, value = key_of(test, dict(zip(names, row))), row[place]
        assert value is None or isinstance(value, bool), "the value of a condition is a BOOLEAN"
        if truths.setdefault(key, value) is not value:
            return None
    return truths


def _with_truths(where: Predicate, truths: dict[Verbatim, dict[str, bool | None]]) -> Predicate:
    if isinstance(where, Verbatim):
        return Answered(where.text, where.columns, where.language, truths[where])
    if isinstance(where, (Not, Wrapped)):
        return replace(where, operand=_with_truths(where.operand, truths))
    if isinstance(where, (And, Or)):
        left, right = _with_truths(where.left, truths), _with_truths(where.right, truths)
        return replace(where, left=left, right=right)
    return where

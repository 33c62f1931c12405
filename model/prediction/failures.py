"""DELETEs whose condition is an error for some row: which error it may be, and when there must be one.

Source of the error classes: Spark's "ANSI Compliance" and "Error Conditions".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from model.prediction.delete import ConditionScope, LiveFile, scope_of, types_of
from model.semantics.evaluate import WouldFail, evaluate, parts_of
from model.semantics.typed import type_of
from model.vocabulary.predicate import (
    Call,
    Cast,
    Expression,
    Function,
    Literal,
    Not,
    Of,
    Predicate,
    Relate,
    Wrapped,
    columns_of,
)
from model.vocabulary.steps import Delete
from model.vocabulary.table import Table
from model.vocabulary.values import AnyType, Type, Value

#: The error classes that a condition may end in for a row, with their SQLSTATEs.
_SQLSTATES = {
    "ARITHMETIC_OVERFLOW": "22003",
    "BINARY_ARITHMETIC_OVERFLOW": "22003",
    "CAST_INVALID_INPUT": "22018",
    "CAST_OVERFLOW": "22003",
    "DATETIME_OVERFLOW": "22008",
    "DIVIDE_BY_ZERO": "22012",
    "NUMERIC_VALUE_OUT_OF_RANGE": "22003",
    "REMAINDER_BY_ZERO": "22012",
}

#: The error class for a NULL that the schema does not allow, with its SQLSTATE.
NOT_NULL_VIOLATED = {"DELTA_NOT_NULL_CONSTRAINT_VIOLATED": "23502"}

_OVERFLOWS = ("ARITHMETIC_OVERFLOW", "BINARY_ARITHMETIC_OVERFLOW")
_OF_CALLS: Mapping[Function, tuple[str, ...]] = {
    **dict.fromkeys((Function.ADD, Function.SUBTRACT, Function.MULTIPLY, Function.ABS), _OVERFLOWS),
    Function.REMAINDER: ("REMAINDER_BY_ZERO", "DIVIDE_BY_ZERO"),  # the latter before Spark 4
}
_OF_CASTS = ("CAST_OVERFLOW", "NUMERIC_VALUE_OUT_OF_RANGE", "DATETIME_OVERFLOW", "ARITHMETIC_OVERFLOW")


def failures(where: Predicate, types: Mapping[str, AnyType]) -> dict[str, str]:
    """The error classes that parts of the condition may end in, with their SQLSTATEs. ``types`` are those of the columns."""
    return {name: _SQLSTATES[name] for part in parts_of(where) for name in _classes(part, types)}


def _classes(part: Predicate | Expression, types: Mapping[str, AnyType]) -> tuple[str, ...]:
    if isinstance(part, Cast):
        return ("CAST_INVALID_INPUT",) if type_of(part.of, types) is Type.STRING else _OF_CASTS
    return _OF_CALLS.get(part.function, ()) if isinstance(part, Call) else ()


def must_fail(step: Delete, table: Table, live: Iterable[LiveFile]) -> bool:
    """Whether every engine must come upon an error in the condition.

    So it is if the condition is a single comparison of arithmetic or a cast with a value of the same type, so that there
    is nothing to evaluate before, and no way to decide it without: and this is an error for a visible row without a NULL
    in its columns. Statistics tell the bounds of columns, not of expressions: no file can be skipped by them. A condition
    without data columns is evaluated for the partition values of each live file, with rows or without.
    """
    types = types_of(table)
    where = _compared(step.where, types)
    if where is None:
        return False
    whole = scope_of(where, table.partition_by) is not ConditionScope.ROWS
    for row in _of_partitions(table, live) if whole else _of_rows(table, live):
        if any(row[name] is None for name in columns_of(where)):
            continue
        try:
            evaluate(where, row, types=types, zone=step.zone)
        except WouldFail:
            return True
    return False


def _of_rows(table: Table, live: Iterable[LiveFile]) -> Iterator[dict[str, Value]]:
    names = [column.name for column in table.columns]
    yield from (dict(zip(names, row)) for file in live for row in file.visible)


def _of_partitions(table: Table, live: Iterable[LiveFile]) -> Iterator[dict[str, Value]]:
    yield from (dict(zip(table.partition_by, file.partition)) for file in live)


def _compared(where: Predicate | None, types: Mapping[str, AnyType]) -> Relate | None:
    """The comparison that the condition consists of, if it can only be decided by evaluating an expression.

    If the types of its sides differ, one is converted, and the range of its own type may decide the comparison.
    """
    while isinstance(where, (Not, Wrapped)):
        where = where.operand
    if not isinstance(where, Relate):
        return None
    for expression, value in ((where.left, where.right), (where.right, where.left)):
        if isinstance(value, Literal) and value.value is not None and _is_strict(expression):
            return where if type_of(expression, types) == value.type else None
    return None


def _is_strict(expression: Expression) -> bool:
    """Whether it is arithmetic or a cast of columns and values, so everything in it is evaluated."""
    if isinstance(expression, Cast):
        return _is_plain(expression.of)
    if not isinstance(expression, Call) or expression.function not in _OF_CALLS:
        return False
    return all(_is_plain(part.of if isinstance(part, Cast) else part) for part in expression.arguments)


def _is_plain(expression: Expression) -> bool:
    return isinstance(expression, Of) or (isinstance(expression, Literal) and expression.value is not None)

"""Three-valued evaluation of a predicate on one row: what SQL says, worked out from the case alone.

The rules are those of ANSI SQL as Spark documents them ("NULL Semantics", "LIKE" in its SQL reference): a comparison
with NULL is NULL, ``<=>`` never is, AND, OR and NOT follow Kleene's logic, strings compare by their UTF-8 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from model.predicate import And, Between, Compare, Constant, In, IsNull, Like, Not, Op, Predicate
from model.values import Value


def evaluate(predicate: Predicate, row: Mapping[str, Value]) -> bool | None:
    """Whether ``predicate`` is TRUE, FALSE or NULL (``None``) on ``row``, a mapping of column names to values.

    A DELETE removes a row exactly when this is ``True``. Raises KeyError for a column that the row lacks, TypeError
    for values that SQL cannot compare, and ValueError for a LIKE pattern that Spark refuses.
    """
    if isinstance(predicate, Constant):
        return predicate.value
    if isinstance(predicate, Compare):
        return _compare(row[predicate.column], predicate.op, predicate.value)
    if isinstance(predicate, Between):
        value = row[predicate.column]
        return _and(_compare(value, Op.GE, predicate.low), _compare(value, Op.LE, predicate.high))
    if isinstance(predicate, In):
        return _in(row[predicate.column], predicate.values)
    if isinstance(predicate, IsNull):
        return row[predicate.column] is None
    if isinstance(predicate, Like):
        return _like(row[predicate.column], predicate.pattern)
    if isinstance(predicate, Not):
        return _not(evaluate(predicate.operand, row))
    # Both sides are always worked out: an error in one is never hidden by the other.
    if isinstance(predicate, And):
        return _and(evaluate(predicate.left, row), evaluate(predicate.right, row))
    return _or(evaluate(predicate.left, row), evaluate(predicate.right, row))


def _not(operand: bool | None) -> bool | None:
    return None if operand is None else not operand


def _and(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def _or(left: bool | None, right: bool | None) -> bool | None:
    return _not(_and(_not(left), _not(right)))


def _in(value: Value, candidates: tuple[Value, ...]) -> bool | None:
    """``value IN (candidates)`` is the OR of the equalities, so a NULL anywhere turns a miss into NULL."""
    result: bool | None = False
    for candidate in candidates:
        result = _or(result, _compare(value, Op.EQ, candidate))
    return result


def _compare(left: Value, op: Op, right: Value) -> bool | None:
    if left is None or right is None:
        return (left is None and right is None) if op is Op.NULL_SAFE_EQ else None
    sign = _sign(left, right)
    if op is Op.EQ or op is Op.NULL_SAFE_EQ:
        return sign == 0
    if op is Op.NE:
        return sign != 0
    if op is Op.LT:
        return sign < 0
    if op is Op.LE:
        return sign <= 0
    if op is Op.GT:
        return sign > 0
    return sign >= 0


def _sign(left: Value, right: Value) -> int:
    """-1, 0 or 1 as ``left`` stands before, at or after ``right``; both are of one type and not NULL.

    Strings stand in the order of their UTF-8 bytes. In UTF-16 the order would be another one: U+1F600 before U+FFFF.
    FALSE stands before TRUE.
    """
    if isinstance(left, str) and isinstance(right, str):
        return _sign_of(left.encode() > right.encode(), left.encode() < right.encode())
    if isinstance(left, date) and isinstance(right, date):
        return _sign_of(left > right, left < right)
    # A bool is an int in Python, but a BOOLEAN is no number in SQL.
    if isinstance(left, int) and isinstance(right, int) and isinstance(left, bool) == isinstance(right, bool):
        return _sign_of(left > right, left < right)
    raise TypeError(f"{left!r} and {right!r} are of different types, SQL cannot compare them here")


def _sign_of(after: bool, before: bool) -> int:
    return int(after) - int(before)


def _like(value: Value, pattern: str) -> bool | None:
    expression = like_expression(pattern)
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"LIKE needs a string, not {value!r}")
    return expression.fullmatch(value) is not None


def like_expression(pattern: str) -> re.Pattern[str]:
    """The regular expression that the whole value must match for ``LIKE pattern`` to be TRUE.

    ``%`` is any run of characters, ``_`` any one code point, line ends included; a backslash takes the special
    meaning from ``%``, ``_`` or a backslash. Raises ValueError where a backslash ends the pattern or stands before
    anything else: Spark refuses both (error class INVALID_FORMAT).
    """
    parts: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if character == "%":
            parts.append(".*")
        elif character == "_":
            parts.append(".")
        elif character == "\\":
            escaped = next(characters, None)
            if escaped is None or escaped not in "%_\\":
                raise ValueError(
                    f"in the LIKE pattern {pattern!r} a backslash stands before neither %, _ nor a backslash"
                )
            parts.append(re.escape(escaped))
        else:
            parts.append(re.escape(character))
    return re.compile("".join(parts), re.DOTALL)

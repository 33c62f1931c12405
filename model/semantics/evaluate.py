"""Three-valued evaluation of a predicate on one row, by SQL's rules.

The rules are those of ANSI SQL as Spark documents them ("NULL Semantics", "LIKE", "NaN Semantics", "ANSI Compliance" in
its SQL reference): a comparison with NULL is NULL, ``<=>`` never is; AND, OR and NOT follow Kleene's logic; strings
compare by their UTF-8 bytes; NaN equals NaN and is the greatest number; a number out of its type's range is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from hashlib import sha256
from itertools import product
from typing import Any
from typing import cast as typing_cast

from model.semantics import moments
from model.semantics.casts import Undefined, cast, plain
from model.semantics.functions import apply, result_type, takes_null
from model.semantics.ordering import sign
from model.semantics.patterns import like_expression
from model.semantics.typed import common, comparison_type, field_of, type_of
from model.vocabulary.predicate import (
    And,
    Answered,
    Between,
    Call,
    CaseWhen,
    Cast,
    Compare,
    Constant,
    Expression,
    Function,
    Holds,
    In,
    IsNull,
    Like,
    Literal,
    Member,
    Missing,
    Not,
    Of,
    Op,
    Or,
    Predicate,
    Relate,
    Verbatim,
    Wrapped,
    key_of,
)
from model.vocabulary.values import AnyType, Type, Value

#: The value of CURRENT_DATE. No case has a value near the present, so any recent day will do.
TODAY = date(2026, 1, 1)

_NO_TYPES: Mapping[str, AnyType] = {}


class WouldFail(Exception):
    """ANSI SQL raises an error for this row, or may do so: engines need not evaluate both sides of an AND or OR.

    ``otherwise`` is the result if the engine avoids the error; ``None`` also if it cannot.
    """

    def __init__(self, reason: str, otherwise: bool | None) -> None:
        super().__init__(reason)
        self.otherwise = otherwise


class _Scope:
    """The input of an evaluation, and its first error."""

    __slots__ = ("failure", "row", "today", "types", "zone")

    def __init__(self, row: Mapping[str, Value], types: Mapping[str, AnyType], zone: str, today: date) -> None:
        self.row = row
        self.types = types
        self.zone = zone
        self.today = today
        self.failure: str | None = None

    def fails(self, error: Undefined) -> None:
        if self.failure is None:
            self.failure = str(error)


def evaluate(
    predicate: Predicate,
    row: Mapping[str, Value],
    *,
    types: Mapping[str, AnyType] = _NO_TYPES,
    zone: str = "UTC",
    today: date = TODAY,
) -> bool | None:
    """Whether ``predicate`` is TRUE, FALSE or NULL (``None``) on ``row``, a mapping of column names to values.

    A DELETE removes a row exactly when this is ``True``. ``types`` are the types of the columns used in expressions
    (``Of``); ``zone`` is the session's time zone, an IANA name; ``today`` is CURRENT_DATE.

    Raises WouldFail if some part of the predicate is an error in ANSI SQL. Both sides of AND and OR count, and the
    condition of a CASE WHEN, but not the branch that is not taken, nor arguments of COALESCE after its value. SQL
    sets no order of evaluation, so an engine may find FALSE on one side of an AND and never evaluate the other:
    ``WouldFail.otherwise`` is the result then. ``might_fail`` covers errors in constants, which engines evaluate before
    they read a row.

    Raises Unanswered for a text of which the engine has not said it, KeyError for a column that the row lacks, TypeError for
    values that SQL cannot compare and for unsupported types (``model.semantics.typed.type_of``), and ValueError for a LIKE
    pattern that Spark refuses, and for unsupported RLIKE patterns and letter cases.
    """
    scope = _Scope(row, types, zone, today)
    truth = _truth(predicate, scope)
    if scope.failure is not None:
        raise WouldFail(scope.failure, truth)
    return truth


def _truth(predicate: Predicate, scope: _Scope) -> bool | None:
    return _TRUTHS[type(predicate)](predicate, scope)


def _not(operand: bool | None) -> bool | None:
    return None if operand is None else not operand


def _and(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def _or(left: bool | None, right: bool | None) -> bool | None:
    return _not(_and(_not(left), _not(right)))


def _between(value: Value, low: Value, high: Value) -> bool | None:
    return _and(_compare(value, Op.GE, low), _compare(value, Op.LE, high))


def _in(value: Value, candidates: tuple[Value, ...]) -> bool | None:
    """``value IN (candidates)`` is the OR of the equalities, so a NULL turns FALSE into NULL."""
    if isinstance(value, (int, str)):  # long lists
        return True if value in candidates else None if None in candidates else False
    result: bool | None = False
    for candidate in candidates:
        result = _or(result, _compare(value, Op.EQ, candidate))
    return result


def _compare(left: Value, op: Op, right: Value) -> bool | None:
    if left is None or right is None:
        return (left is None and right is None) if op is Op.NULL_SAFE_EQ else None
    found = sign(left, right)
    if op is Op.EQ or op is Op.NULL_SAFE_EQ:
        return found == 0
    if op is Op.NE:
        return found != 0
    if op is Op.LT:
        return found < 0
    if op is Op.LE:
        return found <= 0
    if op is Op.GT:
        return found > 0
    return found >= 0


def _like(value: Value, pattern: str) -> bool | None:
    expression = like_expression(pattern)
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"LIKE needs a string, not {value!r}")
    return expression.fullmatch(value) is not None


class Unanswered(KeyError):
    """The engine has not said whether a test is TRUE for these values."""


def _answered(test: Answered, scope: _Scope) -> bool | None:
    key = key_of(test, scope.row)
    if key not in test.truths:
        raise Unanswered(f"{test.text}: {key}")
    return test.truths[key]


def arbitrary(test: Verbatim, row: Mapping[str, Value]) -> bool | None:
    """What the reference engine says of a text that nobody evaluates: of five rows two are TRUE, two FALSE, one NULL."""
    digest = sha256(f"{test.text}\0{key_of(test, row)}".encode(errors="surrogatepass")).digest()
    return (True, False, None, True, False)[digest[0] % 5]


# Expressions ---------------------------------------------------------------------------------------------------------


def _related(predicate: Relate, scope: _Scope) -> bool | None:
    sides = []
    type = comparison_type(type_of(predicate.left, scope.types), type_of(predicate.right, scope.types))
    failed = False
    for expression in (predicate.left, predicate.right):
        try:
            value = _value(expression, scope)[1]
        except Undefined as error:
            scope.fails(error)
            failed = True
            continue
        sides.append(float(value) if type is Type.DOUBLE and isinstance(value, int) else value)
    if not failed:
        return _compare(sides[0], predicate.op, sides[1])
    if predicate.left == predicate.right:
        return _compare(0, predicate.op, 0)  # an engine may notice that they are equal, and not evaluate them
    # An engine avoids the error if the other side is NULL, or if it knows that this side is not.
    return False if predicate.op is Op.NULL_SAFE_EQ and sides == [None] else None


def _of_expression(predicate: Holds | Missing, scope: _Scope) -> bool | None:
    try:
        type, value = _value(predicate.expression, scope)
    except Undefined as error:
        scope.fails(error)
        # A non-nullable expression need not be evaluated for IS NULL.
        return False if isinstance(predicate, Missing) else None
    if isinstance(predicate, Missing):
        return value is None
    if type is not Type.BOOLEAN:
        raise TypeError(f"a condition must be BOOLEAN, not {type}")
    assert value is None or isinstance(value, bool), "the value of a BOOLEAN is a bool"
    return value


def _value(expression: Expression, scope: _Scope) -> tuple[AnyType, Value]:
    """The type and the plain value. Raises Undefined for an error that no engine can avoid."""
    if isinstance(expression, Of):
        type = type_of(expression, scope.types)
        return type, plain(scope.row[expression.column], type)
    if isinstance(expression, Literal):
        return expression.type, plain(expression.value, expression.type)
    if isinstance(expression, Cast):
        source, value = _value(expression.of, scope)
        return expression.type, cast(value, source, expression.type, scope.zone)
    if isinstance(expression, Member):
        of, struct = _value(expression.of, scope)
        place, type = field_of(of, expression.field)
        return type, None if struct is None else plain(typing_cast("tuple[Value, ...]", struct)[place], type)
    if isinstance(expression, CaseWhen):
        type = common(type_of(expression.then, scope.types), type_of(expression.otherwise, scope.types))
        return type, _value(expression.then if _truth(expression.condition, scope) else expression.otherwise, scope)[1]
    return _called(expression, scope)


def _called(call: Call, scope: _Scope) -> tuple[AnyType, Value]:
    types = tuple(type_of(argument, scope.types) for argument in call.arguments)
    result = result_type(call, types)
    if call.function is Function.CURRENT_DATE:
        return result, moments.days_of(scope.today)
    values: list[Value] = []
    error: Undefined | None = None
    for argument in call.arguments:
        try:
            values.append(_value(argument, scope)[1])
        except Undefined as undefined:
            if takes_null(call.function):
                raise
            error = undefined
            continue
        if call.function is Function.COALESCE and values[-1] is not None:
            return result, values[-1]
    if call.function is Function.COALESCE:
        return result, None
    if error is None:
        return result, apply(call.function, tuple(values), types, result, scope.zone)
    if None not in values:
        raise error
    # One argument is NULL, another an error: an engine that evaluates the NULL first avoids the error.
    scope.fails(error)
    return result, None


#: How each kind of predicate is evaluated. Both sides of AND and OR are, so that an error in either is noticed.
_TRUTHS: dict[type, Callable[[Any, _Scope], bool | None]] = {
    Constant: lambda predicate, scope: predicate.value,
    Compare: lambda predicate, scope: _compare(scope.row[predicate.column], predicate.op, predicate.value),
    Between: lambda predicate, scope: _between(scope.row[predicate.column], predicate.low, predicate.high),
    In: lambda predicate, scope: _in(scope.row[predicate.column], predicate.values),
    IsNull: lambda predicate, scope: scope.row[predicate.column] is None,
    Like: lambda predicate, scope: _like(scope.row[predicate.column], predicate.pattern),
    Relate: _related,
    Holds: _of_expression,
    Missing: _of_expression,
    Verbatim: lambda predicate, scope: arbitrary(predicate, scope.row),
    Answered: _answered,
    Not: lambda predicate, scope: _not(_truth(predicate.operand, scope)),
    Wrapped: lambda predicate, scope: _truth(predicate.operand, scope),
    And: lambda predicate, scope: _and(_truth(predicate.left, scope), _truth(predicate.right, scope)),
    Or: lambda predicate, scope: _or(_truth(predicate.left, scope), _truth(predicate.right, scope)),
}


# Errors without a row --------------------------------------------------------------------------------------------


def evaluate_avoiding_errors(
    predicate: Predicate, row: Mapping[str, Value], *, types: Mapping[str, AnyType] = _NO_TYPES, zone: str = "UTC"
) -> bool | None:
    """As ``evaluate``; where the predicate is an error, the result of an engine that avoids the error."""
    try:
        return evaluate(predicate, row, types=types, zone=zone)
    except WouldFail as failure:
        return failure.otherwise


def might_fail(
    predicate: Predicate,
    rows: Iterable[Mapping[str, Value]],
    *,
    types: Mapping[str, AnyType] = _NO_TYPES,
    zone: str = "UTC",
    today: date = TODAY,
) -> bool:
    """Whether an engine may raise an error of ANSI SQL when it runs the predicate on a table with these rows.

    ``rows`` are all stored rows, those hidden by deletion vectors included. It may if ``evaluate`` raises WouldFail for one
    of them. It also may if a part of the predicate fails without a row: a constant, or, as engines propagate equalities,
    a part whose columns equal constants elsewhere in the predicate (``s = 'a' AND CAST(s AS INT) = 1``). Engines also
    replace a column by another one that equals it. A text that the engine has evaluated for a row is no error for it.
    """
    parts = list(parts_of(predicate))
    answered = [part for part in parts if isinstance(part, Answered)]
    if not answered and not any(_can_fail(part) for part in parts):
        return False
    same = _equated(parts)
    constants: dict[str, list[Of | Literal]] = {}
    for column, others in same.items():
        if literals := [other for other in others if isinstance(other, Literal)]:
            constants[column] = [*literals]
    for unread in _replaced({}, constants):
        if any(_can_fail(part) and _fails_over(part, _Scope(unread, types, zone, today)) for part in parts):
            return True
    choices = {column: [Of(column), *others] for column, others in same.items()}
    for row in rows:
        if any(key_of(test, row) not in test.truths for test in answered):
            if any(row[name] is not None for test in answered for name in test.columns):
                return True  # it is hidden, or was removed: the engine was not asked about it
            continue  # it stands for the partition of a file
        for changed in _replaced(row, choices):
            scope = _Scope(changed, types, zone, today)
            try:
                _truth(predicate, scope)
            except Unanswered:
                return True
            if scope.failure is not None:
                return True
    return False


def _can_fail(part: Predicate | Expression) -> bool:
    return isinstance(part, (Cast, Call))


def _fails_over(expression: Predicate | Expression, scope: _Scope) -> bool:
    """Whether the expression is an error; False if the row lacks one of its columns."""
    assert isinstance(expression, (Cast, Call)), "no other expression can fail"
    if any(isinstance(part, Of) and part.column not in scope.row for part in parts_of(expression)):
        return False
    if any(isinstance(part, (Compare, Between, In, IsNull, Like)) for part in parts_of(expression)):
        return False
    try:
        _value(expression, scope)
    except Undefined:
        return True
    return scope.failure is not None


def _equated(parts: list[Predicate | Expression]) -> dict[str, list[Of | Literal]]:
    """The columns and literals that the predicate compares each column with for equality, anywhere in it."""
    found: dict[str, list[Of | Literal]] = {}
    for part in parts:
        pairs: list[tuple[Expression, Expression]] = []
        if isinstance(part, Compare) and part.op in (Op.EQ, Op.NULL_SAFE_EQ):
            pairs = [(Of(part.column), Literal(part.value, part.type))]
        elif isinstance(part, In) and len(part.values) == 1:
            pairs = [(Of(part.column), Literal(part.values[0], part.type))]
        elif isinstance(part, Relate) and part.op in (Op.EQ, Op.NULL_SAFE_EQ):
            pairs = [(part.left, part.right), (part.right, part.left)]
        for column, other in pairs:
            if isinstance(column, Of) and isinstance(other, (Of, Literal)):
                found.setdefault(column.column, []).append(other)
    return found


def _replaced(row: Mapping[str, Value], choices: Mapping[str, list[Of | Literal]]) -> Iterator[dict[str, Value]]:
    """The row with each combination of choices for these columns."""
    for chosen in product(*choices.values()):
        values = (row[choice.column] if isinstance(choice, Of) else choice.value for choice in chosen)
        yield {**row, **dict(zip(choices, values))}


def parts_of(part: Predicate | Expression) -> Iterator[Predicate | Expression]:
    """The predicate or expression, and all its parts."""
    yield part
    inner: tuple[Predicate | Expression, ...] = ()
    if isinstance(part, (Not, Wrapped)):
        inner = (part.operand,)
    elif isinstance(part, (And, Or, Relate)):
        inner = (part.left, part.right)
    elif isinstance(part, (Holds, Missing)):
        inner = (part.expression,)
    elif isinstance(part, (Member, Cast)):
        inner = (part.of,)
    elif isinstance(part, Call):
        inner = part.arguments
    elif isinstance(part, CaseWhen):
        inner = (part.condition, part.then, part.otherwise)
    for child in inner:
        yield from parts_of(child)

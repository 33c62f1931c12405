"""Three-valued evaluation of a predicate on one row: what SQL says, worked out from the case alone.

The rules are those of ANSI SQL as Spark documents them ("NULL Semantics", "LIKE", "NaN Semantics", "ANSI Compliance" in
its SQL reference): a comparison with NULL is NULL, ``<=>`` never is, AND, OR and NOT follow Kleene's logic, strings
compare by their UTF-8 bytes, NaN equals NaN and is the greatest number, a number that does not fit its type is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from itertools import product
from typing import Any
from typing import cast as typing_cast

from model import moments
from model.casts import Undefined, cast, plain
from model.functions import apply, result_type, takes_null
from model.ordering import sign
from model.patterns import like_expression as like_expression
from model.predicate import (
    And,
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
)
from model.typed import common, comparison_type, field_of, type_of
from model.values import AnyType, Type, Value

#: The day that CURRENT_DATE gives. No case has a value near the present, so any day of these years does.
TODAY = date(2026, 1, 1)

_NO_TYPES: Mapping[str, AnyType] = {}


class WouldFail(Exception):
    """ANSI SQL raises an error for this row, or may do so: an engine need not work out both sides of an AND or OR.

    ``otherwise`` is the truth where the engine does not come upon the error; ``None`` where it must, too.
    """

    def __init__(self, reason: str, otherwise: bool | None) -> None:
        super().__init__(reason)
        self.otherwise = otherwise


class _Scope:
    """One evaluation: a row and its surroundings, and the first error that was come upon."""

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

    A DELETE removes a row exactly when this is ``True``. ``types`` are the types of the columns that stand in
    expressions (``Of``); ``zone`` is the time zone of the session, an IANA name; ``today`` the day of CURRENT_DATE.

    Raises WouldFail where some part of the predicate is an error in ANSI SQL. Both sides of AND and OR count, and the
    condition of a CASE WHEN; but not the branch that is not taken, nor what comes behind the value of a COALESCE. SQL
    sets no order, so an engine may find FALSE on the other side of an AND first and never see the error:
    ``WouldFail.otherwise`` is what it then finds. Engines also work out constants before they read a row, and put in
    what an equality says of a column: ``might_fail`` has that.

    Raises KeyError for a column that the row lacks, TypeError for values that SQL cannot compare and for expressions of
    types that are not known here (``model.typed.type_of``), and ValueError for a LIKE pattern that Spark refuses, a RLIKE
    pattern or a letter's case that is not known here.
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
    """``value IN (candidates)`` is the OR of the equalities, so a NULL anywhere turns a miss into NULL."""
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


# Expressions. --------------------------------------------------------------------------------------------------------


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
        return _compare(0, predicate.op, 0)  # an engine may see that they are the same, and not work them out
    # The engine does not come upon the error where it finds NULL on the other side, or knows that this side is none.
    return False if predicate.op is Op.NULL_SAFE_EQ and sides == [None] else None


def _of_expression(predicate: Holds | Missing, scope: _Scope) -> bool | None:
    try:
        type, value = _value(predicate.expression, scope)
    except Undefined as error:
        scope.fails(error)
        # What is never NULL need not be worked out to say so.
        return False if isinstance(predicate, Missing) else None
    if isinstance(predicate, Missing):
        return value is None
    if type is not Type.BOOLEAN:
        raise TypeError(f"a condition has to be BOOLEAN, not {type}")
    assert value is None or isinstance(value, bool), "the value of a BOOLEAN is a bool"
    return value


def _value(expression: Expression, scope: _Scope) -> tuple[AnyType, Value]:
    """The type and the plain value. Raises Undefined where the engine must come upon an error."""
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
    # One argument is NULL, another is an error: the engine that meets the NULL first never meets the error.
    scope.fails(error)
    return result, None


#: What each kind of predicate says. Both sides of AND and OR are worked out: an error in one is not hidden by the other.
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
    Not: lambda predicate, scope: _not(_truth(predicate.operand, scope)),
    And: lambda predicate, scope: _and(_truth(predicate.left, scope), _truth(predicate.right, scope)),
    Or: lambda predicate, scope: _or(_truth(predicate.left, scope), _truth(predicate.right, scope)),
}


# Errors that no row shows. -------------------------------------------------------------------------------------------


def might_fail(
    predicate: Predicate,
    rows: Iterable[Mapping[str, Value]],
    *,
    types: Mapping[str, AnyType] = _NO_TYPES,
    zone: str = "UTC",
    today: date = TODAY,
) -> bool:
    """Whether an engine may come upon an error of ANSI SQL when it runs the predicate over a table of these rows.

    ``rows`` are all that lie in the files, those that a deletion vector hides too. It may where ``evaluate`` raises
    WouldFail for one of them. It also may, whatever the rows, where a part of the predicate fails that needs none: a
    constant one, or one whose columns are said to be equal to constants elsewhere in the predicate, for engines put
    those in (``s = 'a' AND CAST(s AS INT) = 1``). In the same way the value of a column is put in for another one that
    is said to be equal to it.
    """
    parts = list(_parts(predicate))
    if not any(_can_fail(part) for part in parts):
        return False
    same = _equated(parts)
    constants: dict[str, list[Of | Literal]] = {}
    for column, others in same.items():
        if literals := [one for one in others if isinstance(one, Literal)]:
            constants[column] = [*literals]
    for unread in _replaced({}, constants):
        if any(_can_fail(part) and _fails_over(part, _Scope(unread, types, zone, today)) for part in parts):
            return True
    choices = {column: [Of(column), *others] for column, others in same.items()}
    for row in rows:
        for changed in _replaced(row, choices):
            scope = _Scope(changed, types, zone, today)
            _truth(predicate, scope)
            if scope.failure is not None:
                return True
    return False


def _can_fail(part: Predicate | Expression) -> bool:
    return isinstance(part, (Cast, Call))


def _fails_over(expression: Predicate | Expression, scope: _Scope) -> bool:
    """Whether the expression is an error; not where the row lacks one of its columns."""
    assert isinstance(expression, (Cast, Call)), "no other expression fails"
    if any(isinstance(part, Of) and part.column not in scope.row for part in _parts(expression)):
        return False
    if any(isinstance(part, (Compare, Between, In, IsNull, Like)) for part in _parts(expression)):
        return False
    try:
        _value(expression, scope)
    except Undefined:
        return True
    return scope.failure is not None


def _equated(parts: list[Predicate | Expression]) -> dict[str, list[Of | Literal]]:
    """What the predicate says that columns are equal to, whether it must be so or not."""
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
    """The row with each choice for each of these columns."""
    for chosen in product(*choices.values()):
        values = (row[one.column] if isinstance(one, Of) else one.value for one in chosen)
        yield {**row, **dict(zip(choices, values))}


def _parts(part: Predicate | Expression) -> Iterator[Predicate | Expression]:
    """The predicate or expression, and all that it is made of."""
    yield part
    inner: tuple[Predicate | Expression, ...] = ()
    if isinstance(part, Not):
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
    for one in inner:
        yield from _parts(one)

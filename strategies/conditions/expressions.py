"""Tests with functions and expressions, as users write them in a DELETE. All are well typed.

The value that a test compares with is computed in Python from a value of the table, so that the test is TRUE for some
rows. Where Python differs from SQL, the test is still valid but may match fewer rows.

Expressions must be defined for every row that the DELETE may read, not only for those that match: no dates beyond the
year 9999, no upper case of letters that differ between versions of Unicode. Casts and arithmetic may fail for a row one
time in three: then the DELETE may be refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.vocabulary.predicate import (
    Call,
    CaseWhen,
    Cast,
    Compare,
    Expression,
    Function,
    Holds,
    IsNull,
    Literal,
    Member,
    Missing,
    Not,
    Of,
    Op,
    Predicate,
    Relate,
)
from model.vocabulary.table import Column
from model.vocabulary.values import WHOLE_NUMBERS, AnyType, ArrayOf, DecimalOf, MapOf, StructOf, Type, Value, is_nested
from strategies.tables.column_values import domain, values
from strategies.weights import odds, one_in

OPS = odds((4, Op.EQ), (2, Op.NE), (2, Op.LT), (2, Op.LE), (2, Op.GT), (2, Op.GE), (2, Op.NULL_SAFE_EQ))

_MOSTLY_EQUAL = odds((6, Op.EQ), (1, Op.NE), (1, Op.GE), (1, Op.LT), (1, Op.NULL_SAFE_EQ))
_EVENLY = st.booleans()
_PLACES = st.integers(0, 5)

_STRING_CALLS = odds(
    (2, "upper"),
    (2, "lower"),
    (2, "trim"),
    (2, "length"),
    (2, "substring"),
    (2, "startswith"),
    (2, "rlike"),
    (2, "concat"),
    (1, "coalesce"),
    (1, "case"),
    (3, "cast"),
)
_WHOLE_CALLS = odds((4, "arithmetic"), (1, "abs"), (2, "remainder"), (1, "coalesce"), (1, "case"), (3, "cast"))
_DATE_CALLS = odds(
    (3, "part"), (2, "date_add"), (2, "date_sub"), (2, "datediff"), (2, "current_date"), (1, "coalesce"), (2, "cast")
)

#: A string that CAST accepts as a number.
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")

#: Date arithmetic is drawn only for columns whose dates are all between these.
_FIRST_DAY, _LAST_DAY = date(2, 12, 31), date(9997, 12, 31)


@dataclass(frozen=True)
class Domain:
    """A column, and values to compare it with."""

    column: Column
    own: tuple[Value, ...]  # of all rows of the live files: frequent values are drawn more often
    anchor: Value  # the value of one row, the same row for all columns

    @property
    def present(self) -> list[Value]:
        """``own`` without NULLs."""
        return [value for value in self.own if value is not None]


def draw_call(draw: DrawFn, domain: Domain, others: list[Domain], *, zone: str) -> Predicate:
    """A test of the column, alone or against one of ``others`` of its type, in a session of the time ``zone``.

    For nested columns: of a field, the size, an element, or IS NULL. Shrinks to the type's first function.
    """
    compare_columns = not is_nested(domain.column.type) and draw(one_in(6))
    if compare_columns and same_type(domain, others):
        return draw_columns(draw, domain, others)
    return _drawer(domain.column.type)(_Test(draw, domain, zone))


def same_type(domain: Domain, others: list[Domain]) -> list[str]:
    """The other columns with which the column can be compared."""
    if is_nested(domain.column.type):
        return []
    return [other.column.name for other in others if other.column.type == domain.column.type and other is not domain]


def draw_columns(draw: DrawFn, domain: Domain, others: list[Domain]) -> Predicate:
    """A comparison of the column with one of ``same_type``, which must not be empty."""
    return Relate(Of(domain.column.name), draw(OPS), Of(draw(st.sampled_from(same_type(domain, others)))))


class _Test:
    """A test of one column that is being drawn."""

    def __init__(self, draw: DrawFn, domain: Domain, zone: str) -> None:
        self.draw = draw
        self.domain = domain
        self.zone = ZoneInfo(zone)
        self.type = domain.column.type
        self.of = Of(domain.column.name)
        self.own = domain.present

    def value(self) -> Value:
        """A value of the column, or another of its type if the column has none. Never NULL."""
        if self.domain.anchor is not None and self.draw(_EVENLY):
            return self.domain.anchor
        present = self.own
        if present:
            return self.draw(st.sampled_from(present))
        return self.draw(values(self.type, nulls=0))

    def all(self, condition: Callable[[Value], bool]) -> bool:
        """Whether the condition holds for all values of the column; if not, True one time in three all the same."""
        return all(condition(value) for value in self.own) or self.draw(one_in(3))

    def coalesce(self) -> Predicate:
        value = Literal(self.value(), self.type)
        return Relate(Call(Function.COALESCE, (self.of, value)), self.draw(_MOSTLY_EQUAL), value)

    def case(self) -> Predicate:
        chosen = Compare(self.domain.column.name, self.draw(_MOSTLY_EQUAL), self.value(), self.type)
        one, none = _whole(1), _whole(0)
        whether = CaseWhen(chosen, one, none) if self.draw(_EVENLY) else CaseWhen(IsNull(self.of.column), none, one)
        return Relate(whether, Op.EQ, one)


def _drawer(type: AnyType) -> Callable[[_Test], Predicate]:
    if isinstance(type, StructOf):
        return _of_struct
    if isinstance(type, ArrayOf):
        return _of_array
    if isinstance(type, MapOf):
        return _of_map
    if isinstance(type, DecimalOf):
        return _of_decimal
    if type in WHOLE_NUMBERS:
        return _of_whole_number
    return _DRAWERS[type]


def _whole(number: int) -> Literal:
    return Literal(number, Type.INTEGER)


def _text(text: str) -> Literal:
    return Literal(text, Type.STRING)


def _of_string(test: _Test) -> Predicate:
    draw, of = test.draw, test.of
    kind = draw(_STRING_CALLS)
    if kind in ("coalesce", "case"):
        return test.coalesce() if kind == "coalesce" else test.case()
    if kind == "cast":
        return _cast_of_string(test)
    text = test.value()
    assert isinstance(text, str), "the column is a STRING"
    if kind in ("upper", "lower") and all(isinstance(value, str) and _has_old_letters(value) for value in test.own):
        changed = text.upper() if kind == "upper" else text.lower()
        return Relate(Call(Function(kind), (of,)), draw(_MOSTLY_EQUAL), _text(changed))
    if kind == "trim":
        return _trimmed(test)
    if kind == "substring":
        start, count = draw(_PLACES) % 3 + 1, draw(_PLACES)
        if draw(one_in(6)):
            return Relate(Call(Function.SUBSTRING, (of, _whole(-1), _whole(1))), Op.EQ, _text(text[-1:]))
        part = text[start - 1 : start - 1 + count]
        return Relate(Call(Function.SUBSTRING, (of, _whole(start), _whole(count))), draw(_MOSTLY_EQUAL), _text(part))
    if kind == "startswith":
        return Holds(Call(Function.STARTSWITH, (of, _text(text[: draw(_PLACES)]))))
    if kind == "rlike":
        return Holds(Call(Function.RLIKE, (of, _text(_draw_pattern(draw, text)))))
    if kind == "concat":
        return Relate(Call(Function.CONCAT, (of, _text("-x"))), draw(_MOSTLY_EQUAL), _text(text + "-x"))
    return Relate(Call(Function.LENGTH, (of,)), draw(OPS), _whole(len(text)))


def _trimmed(test: _Test) -> Predicate:
    text = test.value()
    assert isinstance(text, str), "the column is a STRING"
    return Relate(Call(Function.TRIM, (test.of,)), test.draw(_MOSTLY_EQUAL), _text(text.strip(" ")))


def _has_old_letters(text: str) -> bool:
    """Whether all characters are Latin letters that every version of Unicode has."""
    return all(ord(character) < 0x180 for character in text)


_PATTERN_FORMS = odds((3, "begins"), (2, "holds"), (2, "class"), (1, "either"), (1, "whole"), (1, "digits"))


def _draw_pattern(draw: DrawFn, text: str) -> str:
    """A regular expression with the same meaning in Java and Python: no dots, no escapes."""
    letters = "".join(re.findall("[a-zA-Z0-9]+", text)[:1])[:6] or "a"
    form = draw(_PATTERN_FORMS)
    return {
        "begins": f"^{letters[:2]}",
        "holds": letters,
        "class": f"^[{letters[0]}x-z]",
        "either": f"{letters}|b",
        "whole": f"^{letters}$",
        "digits": "^[0-9]+$",
    }[form]


def _cast_of_string(test: _Test) -> Predicate:
    """A cast to a number. One time in three a string of the column need not be a number: then the cast fails."""
    if not test.all(lambda value: isinstance(value, str) and _NUMBER.fullmatch(value) is not None):
        return _trimmed(test)
    text = test.value()
    number = int(text) if isinstance(text, str) and _NUMBER.fullmatch(text) else 1
    type = test.draw(st.sampled_from((Type.INTEGER, Type.LONG, Type.DOUBLE)))
    return Relate(Cast(test.of, type), test.draw(OPS), Literal(float(number) if type is Type.DOUBLE else number, type))


def _of_whole_number(test: _Test) -> Predicate:
    draw, of, type = test.draw, test.of, test.type
    assert isinstance(type, Type), "a type of whole numbers"
    kind = draw(_WHOLE_CALLS)
    if kind in ("coalesce", "case"):
        return test.coalesce() if kind == "coalesce" else test.case()
    value = test.value()
    assert isinstance(value, int), "the column is of whole numbers"
    if kind == "cast":
        return _cast_of_number(test, value)
    # Narrow types are widened first: the type of their arithmetic differs between versions.
    wide = type if type in (Type.INTEGER, Type.LONG) else Type.INTEGER
    operand: Expression = of if wide is type else Cast(of, wide)
    if kind == "remainder":
        divisor = draw(st.sampled_from((2, 3, 10)))
        rest = abs(value) % divisor * (-1 if value < 0 else 1)
        found: Expression = Call(Function.REMAINDER, (operand, Literal(divisor, wide)))
        return Relate(found, draw(_MOSTLY_EQUAL), Literal(rest, wide))
    function, change = (Function.ABS, abs) if kind == "abs" else draw(st.sampled_from(_ARITHMETIC))
    if not test.all(lambda other: isinstance(other, int) and _fits(change(other), wide)) or not _fits(
        change(value), wide
    ):
        return test.coalesce()
    arguments = (operand,) if function is Function.ABS else (operand, Literal(_ARGUMENTS[function], wide))
    return Relate(Call(function, arguments), draw(OPS), Literal(change(value), wide))


#: Each with what it does to its first argument; the second argument is below.
_ARITHMETIC: tuple[tuple[Function, Callable[[int], int]], ...] = (
    (Function.ADD, lambda number: number + 1),
    (Function.SUBTRACT, lambda number: number - 2),
    (Function.MULTIPLY, lambda number: number * 2),
)
_ARGUMENTS = {Function.ADD: 1, Function.SUBTRACT: 2, Function.MULTIPLY: 2}


def _fits(number: int, type: Type) -> bool:
    least, greatest = WHOLE_NUMBERS[type]
    return least <= number <= greatest


def _cast_of_number(test: _Test, value: int) -> Predicate:
    """A cast to STRING, or to another integer type: one time in three not all values of the column need to fit."""
    if test.draw(one_in(6)):
        return Relate(Cast(test.of, Type.STRING), test.draw(_MOSTLY_EQUAL), _text(str(value)))
    type = test.draw(st.sampled_from([other for other in WHOLE_NUMBERS if other is not test.type]))
    if not test.all(lambda other: isinstance(other, int) and _fits(other, type)) or not _fits(value, type):
        type = Type.LONG
    return Relate(Cast(test.of, type), test.draw(OPS), Literal(value, type))


def _of_real_number(test: _Test) -> Predicate:
    kind = test.draw(odds((3, "isnan"), (1, "abs"), (2, "coalesce"), (1, "case"), (1, "cast")))
    if kind in ("coalesce", "case"):
        return test.coalesce() if kind == "coalesce" else test.case()
    if kind == "isnan":
        nan = Holds(Call(Function.ISNAN, (test.of,)))
        return nan if test.draw(_EVENLY) else Not(nan)
    value = test.value()
    assert isinstance(value, float), "the column is of real numbers"
    if (
        kind == "cast"
        and test.all(lambda other: isinstance(other, float) and abs(other) < 2**31)
        and abs(value) < 2**31
    ):
        return Relate(Cast(test.of, Type.INTEGER), test.draw(OPS), _whole(int(value)))
    found = abs(value) if value == value else value  # abs() would make another NaN object
    return Relate(Call(Function.ABS, (test.of,)), test.draw(OPS), Literal(found, test.type))


#: Spark's abs rounds decimals with more digits.
_DIGITS_OF_ABS = 34


def _of_decimal(test: _Test) -> Predicate:
    kind = test.draw(odds((2, "abs"), (1, "coalesce"), (1, "case"), (2, "cast")))
    if kind in ("coalesce", "case"):
        return test.coalesce() if kind == "coalesce" else test.case()
    value = test.value()
    assert isinstance(value, Decimal), "the column is a DECIMAL"
    assert isinstance(test.type, DecimalOf), "the column is a DECIMAL"
    if kind == "abs" and test.type.precision <= _DIGITS_OF_ABS:
        # copy_abs, because abs() rounds to the precision of the context.
        return Relate(Call(Function.ABS, (test.of,)), test.draw(OPS), Literal(value.copy_abs(), test.type))
    if test.draw(_EVENLY):
        return Relate(Cast(test.of, Type.STRING), test.draw(_MOSTLY_EQUAL), _text(format(value, "f")))
    if test.all(lambda other: isinstance(other, Decimal) and abs(other) < 2**63) and abs(value) < 2**63:
        return Relate(Cast(test.of, Type.LONG), test.draw(OPS), Literal(int(value), Type.LONG))
    return Relate(Cast(test.of, Type.DOUBLE), test.draw(OPS), Literal(float(value), Type.DOUBLE))


def _of_date(test: _Test) -> Predicate:
    draw, of = test.draw, test.of
    kind = draw(_DATE_CALLS)
    if kind == "coalesce":
        return test.coalesce()
    if kind == "current_date":
        sides = (of, Call(Function.CURRENT_DATE))
        left, right = sides if draw(_EVENLY) else sides[::-1]
        return Relate(left, draw(OPS), right)
    value = test.value()
    assert isinstance(value, date), "the column is a DATE"
    if kind == "cast":
        if draw(_EVENLY):
            return Relate(Cast(of, Type.STRING), draw(_MOSTLY_EQUAL), _text(value.isoformat()))
        # Midnight of the session's time zone.
        midnight = datetime(value.year, value.month, value.day, tzinfo=test.zone).astimezone(timezone.utc)
        return Relate(Cast(of, Type.TIMESTAMP), draw(OPS), Literal(midnight, Type.TIMESTAMP))
    if kind == "datediff":
        other = test.value()
        assert isinstance(other, date), "the column is a DATE"
        days = Call(Function.DATEDIFF, (of, Literal(other, Type.DATE)))
        return Relate(days, draw(OPS), _whole((value - other).days))
    inside = all(isinstance(other, date) and _FIRST_DAY < other < _LAST_DAY for other in (value, *test.own))
    if kind in ("date_add", "date_sub") and inside:
        step = draw(st.sampled_from((1, 2, 0, 30, -1, 366)))
        moved = value + timedelta(step if kind == "date_add" else -step)
        return Relate(Call(Function(kind), (of, _whole(step))), draw(OPS), Literal(moved, Type.DATE))
    return _date_part(test, value)


def _date_part(test: _Test, value: date) -> Predicate:
    part = test.draw(st.sampled_from((Function.YEAR, Function.MONTH, Function.DAY)))
    return Relate(Call(part, (test.of,)), test.draw(OPS), _whole(int(getattr(value, part.value))))


def _of_timestamp(test: _Test) -> Predicate:
    draw = test.draw
    kind = draw(odds((3, "part"), (4, "cast"), (1, "text"), (1, "coalesce"), (1, "case")))
    if kind in ("coalesce", "case"):
        return test.coalesce() if kind == "coalesce" else test.case()
    value = test.value()
    assert isinstance(value, datetime), "the column is a TIMESTAMP"
    # The day of a TIMESTAMP depends on the session's time zone.
    local = value if value.tzinfo is None else value.astimezone(test.zone)
    day = local.date()
    if kind == "part":
        return _date_part(test, day)
    if kind == "text":
        text = local.replace(tzinfo=None).isoformat(sep=" ")
        shown = text.rstrip("0") if "." in text else text
        return Relate(Cast(test.of, Type.STRING), draw(_MOSTLY_EQUAL), _text(shown))
    return Relate(Cast(test.of, Type.DATE), draw(OPS), Literal(day, Type.DATE))


def _of_boolean(test: _Test) -> Predicate:
    kind = test.draw(odds((3, "holds"), (1, "cast"), (1, "coalesce"), (1, "case")))
    if kind == "holds":
        return Holds(test.of) if test.draw(_EVENLY) else Not(Holds(test.of))
    if kind == "cast":
        return Relate(Cast(test.of, Type.INTEGER), test.draw(OPS), _whole(int(test.draw(_EVENLY))))
    return test.coalesce() if kind == "coalesce" else test.case()


def _of_binary(test: _Test) -> Predicate:
    kind = test.draw(odds((2, "length"), (1, "coalesce"), (1, "case")))
    if kind == "length":
        value = test.value()
        assert isinstance(value, bytes), "the column is a BINARY"
        return Relate(Call(Function.LENGTH, (test.of,)), test.draw(OPS), _whole(len(value)))
    return test.coalesce() if kind == "coalesce" else test.case()


_DRAWERS: dict[Type, Callable[[_Test], Predicate]] = {
    Type.STRING: _of_string,
    Type.FLOAT: _of_real_number,
    Type.DOUBLE: _of_real_number,
    Type.DATE: _of_date,
    Type.TIMESTAMP: _of_timestamp,
    Type.TIMESTAMP_NTZ: _of_timestamp,
    Type.BINARY: _of_binary,
    Type.BOOLEAN: _of_boolean,
}


def _null_or_not(test: _Test) -> Predicate:
    is_null: Predicate = IsNull(test.of.column) if test.draw(_EVENLY) else Missing(test.of)
    return is_null if test.draw(_EVENLY) else Not(is_null)


def _related(test: _Test, expression: Expression, type: AnyType, value: Value) -> Predicate:
    """A test of a part of a nested value: IS NULL, or a comparison with ``value``."""
    if value is None or is_nested(type):
        missing = Missing(expression)
        return missing if test.draw(_EVENLY) else Not(missing)
    return Relate(expression, test.draw(OPS), Literal(value, type))


def _of_struct(test: _Test) -> Predicate:
    assert isinstance(test.type, StructOf), "the column is a STRUCT"
    if test.draw(odds((5, "inside"), (2, "null"))) == "null":
        return _null_or_not(test)
    value = test.value()
    assert isinstance(value, tuple), "a struct is the tuple of its fields"
    place = test.draw(st.integers(0, len(test.type.fields) - 1))
    name, type = test.type.fields[place]
    given = None if name in test.type.required and test.draw(one_in(3)) else value[place]
    return _related(test, Member(test.of, name), type, given)


def _of_array(test: _Test) -> Predicate:
    assert isinstance(test.type, ArrayOf), "the column is an ARRAY"
    if test.draw(odds((5, "inside"), (2, "null"))) == "null":
        return _null_or_not(test)
    value = test.value()
    assert isinstance(value, tuple), "an array is the tuple of its elements"
    present = [element for element in value if element is not None]
    if is_nested(test.type.element) or test.draw(_EVENLY):
        return Relate(Call(Function.SIZE, (test.of,)), test.draw(OPS), _whole(len(value)))
    wanted = test.draw(st.sampled_from(present or domain(test.type.element)[:2]))
    return Holds(Call(Function.ARRAY_CONTAINS, (test.of, Literal(wanted, test.type.element))))


def _of_map(test: _Test) -> Predicate:
    assert isinstance(test.type, MapOf), "the column is a MAP"
    if test.draw(odds((5, "inside"), (2, "null"))) == "null":
        return _null_or_not(test)
    value = test.value()
    assert isinstance(value, tuple), "a map is the tuple of its entries"
    if test.draw(one_in(6)):
        return Relate(Call(Function.SIZE, (test.of,)), test.draw(OPS), _whole(len(value)))
    key, found = test.draw(st.sampled_from(value or ((domain(test.type.key)[0], None),)))
    element = Call(Function.ELEMENT_AT, (test.of, Literal(key, test.type.key)))
    return _related(test, element, test.type.value, found)

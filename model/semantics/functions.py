"""The functions of ``model.vocabulary.predicate.Function``: argument types, result types, and values in Spark's ANSI mode.

Values are plain (``model.semantics.casts.plain``): dates and timestamps are numbers. The rules are those of Spark's SQL
reference, "Built-in Functions" and "ANSI Compliance". The result is NULL if an argument is NULL, except for ``_NULL_TAKING``.
"""

from __future__ import annotations

import math
import operator
import unicodedata
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from model.semantics import moments
from model.semantics.casts import Undefined, plain
from model.semantics.ordering import sign
from model.semantics.patterns import rlike_expression
from model.vocabulary.predicate import Call, Function, Literal
from model.vocabulary.values import WHOLE_NUMBERS, AnyType, ArrayOf, DecimalOf, MapOf, Type, Value, is_nested

_INTEGER_SPAN = 2**32

_ARITHMETIC = (Function.ADD, Function.SUBTRACT, Function.MULTIPLY, Function.REMAINDER)
_REGROUPED = (Function.ADD, Function.SUBTRACT, Function.MULTIPLY)
_REALS = (Type.FLOAT, Type.DOUBLE)
_MOMENTS = (Type.DATE, Type.TIMESTAMP, Type.TIMESTAMP_NTZ)

#: All other functions are NULL if any argument is NULL; an engine then need not evaluate the other arguments.
_NULL_TAKING = (Function.COALESCE, Function.ISNAN)


def takes_null(function: Function) -> bool:
    """Whether the result can be other than NULL if an argument is NULL."""
    return function in _NULL_TAKING


# Types --------------------------------------------------------------------------------------------------------------


def result_type(call: Call, types: tuple[AnyType, ...]) -> AnyType:
    """The type of a call with arguments of these types.

    Raises TypeError for argument types that are not supported (they may be valid SQL). Supported are:

    - upper, lower, trim, concat: STRING; length: STRING or BINARY; substring: STRING, INTEGER, INTEGER
    - startswith: STRING, STRING; rlike: STRING, and a literal that ``rlike_expression`` supports
    - coalesce: one type, not nested
    - abs: whole numbers, FLOAT, DOUBLE, DECIMAL of at most 34 digits (Spark rounds longer ones)
    - ``+ - * %``: two whole numbers (the result is of the wider type), or a DOUBLE with a DOUBLE or a whole number.
      A sum, difference or product may not be an argument of another: Spark regroups such chains, which changes overflows
    - year, month, day: DATE, TIMESTAMP, TIMESTAMP_NTZ
    - date_add, date_sub: DATE, and BYTE, SHORT or INTEGER; datediff: DATE, DATE; current_date: none
    - array_contains: an array, and a value of its element type, not nested
    - size: an array or a map; element_at: a map, and a value of its key type, not nested; isnan: FLOAT, DOUBLE
    """
    found = _result_type(call, types)
    if found is None:
        given = ", ".join(getattr(type, "value", str(type)) for type in types)
        raise TypeError(f"{call.function.value} is not supported for arguments of these types: {given or 'none'}")
    if call.function is Function.RLIKE:
        pattern = call.arguments[1]
        if not isinstance(pattern, Literal):
            raise TypeError("the pattern of rlike must be a literal")
        if isinstance(pattern.value, str):
            rlike_expression(pattern.value)
    return found


def _result_type(call: Call, types: tuple[AnyType, ...]) -> AnyType | None:
    function = call.function
    if function in _SIGNATURES:
        return _SIGNATURES[function].get(types)
    if function is Function.CONCAT:
        return Type.STRING if types and set(types) == {Type.STRING} else None
    if function is Function.COALESCE:
        return types[0] if types and types.count(types[0]) == len(types) and not is_nested(types[0]) else None
    if len(types) == 1:
        return _type_of_unary(function, types[0])
    if len(types) != 2:
        return None
    left, right = types
    if function in _ARITHMETIC:
        return None if _regrouped(call) else _wider(left, right)
    if function is Function.ARRAY_CONTAINS:
        fits = isinstance(left, ArrayOf) and left.element == right and not is_nested(right)
        return Type.BOOLEAN if fits else None
    if function is Function.ELEMENT_AT and isinstance(left, MapOf):
        return left.value if left.key == right and not is_nested(right) else None
    return None


def _type_of_unary(function: Function, type: AnyType) -> AnyType | None:
    if function is Function.ABS:
        if isinstance(type, DecimalOf):
            return type if type.precision <= _DIGITS_OF_ABS else None
        return type if type in WHOLE_NUMBERS or type in _REALS else None
    return Type.INTEGER if function is Function.SIZE and isinstance(type, (ArrayOf, MapOf)) else None


def _regrouped(call: Call) -> bool:
    return call.function in _REGROUPED and any(
        isinstance(argument, Call) and argument.function in _REGROUPED for argument in call.arguments
    )


def _wider(left: AnyType, right: AnyType) -> AnyType | None:
    """The type of the result of an arithmetic operation."""
    known = (*WHOLE_NUMBERS, Type.DOUBLE)  # from narrow to wide
    if left not in known or right not in known:
        return None
    return known[max(known.index(left), known.index(right))]  # type: ignore[arg-type]  # both are known


_DIGITS_OF_ABS = 34

_S, _I = Type.STRING, Type.INTEGER
_SIGNATURES: dict[Function, dict[tuple[AnyType, ...], AnyType]] = {
    Function.UPPER: {(_S,): _S},
    Function.LOWER: {(_S,): _S},
    Function.TRIM: {(_S,): _S},
    Function.LENGTH: {(_S,): _I, (Type.BINARY,): _I},
    Function.SUBSTRING: {(_S, _I, _I): _S},
    Function.STARTSWITH: {(_S, _S): Type.BOOLEAN},
    Function.RLIKE: {(_S, _S): Type.BOOLEAN},
    **{part: {(moment,): _I for moment in _MOMENTS} for part in (Function.YEAR, Function.MONTH, Function.DAY)},
    **{
        move: {(Type.DATE, count): Type.DATE for count in (Type.BYTE, Type.SHORT, Type.INTEGER)}
        for move in (Function.DATE_ADD, Function.DATE_SUB)
    },
    Function.DATEDIFF: {(Type.DATE, Type.DATE): _I},
    Function.CURRENT_DATE: {(): Type.DATE},
    Function.ISNAN: {(real,): Type.BOOLEAN for real in _REALS},
}


# Values -------------------------------------------------------------------------------------------------------------


def apply(function: Function, values: tuple[Any, ...], types: tuple[AnyType, ...], result: AnyType, zone: str) -> Value:
    """The value of a function other than coalesce and current_date, for plain arguments of supported types.

    ``result`` is the call's type; ``zone`` the session's time zone. Raises Undefined for an error in ANSI SQL: a result out
    of range, or a remainder by zero. Raises ValueError for upper and lower of letters whose other case depends on the
    version of Unicode.
    """
    if function is Function.ISNAN:
        return values[0] is not None and math.isnan(values[0])
    if any(value is None for value in values):
        return None
    if function in _PARTS:
        return moments.year_month_day(_day(values[0], types[0], zone))[_PARTS[function]]
    if function is Function.ARRAY_CONTAINS:
        return _contains(values[0], values[1], types[1])
    if function is Function.ELEMENT_AT:
        return _element(values[0], values[1], types[0])
    if function is Function.ABS or function in _ARITHMETIC:
        return _arithmetic(function, values, result)
    return _PLAIN[function](*values)


def _day(value: int, type: AnyType, zone: str) -> int:
    """The day of a moment in the session's time zone."""
    if type is Type.DATE:
        return value
    return (moments.local_micros(value, zone) if type is Type.TIMESTAMP else value) // moments.DAY_MICROS


_PARTS = {Function.YEAR: 0, Function.MONTH: 1, Function.DAY: 2}


def _contains(elements: tuple[Value, ...], wanted: Value, type: AnyType) -> bool | None:
    """NULL if it is not found and there are NULLs."""
    present = [plain(element, type) for element in elements if element is not None]
    if any(sign(element, wanted) == 0 for element in present):
        return True
    return False if len(present) == len(elements) else None


def _element(entries: tuple[tuple[Value, Value], ...], key: Value, type: AnyType) -> Value:
    assert isinstance(type, MapOf), "the argument of element_at is a map"
    return next((plain(value, type.value) for other, value in entries if sign(plain(other, type.key), key) == 0), None)


def _arithmetic(function: Function, values: tuple[Any, ...], result: AnyType) -> Value:
    if result is Type.DOUBLE:
        values = tuple(map(float, values))
    number: int | float | Decimal
    if function is Function.ABS:
        # Python's abs() would round a DECIMAL to its context's digits.
        number = values[0].copy_abs() if isinstance(values[0], Decimal) else abs(values[0])
    elif function is Function.REMAINDER:
        number = _remainder(*values)
    else:
        number = _OPERATORS[function](*values)
    if isinstance(number, int):
        assert isinstance(result, Type), "the type of an int"
        least, greatest = WHOLE_NUMBERS[result]
        if not least <= number <= greatest:
            raise Undefined(f"{function.value} gives {number}, which does not fit the type {result.value}")
    return number


_OPERATORS: dict[Function, Callable[[Any, Any], Any]] = {
    Function.ADD: operator.add,
    Function.SUBTRACT: operator.sub,
    Function.MULTIPLY: operator.mul,
}


def _remainder(left: Any, right: Any) -> Any:
    """The remainder with the sign of ``left``."""
    if right == 0:
        raise Undefined(f"{left} % {right} is a remainder by zero")
    if isinstance(left, float):
        return math.fmod(left, right) if math.isfinite(left) else math.nan
    return abs(left) % abs(right) * (-1 if left < 0 else 1)


def _substring(text: str, start: int, count: int) -> str:
    """``start`` counts code points from 1, or from the end if negative; 0 means 1."""
    begin = start - 1 if start > 0 else start + len(text) if start < 0 else 0
    return text[max(begin, 0) : max(begin + count, 0)]


def _moved(days: int, count: int) -> int:
    """Dates are 32-bit numbers, and date_add wraps around without an error (Spark)."""
    return (days + count + _INTEGER_SPAN // 2) % _INTEGER_SPAN - _INTEGER_SPAN // 2


#: Below this (the end of Armenian), letters have had both cases for long, except for two Latin letters whose upper case came
#: with Unicode 16.
_OLD_LETTERS = 0x0590
_YOUNG_CASES = "\u019b\u0264"


def _cased(change: Callable[[str], str], text: str) -> str:
    for character in text:
        if ord(character) >= _OLD_LETTERS or character in _YOUNG_CASES:
            # Characters without cases are unchanged.
            has_case = unicodedata.category(character) in ("Lu", "Ll", "Lt") or change(character) != character
            unassigned = unicodedata.category(character) == "Cn" and ord(character) & 0xFFFE != 0xFFFE
            if has_case or unassigned:
                raise ValueError(f"the other case of {character!r} (in {text!r}) is not the same in all engines")
    return change(text)


_PLAIN: dict[Function, Callable[..., Value]] = {
    Function.UPPER: lambda text: _cased(str.upper, text),
    Function.LOWER: lambda text: _cased(str.lower, text),
    Function.TRIM: lambda text: text.strip(" "),
    Function.LENGTH: len,
    Function.SUBSTRING: _substring,
    Function.CONCAT: lambda *texts: "".join(texts),
    Function.STARTSWITH: str.startswith,
    Function.RLIKE: lambda text, pattern: rlike_expression(pattern).search(text) is not None,
    Function.DATE_ADD: _moved,
    Function.DATE_SUB: lambda days, count: _moved(days, -count),
    Function.DATEDIFF: lambda end, start: _moved(end, -start),
    Function.SIZE: len,
}

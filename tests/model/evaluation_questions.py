"""Predicates over every type and rows of edge values, for comparing the model with an engine.

Each chapter is a function that gives predicates over the columns ``TYPES``; any of them may be asked of any of ``ROWS``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from datetime import date, datetime, timezone
from decimal import Decimal

from model.semantics.casts import CASTS, CASTS_OF_DECIMAL
from model.vocabulary.predicate import (
    And,
    Between,
    Call,
    CaseWhen,
    Cast,
    Compare,
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
from model.vocabulary.values import (
    NAN,
    WHOLE_NUMBERS,
    AnyType,
    ArrayOf,
    DecimalOf,
    MapOf,
    StructOf,
    Type,
    Value,
    is_nested,
)

ZONES = ("UTC", "America/Los_Angeles", "Asia/Kolkata", "Australia/Lord_Howe")

INFINITY = math.inf


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=timezone.utc)  # type: ignore[arg-type,misc]


D20, D5_2, D38 = DecimalOf(20, 0), DecimalOf(5, 2), DecimalOf(38, 10)
NESTED = StructOf((("a b", Type.INTEGER), ("s", StructOf((("d", Type.DATE),)))))

VALUES: dict[AnyType, tuple[Value, ...]] = {
    Type.STRING: (
        "abc", None, "", " ", "12", "-7", " 42 ", "1.5", "2020-02-29", "2020-2-9 x", "true", "ABC", "a\nb", "aüb", "\uffff",
        "\U0001f600c", "b", "9999999999", "ab%c", "NaN",
    ),
    Type.BINARY: (b"a", None, b"", b"\x00", b"\x00\xff", b"\xff", b"a\x00"),
    Type.BYTE: (1, None, -128, 127, 0, -7),
    Type.SHORT: (1, None, -(2**15), 2**15 - 1, 0, 200),
    Type.INTEGER: (1, None, -(2**31), 2**31 - 1, 0, -7, 40000),
    Type.LONG: (1, None, -(2**63), 2**63 - 1, 0, 2**31, 2**53 + 1),
    Type.FLOAT: (
        1.0, None, NAN, -0.0, 0.0, INFINITY, -INFINITY, 3.4028234663852886e38, 1.401298464324817e-45, 0.10000000149011612, 2.5,
    ),
    Type.DOUBLE: (
        1.0, None, NAN, -0.0, 0.0, INFINITY, -INFINITY, 1.7976931348623157e308, 5e-324, 0.1, -2.5, 2.0**63, 2.0**31, 2.0**53,
    ),
    Type.BOOLEAN: (True, None, False),
    Type.DATE: (
        date(2020, 2, 29), None, date(1, 1, 2), date(1582, 10, 4), date(1969, 12, 31), date(9999, 12, 31), date(1500, 3, 1),
        date(2019, 3, 10), date(1941, 10, 1), date(1906, 1, 1),  # clocks in Asia/Kolkata skipped midnight on the last two
    ),
    Type.TIMESTAMP: (
        utc(2020, 2, 29, 23, 30), None, utc(1, 1, 1), utc(1582, 10, 5, 3), utc(9999, 12, 31, 23, 59, 59, 999999),
        utc(1969, 12, 31, 23, 59, 59, 500000), utc(1883, 11, 18, 20),
        # Around changes of the clocks of America/Los_Angeles and Australia/Lord_Howe.
        utc(2019, 11, 3, 8, 30), utc(2019, 11, 3, 9, 30), utc(2019, 3, 10, 10), utc(2019, 4, 6, 15, 15),
    ),
    Type.TIMESTAMP_NTZ: (
        datetime(2020, 2, 29, 23, 30), None, datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999),
        datetime(2019, 3, 10, 2, 30), datetime(2019, 10, 6, 2, 15),
    ),
    D20: (Decimal(1), None, Decimal("-99999999999999999999"), Decimal("99999999999999999999"), Decimal(0), Decimal(200)),
    D5_2: (Decimal("1.00"), None, Decimal("-999.99"), Decimal("0.05"), Decimal("1.50")),
    D38: (
        Decimal("1.0000000000"), None, Decimal("-9999999999999999999999999999.9999999999"),
        Decimal("9999999999999999999999999999.9999999999"), Decimal("0.0000000001"),
    ),
    ArrayOf(Type.INTEGER): ((1, 2), None, (), (None,), (1, None), (3,)),
    ArrayOf(Type.STRING): (("a", "b"), None, (), (None, "a")),
    ArrayOf(Type.DOUBLE): ((NAN, -0.0), None, (1.0, None)),
    ArrayOf(Type.TIMESTAMP): ((utc(2020, 1, 1), None), None),
    MapOf(Type.STRING, Type.INTEGER): ((("a", 1), ("b", None)), None, ()),
    MapOf(Type.DATE, D5_2): (((date(2020, 2, 29), Decimal("1.50")),), None, ()),
    NESTED: ((1, (date(2020, 2, 29),)), None, (None, None), (2, (None,))),
}  # fmt: skip

#: One column of each type. Names need their back-ticks.
TYPES: dict[str, AnyType] = {f"c.`{number}`": type for number, type in enumerate(VALUES)}

#: Each row has one value of each type, so that every value is in some row.
ROWS: tuple[dict[str, Value], ...] = tuple(
    {name: VALUES[type][place % len(VALUES[type])] for name, type in TYPES.items()}
    for place in range(max(map(len, VALUES.values())))
)


def column(type: AnyType) -> str:
    """The name of the column of a type."""
    return next(name for name, kind in TYPES.items() if kind == type)


def of(type: AnyType) -> Of:
    return Of(column(type))


def whole(number: int, type: AnyType = Type.INTEGER) -> Literal:
    return Literal(number, type)


def text(value: str | None) -> Literal:
    return Literal(value, Type.STRING)


def call(function: Function, *arguments: Expression) -> Call:
    return Call(function, arguments)


def is_any(expression: Expression, *values: Literal) -> list[Predicate]:
    """Whether it is NULL, and how it compares with these."""
    found: list[Predicate] = [Missing(expression)]
    for value in values:
        found += [
            Relate(expression, Op.EQ, value),
            Relate(expression, Op.LT, value),
            Not(Relate(expression, Op.NULL_SAFE_EQ, value)),
        ]
    return found


def comparisons() -> Iterable[Predicate]:
    """The predicates that compare a column with values of its own type."""
    for type, values in VALUES.items():
        name = column(type)
        yield IsNull(name)
        yield Not(IsNull(name))
        yield Missing(Of(name))
        if is_nested(type):
            continue
        for place, value in enumerate(values):
            yield Compare(name, list(Op)[place % len(Op)], value, type)
            yield Compare(name, list(Op)[(place + 3) % len(Op)], value, type)
            yield Relate(Of(name), list(Op)[(place + 5) % len(Op)], Literal(value, type))
            yield Not(Relate(Literal(value, type), Op.NULL_SAFE_EQ, Of(name)))
        yield Between(name, values[0], values[-1], type)
        yield Not(Between(name, values[-1], values[0], type))
        yield Between(name, None, values[0], type)
        yield In(name, values[2:4], type)
        yield In(name, (values[0], None), type)
        yield Not(In(name, values[2:3], type))
        yield In(name, tuple(v for v in values if v is not None) * 4, type)  # a set, in Spark, from eleven values on
    for left, right in (
        (Type.BYTE, Type.LONG),
        (Type.LONG, Type.DOUBLE),
        (Type.FLOAT, Type.DOUBLE),
        (Type.SHORT, Type.DOUBLE),
        (D20, D5_2),
    ):
        for op in Op:
            yield Relate(of(left), op, of(right))
    yield Relate(of(Type.LONG), Op.EQ, Literal(2.0**53, Type.DOUBLE))
    yield Relate(of(Type.DOUBLE), Op.EQ, whole(2**53 + 1, Type.LONG))
    yield Holds(of(Type.BOOLEAN))
    yield Not(Holds(of(Type.BOOLEAN)))
    yield Or(Holds(of(Type.BOOLEAN)), And(IsNull(column(Type.BYTE)), Not(Holds(of(Type.BOOLEAN)))))
    for pattern in ("%", "a%", "_", "%b", "ab\\%c", "a_b", ""):
        yield Like(column(Type.STRING), pattern)


def strings() -> Iterable[Predicate]:
    s = of(Type.STRING)
    for function in (Function.UPPER, Function.LOWER, Function.TRIM):
        yield from is_any(call(function, s), text("abc"), text("AÜB"), text("42"), text(""))
    yield from is_any(call(Function.LENGTH, s), whole(0), whole(2), whole(3))
    yield from is_any(call(Function.LENGTH, of(Type.BINARY)), whole(2))
    for start, count in (
        (1, 1),
        (0, 2),
        (2, 5),
        (-1, 1),
        (-2, 1),
        (-9, 8),
        (3, 0),
        (1, -1),
        (2**31 - 1, 2**31 - 1),
        (-(2**31), 2**31 - 1),
    ):
        part = call(Function.SUBSTRING, s, whole(start), whole(count))
        yield from is_any(part, text("a"), text("b"), text(""), text("\U0001f600"))
    yield from is_any(call(Function.SUBSTRING, s, of(Type.INTEGER), whole(2)), text("ab"))
    yield from is_any(call(Function.CONCAT, s, text("x"), s), text("abcxabc"))
    yield from is_any(call(Function.CONCAT, s), text("b"))
    yield Missing(call(Function.CONCAT, s, text(None)))
    for prefix in ("", "a", "ab", "\U0001f600", None):
        starts = Holds(call(Function.STARTSWITH, s, text(prefix)))
        yield from (starts, Not(starts))
    for pattern in RLIKES:
        matches = Holds(call(Function.RLIKE, s, text(pattern)))
        yield from (matches, Not(matches))
    yield Relate(call(Function.RLIKE, s, text("a")), Op.EQ, call(Function.STARTSWITH, s, text("a")))
    yield Holds(call(Function.RLIKE, s, text(None)))
    yield from is_any(call(Function.COALESCE, s, text("none")), text("none"))
    yield from is_any(CaseWhen(Like(s.column, "a%"), text("one"), s), text("one"), text("b"))


#: Regular expressions.
RLIKES = (
    "b", "^a", "c$", "^abc$", "^[0-9]+$", "a.b", "[^a-z]", "a|^b$", "(ab)+c?", r"\d{2}", r"^\w*$", r"\s", "ü", r"^.$", "^$",
    "a*", r"b$", "\U0001f600", "[\U0001f600-\U0001f601]", r"\.", "x{0,2}y", r"[\[\]\-\\]", "^a\nb$", "%",
)  # fmt: skip


def numbers() -> Iterable[Predicate]:
    kinds: list[AnyType] = [*WHOLE_NUMBERS]
    for function in (Function.ADD, Function.SUBTRACT, Function.MULTIPLY, Function.REMAINDER):
        for place, kind in enumerate(kinds):
            for operand in (-1, 0, 1, 2, 7):
                yield Relate(call(function, of(kind), whole(operand, kind)), Op.GT, whole(1, kind))
            other = kinds[(place + 1) % len(kinds)]
            yield from is_any(call(function, of(kind), of(other)), whole(1, Type.LONG), whole(0, Type.LONG))
        for real in (1.5, 0.0, -0.0, NAN, INFINITY, -2.0):
            yield from is_any(
                call(function, of(Type.DOUBLE), Literal(real, Type.DOUBLE)),
                Literal(0.5, Type.DOUBLE),
                Literal(NAN, Type.DOUBLE),
            )
        yield from is_any(call(function, of(Type.LONG), of(Type.DOUBLE)), Literal(1.0, Type.DOUBLE))
        yield from is_any(call(function, whole(1, Type.LONG), Literal(None, Type.INTEGER)), whole(1))
    for kind in (*kinds, Type.FLOAT, Type.DOUBLE, D20, D5_2):
        value = Literal(VALUES[kind][0], kind)
        yield from is_any(call(Function.ABS, of(kind)), value)
        yield from is_any(call(Function.COALESCE, of(kind), value), value)
        yield Relate(call(Function.ABS, of(kind)), Op.GE, value)
        yield Relate(call(Function.ABS, of(kind)), Op.EQ, Literal(VALUES[kind][2], kind))
    for real_type in (Type.FLOAT, Type.DOUBLE):
        yield Holds(call(Function.ISNAN, of(real_type)))
        yield Not(Holds(call(Function.ISNAN, of(real_type))))
    yield Relate(call(Function.ADD, call(Function.REMAINDER, of(Type.INTEGER), whole(3)), whole(1)), Op.EQ, whole(0))


def nested() -> Iterable[Predicate]:
    for type in VALUES:
        if isinstance(type, (ArrayOf, MapOf)):
            yield from is_any(call(Function.SIZE, of(type)), whole(0), whole(2))
        if isinstance(type, ArrayOf):
            elements = {element for array in VALUES[type] if isinstance(array, tuple) for element in array}
            for element in sorted(elements, key=repr):
                contains = Holds(call(Function.ARRAY_CONTAINS, of(type), Literal(element, type.element)))
                yield from (contains, Not(contains))
    yield Holds(call(Function.ARRAY_CONTAINS, of(ArrayOf(Type.DOUBLE)), Literal(0.0, Type.DOUBLE)))
    yield Holds(call(Function.ARRAY_CONTAINS, of(ArrayOf(Type.INTEGER)), of(Type.INTEGER)))
    for key in ("a", "b", "c", None):
        yield from is_any(call(Function.ELEMENT_AT, of(MapOf(Type.STRING, Type.INTEGER)), text(key)), whole(1))
    found = call(Function.ELEMENT_AT, of(MapOf(Type.DATE, D5_2)), of(Type.DATE))
    yield from is_any(found, Literal(Decimal("1.50"), D5_2))
    yield from is_any(Member(of(NESTED), "a b"), whole(1))
    yield from is_any(Member(Member(of(NESTED), "s"), "d"), Literal(date(2020, 2, 29), Type.DATE))
    yield Missing(Member(of(NESTED), "s"))
    some = Literal(((1, None), (3,)), ArrayOf(ArrayOf(Type.INTEGER)))
    yield Relate(call(Function.SIZE, some), Op.EQ, whole(2))
    yield Relate(call(Function.SIZE, Literal((), ArrayOf(Type.INTEGER))), Op.EQ, whole(0))
    for type, values in VALUES.items():
        if is_nested(type):
            for value in values[:2]:
                yield Missing(Literal(value, type))


def moments() -> Iterable[Predicate]:
    for type in (Type.DATE, Type.TIMESTAMP, Type.TIMESTAMP_NTZ):
        for function, parts in (
            (Function.YEAR, (2020, 0, 10000, 1969)),
            (Function.MONTH, (2, 12)),
            (Function.DAY, (29, 31, 1)),
        ):
            yield from is_any(call(function, of(type)), *map(whole, parts))
        for value in VALUES[type]:
            yield Compare(column(type), Op.LE, value, type)
            yield Relate(of(type), Op.EQ, Literal(value, type))
    for function in (Function.DATE_ADD, Function.DATE_SUB):
        for count in (
            whole(1),
            whole(-400),
            whole(127, Type.BYTE),
            whole(366, Type.SHORT),
            whole(2**31 - 1),
            of(Type.INTEGER),
        ):
            moved = call(function, of(Type.DATE), count)
            yield from is_any(moved, Literal(date(2020, 3, 1), Type.DATE), Literal(date(9999, 12, 31), Type.DATE))
            yield Relate(call(Function.YEAR, moved), Op.GT, whole(2000))
            yield Relate(Cast(moved, Type.STRING), Op.GT, text("2"))
            if count != whole(2**31 - 1) and not isinstance(count, Of):
                yield Relate(Cast(moved, Type.TIMESTAMP), Op.GT, Literal(utc(2000, 1, 1), Type.TIMESTAMP))
    days = call(Function.DATEDIFF, of(Type.DATE), Literal(date(2020, 1, 1), Type.DATE))
    yield from is_any(days, whole(59), whole(0))
    yield Relate(call(Function.DATEDIFF, call(Function.CURRENT_DATE), of(Type.DATE)), Op.GT, whole(365))
    for op in Op:
        yield Relate(of(Type.DATE), op, call(Function.CURRENT_DATE))
    for source in (Type.DATE, Type.TIMESTAMP, Type.TIMESTAMP_NTZ):
        for target in sorted(CASTS[source]):
            yield from _cast_tests(source, target)
    for written in TIMESTAMPS:
        moment = Cast(_unfolded(written), Type.TIMESTAMP)
        yield Relate(moment, Op.EQ, Literal(utc(2019, 11, 3, 8, 30), Type.TIMESTAMP))
        yield Relate(moment, Op.LT, Literal(utc(2019, 3, 10, 10, 30), Type.TIMESTAMP))


def _unfolded(written: str) -> Expression:
    """The text, or NULL if the row has no STRING: an error in a constant would be raised before any row is read."""
    return call(Function.CONCAT, text(written), call(Function.SUBSTRING, of(Type.STRING), whole(1), whole(0)))


#: Texts of timestamps, and of what is nearly one.
TIMESTAMPS = (
    "2019-11-03 01:30:00", "2019-11-03T01:30", "2019-03-10 02:30:00", "2019-11-03 14", "2019-11-03 08:30:00Z",
    "2019-11-3 8:30:0.000Z", "2019-11-03 08:30:00 +00:00", "2019-11-03 14:00:00.0000009+5:30", "2019", "2019-11", "2019-11-03",
    "2019-11-03 ", "2019-11-03T", "2019-11-03 24:00", "2019-13-01", "2019-11-03 08:30:60", "2019-11-03 08:30:00+19:00",
    "2019-11-03 08:30:00+01:60", "+2019-11-03", "-0001-01-01", "201", "9999999-01-01", "300000-01-01", "2019-11-03 08:30:00.",
    "2019-11-03 08:30:00.1.2", "x", "", "12", "2019-11-03 08:30:001",
)  # fmt: skip


#: Of each type as a target, what results are compared with.
PROBES: dict[Type, tuple[Value, ...]] = {
    Type.STRING: ("1", "2020-02-29", "2020-02-29 23:30:00", "true", "1.00"),
    Type.BYTE: (1, 127),
    Type.SHORT: (1, 42),
    Type.INTEGER: (1, -7, 2**31 - 1),
    Type.LONG: (1, -7, 2**63 - 1),
    Type.DOUBLE: (1.0, NAN, 0.1),
    Type.BOOLEAN: (True,),
    Type.DATE: (date(2020, 2, 29), date(2020, 2, 9), date(1, 1, 1)),
    Type.TIMESTAMP: (
        utc(2020, 2, 29),
        utc(2019, 3, 10, 10),
        utc(1941, 9, 30, 18, 30),
        utc(1905, 12, 31, 18, 38, 50),
        utc(1905, 12, 31, 18, 30),
    ),
    Type.TIMESTAMP_NTZ: (datetime(2020, 2, 29), datetime(2019, 3, 10, 3)),
}


def _cast_tests(source: AnyType, target: Type) -> Iterable[Predicate]:
    yield from is_any(Cast(of(source), target), *(Literal(value, target) for value in PROBES[target]))


def casts() -> Iterable[Predicate]:
    for source, targets in CASTS.items():
        for target in (source, *sorted(targets)):
            if target in PROBES and (source, target) != (Type.STRING, Type.TIMESTAMP):
                yield from _cast_tests(source, target)
    for decimal in (D20, D5_2, D38):
        for target in sorted(CASTS_OF_DECIMAL):
            yield from _cast_tests(decimal, target)
    for written, target in TEXTS:
        given = Cast(_unfolded(written), target)
        yield Missing(given)
        yield from (Relate(given, Op.EQ, Literal(value, target)) for value in PROBES[target])
    # Not every error is come upon.
    failing = Relate(Cast(of(Type.STRING), Type.INTEGER), Op.GT, whole(10))
    yield And(Like(column(Type.STRING), "1_"), failing)
    yield Or(Not(Like(column(Type.STRING), "1_")), failing)
    guarded = CaseWhen(Like(column(Type.STRING), "1_"), Cast(of(Type.STRING), Type.INTEGER), whole(0))
    yield Relate(guarded, Op.EQ, whole(12))
    yield Relate(call(Function.COALESCE, whole(5), Cast(of(Type.STRING), Type.INTEGER)), Op.EQ, whole(5))
    yield Relate(CaseWhen(failing, whole(1), whole(2)), Op.EQ, whole(2))


_WHOLE_TEXTS = (
    "+1", "-", "", "1 2", "\t-7\x00", "１", "0x1", "1L", "2147483648", "-0", "1e0", "1.0", "\u00a01", "\x7f1\x1f",
)  # fmt: skip
_REAL_TEXTS = (
    "1", "1.", ".1", "1d", "1D", "1F", "+1e0", "nan", "NaN", "-NaN", "+nan", " nan ", "inf", "-Infinity", "INFINITY", "ınf",
    "0x1p0", "0x1", "1e999", "1_0", "", ".", "\t1\n", "\x7f1", "1e",
)  # fmt: skip
_DATE_TEXTS = (
    "2020", "2020-2", "2020-02-29", "2020-02-30", "2019-02-29", " 2020-2-29 ", "2020-02-29T", "2020-02-29Tx", "2020-02-29 x",
    "2020-02-29x", "2020-02x", "020-02-29", "+2020-02-29", "-2020-02-29", "0000-01-01", "10000-01-01", "9999999-01-01",
    "2020-002-29", "2020-02-291", "", "2020-", "20-02-29", "2020/02/29",
)  # fmt: skip

#: Texts, each with a type that it is cast to, or cannot be.
TEXTS: tuple[tuple[str, Type], ...] = (
    *((number, Type.INTEGER) for number in _WHOLE_TEXTS),
    *((number, Type.DOUBLE) for number in _REAL_TEXTS),
    *((word, Type.BOOLEAN) for word in ("t", "TRUE", " yes ", "1", "0", "no", "on", "", "2")),
    *((day, Type.DATE) for day in _DATE_TEXTS),
)

#: By name.
CHAPTERS: dict[str, Callable[[], Iterable[Predicate]]] = {
    "comparisons": comparisons,
    "strings": strings,
    "numbers": numbers,
    "nested": nested,
    "casts": casts,
    "moments": moments,
}

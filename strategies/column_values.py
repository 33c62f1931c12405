"""Values by type, out of small domains: equal values, so matches, duplicates and shared partitions, are frequent.

No value lies between 2021 and 9000: what a condition says of the current date must not depend on the day of the run.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timezone
from decimal import Decimal
from functools import cache
from itertools import zip_longest

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from model.values import NAN, AnyType, ArrayOf, DecimalOf, MapOf, Row, Type, Value

#: Strings that names, paths, literals and sort orders stumble over. The plain ones come first, shrinking goes there.
#: No two differ by case or normal form only, as some file systems cannot hold both. Control characters are left out,
#: and so is Hive's name for NULL: all of these may be partition values.
STRINGS = (
    "a",
    "b",
    "ab",
    "a b",
    "50%",
    "x=y",
    "a/b",
    "ü",
    "e\u0301",
    "\U0001f600",  # above U+FFFF: stands after U+FFFF in UTF-8's order, before it in UTF-16's
    "\uffff",
    "'quoted'",
    '"',
    "back\\slash",
    "%41",
    "a+b",
    "C:x",
    "#",
    "?",
    ".hidden",
    "_x",
    "null",
    " lead",
    "trail ",
    "2020-01-31",
    "1",
)

_AS_LONG_AS_STATISTICS = "0123456789abcdef" * 2  # 32 characters: what Delta's statistics keep of a string

#: Longer than what statistics keep of a string, with prefixes in common: a bound that is cut wrongly loses rows.
LONG_STRINGS = (
    _AS_LONG_AS_STATISTICS + "a",
    _AS_LONG_AS_STATISTICS + "b",
    _AS_LONG_AS_STATISTICS,
    "k" * 120,
    "k" * 120 + "a",
    "k" * 119 + "z",
    "ü" * 40,
    "\U0001f600" * 33,  # a character that UTF-16 writes in two halves stands where the cut falls
    "\uffff" * 33,  # the greatest of its plane: a cut bound cannot be raised in place
)

#: Strings of data columns beside ``STRINGS``: cases, normal forms, control characters and a zero-width one.
DATA_STRINGS = ("A", "AB", "\u00e9", "12", "-3", "007", "tab\there", "line\nbreak", "\x01", "z\u200d", "")

#: What a cast to a number takes, in a column that holds nothing else.
NUMBER_STRINGS = ("1", "2", "12", "-3", "007", "0")

#: Close together, around zero, and then the ends of the type.
INTEGERS = (0, 1, 2, 3, 4, 5, -1, -2, 2**31 - 1, -(2**31))
LONGS = (0, 1, 2, 3, 4, 5, -1, -2, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, -(2**63))
BYTES = (0, 1, 2, 3, -1, -2, 127, -128)
SHORTS = (0, 1, 2, 3, -1, 128, 2**15 - 1, -(2**15))

#: Neighbours, a leap day, and old ones. None before 1900: there readers do not agree about calendars.
DATES = (
    date(2020, 1, 31),
    date(2020, 2, 1),
    date(2020, 2, 2),
    date(2020, 2, 29),
    date(1970, 1, 1),
    date(1969, 12, 31),
    date(1900, 1, 1),
    date(9999, 12, 31),
)

#: Around the calendar's reform of 1582, which Spark's own calendar (proleptic Gregorian) does not know, and at its ends.
#: None lies in the ten days that older calendars leave out, in any zone: Spark's Parquet filters lose them (docs/findings.md).
OLD_DATES = (
    date(1582, 10, 15),
    date(1582, 10, 4),
    date(1500, 2, 28),
    date(1500, 3, 1),
    date(1, 1, 2),
    date(9999, 12, 30),
)

#: Each exact in 32 bits. NaN, the zeros and the infinities stand together, as neighbours meet most often.
FLOATS = (
    0.0,
    1.0,
    1.5,
    -0.0,
    NAN,
    float("inf"),
    float("-inf"),
    -1.5,
    0.10000000149011612,  # the FLOAT nearest to 0.1
    3.4028234663852886e38,
    -3.4028234663852886e38,
    1.1754943508222875e-38,  # the smallest normal one
    1.401298464324817e-45,  # the smallest of all
    16777216.0,
)

DOUBLES = (
    0.0,
    1.0,
    1.5,
    -0.0,
    NAN,
    float("inf"),
    float("-inf"),
    -1.5,
    0.1,
    1.7976931348623157e308,
    -1.7976931348623157e308,
    2.2250738585072014e-308,
    5e-324,
    9007199254740992.0,
)

BINARIES = (b"a", b"b", b"", b"\x00", b"\xff", b"\x00\x01", b"a\x00", b"\x7f", b"\x80", b"k" * 40, b"\xff" * 40)


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)


#: Microseconds, midnights of the zones that are drawn, and changes of their summer time. Two days inside the years
#: 1 and 9999 in every zone.
TIMESTAMPS = (
    _utc("2020-01-31T00:00:00"),
    _utc("2020-01-31T00:00:00.000001"),
    _utc("2020-01-31T12:34:56.789012"),
    _utc("2020-01-30T23:59:59.999999"),
    _utc("2020-01-31T08:00:00"),  # midnight in Los Angeles
    _utc("2020-01-31T07:59:59.999999"),
    _utc("2020-01-30T18:30:00"),  # midnight in Kolkata
    _utc("2020-03-08T09:59:59.999999"),  # the last moment of winter in Los Angeles
    _utc("2020-03-08T10:00:00"),
    _utc("2020-11-01T08:30:00"),  # half past one there, for the first time
    _utc("2020-11-01T09:30:00"),  # and for the second time
    _utc("2020-04-04T14:30:00"),  # half past one on Lord Howe, whose clocks go back by half an hour at 15:00
    _utc("2020-04-04T15:00:00"),
    _utc("2020-10-03T15:29:59.999999"),
    _utc("2020-10-03T15:30:00"),
    _utc("1970-01-01T00:00:00"),
    _utc("1969-12-31T23:59:59.999999"),
    _utc("1899-12-31T23:59:59.999"),
    _utc("1582-10-16T00:00:00"),
    _utc("1582-10-03T23:59:59.999999"),
    _utc("1500-02-28T12:00:00"),
    _utc("0001-01-03T00:00:00.000001"),
    _utc("9999-12-29T23:59:59.999999"),
)

#: Moments of an hour that comes twice, the second time, and the same moments an hour later. No partition has the former:
#: Delta 4.4 moves their rows to the first time when it rewrites them (docs/findings.md), in each case anew.
_SECOND_TIMES = {
    _utc("2020-11-01T09:30:00"): _utc("2020-11-01T10:30:00"),
    _utc("2020-04-04T15:00:00"): _utc("2020-04-04T16:00:00"),
}

#: Without a zone: among them times that a zone's change of clocks leaves out.
TIMESTAMPS_NTZ = (
    datetime(2020, 1, 31),
    datetime(2020, 1, 31, 0, 0, 0, 1),
    datetime(2020, 1, 31, 12, 34, 56, 789012),
    datetime(2020, 1, 30, 23, 59, 59, 999999),
    datetime(2020, 3, 8, 2, 30),
    datetime(2020, 11, 1, 1, 30),
    datetime(1970, 1, 1),
    datetime(1969, 12, 31, 23, 59, 59, 999999),
    datetime(1582, 10, 15, 12),
    datetime(1582, 10, 4, 23, 59, 59, 999999),
    datetime(1, 1, 3, 0, 0, 0, 1),
    datetime(9999, 12, 29, 23, 59, 59, 999999),
)

#: What ``values`` draws by default. The strings, numbers and dates here may be partition values everywhere.
DOMAINS: dict[Type, tuple[Value, ...]] = {
    Type.STRING: STRINGS,
    Type.BINARY: BINARIES,
    Type.BYTE: BYTES,
    Type.SHORT: SHORTS,
    Type.INTEGER: INTEGERS,
    Type.LONG: LONGS,
    Type.FLOAT: FLOATS,
    Type.DOUBLE: DOUBLES,
    Type.BOOLEAN: (False, True),
    Type.DATE: DATES,
    Type.TIMESTAMP: TIMESTAMPS,
    Type.TIMESTAMP_NTZ: TIMESTAMPS_NTZ,
}

#: What wide domains have besides, in data columns and in partition columns.
_MORE_DATA: dict[Type, tuple[Value, ...]] = {Type.STRING: LONG_STRINGS + DATA_STRINGS, Type.DATE: OLD_DATES}
_MORE_PARTITIONS: dict[Type, tuple[Value, ...]] = {Type.STRING: LONG_STRINGS[:2], Type.DATE: OLD_DATES}


@cache
def domain(type: AnyType, *, partition: bool = False) -> tuple[Value, ...]:
    """All the values of ``type`` that wide domains have, each once and none NULL, the plain ones first.

    ``partition`` leaves out what a partition value may not be, or what does not fit into the name of a directory.
    Values of nested types are made of the first values of their parts, with NULLs, empty ones and duplicates inside.
    """
    if partition and type is Type.TIMESTAMP:
        return tuple(_SECOND_TIMES.get(value, value) for value in TIMESTAMPS)
    if isinstance(type, Type):
        return DOMAINS[type] + (_MORE_PARTITIONS if partition else _MORE_DATA).get(type, ())
    if isinstance(type, DecimalOf):
        return tuple(_decimals(type))
    if isinstance(type, ArrayOf):
        first, second, third = _parts(type.element)[:3]
        return ((first,), (first, second), (), (None,), (second, None, first), (first, first), (third,) * 9)
    if isinstance(type, MapOf):
        keys = domain(type.key)[:3]
        first, second, third = _parts(type.value)[:3]
        pairs = (
            ((keys[0], first),),
            ((keys[0], second), (keys[1], first)),
            (),
            ((keys[0], None),),
            tuple(zip_longest(keys, (third, None))),
        )
        return tuple(tuple(sorted(entries, key=lambda entry: repr(entry[0]))) for entries in pairs)
    # Structs: the fields' values beside one another, each field at another pace, and then with NULLs.
    parts = [_parts(kind) for _, kind in type.fields]
    whole = [tuple(part[(turn * (place + 1)) % 3] for place, part in enumerate(parts)) for turn in range(3)]
    holed = [(None, *whole[0][1:]), (*whole[1][:-1], None), (None,) * len(parts)]
    return _distinct(whole + holed)


def _distinct(found: Iterable[Value]) -> tuple[Value, ...]:
    """Each value once. By their texts: -0.0 and 0.0 are equal, and both are wanted."""
    return tuple({repr(value): value for value in found}.values())


def _parts(type: AnyType) -> tuple[Value, ...]:
    """Three values at least to make nested ones of: plain ones, and then the last of the domain."""
    found = domain(type)
    return (*found[:2], found[-1])


def _decimals(type: DecimalOf) -> Iterable[Value]:
    """Whole ones, the smallest steps, and the ends. Built digit by digit: no context may round 38 digits."""
    greatest = 10**type.precision - 1
    one = 10**type.scale
    steps = [0, one, 2 * one, 1, one + one // 5, -1, -one, greatest, -greatest, greatest - 1, greatest // 10]
    for unscaled in dict.fromkeys(step for step in steps if abs(step) <= greatest):
        digits = tuple(int(digit) for digit in str(abs(unscaled)))
        yield Decimal((int(unscaled < 0), digits, -type.scale))


#: How many different values a column of a table has, at most.
POOL = 4


@cache
def pools(type: AnyType, *, partition: bool = False) -> SearchStrategy[tuple[Value, ...]]:
    """Up to ``POOL`` values of a wide domain, for a column to keep to: then rows of different files share values.

    Half are neighbours in the domain, which are related ones, and half stand apart. One string column in eight or so
    holds nothing but numbers. Shrinks to the plain values.
    """
    found = domain(type, partition=partition)
    apart = max(len(found) // POOL, 1)
    starts = range(len(found))
    chosen = [
        [found[(start + place * step) % len(found)] for place in range(POOL)] for step in (1, apart) for start in starts
    ]
    drawn = [_distinct(values) for values in chosen]
    if type is Type.STRING:
        drawn += [NUMBER_STRINGS[:POOL], NUMBER_STRINGS[2:]] * (len(drawn) // 16)
    return st.sampled_from(drawn)


def values(type: AnyType, *, nulls: int = 5, empty: bool = True) -> SearchStrategy[Value]:
    """Values of ``type``. Shrinks to the domain's first value.

    There is a NULL for every ``nulls`` other values, none where ``nulls`` is 0. ``empty`` allows the empty string,
    which no partition value may be: Delta reads it back as NULL (PROTOCOL.md, "Partition Value Serialization").
    """
    return _values(type, nulls, empty)


@cache
def _values(type: AnyType, nulls: int, empty: bool) -> SearchStrategy[Value]:
    # One draw of one list, as values are most of what a case draws.
    found = DOMAINS[type] if isinstance(type, Type) else domain(type)
    found += ("",) if type is Type.STRING and empty else ()
    # Some half of the draws are among the first few values, so that equal ones meet even in a table of a few rows.
    often = max(len(found) // 4, 1)
    pool = found[:4] * often + found
    # Every value ``nulls`` times and as many NULLs as values: the share is exact in the smallest domain too.
    return st.sampled_from(pool * nulls + (None,) * len(pool) if nulls else pool)


def rows(types: tuple[AnyType, ...]) -> SearchStrategy[Row]:
    """Rows of one value for each type. Shrinks value by value."""
    return _rows(types)


@cache
def _rows(types: tuple[AnyType, ...]) -> SearchStrategy[Row]:
    return st.tuples(*(values(type) for type in types))


def comes_after(left: Value, right: Value) -> bool:
    """Whether ``left`` is greater than ``right``, both of one primitive type and not NULL. Strings go by their bytes.

    NaN is after nothing here, and nothing is after it: who asks only wants a sensible order.
    """
    if isinstance(left, str) and isinstance(right, str):
        return left.encode() > right.encode()
    return left > right  # type: ignore[operator]  # both are of one type, and not NULL

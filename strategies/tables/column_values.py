"""Values by type, from small domains, so that matches, duplicates and shared partitions are frequent.

No date is between 2021 and 9000: conditions with the current date must not depend on the day of the run.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timezone
from decimal import Decimal
from functools import cache
from itertools import zip_longest

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from model.vocabulary.values import NAN, AnyType, ArrayOf, DecimalOf, MapOf, Row, Type, Value

#: Strings that are difficult in names, paths, literals and sort orders; the plain ones first, for shrinking. All may be
#: partition values: no two differ only by case or normal form, because some file systems cannot hold both, and there
#: are no control characters and no __HIVE_DEFAULT_PARTITION__.
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
    "\U0001f600",  # above U+FFFF: after U+FFFF in the order of UTF-8, before it in that of UTF-16
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

_STATISTICS_PREFIX = "0123456789abcdef" * 2  # Delta's statistics hold 32 characters of a string

#: Longer than the prefix in statistics, with common prefixes: a wrongly truncated bound loses rows.
LONG_STRINGS = (
    _STATISTICS_PREFIX + "a",
    _STATISTICS_PREFIX + "b",
    _STATISTICS_PREFIX,
    "k" * 120,
    "k" * 120 + "a",
    "k" * 119 + "z",
    "ü" * 40,
    "\U0001f600" * 33,  # truncation falls on a surrogate pair of UTF-16
    "\uffff" * 33,  # the greatest of its plane: a truncated bound cannot be raised in place
)

#: Additional strings of data columns: upper case, normal forms, control characters, a zero-width character, and characters that
#: end a line for some readers, but not in JSON.
DATA_STRINGS = (
    "A",
    "AB",
    "\u00e9",
    "12",
    "-3",
    "007",
    "tab\there",
    "line\nbreak",
    "\x01",
    "z\u200d",
    "",
    "line\u2028separator",
    "paragraph\u2029separator",
    "next\x85line",
)

#: Strings that can be cast to a number.
NUMBER_STRINGS = ("1", "2", "12", "-3", "007", "0")

#: Neighbours around zero, then the ends of the type.
INTEGERS = (0, 1, 2, 3, 4, 5, -1, -2, 2**31 - 1, -(2**31))
LONGS = (0, 1, 2, 3, 4, 5, -1, -2, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, -(2**63))
BYTES = (0, 1, 2, 3, -1, -2, 127, -128)
SHORTS = (0, 1, 2, 3, -1, 128, 2**15 - 1, -(2**15))

#: Neighbours, a leap day, and old dates. None before 1900, where readers use different calendars.
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

#: Around the calendar reform of 1582, which Spark's proleptic Gregorian calendar does not have, and at the ends of the
#: range. None is among the ten days that the reform skipped, in any zone: Spark's Parquet filters lose them
#: (docs/findings.md).
OLD_DATES = (
    date(1582, 10, 15),
    date(1582, 10, 4),
    date(1500, 2, 28),
    date(1500, 3, 1),
    date(1, 1, 2),
    date(9999, 12, 30),
)

#: Each exact in 32 bits. NaN, the zeros and the infinities are neighbours, because pools prefer neighbours.
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


#: Microseconds, midnights and daylight saving changes of the zones that are drawn. The first and last ones are two days
#: inside the years 1 and 9999, in every zone.
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
    _utc("2020-04-04T14:30:00"),  # half past one on Lord Howe Island, 30 minutes before daylight saving ends
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

#: Moments in the second of two equal local hours, and replacements one hour later. Partition values use the
#: replacements: Delta 4.4 moves the rows of the former to the first hour when it rewrites them (docs/findings.md).
_SECOND_TIMES = {
    _utc("2020-11-01T09:30:00"): _utc("2020-11-01T10:30:00"),
    _utc("2020-04-04T15:00:00"): _utc("2020-04-04T16:00:00"),
}

#: Without a zone, among them local times that daylight saving skips.
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

#: The values that ``values`` draws. All but BINARY may be partition values.
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

#: Additional values of ``domain``, for data columns and for partition columns.
_MORE_DATA: dict[Type, tuple[Value, ...]] = {Type.STRING: LONG_STRINGS + DATA_STRINGS, Type.DATE: OLD_DATES}
_MORE_PARTITIONS: dict[Type, tuple[Value, ...]] = {Type.STRING: LONG_STRINGS[:2], Type.DATE: OLD_DATES}


@cache
def domain(type: AnyType, *, partition: bool = False) -> tuple[Value, ...]:
    """All values of ``type``, distinct and none NULL, the plain ones first.

    With ``partition``, only those that a partition value and the name of its directory may have. Values of nested types
    contain the first values of their parts, NULLs, empty collections and duplicates.
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
    # Structs: combinations of the fields' values, then with NULLs, where they are allowed.
    parts = [_parts(kind) for _, kind in type.fields]
    complete = [tuple(part[(turn * (place + 1)) % 3] for place, part in enumerate(parts)) for turn in range(3)]
    ends = ((0,), (len(parts) - 1,), range(len(parts)))
    with_nulls = [
        tuple(
            None if place in null and name not in type.required else value
            for place, ((name, _), value) in enumerate(zip(type.fields, one))
        )
        for one, null in zip(complete, ends)
    ]
    return _distinct(complete + with_nulls)


def _distinct(found: Iterable[Value]) -> tuple[Value, ...]:
    """Each value once, compared by repr because -0.0 == 0.0."""
    return tuple({repr(value): value for value in found}.values())


def _parts(type: AnyType) -> tuple[Value, ...]:
    """Values for parts of nested values: the first two and the last of the domain."""
    found = domain(type)
    return (*found[:2], found[-1])


def _decimals(type: DecimalOf) -> Iterable[Value]:
    """Whole numbers, the smallest steps, the ends, and 17 digits. Made from digits, because the context would round 38 digits."""
    greatest = 10**type.precision - 1
    one = 10**type.scale
    steps = [
        0,
        one,
        2 * one,
        1,
        one + one // 5,
        -1,
        -one,
        greatest,
        -greatest,
        greatest - 1,
        greatest // 10,
        12345678901234567,
    ]
    for unscaled in dict.fromkeys(step for step in steps if abs(step) <= greatest):
        digits = tuple(int(digit) for digit in str(abs(unscaled)))
        yield Decimal((int(unscaled < 0), digits, -type.scale))


#: The most different values in a column of a table.
POOL = 4


@cache
def pools(type: AnyType, *, partition: bool = False) -> SearchStrategy[tuple[Value, ...]]:
    """Up to ``POOL`` values of ``domain`` for all rows of a column, so that files share values.

    Half of the pools are neighbours in the domain, which are related values; half are spread over it. About one in eight
    string columns holds numbers only. Shrinks to the plain values.
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
    """Values of ``type`` from ``DOMAINS``, with one NULL for every ``nulls`` other values (0: none).

    ``empty`` allows the empty string, which is read as NULL from a partition value (PROTOCOL.md, "Partition Value
    Serialization"). Shrinks to the domain's first value.
    """
    return _values(type, nulls, empty)


@cache
def _values(type: AnyType, nulls: int, empty: bool) -> SearchStrategy[Value]:
    # One draw from one list, because most draws of a case are values.
    found = DOMAINS[type] if isinstance(type, Type) else domain(type)
    found += ("",) if type is Type.STRING and empty else ()
    # About half of the draws are among the first four values, so that even small tables have equal values.
    often = max(len(found) // 4, 1)
    pool = found[:4] * often + found
    # Every value ``nulls`` times and as many NULLs as values: the share is exact in every domain.
    return st.sampled_from(pool * nulls + (None,) * len(pool) if nulls else pool)


def rows(types: tuple[AnyType, ...]) -> SearchStrategy[Row]:
    """Rows of one value for each type. Shrinks value by value."""
    return _rows(types)


@cache
def _rows(types: tuple[AnyType, ...]) -> SearchStrategy[Row]:
    return st.tuples(*(values(type) for type in types))


def comes_after(left: Value, right: Value) -> bool:
    """Whether ``left`` is greater than ``right``, both of one primitive type and not NULL. Strings compare by UTF-8 bytes.

    False if either is NaN.
    """
    if isinstance(left, str) and isinstance(right, str):
        return left.encode() > right.encode()
    return left > right  # type: ignore[operator]  # both are of one type, and not NULL

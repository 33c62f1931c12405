"""Values by type, out of small domains: equal values, so matches, duplicates and shared partitions, are frequent."""

from __future__ import annotations

from datetime import date
from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from model.values import Row, Type, Value

#: Strings that names, paths, literals and sort orders stumble over. The plain ones come first, shrinking goes there.
#: No two differ by case or normal form only, as some file systems cannot hold both. Control characters are left out
#: for now, and so is Hive's name for NULL.
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

#: Close together, around zero, and then the ends of the type.
INTEGERS = (0, 1, 2, 3, 4, 5, -1, -2, 2**31 - 1, -(2**31))
LONGS = (0, 1, 2, 3, 4, 5, -1, -2, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, -(2**63))

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

DOMAINS: dict[Type, tuple[Value, ...]] = {
    Type.STRING: STRINGS,
    Type.INTEGER: INTEGERS,
    Type.LONG: LONGS,
    Type.BOOLEAN: (False, True),
    Type.DATE: DATES,
}


def values(type: Type, *, nulls: int = 5, empty: bool = True) -> SearchStrategy[Value]:
    """Values of ``type``. Shrinks to the domain's first value.

    There is a NULL for every ``nulls`` other values, none where ``nulls`` is 0. ``empty`` allows the empty string,
    which no partition value may be: Delta reads it back as NULL (PROTOCOL.md, "Partition Value Serialization").
    """
    return _values(type, nulls, empty)


@cache
def _values(type: Type, nulls: int, empty: bool) -> SearchStrategy[Value]:
    # One draw of one list, as values are most of what a case draws.
    domain = DOMAINS[type] + (("",) if type is Type.STRING and empty else ())
    # Some half of the draws are among the first few values, so that equal ones meet even in a table of a few rows.
    often = max(len(domain) // 4, 1)
    pool = domain[:4] * often + domain
    # Every value ``nulls`` times and as many NULLs as values: the share is exact in the smallest domain too.
    return st.sampled_from(pool * nulls + (None,) * len(pool) if nulls else pool)


def rows(types: tuple[Type, ...]) -> SearchStrategy[Row]:
    """Rows of one value for each type. Shrinks value by value."""
    return _rows(types)


@cache
def _rows(types: tuple[Type, ...]) -> SearchStrategy[Row]:
    return st.tuples(*(values(type) for type in types))

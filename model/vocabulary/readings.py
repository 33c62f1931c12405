"""Ways to read a table, or to ask for less than all rows, which an engine may answer from the log, from statistics or by another
reader."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from model.vocabulary.values import AnyType, DecimalOf, Row, Type, Value


class Reading(str, Enum):
    """What is asked for."""

    ROWS = "all rows"
    COUNT = "the number of rows"
    COUNTED = "the number of rows that statistics count"  # by files without statistics it is less
    BOUNDS = "the least and the greatest value of each column"
    ONE = "one row"
    FILTERED = "the numbers of rows of conditions on each column"


#: The readings that are about columns, each of a type that ``is_ordered``.
OF_COLUMNS = (Reading.BOUNDS, Reading.FILTERED)

#: The types whose least and greatest value all engines agree on: not NaN and the sign of zero.
ORDERED = (
    *(Type.BYTE, Type.SHORT, Type.INTEGER, Type.LONG, Type.STRING, Type.DATE, Type.TIMESTAMP, Type.TIMESTAMP_NTZ),
)


def is_ordered(type: AnyType) -> bool:
    """Whether BOUNDS asks for columns of this type."""
    return isinstance(type, DecimalOf) or type in ORDERED


def bounds_of(rows: Sequence[Row], places: Sequence[int]) -> Row:
    """The least and the greatest value of the columns at these places, NULL aside, one after the other; NULL for none."""
    found: list[Value] = []
    for place in places:
        values = [row[place] for row in rows if row[place] is not None]
        found += [min(values), max(values)] if values else [None, None]  # type: ignore[type-var]
    return tuple(found)


def sought_of(rows: Sequence[Row], places: Sequence[int]) -> Row:
    """The value of the columns at these places that FILTERED looks for: the one in the middle; NULL for none."""
    found = [sorted({row[place] for row in rows if row[place] is not None}) for place in places]  # type: ignore[type-var]
    return tuple(values[len(values) // 2] if values else None for values in found)


def filtered_by(rows: Sequence[Row], places: Sequence[int]) -> Row:
    """How many rows have in each of these columns the value that is sought, a greater one, and none, one after the other."""
    counts: list[Value] = []
    for place, sought in zip(places, sought_of(rows, places)):
        values = [row[place] for row in rows]
        greater = [value for value in values if value is not None and value > sought]  # type: ignore[operator]
        counts += [values.count(sought) if sought is not None else 0, len(greater), values.count(None)]
    return tuple(counts)

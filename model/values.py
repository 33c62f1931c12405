"""Column types and the Python values that stand for their SQL values."""

from __future__ import annotations

from datetime import date
from enum import Enum
from typing import Union

#: A SQL value. ``None`` is NULL. A BOOLEAN is a ``bool``, an INTEGER or LONG an ``int``, a DATE a ``date``.
Value = Union[None, bool, int, str, date]

#: The values of one row, in the order of the columns that the context names.
Row = tuple[Value, ...]


class Type(str, Enum):
    """A primitive type, by its name in a Delta schema (PROTOCOL.md, "Primitive Types")."""

    STRING = "string"
    INTEGER = "integer"
    LONG = "long"
    BOOLEAN = "boolean"
    DATE = "date"

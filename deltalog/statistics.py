"""Per-file statistics, as Delta on Spark collects them (PROTOCOL.md, "Per-file Statistics")."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pyarrow as pa

from deltalog.errors import UnsupportedType

#: Columns beyond this many have no statistics (delta.dataSkippingNumIndexedCols); a struct counts as its leaves.
INDEXED_COLUMNS = 32

_PREFIX = 32  # characters kept of a string
_LAST_ASCII = "\x7f"
_LAST_CHARACTER = "\U0010ffff"


def count_statistics(table: pa.Table, *, tight_bounds: bool | None = None) -> str:
    """The JSON text of statistics that hold numRecords only."""
    return _text({"numRecords": table.num_rows}, tight_bounds)


def full_statistics(table: pa.Table, *, indexed: int = INDEXED_COLUMNS, tight_bounds: bool | None = None) -> str:
    """The JSON text of a file's numRecords, and of minValues, maxValues, nullCount of its first ``indexed`` leaves.

    ``table`` is what the file stores, under the names that it has there. A struct is an object of its fields; a field
    of a NULL struct counts as NULL. A boolean, a binary, an array, a map, or a column of NULLs has a nullCount alone.
    Strings are cut, timestamps are in UTC and cut down to milliseconds in both bounds, as the protocol has it. Of
    floating-point numbers NaN is the greatest, as for Spark; a bound that is no number is a string, as Spark writes it.
    ``tight_bounds`` is written when it is not ``None``: Delta writes it where deletion vectors are supported. With a
    deletion vector it is ``False``; the rest stays that of all rows stored. Raises UnsupportedType.
    Source: PROTOCOL.md, "Per-file Statistics"; Delta's StatisticsCollection for types, order and the cutting of strings.
    """
    collected = _Collected(indexed)
    for name, column in zip(table.column_names, table.columns):
        collected.add((name,), column)
    fields: dict[str, object] = {
        "numRecords": table.num_rows,
        "minValues": collected.minima,
        "maxValues": collected.maxima,
        "nullCount": collected.nulls,
    }
    return _text(fields, tight_bounds)


def shortened_minimum(text: str) -> str:
    """The first 32 characters: never above ``text``. Characters are Unicode code points."""
    return text[:_PREFIX]


def shortened_maximum(text: str) -> str | None:
    """A text of about 32 characters that is not below any text with the same beginning; ``None`` if there is none.

    Here a character beyond U+FFFF counts as two, as it does in Java. What is cut off must be below what is put in its
    place: U+007F if that suffices, else U+10FFFF. A U+10FFFF itself has nothing above it and is kept. After 64
    characters the search is given up.
    """
    units = 0
    for index, char in enumerate(text):
        if units > 2 * _PREFIX:
            return None
        if units >= _PREFIX and char != _LAST_CHARACTER:
            return text[:index] + (_LAST_ASCII if char < _LAST_ASCII else _LAST_CHARACTER)
        units += 2 if char > "\uffff" else 1
    # The end was reached with nothing to cut off; beyond the limit Delta gives up all the same.
    return text if units <= 2 * _PREFIX else None


class _Collected:
    """What was found so far: three trees with the shape of the schema, and how many leaves may still be looked at."""

    def __init__(self, indexed: int) -> None:
        self.minima: dict[str, object] = {}
        self.maxima: dict[str, object] = {}
        self.nulls: dict[str, object] = {}
        self._left = indexed

    def add(self, path: tuple[str, ...], column: pa.ChunkedArray) -> None:
        if self._left <= 0:
            return
        if pa.types.is_struct(column.type):
            for child, values in zip(column.type, column.flatten()):
                self.add((*path, child.name), values)
            return
        self._left -= 1
        _place(self.nulls, path, column.null_count)
        if not _is_bounded(column.type):
            if not _is_counted(column.type):
                raise UnsupportedType(
                    f"no statistics are made here for the column {'.'.join(path)!r} of the type {column.type}"
                )
            return
        values = [value for value in column.to_pylist() if value is not None]
        if not values:
            return
        low, high = _bounds(values)
        _place(self.minima, path, low)
        if high is not None:
            _place(self.maxima, path, high)


def _place(tree: dict[str, object], path: tuple[str, ...], value: object) -> None:
    node: Any = tree
    for name in path[:-1]:
        node = node.setdefault(name, {})
    node[path[-1]] = value


def _is_bounded(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_string(kind)
        or types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_decimal(kind)
        or types.is_date32(kind)
        or types.is_timestamp(kind)
    )


def _is_counted(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_boolean(kind) or types.is_binary(kind) or types.is_list(kind) or types.is_map(kind))


def _bounds(values: list[Any]) -> tuple[object, object]:
    """Both as JSON has them. Python orders strings by code point, which is the order of their UTF-8 bytes."""
    if isinstance(values[0], float):
        numbers = [value for value in values if not math.isnan(value)]
        low = min(numbers) if numbers else math.nan
        high = max(numbers) if len(numbers) == len(values) else math.nan
        # Of the two zeros, which are equal to Spark, the one that is a bound in every order.
        return _number(-0.0 if low == 0 else low), _number(0.0 if high == 0 else high)
    low, high = min(values), max(values)
    if isinstance(low, str):
        return shortened_minimum(low), shortened_maximum(high)
    if isinstance(low, datetime):
        return _milliseconds(low), _milliseconds(high)
    return (low, high) if isinstance(low, (int, Decimal)) else (low.isoformat(), high.isoformat())


def _number(value: float) -> object:
    """What JSON has no number for is a string, as Spark writes and reads it."""
    if math.isnan(value):
        return "NaN"
    return ("Infinity" if value > 0 else "-Infinity") if math.isinf(value) else value


def _milliseconds(value: datetime) -> str:
    """Cut down, not rounded: readers count the millisecond after a maximum as part of it."""
    if value.tzinfo is None:
        return value.isoformat(timespec="milliseconds")
    return value.astimezone(timezone.utc).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def _text(fields: dict[str, object], tight_bounds: bool | None) -> str:
    if tight_bounds is not None:
        fields["tightBounds"] = tight_bounds
    return _json(fields)


def _json(value: object) -> str:
    """JSON with all digits of decimals, as numbers."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_json(name)}:{_json(item)}" for name, item in value.items()) + "}"
    if isinstance(value, Decimal):
        return format(value, "f")
    return json.dumps(value, ensure_ascii=False, allow_nan=False)

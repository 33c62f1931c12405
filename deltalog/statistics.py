"""Per-file statistics, as Delta on Spark collects them (PROTOCOL.md, "Per-file Statistics")."""

from __future__ import annotations

import json
from datetime import date

import pyarrow as pa

from deltalog.errors import UnsupportedType

#: Columns beyond this many have no statistics (delta.dataSkippingNumIndexedCols).
INDEXED_COLUMNS = 32

_PREFIX = 32  # characters kept of a string
_LAST_ASCII = "\x7f"
_LAST_CHARACTER = "\U0010ffff"


def count_statistics(table: pa.Table, *, tight_bounds: bool | None = None) -> str:
    """The JSON text of statistics that hold numRecords only."""
    return _text({"numRecords": table.num_rows}, tight_bounds)


def full_statistics(table: pa.Table, *, indexed: int = INDEXED_COLUMNS, tight_bounds: bool | None = None) -> str:
    """The JSON text of a file's numRecords, and of minValues, maxValues, nullCount of its first ``indexed`` columns.

    Handles strings, integers, booleans and dates; a boolean, or a column of NULLs, has a nullCount alone.
    ``tight_bounds`` is written when it is not ``None`` (Delta writes it where deletion vectors are supported).
    Raises UnsupportedType. Source: PROTOCOL.md, "Per-file Statistics"; Delta's StatisticsCollection for the cutting
    of strings.
    """
    minima: dict[str, object] = {}
    maxima: dict[str, object] = {}
    nulls: dict[str, int] = {}
    for name, column in list(zip(table.column_names, table.columns))[:indexed]:
        nulls[name] = column.null_count
        kind = column.type
        if not (pa.types.is_string(kind) or pa.types.is_integer(kind) or pa.types.is_date(kind)):
            if pa.types.is_boolean(kind):
                continue
            raise UnsupportedType(f"no statistics are made here for the column {name!r} of the type {kind}")
        values = [value for value in column.to_pylist() if value is not None]
        if not values:
            continue
        low, high = _bounds(min(values), max(values))
        minima[name] = low
        if high is not None:
            maxima[name] = high
    fields = {"numRecords": table.num_rows, "minValues": minima, "maxValues": maxima, "nullCount": nulls}
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


def _bounds(low: object, high: object) -> tuple[object, object]:
    """Both as JSON has them. Python orders strings by code point, which is the order of their UTF-8 bytes."""
    if isinstance(low, str) and isinstance(high, str):
        return shortened_minimum(low), shortened_maximum(high)
    if isinstance(low, date) and isinstance(high, date):
        return low.isoformat(), high.isoformat()
    return low, high


def _text(fields: dict[str, object], tight_bounds: bool | None) -> str:
    if tight_bounds is not None:
        fields["tightBounds"] = tight_bounds
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))

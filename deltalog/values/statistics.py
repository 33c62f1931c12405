"""Per-file statistics as collected by Delta on Spark (PROTOCOL.md, "Per-file Statistics")."""

from __future__ import annotations

import json
import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pyarrow as pa

from deltalog.errors import UnsupportedType
from deltalog.values.schemas import Field

_PREFIX = 32  # characters kept of a string
_LAST_ASCII = "\x7f"
_LAST_CHARACTER = "\U0010ffff"


@dataclass(frozen=True)
class Indexed:
    """The leaf columns with statistics: the first ``leaves`` (-1: all), or all of these top-level columns, by stored names."""

    leaves: int = 32  # delta.dataSkippingNumIndexedCols
    columns: frozenset[str] | None = None  # delta.dataSkippingStatsColumns

    @classmethod
    def by(cls, configuration: Mapping[str, str], fields: Iterable[Field]) -> Indexed:
        """Those of a table with these properties and columns. Names are between back-ticks, as ``Table.indexed_columns`` are."""
        names = configuration.get("delta.dataSkippingStatsColumns")
        if names is not None:
            quoted = {"`" + field.name.replace("`", "``") + "`": field.stored_name for field in fields}
            listed = frozenset(stored for name, stored in quoted.items() if f",{name}," in f",{names},")
            return cls(-1, listed)
        return cls(int(configuration.get("delta.dataSkippingNumIndexedCols", cls.leaves)))


_BY_DEFAULT = Indexed()


def count_statistics(table: pa.Table, *, tight_bounds: bool | None = None) -> str:
    """The JSON text of statistics with numRecords only."""
    return _text({"numRecords": table.num_rows}, tight_bounds)


def full_statistics(
    table: pa.Table,
    *,
    tight_bounds: bool | None = None,
    zone: timezone = timezone.utc,
    indexed: Indexed = _BY_DEFAULT,
) -> str:
    """The JSON text of a file's numRecords, and of minValues, maxValues, nullCount of the ``indexed`` leaves.

    ``table`` has the stored column names. A struct is an object of its fields; a field of a NULL struct counts as NULL.
    Booleans, binaries, arrays, maps and columns of NULLs have a nullCount only. Strings are truncated, timestamps are in
    ``zone`` and rounded down to milliseconds. NaN is the greatest number, as in Spark; NaN and infinities are strings, as Spark
    writes them; a FLOAT has the fewest digits that identify it. ``tight_bounds`` is written if not ``None`` (Delta writes it if
    deletion vectors are supported; with a deletion vector it is ``False``). Raises UnsupportedType.
    Source: PROTOCOL.md, "Per-file Statistics"; Delta's StatisticsCollection for types, order and truncation.
    """
    collected = _Collected(zone, math.inf if indexed.leaves < 0 else indexed.leaves)
    for name, column in zip(table.column_names, table.columns):
        if indexed.columns is None or name in indexed.columns:
            collected.add((name,), column)
    fields: dict[str, object] = {
        "numRecords": table.num_rows,
        "minValues": collected.minima,
        "maxValues": collected.maxima,
        "nullCount": collected.nulls,
    }
    return _text(fields, tight_bounds)


def struct_statistics(parsed: Mapping[str, object], local: Container[tuple[str, ...]]) -> str:
    """The JSON text of statistics that are stored as a struct: ``stats_parsed`` of a checkpoint, without its NULLs.

    ``local`` are the paths of TIMESTAMP_NTZ columns, by stored names. All other timestamps are in UTC, also if they are
    stored without a zone, as by Spark (INT96) and delta-rs. Bounds of variants are left out.
    Source: PROTOCOL.md, "Checkpoint Schema" and "Per-file Statistics".
    """

    def present(value: object, path: tuple[str, ...]) -> object:
        if isinstance(value, Mapping):
            if any(isinstance(item, bytes) for item in value.values()):
                return None
            inner = {name: present(item, (*path, name)) for name, item in value.items() if item is not None}
            return {name: item for name, item in inner.items() if item is not None}
        if isinstance(value, datetime) and value.tzinfo is None and path[1:] not in local:
            return _bound(value.replace(tzinfo=timezone.utc))
        return _bound(value)

    return _json(present(parsed, ()))


def shortened_minimum(text: str) -> str:
    """The first 32 code points, which are never greater than ``text``."""
    return text[:_PREFIX]


def shortened_maximum(text: str) -> str | None:
    """A prefix of about 32 characters with a tie-breaker, not less than ``text``; ``None`` if there is none.

    As in Java, a character beyond U+FFFF counts as two. The first character cut off must be less than the tie-breaker:
    U+007F if possible, else U+10FFFF. U+10FFFF itself is kept. Delta gives up after 64 characters.
    """
    units = 0
    for index, char in enumerate(text):
        if units > 2 * _PREFIX:
            return None
        if units >= _PREFIX and char != _LAST_CHARACTER:
            return text[:index] + (_LAST_ASCII if char < _LAST_ASCII else _LAST_CHARACTER)
        units += 2 if char > "\uffff" else 1
    # Nothing to cut off; Delta gives up beyond the limit.
    return text if units <= 2 * _PREFIX else None


class _Collected:
    """Three trees with the shape of the schema, and the number of leaves that are still to be collected."""

    def __init__(self, zone: timezone, leaves: float) -> None:
        self._zone = zone
        self.minima: dict[str, object] = {}
        self.maxima: dict[str, object] = {}
        self.nulls: dict[str, object] = {}
        self._left = leaves

    def add(self, path: tuple[str, ...], column: pa.ChunkedArray) -> None:
        if self._left <= 0:
            return
        if pa.types.is_struct(column.type):
            for child, values in zip(column.type, column.flatten()):
                self.add((*path, child.name), values)
            return
        self._left -= 1
        _place(self.nulls, path, column.null_count)
        if not is_bounded(column.type):
            if not _is_counted(column.type):
                raise UnsupportedType(
                    f"statistics are not supported for the column {'.'.join(path)!r} of the type {column.type}"
                )
            return
        values = [value for value in column.to_pylist() if value is not None]
        if not values:
            return
        low, high = _bounds(values, self._zone)
        if pa.types.is_float32(column.type):
            low, high = _single(low), _single(high)
        _place(self.minima, path, low)
        if high is not None:
            _place(self.maxima, path, high)


def _place(tree: dict[str, object], path: tuple[str, ...], value: object) -> None:
    node: Any = tree
    for name in path[:-1]:
        node = node.setdefault(name, {})
    node[path[-1]] = value


def is_bounded(kind: pa.DataType) -> bool:
    """Whether a column of this type has bounds."""
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


def _bounds(values: list[Any], zone: timezone) -> tuple[object, object]:
    """The JSON values of minimum and maximum. Python orders strings by code point, as their UTF-8 bytes."""
    if isinstance(values[0], float):
        numbers = [value for value in values if not math.isnan(value)]
        low = min(numbers) if numbers else math.nan
        high = max(numbers) if len(numbers) == len(values) else math.nan
        # The zero that is a bound whether or not an engine treats both zeros as equal.
        return _bound(-0.0 if low == 0 else low), _bound(0.0 if high == 0 else high)
    low, high = min(values), max(values)
    if isinstance(low, str):
        return shortened_minimum(low), shortened_maximum(high)
    return _bound(low, zone), _bound(high, zone)


def _bound(value: Any, zone: timezone = timezone.utc) -> object:
    """A value in JSON. NaN and infinities are strings, as in Spark."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, datetime):
        return _milliseconds(value, zone)
    return value.isoformat() if isinstance(value, date) else value


def bounds_of(stats: str | None, names: Container[str]) -> list[object]:
    """The bounds of these top-level columns, by stored names, in the JSON text of statistics; none if it is no such text."""
    try:
        found = json.loads(stats or "{}")
    except ValueError:
        return []
    trees = [found.get(key) for key in ("minValues", "maxValues")] if isinstance(found, dict) else []
    return [bound for tree in trees if isinstance(tree, dict) for name, bound in tree.items() if name in names]


def is_single(bound: object) -> bool:
    """Whether a bound in JSON is a number that a FLOAT holds exactly: 0.5, but not 0.1. Texts, such as "NaN", are."""
    number = float(bound) if isinstance(bound, (int, float, Decimal)) else math.nan
    return math.isnan(number) or pa.scalar(number, pa.float32()).as_py() == number


def _single(bound: object) -> object:
    """A bound of a FLOAT as the DOUBLE whose text is that of the FLOAT: 0.1, not 0.10000000149011612. Nine digits suffice."""
    if not isinstance(bound, float):
        return bound
    texts = (f"{bound:.{digits}e}" for digits in range(9))
    return next(float(text) for text in texts if pa.scalar(float(text), pa.float32()).as_py() == bound)


def _milliseconds(value: datetime, zone: timezone) -> str:
    """Rounded down: readers treat the whole millisecond as part of a maximum."""
    if value.tzinfo is None:
        return value.isoformat(timespec="milliseconds")
    # Near the first and the last year no other zone may have the instant.
    local = value.astimezone(zone if 1 < value.year < 9999 else timezone.utc).isoformat(timespec="milliseconds")
    return local.replace("+00:00", "Z")


def _text(fields: dict[str, object], tight_bounds: bool | None) -> str:
    if tight_bounds is not None:
        fields["tightBounds"] = tight_bounds
    return _json(fields)


def statistics_text(fields: Mapping[str, object]) -> str:
    """The JSON text of statistics whose numbers may be Decimals, which keep all digits."""
    return _json(fields)


def _json(value: object) -> str:
    """JSON with decimals as numbers with all digits."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_json(name)}:{_json(item)}" for name, item in value.items()) + "}"
    if isinstance(value, Decimal):
        return format(value, "f")
    return json.dumps(value, ensure_ascii=False, allow_nan=False)

"""The values of VARIANT columns, plain and shredded.

Sources: PROTOCOL.md, "Variant Data Type" and "Variant Shredding"; VariantEncoding.md and VariantShredding.md of
https://github.com/apache/parquet-format.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from itertools import pairwise
from typing import Any
from uuid import UUID

import pyarrow as pa

from deltalog.frozen import FrozenMap
from deltalog.schemas import EXACT


@dataclass(frozen=True)
class Variant:
    """A value of a VARIANT column that is not NULL.

    ``value`` is ``None`` (a NULL inside the variant), a value of Python, the tuple of an array, or the FrozenMap of an
    object; what is inside of them is a value too, without ``Variant`` around it.
    """

    value: object


#: Stands for a field that a shredded object lacks.
_MISSING = object()

_EPOCH = datetime(1970, 1, 1)


def _signed(data: bytes) -> int:
    return int.from_bytes(data, "little", signed=True)


def _local(data: bytes) -> datetime:
    return _EPOCH + timedelta(microseconds=_signed(data))


#: By the type in the header, the number of bytes of a primitive value, and its conversion.
_PRIMITIVES: Mapping[int, tuple[int, Callable[[bytes], object]]] = {
    0: (0, lambda data: None),
    1: (0, lambda data: True),
    2: (0, lambda data: False),
    **{kind: (size, _signed) for kind, size in ((3, 1), (4, 2), (5, 4), (6, 8))},
    7: (8, lambda data: struct.unpack("<d", data)[0]),
    **{
        kind: (size, lambda data: Decimal(_signed(data[1:])).scaleb(-data[0], EXACT))
        for kind, size in ((8, 5), (9, 9), (10, 17))
    },
    11: (4, lambda data: _EPOCH.date() + timedelta(days=_signed(data))),
    12: (8, lambda data: _local(data).replace(tzinfo=timezone.utc)),
    13: (8, _local),
    14: (4, lambda data: struct.unpack("<f", data)[0]),
    17: (8, lambda data: _local(data).time()),
    20: (16, lambda data: UUID(bytes=data)),
}
_BINARY, _STRING = 15, 16  # the primitives that begin with their length


def variant_reader(stored: pa.DataType) -> Callable[[Any], object] | None:
    """Makes a ``Variant`` of the value of a column stored as ``stored``; ``None`` if no variant is stored so.

    What it returns raises ValueError for bytes that are not a variant, and for times in nanoseconds.
    """
    if not pa.types.is_struct(stored) or stored.get_field_index("metadata") < 0 or not _is_group(stored):
        return None
    read = _group_reader(stored)

    def convert(row: Mapping[str, Any]) -> object:
        found = read(row, _names(row["metadata"]))
        return Variant(None if found is _MISSING else found)

    return convert


#: Reads a value of Arrow, with the names of the variant's metadata.
_Read = Callable[[Any, "tuple[str, ...]"], object]


def _is_group(stored: pa.DataType) -> bool:
    """Whether this is a struct of ``value``, ``typed_value``, or both."""
    return pa.types.is_struct(stored) and any(stored.get_field_index(name) >= 0 for name in ("value", "typed_value"))


def _group_reader(stored: pa.StructType) -> _Read:
    """Reads a struct of ``value`` and ``typed_value``; both NULL are ``_MISSING``."""
    typed = stored.get_field_index("typed_value")
    read = None if typed < 0 else _typed_reader(stored.field(typed).type)

    def convert(row: Any, names: tuple[str, ...]) -> object:
        if row is None:
            return _MISSING
        rest, shredded = row.get("value"), row.get("typed_value")
        plain = _MISSING if rest is None else _decode(rest, names)
        if read is None or shredded is None:
            return plain
        found = read(shredded, names)
        if plain is _MISSING:
            return found
        if not isinstance(found, FrozenMap) or not isinstance(plain, FrozenMap):
            raise ValueError("a shredded variant that is no object has two values")
        return FrozenMap({**plain, **found})

    return convert


def _typed_reader(stored: pa.DataType) -> _Read:
    if pa.types.is_struct(stored):
        fields = [(one.name, _group_reader(one.type)) for one in stored]

        def read_object(row: Any, names: tuple[str, ...]) -> object:
            found = ((name, read(row[name], names)) for name, read in fields)
            return FrozenMap({name: value for name, value in found if value is not _MISSING})

        return read_object
    if pa.types.is_list(stored) or pa.types.is_large_list(stored):
        element = _group_reader(stored.value_type)

        def read_array(row: Any, names: tuple[str, ...]) -> object:
            found = (element(item, names) for item in row)
            return tuple(None if value is _MISSING else value for value in found)

        return read_array
    if pa.types.is_fixed_size_binary(stored):
        return lambda value, names: UUID(bytes=value)
    if pa.types.is_timestamp(stored) and stored.tz is not None:
        return lambda value, names: value.astimezone(timezone.utc)
    return lambda value, names: value


def _names(metadata: bytes) -> tuple[str, ...]:
    """The strings of a variant's metadata."""
    if not metadata or metadata[0] & 15 != 1:
        raise ValueError("the metadata of a variant must have the version 1")
    size = (metadata[0] >> 6) + 1
    count = _unsigned(metadata, 1, size)
    ends = [_unsigned(metadata, 1 + size * (index + 1), size) for index in range(count + 1)]
    text = 1 + size * (count + 2)
    return tuple(_part(metadata, text + start, end - start).decode() for start, end in pairwise(ends))


def _decode(data: bytes, names: tuple[str, ...], at: int = 0) -> object:
    """The value whose header is at ``at``."""
    header = _part(data, at, 1)[0]
    basic, header, at = header & 3, header >> 2, at + 1
    if basic == 0:
        return _primitive(data, header, at)
    if basic == 1:
        return _part(data, at, header).decode()
    offset_size = (header & 3) + 1
    is_large = header >> (4 if basic == 2 else 2) & 1
    count = _unsigned(data, at, 4 if is_large else 1)
    at += 4 if is_large else 1
    ids: list[int] = []
    if basic == 2:
        id_size = (header >> 2 & 3) + 1
        ids = [_unsigned(data, at + id_size * index, id_size) for index in range(count)]
        at += id_size * count
    offsets = [_unsigned(data, at + offset_size * index, offset_size) for index in range(count)]
    start = at + offset_size * (count + 1)
    values = tuple(_decode(data, names, start + offset) for offset in offsets)
    if basic == 3:
        return values
    if any(id >= len(names) for id in ids):
        raise ValueError("a variant has a field whose name is not in its metadata")
    return FrozenMap({names[id]: value for id, value in zip(ids, values)})


def _primitive(data: bytes, kind: int, at: int) -> object:
    if kind in (_BINARY, _STRING):
        found = _part(data, at + 4, _unsigned(data, at, 4))
        return found if kind == _BINARY else found.decode()
    if kind not in _PRIMITIVES:
        raise ValueError(f"a variant has the primitive type {kind}, which is not supported")
    size, convert = _PRIMITIVES[kind]
    return convert(_part(data, at, size))


def _part(data: bytes, at: int, size: int) -> bytes:
    found = data[at : at + size]
    if size < 0 or len(found) < size:
        raise ValueError("the bytes of a variant end in the middle of a value")
    return found


def _unsigned(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(_part(data, at, size), "little")

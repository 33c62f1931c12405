"""Column types, and the Python values of their SQL values."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timezone
from decimal import Context, Decimal
from enum import Enum
from typing import Any, Union

from model.vocabulary.floats import nearest_float

#: A SQL value. ``None`` is NULL. A BOOLEAN is a ``bool``; a BYTE, SHORT, INTEGER or LONG an ``int``; a FLOAT or DOUBLE a
#: ``float``, NaN always being ``NAN``; a DECIMAL a ``Decimal`` of its scale; a BINARY ``bytes``; a DATE a ``date``; a
#: TIMESTAMP a ``datetime`` in UTC, a TIMESTAMP_NTZ one without a zone. A struct is the tuple of its fields, an array the
#: tuple of its elements, a map the tuple of its entries (key, value) in the order of ``canonical``.
Value = Union[None, bool, int, float, Decimal, str, bytes, date, datetime, tuple[Any, ...]]

#: The values of one row, in the order of its columns.
Row = tuple[Value, ...]


#: The bits of a NaN: unlike 0, no other value of a case has this hash, and Hypothesis tells domains apart by their hashes.
_HASH_OF_NAN = 0x7FF8_0000_0000_0000 % sys.hash_info.modulus


class _NotANumber(float):
    """A NaN that equals every NaN, as in SQL's GROUP BY, so that values, rows and cases compare with ``==``."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and math.isnan(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return _HASH_OF_NAN

    def __abs__(self) -> float:
        return self

    def __reduce__(self) -> str:  # pickled by reference
        return "NAN"


#: The only NaN in values. Test with ``math.isnan``: ``value != value`` is false.
NAN: float = _NotANumber("nan")

# The default context has fewer digits than the 38 of a DECIMAL.
_WIDE = Context(prec=76)


class Type(str, Enum):
    """A primitive type without parameters, by its name in a Delta schema (PROTOCOL.md, "Primitive Types")."""

    STRING = "string"
    BINARY = "binary"
    BYTE = "byte"
    SHORT = "short"
    INTEGER = "integer"
    LONG = "long"
    FLOAT = "float"
    DOUBLE = "double"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIMESTAMP_NTZ = "timestamp_ntz"


@dataclass(frozen=True)
class DecimalOf:
    """DECIMAL(precision, scale)."""

    precision: int
    scale: int


@dataclass(frozen=True)
class ArrayOf:
    """ARRAY<element>; elements may be NULL."""

    element: AnyType


@dataclass(frozen=True)
class MapOf:
    """MAP<key, value>; values may be NULL, keys may not."""

    key: AnyType
    value: AnyType


@dataclass(frozen=True)
class StructOf:
    """STRUCT of fields, each a name and a type. The fields named by ``required`` are NOT NULL; the struct may be NULL."""

    fields: tuple[tuple[str, AnyType], ...]
    required: tuple[str, ...] = ()


AnyType = Union[Type, DecimalOf, ArrayOf, MapOf, StructOf]

#: The types of whole numbers, with their smallest and their greatest value.
WHOLE_NUMBERS: dict[Type, tuple[int, int]] = {
    Type.BYTE: (-(2**7), 2**7 - 1),
    Type.SHORT: (-(2**15), 2**15 - 1),
    Type.INTEGER: (-(2**31), 2**31 - 1),
    Type.LONG: (-(2**63), 2**63 - 1),
}


def type_name(type: AnyType) -> str:
    """The type in messages: ``long``, ``decimal(10,2)``, ``array<long>``, ``struct<x:long>``."""
    if isinstance(type, DecimalOf):
        return f"decimal({type.precision},{type.scale})"
    if isinstance(type, ArrayOf):
        return f"array<{type_name(type.element)}>"
    if isinstance(type, MapOf):
        return f"map<{type_name(type.key)},{type_name(type.value)}>"
    if isinstance(type, StructOf):
        fields = (
            f"{name}:{type_name(field)}{' not null' if name in type.required else ''}" for name, field in type.fields
        )
        return f"struct<{','.join(fields)}>"
    return type.value


def is_nested(type: AnyType) -> bool:
    """Whether values of the type contain other values."""
    return isinstance(type, (ArrayOf, MapOf, StructOf))


def types_in(type: AnyType) -> Iterator[AnyType]:
    """The type, and those of its parts at any depth."""
    yield type
    parts: tuple[AnyType, ...] = ()
    if isinstance(type, ArrayOf):
        parts = (type.element,)
    elif isinstance(type, MapOf):
        parts = type.key, type.value
    elif isinstance(type, StructOf):
        parts = tuple(field for _, field in type.fields)
    for part in parts:
        yield from types_in(part)


def required_fields(type: AnyType) -> tuple[str, ...]:
    """The NOT NULL fields of a STRUCT; of other types none."""
    return type.required if isinstance(type, StructOf) else ()


def canonical(value: Any, type: AnyType) -> Value:
    """The canonical form of a value: ``NAN``, decimals of the type's scale, tuples for lists, maps in one order.

    A struct may be a mapping or a sequence, a map a mapping or a sequence of pairs, bytes any bytes-like object, a
    timestamp in any zone (a naive one counts as UTC). -0.0 is left as it is, as it equals 0.0.
    """
    if value is None:
        return None
    if isinstance(type, StructOf):
        parts = [value[name] for name, _ in type.fields] if hasattr(value, "keys") else list(value)
        return tuple(canonical(part, kind) for part, (_, kind) in zip(parts, type.fields))
    if isinstance(type, ArrayOf):
        return tuple(canonical(element, type.element) for element in value)
    if isinstance(type, MapOf):
        entries = value.items() if hasattr(value, "items") else value
        pairs = [(canonical(key, type.key), canonical(item, type.value)) for key, item in entries]
        return tuple(sorted(pairs, key=lambda pair: repr(pair[0])))
    if isinstance(type, DecimalOf):
        return Decimal(value).quantize(Decimal(1).scaleb(-type.scale), context=_WIDE)
    if type in (Type.FLOAT, Type.DOUBLE):
        # Readers that parse the text of a FLOAT give a DOUBLE near it.
        number = float(value)
        return NAN if math.isnan(number) else nearest_float(number) if type is Type.FLOAT else number
    if type is Type.BINARY:
        return bytes(value)
    if type is Type.TIMESTAMP and isinstance(value, datetime):
        return value.replace(tzinfo=timezone.utc) if value.tzinfo is None else value.astimezone(timezone.utc)
    return value  # type: ignore[no-any-return]

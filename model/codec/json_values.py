"""The JSON form of types and of values.

A simple type is its name, a DECIMAL ``"decimal(10,2)"``, a nested type an object with one field:
``{"array": T}``, ``{"map": [K, V]}``, ``{"struct": [{"name": ..., "type": ...}]}``.

A value is a JSON value if there is one. A float is a number, or ``{"float": "NaN"}``, ``"Infinity"`` or
``"-Infinity"``; other values are ``{"decimal": "1.20"}``, ``{"binary": "00ff"}``,
``{"date": "2020-01-31"}``, ``{"timestamp": "2020-01-31T00:00:00.000001Z"}``, ``{"timestamp_ntz":
"2020-01-31T00:00:00"}`` (a fraction has six digits, or is omitted if zero). An array is a list, a struct
the list of its fields' values, a map the list of its entries ``[key, value]``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timezone
from decimal import Decimal
from functools import cache
from typing import Any, cast, get_args

from model.codec.by_types import STRICT, ByTypes
from model.codec.plain import (
    Reader,
    array,
    each,
    fields_of,
    flag,
    integer,
    list_of,
    nullable,
    one_of,
    refuse,
    refuse_unknown,
    shown,
    text,
    within,
)
from model.vocabulary.floats import nearest_float
from model.vocabulary.values import (
    NAN,
    WHOLE_NUMBERS,
    AnyType,
    ArrayOf,
    DecimalOf,
    MapOf,
    StructOf,
    Type,
    Value,
    type_name,
    types_in,
)

#: The greatest precision of a DECIMAL (PROTOCOL.md, "Primitive Types").
MAX_PRECISION = 38

_DECIMAL_TYPE = re.compile(r"decimal\((0|[1-9][0-9]?),(0|[1-9][0-9]?)\)")
_NOT_FINITE = {"NaN": NAN, "Infinity": math.inf, "-Infinity": -math.inf}


# Writing ------------------------------------------------------------------------------------------------------------


def type_to_json(type: AnyType) -> object:
    """The document of a type."""
    if isinstance(type, ArrayOf):
        return {"array": type_to_json(type.element)}
    if isinstance(type, MapOf):
        return {"map": [type_to_json(type.key), type_to_json(type.value)]}
    if isinstance(type, StructOf):
        fields = (_Field(name, field, name not in type.required) for name, field in type.fields)
        return {"struct": [_FORM.write(field) for field in fields]}
    return type_name(type)


def value_to_json(value: Value) -> object:
    """The document of a value, by its Python type."""
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return {"float": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
    if isinstance(value, Decimal):
        # SQL has no negative zero decimal: equal values must have the same text.
        return {"decimal": format(value if value else value.copy_abs(), "f")}
    if isinstance(value, (bytes, bytearray)):
        return {"binary": value.hex()}
    if isinstance(value, datetime):  # before DATE, as a datetime is a date in Python
        if value.tzinfo is None:
            return {"timestamp_ntz": value.isoformat()}
        return {"timestamp": _utc_text(value.astimezone(timezone.utc))}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, (tuple, list)):
        return [value_to_json(part) for part in value]
    return value


def _utc_text(instant: datetime) -> str:
    return f"{instant.replace(tzinfo=None).isoformat()}Z"


# Reading ------------------------------------------------------------------------------------------------------------


_SIMPLE_TYPES = {type.value: type for type in Type}


def read_type(value: object) -> AnyType:
    """Reads a type. Raises InvalidCase, also for a type that Delta lacks, such as DECIMAL(39, 0)."""
    if isinstance(value, Mapping):
        refuse_unknown(value, tuple(_NESTED))
        if len(value) != 1:
            refuse(f"must have one of the fields {', '.join(_NESTED)}, but is {shown(value)}")
        ((name, part),) = value.items()
        return within(name, _NESTED[name], part)
    if isinstance(value, str) and value in _SIMPLE_TYPES:
        return _SIMPLE_TYPES[value]
    found = _DECIMAL_TYPE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        names = ", ".join(_SIMPLE_TYPES)
        refuse(f"must be one of {names}, decimal(p,s), or an array, map or struct, but is {shown(value)}")
    precision, scale = int(found[1]), int(found[2])
    if not 1 <= precision <= MAX_PRECISION or scale > precision:
        refuse(f"{value} is not a type: the precision is 1 to {MAX_PRECISION}, the scale 0 to the precision")
    return DecimalOf(precision, scale)


def _array_type(value: object) -> ArrayOf:
    return ArrayOf(read_type(value))


def _map_type(value: object) -> MapOf:
    key, item = each("types", ("key", "value"), (read_type, read_type))(value)
    if any(isinstance(one, MapOf) for one in types_in(key)):
        refuse("is or contains a map, which SQL does not allow in a key", "[0]")
    return MapOf(key, item)


def _struct_type(value: object) -> StructOf:
    fields: tuple[_Field, ...] = list_of(_FORM.reader(_Field))(value)
    if not fields:
        refuse("must have at least one field")
    names = [field.name.lower() for field in fields]  # Spark's names are case-insensitive
    for index, name in enumerate(names):
        if name in names[:index]:
            refuse(f"the field name {name} is already taken", f"[{index}].name")
    required = tuple(field.name for field in fields if not field.nullable)
    return StructOf(tuple((field.name, field.type) for field in fields), required)


@dataclass(frozen=True)
class _Field:
    """A field of a struct."""

    name: str
    type: AnyType
    nullable: bool = True


_FORM = ByTypes({**STRICT, AnyType: read_type}, dict.fromkeys(get_args(AnyType), type_to_json))

_NESTED: dict[str, Reader[AnyType]] = {"array": _array_type, "map": _map_type, "struct": _struct_type}


@cache
def value_of(type: AnyType) -> Reader[Value]:
    """Reads the canonical form of a value of ``type``, NULL included, as ``model.vocabulary.values.canonical`` has it."""
    return nullable(_present_value_of(type))


def _present_value_of(type: AnyType) -> Reader[Value]:
    if isinstance(type, DecimalOf):
        return _decimal_of(type)
    if isinstance(type, ArrayOf):
        return list_of(value_of(type.element))
    if isinstance(type, MapOf):
        return _map_of(type)
    if isinstance(type, StructOf):
        names = [name for name, _ in type.fields]
        readers = [(_present_value_of if name in type.required else value_of)(field) for name, field in type.fields]
        return each("fields", names, readers)
    if type in WHOLE_NUMBERS:
        return _whole_number_of(type)
    return _PRIMITIVES[type]


def _tagged(tag: str, read: Reader[Value]) -> Reader[Value]:
    return lambda value: within(tag, read, fields_of(value, tag)[0])


def _whole_number_of(type: Type) -> Reader[Value]:
    low, high = WHOLE_NUMBERS[type]

    def read(value: object) -> Value:
        number = integer(value)
        if not low <= number <= high:
            refuse(f"{number} does not fit the type {type.value}")
        return number

    return read


def _double(value: object) -> float:
    if isinstance(value, Mapping):
        return within("float", one_of(_NOT_FINITE), fields_of(value, "float")[0])
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        refuse(f"must be a number, but is {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    # Python's JSON reader accepts NaN and 1e999 as numbers; their only form here is the object.
    if not math.isfinite(number) or number != value:
        refuse(f"{shown(value)} does not fit the type double")
    return number


def _float(value: object) -> float:
    number = _double(value)
    if math.isfinite(number) and nearest_float(number) != number:
        refuse(f"{number} does not fit the type float: 32 bits do not hold it exactly")
    return number


def _text_of(tag: str, what: str, parse: Callable[[str], Value]) -> Reader[Value]:
    """Reads an object with one text, which must be the one that ``value_to_json`` writes: a value has one text."""

    def read(value: object) -> Value:
        written = text(value)
        try:
            found = parse(written)
        except (ValueError, ArithmeticError):
            found = None
        if found is None or value_to_json(found) != {tag: written}:
            refuse(f"must be {what}, but is {shown(value)}")
        return found

    return _tagged(tag, read)


def _decimal_of(type: DecimalOf) -> Reader[Value]:
    read_decimal = _text_of("decimal", "a decimal like 1.20, without a sign if it is zero", Decimal)

    def read(value: object) -> Value:
        number: Any = read_decimal(value)
        fits = number.is_finite() and -number.as_tuple().exponent == type.scale
        if not fits or number.copy_abs() >= 10 ** (type.precision - type.scale):
            refuse(f"{number} does not fit the type {type_name(type)}", "decimal")
        return cast(Decimal, number)

    return read


def _instant(written: str) -> datetime:
    return datetime.fromisoformat(written.removesuffix("Z")).replace(tzinfo=timezone.utc)


_PRIMITIVES: dict[Type, Reader[Value]] = {
    Type.STRING: text,
    Type.BINARY: _text_of("binary", "pairs of hexadecimal digits in lower case", bytes.fromhex),
    Type.FLOAT: _float,
    Type.DOUBLE: _double,
    Type.BOOLEAN: flag,
    Type.DATE: _text_of("date", "a date like 2020-01-31", date.fromisoformat),
    Type.TIMESTAMP: _text_of("timestamp", "an instant like 2020-01-31T00:00:00.000001Z", _instant),
    Type.TIMESTAMP_NTZ: _text_of(
        "timestamp_ntz", "a local time like 2020-01-31T00:00:00.000001", datetime.fromisoformat
    ),
}


def _map_of(type: MapOf) -> Reader[Value]:
    read_key, read_value = value_of(type.key), value_of(type.value)

    def entry(value: object) -> tuple[Value, Value]:
        parts = array(value)
        if len(parts) != 2:
            refuse(f"must be a key and its value, but has {len(parts)} parts")
        if parts[0] is None:
            refuse("is NULL, which is not allowed as a key", "[0]")
        return within("[0]", read_key, parts[0]), within("[1]", read_value, parts[1])

    read_entries = list_of(entry)

    def read(value: object) -> Value:
        entries = read_entries(value)
        keys = [key for key, _ in entries]
        for index in range(1, len(keys)):
            if keys[index] in keys[:index]:
                refuse(f"the key {shown(value_to_json(keys[index]))} is already taken", f"[{index}][0]")
            # A map must have one text. The order is that of model.vocabulary.values.canonical.
            if repr(keys[index]) < repr(keys[index - 1]):
                refuse(f"the key {shown(value_to_json(keys[index]))} is out of order", f"[{index}][0]")
        return entries

    return read

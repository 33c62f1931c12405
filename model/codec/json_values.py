"""The JSON form of types and of values.

A type without parameters is its name, a DECIMAL ``"decimal(10,2)"``, a nested type an object with one field:
``{"array": T}``, ``{"map": [K, V]}``, ``{"struct": [{"name": ..., "type": ...}]}``.

A value is the JSON value of its kind where there is one. A float is a number, or ``{"float": "NaN"}``, ``"Infinity"``
or ``"-Infinity"``; what else has no kind in JSON is ``{"decimal": "1.20"}``, ``{"binary": "00ff"}``,
``{"date": "2020-01-31"}``, ``{"timestamp": "2020-01-31T00:00:00.000001Z"}``, ``{"timestamp_ntz":
"2020-01-31T00:00:00"}`` (a fraction has six digits, or is left out where it is zero). An array is a list, a struct
the list of its fields' values, a map the list of its entries ``[key, value]``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date, datetime, timezone
from decimal import Decimal

from model.codec.fields import Fields, Reader, anything, corrupt, flag, integer, list_of, listed, shown, text
from model.floats import nearest_float
from model.values import NAN, WHOLE_NUMBERS, AnyType, ArrayOf, DecimalOf, MapOf, StructOf, Type, Value

#: The greatest precision of a DECIMAL (PROTOCOL.md, "Primitive Types").
MAX_PRECISION = 38

_DECIMAL_TYPE = re.compile(r"decimal\((0|[1-9][0-9]?),(0|[1-9][0-9]?)\)")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(?:\.([0-9]+))?")
_HEX = re.compile(r"(?:[0-9a-f]{2})*")
_NOT_FINITE = {"NaN": NAN, "Infinity": math.inf, "-Infinity": -math.inf}


# Writing ------------------------------------------------------------------------------------------------------------


def type_to_json(type: AnyType) -> object:
    """The document of a type."""
    if isinstance(type, DecimalOf):
        return f"decimal({type.precision},{type.scale})"
    if isinstance(type, ArrayOf):
        return {"array": type_to_json(type.element)}
    if isinstance(type, MapOf):
        return {"map": [type_to_json(type.key), type_to_json(type.value)]}
    if isinstance(type, StructOf):
        return {"struct": [{"name": name, "type": type_to_json(field)} for name, field in type.fields]}
    return type.value


def value_to_json(value: Value) -> object:
    """The document of a value. It needs no type: each Python type stands for SQL types of one JSON form."""
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return {"float": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
    if isinstance(value, Decimal):
        # SQL has no negative zero among its decimals: equal values must have one text.
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


def type_from_json(document: object) -> AnyType:
    """The type of a document. Raises CorruptCase, also for a type that Delta has not: DECIMAL(39, 0), a map as a key."""
    return read_type(document, "type")


def value_from_json(document: object, type: AnyType) -> Value:
    """The value of a document, as ``model.values.canonical`` has it.

    Raises CorruptCase where the document is no value of the type, or is not in the one form that the value has.
    """
    return value_of(type)(document, "value")


def read_type(value: object, path: str) -> AnyType:
    """Reads a type. Raises CorruptCase."""
    if isinstance(value, Mapping):
        fields = Fields(value, path, {"array", "map", "struct"})
        if len(value) != 1:
            corrupt(path, f"must have one of the fields array, map, struct, but is {shown(value)}")
        if "array" in value:
            return ArrayOf(fields.required("array", read_type))
        if "map" in value:
            return fields.required("map", _map_type)
        return StructOf(fields.required("struct", _struct_fields))
    for type in Type:
        if value == type.value:
            return type
    found = _DECIMAL_TYPE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        names = ", ".join(type.value for type in Type)
        corrupt(path, f"must be one of {names}, decimal(p,s), or an array, map or struct, but is {shown(value)}")
    precision, scale = int(found[1]), int(found[2])
    if not 1 <= precision <= MAX_PRECISION or scale > precision:
        corrupt(path, f"{value} is no type: the precision is 1 to {MAX_PRECISION}, the scale 0 to the precision")
    return DecimalOf(precision, scale)


def _map_type(value: object, path: str) -> MapOf:
    parts = listed(value, path, read_type)
    if len(parts) != 2:
        corrupt(path, f"must be the types of key and value, but has {len(parts)} types")
    if _holds_map(parts[0]):
        corrupt(f"{path}[0]", "is or holds a map, which SQL does not allow in a key")
    return MapOf(key=parts[0], value=parts[1])


def _holds_map(type: AnyType) -> bool:
    if isinstance(type, ArrayOf):
        return _holds_map(type.element)
    if isinstance(type, StructOf):
        return any(_holds_map(field) for _, field in type.fields)
    return isinstance(type, MapOf)


def _struct_fields(value: object, path: str) -> tuple[tuple[str, AnyType], ...]:
    fields = listed(value, path, _struct_field)
    if not fields:
        corrupt(path, "must hold at least one field")
    taken: set[str] = set()
    for index, (name, _) in enumerate(fields):
        if name.lower() in taken:  # Spark does not tell names apart by case
            corrupt(f"{path}[{index}].name", f"the field name {name.lower()} is already taken")
        taken.add(name.lower())
    return fields


def _struct_field(value: object, path: str) -> tuple[str, AnyType]:
    fields = Fields(value, path, {"name", "type"})
    return fields.required("name", text), fields.required("type", read_type)


def value_of(type: AnyType) -> Reader[Value]:
    """Reads a value of ``type``, NULL included. Raises CorruptCase."""
    read = _present_value_of(type)
    return lambda value, path: None if value is None else read(value, path)


def _present_value_of(type: AnyType) -> Reader[Value]:
    if isinstance(type, DecimalOf):
        return _tagged("decimal", _decimal_of(type))
    if isinstance(type, ArrayOf):
        return list_of(value_of(type.element))
    if isinstance(type, MapOf):
        return _map_of(type)
    if isinstance(type, StructOf):
        return _struct_of(type)
    if type in WHOLE_NUMBERS:
        return _whole_number_of(type)
    return _PRIMITIVES[type]


def _tagged(tag: str, read: Reader[Value]) -> Reader[Value]:
    return lambda value, path: Fields(value, path, {tag}).required(tag, read)


def _whole_number_of(type: Type) -> Reader[Value]:
    low, high = WHOLE_NUMBERS[type]

    def read(value: object, path: str) -> Value:
        number = integer(value, path)
        if not low <= number <= high:
            corrupt(path, f"{number} does not fit the type {type.value}")
        return number

    return read


def _double(value: object, path: str) -> float:
    if isinstance(value, Mapping):
        name = Fields(value, path, {"float"}).required("float", anything)
        if not isinstance(name, str) or name not in _NOT_FINITE:
            corrupt(f"{path}.float", f"must be one of {', '.join(_NOT_FINITE)}, but is {shown(name)}")
        return _NOT_FINITE[name]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        corrupt(path, f"must be a number, but is {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    # Python's JSON reader takes NaN and 1e999 as numbers: the one form of those is the object.
    if not math.isfinite(number) or number != value:
        corrupt(path, f"{shown(value)} does not fit the type double")
    return number


def _float(value: object, path: str) -> float:
    number = _double(value, path)
    if math.isfinite(number) and nearest_float(number) != number:
        corrupt(path, f"{number} does not fit the type float: 32 bits do not hold it exactly")
    return number


def _decimal_of(type: DecimalOf) -> Reader[Value]:
    def read(value: object, path: str) -> Value:
        found = _DECIMAL.fullmatch(text(value, path))
        if found is None:
            corrupt(path, f"must be a decimal like 1.20, but is {shown(value)}")
        number = Decimal(found[0])
        if number.is_zero() and number.is_signed():
            corrupt(path, f"must have no sign, being zero, but is {shown(value)}")
        whole, fraction = found[1].lstrip("0"), found[2] or ""
        if len(fraction) != type.scale or len(whole) > type.precision - type.scale:
            corrupt(path, f"{value} does not fit the type decimal({type.precision},{type.scale})")
        return number

    return read


def _binary(value: object, path: str) -> bytes:
    digits = text(value, path)
    if _HEX.fullmatch(digits) is None:
        corrupt(path, f"must be pairs of hexadecimal digits in lower case, but is {shown(value)}")
    return bytes.fromhex(digits)


def _date(value: object, path: str) -> date:
    spelled = text(value, path)
    try:
        parsed = date.fromisoformat(spelled)
    except ValueError:
        corrupt(path, f"must be a date like 2020-01-31, but is {spelled!r}")
    # Python 3.11 reads other spellings too; one date must have one text.
    if parsed.isoformat() != spelled:
        corrupt(path, f"must be a date like 2020-01-31, but is {spelled!r}")
    return parsed


def _timestamp(value: object, path: str) -> datetime:
    spelled = text(value, path)
    parsed = _local_time(spelled.removesuffix("Z"))
    if parsed is None or not spelled.endswith("Z"):
        corrupt(path, f"must be an instant like 2020-01-31T00:00:00.000001Z, but is {spelled!r}")
    return parsed.replace(tzinfo=timezone.utc)


def _timestamp_ntz(value: object, path: str) -> datetime:
    spelled = text(value, path)
    parsed = _local_time(spelled)
    if parsed is None:
        corrupt(path, f"must be a local time like 2020-01-31T00:00:00.000001, but is {spelled!r}")
    return parsed


def _local_time(spelled: str) -> datetime | None:
    """The time without a zone of a text in its one form, or ``None``."""
    try:
        parsed = datetime.fromisoformat(spelled)
    except ValueError:
        return None
    return parsed if parsed.tzinfo is None and parsed.isoformat() == spelled else None


_PRIMITIVES: dict[Type, Reader[Value]] = {
    Type.STRING: text,
    Type.BINARY: _tagged("binary", _binary),
    Type.FLOAT: _float,
    Type.DOUBLE: _double,
    Type.BOOLEAN: flag,
    Type.DATE: _tagged("date", _date),
    Type.TIMESTAMP: _tagged("timestamp", _timestamp),
    Type.TIMESTAMP_NTZ: _tagged("timestamp_ntz", _timestamp_ntz),
}


def _struct_of(type: StructOf) -> Reader[Value]:
    readers = [value_of(field) for _, field in type.fields]

    def read(value: object, path: str) -> Value:
        parts = listed(value, path, anything)
        if len(parts) != len(readers):
            names = ", ".join(name for name, _ in type.fields)
            corrupt(path, f"has {len(parts)} values for {len(readers)} fields ({names})")
        return tuple(read(part, f"{path}[{index}]") for index, (read, part) in enumerate(zip(readers, parts)))

    return read


def _map_of(type: MapOf) -> Reader[Value]:
    read_key, read_value = value_of(type.key), value_of(type.value)

    def entry(value: object, path: str) -> tuple[Value, Value]:
        parts = listed(value, path, anything)
        if len(parts) != 2:
            corrupt(path, f"must be a key and its value, but has {len(parts)} parts")
        if parts[0] is None:
            corrupt(f"{path}[0]", "is NULL, which no key may be")
        return read_key(parts[0], f"{path}[0]"), read_value(parts[1], f"{path}[1]")

    def read(value: object, path: str) -> Value:
        entries = listed(value, path, entry)
        keys = [key for key, _ in entries]
        for index in range(1, len(keys)):
            if keys[index] in keys[:index]:
                corrupt(f"{path}[{index}][0]", f"the key {shown(value_to_json(keys[index]))} is already taken")
            # One map must have one text. The order is that of model.values.canonical.
            if repr(keys[index]) < repr(keys[index - 1]):
                corrupt(f"{path}[{index}][0]", f"the key {shown(value_to_json(keys[index]))} stands after a later one")
        return entries

    return read

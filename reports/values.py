"""SQL values as JSON, as a reproduction script holds and compares them.

``reports.reproduction`` copies what a script needs of this module into it, so it uses the standard library only.

NULL, booleans, numbers and strings are themselves. All else has a name: ``{"date": "2020-01-31"}``,
``{"decimal": "1.20"}``, ``{"binary": "00ff"}``, ``{"timestamp": "2020-01-31T12:00:00.000000Z"}``,
``{"timestamp_ntz": "2020-01-31T12:00:00.000000"}``, and ``{"float": "NaN"}`` (or ``Infinity``, ``-Infinity``). A struct is
the list of its fields, an array the list of its elements, a map the list of its [key, value] pairs, ordered by ``repr``
of the keys.

A kind is a column's type as a Delta schema has it: a name, or an object for what is nested (PROTOCOL.md, "Schema
Serialization Format"). A DataFrame's schema has the same form.
"""

from __future__ import annotations

import math
import re
import struct
from datetime import datetime, timezone
from decimal import Context, Decimal
from typing import Any


def plain(value: Any, kind: Any) -> Any:
    """A value that PySpark collected, as JSON. A timestamp must have been collected in UTC (TZ=UTC)."""
    if value is None:
        return None
    if isinstance(kind, dict):
        if kind["type"] == "struct":
            parts = dict(zip(value.__fields__, value))
            return [plain(parts.get(field["name"]), field["type"]) for field in kind["fields"]]
        if kind["type"] == "array":
            return [plain(element, kind["elementType"]) for element in value]
        pairs = sorted(value.items(), key=lambda pair: key_order(pair[0], kind["keyType"]))
        return [[plain(key, kind["keyType"]), plain(item, kind["valueType"])] for key, item in pairs]
    if kind in ("float", "double"):
        return plain_float(value)
    if kind == "date":
        return {"date": value.isoformat()}
    if kind == "binary":
        return {"binary": bytes(value).hex()}
    if kind == "timestamp":
        return {"timestamp": moment(str(value)) + "Z"}
    if kind == "timestamp_ntz":
        return {"timestamp_ntz": moment(str(value))}
    if kind.startswith("decimal"):
        return {"decimal": format(with_scale(value, kind), "f")}
    return value if isinstance(value, (bool, int, str)) else str(value)


def partition_value(text: str | None, kind: Any) -> Any:
    """The value that ``text`` in an action's partitionValues stands for, as JSON; times without a zone are in UTC.

    PROTOCOL.md, "Partition Value Serialization": an empty string stands for NULL, whatever the type.
    """
    if text is None or text == "":
        return None
    if kind in ("byte", "short", "integer", "long"):
        return int(text)
    if kind == "boolean":
        return text == "true"
    if kind in ("float", "double"):
        number = float(text)
        if kind == "float" and math.isfinite(number):
            # "0.1" is the float of 32 bits that is nearest to it, which is another number than the one of 64 bits.
            (number,) = struct.unpack("<f", struct.pack("<f", number))
        return plain_float(number)
    if kind == "date":
        return {"date": text}
    if kind == "timestamp":
        return {"timestamp": moment(text) + "Z"}
    if kind == "timestamp_ntz":
        return {"timestamp_ntz": moment(text)}
    if kind == "binary":
        return {"binary": text.encode().hex()}
    return {"decimal": format(with_scale(Decimal(text), kind), "f")} if kind.startswith("decimal") else text


def comparable(value: Any) -> Any:
    """The JSON value in the one form that is compared: equal values, and only they, have equal forms.

    NaN equals NaN, -0.0 equals 0.0, as in SQL's GROUP BY.
    """
    if isinstance(value, dict):
        ((name, text),) = value.items()
        if name == "float":
            number = float(text)
            return comparable(number) if math.isfinite(number) else {name: repr(number)}
        if name == "decimal":
            return {name: format(Decimal(text).normalize() if Decimal(text) else Decimal(0), "f")}
        return {name: moment(text) if name.startswith("timestamp") else text.lower()}
    if isinstance(value, list):
        return [comparable(part) for part in value]
    return 0.0 if isinstance(value, float) and value == 0 else value


def plain_float(value: float) -> Any:
    if math.isfinite(value):
        return value
    return {"float": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}


def with_scale(value: Decimal, kind: str) -> Decimal:
    # "decimal(10,2)" → two digits behind the point.
    scale = int(kind[kind.index(",") + 1 : -1])
    return value.quantize(Decimal(1).scaleb(-scale), context=Context(prec=60))


def key_order(key: Any, kind: Any) -> str:
    # By repr of the value in its one form: bytes for bytearray, timestamps in UTC, decimals of their scale.
    if kind == "binary":
        return repr(bytes(key))
    if kind == "timestamp":
        return repr(key.replace(tzinfo=timezone.utc))
    return repr(with_scale(key, kind)) if isinstance(key, Decimal) else repr(key)


def moment(text: str) -> str:
    # To the microsecond, in UTC where it says a zone, without one where it says none.
    parts = re.fullmatch(r"(\d+-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)?", text)
    if parts is None:
        return text
    day, clock, fraction, zone = parts.groups()
    said = f"{day}T{clock}.{(fraction or '').ljust(6, '0')}"
    if zone in (None, "Z"):
        return said
    return (
        datetime.fromisoformat(said + zone)
        .astimezone(timezone.utc)
        .replace(tzinfo=None)
        .isoformat(timespec="microseconds")
    )

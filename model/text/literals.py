"""The SQL text of names, types and values, for every supported Spark.

Quotes are escaped by a backslash, as a doubled quote means something else before Spark 4.
"""

from __future__ import annotations

import math
from datetime import date, datetime, timezone
from decimal import Decimal

from model.semantics import moments
from model.text.plain_literals import plain_number
from model.vocabulary.floats import java_text
from model.vocabulary.steps import Literals
from model.vocabulary.values import WHOLE_NUMBERS, AnyType, ArrayOf, DecimalOf, MapOf, StructOf, Type, Value

#: Characters with a short escape in Spark's string literals.
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}

_TYPES = {
    Type.BYTE: "TINYINT",
    Type.SHORT: "SMALLINT",
    Type.INTEGER: "INT",
    Type.LONG: "BIGINT",
}

_WHOLE_SUFFIXES = {Type.BYTE: "Y", Type.SHORT: "S", Type.INTEGER: "", Type.LONG: "L"}

#: The shortest text of the greatest FLOAT is already out of range for a literal with the suffix F.
_GREATEST_WITH_SUFFIX = 3.4028234e38


def identifier(name: str) -> str:
    """``name`` between back-ticks; a back-tick in it is doubled."""
    return "`" + name.replace("`", "``") + "`"


def type_sql(type: AnyType) -> str:
    """The name of a type in SQL."""
    if isinstance(type, DecimalOf):
        return f"DECIMAL({type.precision}, {type.scale})"
    if isinstance(type, ArrayOf):
        return f"ARRAY<{type_sql(type.element)}>"
    if isinstance(type, MapOf):
        return f"MAP<{type_sql(type.key)}, {type_sql(type.value)}>"
    if isinstance(type, StructOf):
        return f"STRUCT<{', '.join(f'{identifier(name)}: {type_sql(kind)}' for name, kind in type.fields)}>"
    return _TYPES.get(type, type.value.upper())


def literal(value: Value, type: AnyType, zone: str | None = None) -> str:
    """The literal of ``value`` for a comparison with a column of ``type``. NULL is untyped, as users write it.

    A LONG has the suffix ``L`` only if it does not fit an INT, a DECIMAL the precision of its digits, as comparisons
    convert types. A TIMESTAMP is in the session's ``zone`` if its local time is unambiguous, else in UTC with a ``Z``;
    without a ``zone`` always in UTC, so that the text means the same in every session. Raises TypeError for a value that
    is not of the type.
    """
    if value is None:
        return "NULL"
    if type is Type.LONG and _is_whole(value, Type.INTEGER):
        return str(value)
    return _literal(value, type, zone)


def written_literal(value: Value, type: AnyType, zone: str | None, literals: Literals) -> str:
    """As ``literal``, or without types: numbers where that means the same (``model.text.plain_literals``), a DATE or TIMESTAMP as
    a text, which a comparison casts to the type of the other side.

    Source: Spark's SQL reference, "ANSI Compliance", "Type Coercion"; without ANSI ``TypeCoercion``, since Spark 3.0.
    """
    number = plain_number(value, type, literals)
    if number is not None:
        return number
    exact = literal(value, type, zone)
    if literals is Literals.EXACT or value is None or not isinstance(type, Type) or type not in _TEXTS:
        return exact
    return exact.removeprefix(type.value.upper())


#: The types whose literals may be texts.
_TEXTS = (Type.DATE, Type.TIMESTAMP)


def typed_literal(value: Value, type: AnyType, zone: str | None = None) -> str:
    """A literal of exactly the ``type``; otherwise as ``literal``."""
    if value is None or not (isinstance(type, Type) or _fills(value, type)):
        return f"CAST({'NULL' if value is None else _literal(value, type, zone)} AS {type_sql(type)})"
    return _literal(value, type, zone)


def _is_whole(value: Value, type: Type) -> bool:
    least, greatest = WHOLE_NUMBERS[type]
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= greatest


def _fills(value: Value, type: AnyType) -> bool:
    """Whether the literal of a DECIMAL has that type: its precision is the number of its digits."""
    if not (isinstance(type, DecimalOf) and isinstance(value, Decimal)):
        return False
    digits = value.as_tuple().digits
    return type.precision == max(len(digits), type.scale)


def _literal(value: Value, type: AnyType, zone: str | None) -> str:
    if not isinstance(type, Type):
        return _compound(value, type, zone)
    if type in WHOLE_NUMBERS and _is_whole(value, type):
        return f"{value!r}{_WHOLE_SUFFIXES[type]}"
    if type is Type.STRING and isinstance(value, str):
        return string_literal(value)
    if type is Type.BOOLEAN and isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if type in (Type.FLOAT, Type.DOUBLE) and isinstance(value, float):
        return _real(value, type)
    if type is Type.BINARY and isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    if type is Type.DATE and isinstance(value, date) and not isinstance(value, datetime):
        return f"DATE'{value.isoformat()}'"
    if type is Type.TIMESTAMP and isinstance(value, datetime) and value.tzinfo is not None:
        return f"TIMESTAMP'{_clock(value, zone)}'"
    if type is Type.TIMESTAMP_NTZ and isinstance(value, datetime) and value.tzinfo is None:
        return f"TIMESTAMP_NTZ'{_wall_clock(value)}'"
    raise TypeError(f"{value!r} is not a value of the type {type.value}")


def _real(value: float, type: AnyType) -> str:
    single = type is Type.FLOAT
    text = java_text(value, single=single)
    if not math.isfinite(value) or (single and abs(value) > _GREATEST_WITH_SUFFIX):
        return f"CAST('{text}' AS {type_sql(type)})"
    return f"{text}{'F' if single else 'D'}"


def _clock(value: datetime, zone: str | None) -> str:
    if zone is not None:
        local = moments.local_micros(moments.micros_of(value), zone)
        written = moments.timestamp_text(local)
        if moments.is_unambiguous(local, zone) and not written.startswith(("+", "-", "0000")):
            return written
    return _wall_clock(value.astimezone(timezone.utc).replace(tzinfo=None)) + "Z"


def _wall_clock(value: datetime) -> str:
    return moments.timestamp_text(moments.micros_of(value))


def _compound(value: Value, type: AnyType, zone: str | None) -> str:
    if isinstance(type, DecimalOf) and isinstance(value, Decimal):
        return f"{value:f}BD"
    if isinstance(type, StructOf) and isinstance(value, tuple) and len(value) == len(type.fields):
        named = (
            part
            for (name, kind), field in zip(type.fields, value)
            for part in (string_literal(name), typed_literal(field, kind, zone))
        )
        return f"named_struct({', '.join(named)})"
    if isinstance(type, ArrayOf) and isinstance(value, tuple):
        return f"array({', '.join(typed_literal(element, type.element, zone) for element in value)})"
    if isinstance(type, MapOf) and isinstance(value, tuple):
        entries = (
            part
            for key, item in value
            for part in (typed_literal(key, type.key, zone), typed_literal(item, type.value, zone))
        )
        return f"map({', '.join(entries)})"
    raise TypeError(f"{value!r} is not a value of the type {type_sql(type)}")


def string_literal(text: str) -> str:
    """A STRING literal, for Spark's default parser (spark.sql.parser.escapedStringLiterals=false)."""
    return "'" + "".join(map(_character, text)) + "'"


def _character(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    # Unprintable characters are escaped, as people read the text too.
    if not character.isprintable():
        code = ord(character)
        return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
    return character

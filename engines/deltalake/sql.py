"""Conditions in the SQL of DataFusion, which delta-rs parses: what it takes of the vocabulary, with the same meaning."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from model.predicate import (
    And,
    Between,
    Compare,
    Constant,
    In,
    IsNull,
    Like,
    Not,
    Op,
    Or,
    Predicate,
)
from model.values import WHOLE_NUMBERS, AnyType, DecimalOf, Type, Value


def sql(predicate: Predicate) -> str:
    """The text of a condition. Raises TypeError for what DataFusion says otherwise: functions, casts, nested columns."""
    if isinstance(predicate, Constant):
        return "NULL" if predicate.value is None else literal(predicate.value, Type.BOOLEAN)
    if isinstance(predicate, Compare) and predicate.op is Op.NULL_SAFE_EQ and isinstance(predicate.value, datetime):
        column = identifier(predicate.column)
        return f"({column} IS NOT NULL AND {column} = {literal(predicate.value, predicate.type)})"
    if isinstance(predicate, Compare) and predicate.op is Op.NULL_SAFE_EQ:
        return f"{identifier(predicate.column)} IS NOT DISTINCT FROM {_exactly(predicate.value, predicate.type)}"
    if isinstance(predicate, Compare):
        return f"{identifier(predicate.column)} {predicate.op.value} {literal(predicate.value, predicate.type)}"
    if isinstance(predicate, Between):
        low, high = literal(predicate.low, predicate.type), literal(predicate.high, predicate.type)
        return f"{identifier(predicate.column)} BETWEEN {low} AND {high}"
    if isinstance(predicate, In):
        values = ", ".join(literal(value, predicate.type) for value in predicate.values)
        return f"{identifier(predicate.column)} IN ({values})"
    if isinstance(predicate, IsNull):
        return f"{identifier(predicate.column)} IS NULL"
    if isinstance(predicate, Like):
        return f"{identifier(predicate.column)} LIKE {_text(predicate.pattern)}"
    if isinstance(predicate, Not):
        return f"NOT ({sql(predicate.operand)})"
    if isinstance(predicate, (And, Or)):
        word = "AND" if isinstance(predicate, And) else "OR"
        return f"({sql(predicate.left)}) {word} ({sql(predicate.right)})"
    raise TypeError(f"a {type(predicate).__name__} is not said to DataFusion")


def identifier(name: str) -> str:
    """``name`` between double quotes, which also keep its case."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Value, type: AnyType) -> str:
    """The literal of ``value`` for a comparison with a column of ``type``; NULL is untyped, as users write it.

    Raises TypeError for a type that has none here.
    """
    if value is None:
        return "NULL"
    if type is Type.BOOLEAN:
        return "TRUE" if value else "FALSE"
    if type in WHOLE_NUMBERS:
        return str(value)
    if type is Type.STRING and isinstance(value, str):
        return _text(value)
    if type is Type.DATE and isinstance(value, date) and not isinstance(value, datetime):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, datetime):
        # A literal of the type TIMESTAMP counts nanoseconds, and is refused: of a text the column's own type is made.
        return _text(_moment(value))
    if type is Type.BINARY and isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    return _exactly(value, type)


def _moment(value: datetime) -> str:
    text = value.replace(tzinfo=None).isoformat(sep=" ", timespec="microseconds")
    return text if value.tzinfo is None else f"{text.replace(' ', 'T')}Z"


def _exactly(value: Value, type: AnyType) -> str:
    """The literal of exactly the type. Raises TypeError for a type that has none here."""
    if value is None or isinstance(value, (datetime, bytes)):
        return literal(value, type)
    if not isinstance(value, (int, float, str, Decimal, date)):
        raise TypeError(f"{value!r} is not said to DataFusion")
    # Of a decimal all digits: an exponent is not taken in the text of one.
    text = repr(value) if isinstance(value, float) else f"{value:f}" if isinstance(value, Decimal) else str(value)
    return f"CAST({_text(text)} AS {_sql_type(type)})"


def _sql_type(type: AnyType) -> str:
    if isinstance(type, DecimalOf):
        return f"DECIMAL({type.precision}, {type.scale})"
    if isinstance(type, Type) and type in _SQL_TYPES:
        return _SQL_TYPES[type]
    raise TypeError(f"a literal of the type {type} is not said to DataFusion")


_SQL_TYPES = {
    Type.STRING: "VARCHAR",
    Type.BYTE: "TINYINT",
    Type.SHORT: "SMALLINT",
    Type.INTEGER: "INT",
    Type.LONG: "BIGINT",
    Type.FLOAT: "FLOAT",
    Type.DOUBLE: "DOUBLE",
    Type.BOOLEAN: "BOOLEAN",
    Type.DATE: "DATE",
}


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"

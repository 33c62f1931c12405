"""The text of a condition as Spark records it in commitInfo, before its optimizer."""

from __future__ import annotations

from datetime import datetime

from model.semantics import moments
from model.text.sql import WRAPPERS
from model.vocabulary.floats import java_text
from model.vocabulary.predicate import (
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
    Wrapped,
    columns_of,
)
from model.vocabulary.values import AnyType, DecimalOf, Type, Value


def recorded(where: Predicate | None, zone: str) -> str:
    """The text: ``((v#1 >= 2) AND isnotnull(s#1))``; ``zone`` is the session's time zone, an IANA name.

    Of tests with functions it only has the columns.
    """
    if where is None:
        return "true"
    if isinstance(where, Constant):
        return _value(where.value, Type.BOOLEAN, zone)
    if isinstance(where, (And, Or)):
        word = "AND" if isinstance(where, And) else "OR"
        return f"({recorded(where.left, zone)} {word} {recorded(where.right, zone)})"
    if isinstance(where, Not):
        operand = where.operand
        return f"isnotnull({operand.column}#1)" if isinstance(operand, IsNull) else f"NOT {recorded(operand, zone)}"
    if isinstance(where, Wrapped):
        return f"{WRAPPERS[where.by]}({recorded(where.operand, zone)})#2"
    if isinstance(where, IsNull):
        return f"isnull({where.column}#1)"
    if isinstance(where, Like):
        return f"{where.column}#1 LIKE {where.pattern}"
    if isinstance(where, In):
        return f"{where.column}#1 IN ({','.join(_value(value, where.type, zone) for value in where.values)})"
    if isinstance(where, Between):
        low, high = (
            Compare(where.column, Op.GE, where.low, where.type),
            Compare(where.column, Op.LE, where.high, where.type),
        )
        return recorded(And(low, high), zone)
    if isinstance(where, Compare):
        value = _value(where.value, where.type, zone)
        if where.op is Op.NE:
            return f"NOT ({where.column}#1 = {value})"
        return f"({where.column}#1 {where.op.value} {value})"
    return " ".join(f"{name}#1" for name in sorted(columns_of(where))) or "true"


def _value(value: Value, type: AnyType, zone: str) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return java_text(value, single=type is Type.FLOAT)
    if isinstance(value, bytes):
        return f"0x{value.hex().upper()}"
    if isinstance(value, datetime):
        micros = moments.micros_of(value)
        return moments.timestamp_text(moments.local_micros(micros, zone) if type is Type.TIMESTAMP else micros)
    return f"{value:f}" if isinstance(type, DecimalOf) else str(value)

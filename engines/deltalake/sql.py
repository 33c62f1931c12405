"""Conditions in the SQL of DataFusion, which delta-rs uses."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from model.text.plain_literals import plain_number, told_apart
from model.vocabulary.predicate import (
    And,
    Between,
    Compare,
    Constant,
    Expression,
    In,
    IsNull,
    Like,
    Literal,
    Member,
    Missing,
    Not,
    Of,
    Op,
    Or,
    Predicate,
    Relate,
)
from model.vocabulary.steps import Literals
from model.vocabulary.values import WHOLE_NUMBERS, AnyType, DecimalOf, Type, Value


def sql(predicate: Predicate, literals: Literals = Literals.EXACT) -> str:
    """The SQL of a condition, with ``literals`` in comparisons. A null-safe one needs the exact type of its column (``i <=> 7``
    on INT is refused: docs/findings-deltalake.md).

    Raises TypeError for functions and casts, which DataFusion writes differently.
    """

    def written(value: Value, type: AnyType) -> str:
        return _plain(value, type, literals) or literal(value, type)

    if isinstance(predicate, Constant):
        return "NULL" if predicate.value is None else literal(predicate.value, Type.BOOLEAN)
    if isinstance(predicate, Compare) and predicate.op is Op.NULL_SAFE_EQ and isinstance(predicate.value, datetime):
        column = identifier(predicate.column)
        return f"({column} IS NOT NULL AND {column} = {literal(predicate.value, predicate.type)})"
    if isinstance(predicate, Compare) and predicate.op is Op.NULL_SAFE_EQ:
        return f"{identifier(predicate.column)} IS NOT DISTINCT FROM {_exactly(predicate.value, predicate.type)}"
    if isinstance(predicate, Compare):
        return f"{identifier(predicate.column)} {predicate.op.value} {written(predicate.value, predicate.type)}"
    if isinstance(predicate, Between):
        low, high = written(predicate.low, predicate.type), written(predicate.high, predicate.type)
        return f"{identifier(predicate.column)} BETWEEN {low} AND {high}"
    if isinstance(predicate, In):
        values = ", ".join(written(value, predicate.type) for value in predicate.values)
        return f"{identifier(predicate.column)} IN ({values})"
    if isinstance(predicate, IsNull):
        return f"{identifier(predicate.column)} IS NULL"
    if isinstance(predicate, Missing):
        return f"{_operand(predicate.expression)} IS NULL"
    if isinstance(predicate, Relate):
        return _related(predicate, literals)
    if isinstance(predicate, Like):
        return f"{identifier(predicate.column)} LIKE {_text(predicate.pattern)}"
    if isinstance(predicate, Not):
        return f"NOT ({sql(predicate.operand, literals)})"
    if isinstance(predicate, (And, Or)):
        word = "AND" if isinstance(predicate, And) else "OR"
        return f"({sql(predicate.left, literals)}) {word} ({sql(predicate.right, literals)})"
    raise TypeError(f"{type(predicate).__name__} is not supported in SQL for DataFusion")


def _related(test: Relate, literals: Literals) -> str:
    if not isinstance(test.right, Literal):
        raise TypeError("Only comparisons with a literal are supported in SQL for DataFusion")
    left, value, type = _operand(test.left), test.right.value, test.right.type
    if test.op is Op.NULL_SAFE_EQ and isinstance(value, datetime):
        return f"({left} IS NOT NULL AND {left} = {literal(value, type)})"
    if test.op is Op.NULL_SAFE_EQ:
        return f"{left} IS NOT DISTINCT FROM {_exactly(value, type)}"
    return f"{left} {test.op.value} {_plain(value, type, literals) or literal(value, type)}"


def _operand(expression: Expression) -> str:
    """A column, or a field of a struct."""
    if isinstance(expression, Of):
        return identifier(expression.column)
    if isinstance(expression, Member):
        return f"{_operand(expression.of)}[{_text(expression.field)}]"
    raise TypeError(f"{type(expression).__name__} is not supported in SQL for DataFusion")


def _plain(value: Value, type: AnyType, literals: Literals) -> str | None:
    """The text without a type, where it means the same: of a number that is one of a kind as a DOUBLE, which it is for
    DataFusion, and of a DATE, to which a text is cast (DataFusion's ``string_temporal_coercion``). None: there is none."""
    if literals is not Literals.EXACT and type is Type.DATE and isinstance(value, date):
        return _text(value.isoformat())
    if type in WHOLE_NUMBERS and literals is not Literals.EXPONENTS:
        return None  # as it is written anyhow
    return plain_number(value, type, literals) if told_apart(value, type) else None


def identifier(name: str) -> str:
    """``name`` in double quotes, which also preserve its case."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Value, type: AnyType) -> str:
    """The literal of ``value`` for a comparison with a column of ``type``; NULL is untyped, as users write it.

    Raises TypeError for an unsupported type.
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
        # TIMESTAMP literals have nanoseconds and are refused; a string is converted to the column's type.
        return _text(_moment(value))
    if type is Type.BINARY and isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    return _exactly(value, type)


def _moment(value: datetime) -> str:
    text = value.replace(tzinfo=None).isoformat(sep=" ", timespec="microseconds")
    return text if value.tzinfo is None else f"{text.replace(' ', 'T')}Z"


def _exactly(value: Value, type: AnyType) -> str:
    """The literal with exactly this type. Raises TypeError for an unsupported type."""
    if value is None or isinstance(value, (datetime, bytes)):
        return literal(value, type)
    if not isinstance(value, (int, float, str, Decimal, date)):
        raise TypeError(f"{value!r} is not supported in SQL for DataFusion")
    # All digits of a decimal: a cast does not accept an exponent.
    text = repr(value) if isinstance(value, float) else f"{value:f}" if isinstance(value, Decimal) else str(value)
    return f"CAST({_text(text)} AS {_sql_type(type)})"


def _sql_type(type: AnyType) -> str:
    if isinstance(type, DecimalOf):
        return f"DECIMAL({type.precision}, {type.scale})"
    if isinstance(type, Type) and type in _SQL_TYPES:
        return _SQL_TYPES[type]
    raise TypeError(f"literals of the type {type} are not supported in SQL for DataFusion")


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

"""Conditions in the SQL of DataFusion, which delta-rs uses."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import TypeGuard

from model.text.plain_literals import plain_number, told_apart
from model.vocabulary.predicate import (
    And,
    Between,
    Call,
    Compare,
    Constant,
    Expression,
    Function,
    Holds,
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
    Verbatim,
)
from model.vocabulary.steps import Literals
from model.vocabulary.values import WHOLE_NUMBERS, AnyType, DecimalOf, Type, Value


def sql(predicate: Predicate, literals: Literals = Literals.EXACT) -> str:
    """The SQL of a condition, with ``literals`` in comparisons. A null-safe one needs the exact type of its column (``i <=> 7``
    on INT is refused: docs/findings-deltalake.md).

    Raises TypeError for casts, and for functions that DataFusion writes differently or not at all.
    """

    def written(value: Value, type: AnyType) -> str:
        return _plain(value, type, literals) or literal(value, type)

    if isinstance(predicate, Constant):
        return "NULL" if predicate.value is None else literal(predicate.value, Type.BOOLEAN)
    if isinstance(predicate, Compare) and predicate.op is Op.NULL_SAFE_EQ and isinstance(predicate.value, datetime):
        column = identifier(predicate.column)
        return f"({column} IS NOT NULL AND {column} = {literal(predicate.value, predicate.type)})"
    if _is_distinction(predicate):
        return _distinct(predicate, "IS NOT DISTINCT FROM")
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
        if literals is not Literals.EXACT and _is_distinction(predicate.operand):
            return _distinct(predicate.operand, "IS DISTINCT FROM")
        return f"NOT ({sql(predicate.operand, literals)})"
    if isinstance(predicate, (And, Or)):
        word = "AND" if isinstance(predicate, And) else "OR"
        return f"({sql(predicate.left, literals)}) {word} ({sql(predicate.right, literals)})"
    if isinstance(predicate, Holds):
        return _operand(predicate.expression)
    if isinstance(predicate, Verbatim):
        return predicate.text
    raise TypeError(f"{type(predicate).__name__} is not supported in SQL for DataFusion")


def _is_distinction(test: Predicate) -> TypeGuard[Compare]:
    """Whether it is a null-safe comparison with a value that can be written with its type."""
    return isinstance(test, Compare) and test.op is Op.NULL_SAFE_EQ and not isinstance(test.value, datetime)


def _distinct(test: Compare, operator: str) -> str:
    return f"{identifier(test.column)} {operator} {_exactly(test.value, test.type)}"


def _related(test: Relate, literals: Literals) -> str:
    if not isinstance(test.right, Literal) or isinstance(test.left, Call):
        operator = "IS NOT DISTINCT FROM" if test.op is Op.NULL_SAFE_EQ else test.op.value
        return f"{_operand(test.left)} {operator} {_operand(test.right)}"
    left, value, type = _operand(test.left), test.right.value, test.right.type
    if test.op is Op.NULL_SAFE_EQ and isinstance(value, datetime):
        return f"({left} IS NOT NULL AND {left} = {literal(value, type)})"
    if test.op is Op.NULL_SAFE_EQ:
        return f"{left} IS NOT DISTINCT FROM {_exactly(value, type)}"
    return f"{left} {test.op.value} {_plain(value, type, literals) or literal(value, type)}"


def _operand(expression: Expression) -> str:
    """An expression; literals in it have exactly their types, as what a function returns depends on them."""
    if isinstance(expression, Of):
        return identifier(expression.column)
    if isinstance(expression, Member):
        return f"{_operand(expression.of)}[{_text(expression.field)}]"
    if isinstance(expression, Literal):
        return _exactly(expression.value, expression.type)
    if isinstance(expression, Call) and expression.function in FUNCTIONS:
        return _call(expression)
    raise TypeError(f"{type(expression).__name__} is not supported in SQL for DataFusion")


#: How DataFusion writes the functions that have an equal in it.
FUNCTIONS: Mapping[Function, str] = {
    Function.UPPER: "upper({0})",
    Function.LOWER: "lower({0})",
    Function.TRIM: "btrim({0}, ' ')",
    Function.SUBSTRING: "substr({0}, {1}, {2})",
    Function.CONCAT: "({0} || {1})",  # concat() takes NULL for an empty text
    Function.STARTSWITH: "starts_with({0}, {1})",
    Function.ABS: "abs({0})",
    Function.REMAINDER: "({0} % {1})",
    Function.YEAR: "date_part('year', {0})",
    Function.MONTH: "date_part('month', {0})",
    Function.DAY: "date_part('day', {0})",
    Function.ISNAN: "coalesce(isnan({0}), false)",  # of NULL it is NULL
}


def _call(call: Call) -> str:
    text, start, *_ = (*map(_operand, call.arguments), "")
    if call.function is Function.SUBSTRING and isinstance(place := call.arguments[1], Literal) and place.value == -1:
        return f"right({text}, 1)"  # substr counts from the front only
    return FUNCTIONS[call.function].format(text, start, *map(_operand, call.arguments[2:]))


def _plain(value: Value, type: AnyType, literals: Literals) -> str | None:
    """The text without a type, if it means the same; else None. It does for a number that is one of a kind as a DOUBLE, as in
    DataFusion, and for a DATE, to which a text is cast (DataFusion's ``string_temporal_coercion``).
    """
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

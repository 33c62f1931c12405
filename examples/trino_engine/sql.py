"""Steps in Trino's SQL, conditions with the meaning that they have in the model.

In Trino no comparison with NaN is true, as in IEEE 754. In the model, as in Spark, NaN equals itself and is the greatest number:
a condition gets an ``is_nan`` where that matters.
"""

from __future__ import annotations

import math
from datetime import date, datetime, timezone
from decimal import Decimal

from model.vocabulary.predicate import (
    And,
    Between,
    Compare,
    Constant,
    Expression,
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
)
from model.vocabulary.steps import (
    Delete,
    DeleteMistake,
    InvalidDelete,
    InvalidVacuum,
    Read,
    ReadChanges,
    Request,
    Vacuum,
)
from model.vocabulary.values import AnyType, DecimalOf, Type, Value

_NUMBERS = {Type.BYTE: "TINYINT", Type.SHORT: "SMALLINT", Type.INTEGER: "INTEGER", Type.LONG: "BIGINT"}
_REALS = {Type.FLOAT: "REAL", Type.DOUBLE: "DOUBLE"}


_CONDITIONS = {
    DeleteMistake.AGGREGATE: " WHERE count(*) > 0",
    DeleteMistake.UNKNOWN_COLUMN: " WHERE tombstone_unknown_column = 1",
    DeleteMistake.NOT_BOOLEAN: " WHERE 1",
}


def statement(step: Request, version: int | None) -> str:
    """The statement of a step, a format with ``{schema}`` and ``{table}``. ``version``: of a Read, or of a ReadChanges."""
    if isinstance(step, Delete):
        return "DELETE FROM {table}" + ("" if step.where is None else f" WHERE {_escaped(sql(step.where))}")
    if isinstance(step, InvalidDelete):
        return "DELETE FROM {table}" + _CONDITIONS.get(step.mistake, "")
    if isinstance(step, Vacuum):
        assert step.retain_hours is not None, "the capabilities have no retention by default"
        return _vacuum(f"{round(step.retain_hours)}h")
    if isinstance(step, InvalidVacuum):
        return _vacuum("168h")
    if isinstance(step, ReadChanges):
        assert version is not None, "changes are read of a version"
        since = f", since_version => {version - 1}" if version else ""
        columns = "_commit_version, _commit_timestamp" if step.commits else "*"
        source = f"TABLE(delta.system.table_changes(schema_name => '{{schema}}', table_name => '{{table}}'{since}))"
        return f"SELECT {columns} FROM {source} WHERE _commit_version = {version}"
    assert isinstance(step, Read), "the capabilities have no other step"
    return "SELECT * FROM {table}" + ("" if version is None else f" FOR VERSION AS OF {version}")


def _vacuum(retention: str) -> str:
    return f"CALL delta.system.vacuum('{{schema}}', '{{table}}', '{retention}')"


def _escaped(condition: str) -> str:
    return condition.replace("{", "{{").replace("}", "}}")


def sql(predicate: Predicate) -> str:
    """Raises TypeError for functions and casts."""
    if isinstance(predicate, Constant):
        return "CAST(NULL AS BOOLEAN)" if predicate.value is None else str(predicate.value).upper()
    if isinstance(predicate, Compare):
        return _compared(identifier(predicate.column), predicate.op, predicate.value, predicate.type)
    if isinstance(predicate, Between):
        column = identifier(predicate.column)
        low = _compared(column, Op.GE, predicate.low, predicate.type)
        high = _compared(column, Op.LE, predicate.high, predicate.type)
        if predicate.type in _REALS:
            return f"({low} AND {high})"
        return (
            f"{column} BETWEEN {literal(predicate.low, predicate.type)} AND {literal(predicate.high, predicate.type)}"
        )
    if isinstance(predicate, In):
        column = identifier(predicate.column)
        listed = f"{column} IN ({', '.join(literal(value, predicate.type) for value in predicate.values)})"
        has_nan = any(isinstance(value, float) and math.isnan(value) for value in predicate.values)
        return f"({listed} OR is_nan({column}))" if has_nan else listed
    if isinstance(predicate, IsNull):
        return f"{identifier(predicate.column)} IS NULL"
    if isinstance(predicate, Holds):
        return _operand(predicate.expression)
    if isinstance(predicate, Missing):
        return f"{_operand(predicate.expression)} IS NULL"
    if isinstance(predicate, Relate):
        if not isinstance(predicate.right, Literal):
            raise TypeError("only comparisons with a literal")
        return _compared(_operand(predicate.left), predicate.op, predicate.right.value, predicate.right.type)
    if isinstance(predicate, Like):
        return f"{identifier(predicate.column)} LIKE {text(predicate.pattern)} ESCAPE '\\'"
    if isinstance(predicate, Not):
        return f"NOT ({sql(predicate.operand)})"
    if isinstance(predicate, (And, Or)):
        return f"({sql(predicate.left)}) {'AND' if isinstance(predicate, And) else 'OR'} ({sql(predicate.right)})"
    raise TypeError(f"{type(predicate).__name__} is not supported")


def _compared(operand: str, op: Op, value: Value, type: AnyType) -> str:
    right = literal(value, type)
    if op is Op.NULL_SAFE_EQ:
        return f"{operand} IS NOT DISTINCT FROM {right}"
    if type in _REALS and value is not None:
        if isinstance(value, float) and math.isnan(value):
            nan, never = f"is_nan({operand})", f"(is_nan({operand}) AND NOT is_nan({operand}))"
            return {
                Op.EQ: nan,
                Op.GE: nan,
                Op.NE: f"NOT {nan}",
                Op.LT: f"NOT {nan}",
                Op.GT: never,
                Op.LE: f"NOT {never}",
            }[op]
        if op in (Op.GT, Op.GE):
            return f"({operand} {op.value} {right} OR is_nan({operand}))"
    return f"{operand} {op.value} {right}"


def _operand(expression: Expression) -> str:
    if isinstance(expression, Of):
        return identifier(expression.column)
    if isinstance(expression, Member):
        return f"{_operand(expression.of)}.{identifier(expression.field)}"
    raise TypeError(f"{type(expression).__name__} is not supported")


def identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def literal(value: Value, type: AnyType) -> str:
    """A literal of exactly the type; NULL has none. Raises TypeError for a nested type."""
    if value is None:
        return "NULL"
    if type is Type.BOOLEAN:
        return "TRUE" if value else "FALSE"
    if isinstance(value, int) and type in _NUMBERS:
        return f"{_NUMBERS[type]} '{value}'"
    if type in _REALS and isinstance(value, float):
        name = (
            repr(value)
            if math.isfinite(value)
            else "NaN"
            if math.isnan(value)
            else f"{'-' if value < 0 else ''}Infinity"
        )
        return f"{_REALS[type]} '{name}'"
    if isinstance(type, DecimalOf) and isinstance(value, Decimal):
        return f"CAST('{value:f}' AS DECIMAL({type.precision}, {type.scale}))"
    if type is Type.STRING and isinstance(value, str):
        return text(value)
    if type is Type.BINARY and isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    if isinstance(value, datetime):
        zone = "" if value.tzinfo is None else " UTC"
        moment = value if value.tzinfo is None else value.astimezone(timezone.utc).replace(tzinfo=None)
        return f"TIMESTAMP '{moment.isoformat(sep=' ', timespec='microseconds')}{zone}'"
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    raise TypeError(f"{value!r} of {type}")

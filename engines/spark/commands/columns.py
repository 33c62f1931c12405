"""Conditions as PySpark Columns, built node by node; the other forms pass SQL text."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - its name everywhere

from model.text.literals import identifier, literal, type_sql
from model.text.sql import WRAPPERS, expression_sql
from model.vocabulary.predicate import (
    And,
    Between,
    CaseWhen,
    Cast,
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
    Predicate,
    Relate,
    Verbatim,
    Wrapped,
)
from model.vocabulary.values import AnyType, Value

_COMPARISONS: dict[Op, Callable[[Any, Any], Any]] = {
    Op.EQ: operator.eq,
    Op.NE: operator.ne,
    Op.LT: operator.lt,
    Op.LE: operator.le,
    Op.GT: operator.gt,
    Op.GE: operator.ge,
    Op.NULL_SAFE_EQ: Column.eqNullSafe,
}

_ARITHMETIC: dict[Function, Callable[[Any, Any], Any]] = {
    Function.ADD: operator.add,
    Function.SUBTRACT: operator.sub,
    Function.MULTIPLY: operator.mul,
    Function.REMAINDER: operator.mod,
}


def condition(predicate: Predicate, zone: str) -> Column:
    """The predicate as a Column. TIMESTAMP literals are written in ``zone``, the session's time zone."""

    def constant(value: Value, type: AnyType) -> Column:
        return F.expr(literal(value, type, zone))

    if isinstance(predicate, Constant):
        return F.lit(predicate.value).cast("boolean")
    if isinstance(predicate, Compare):
        compared: Column = _COMPARISONS[predicate.op](
            _column(predicate.column), constant(predicate.value, predicate.type)
        )
        return compared
    if isinstance(predicate, Between):
        low, high = constant(predicate.low, predicate.type), constant(predicate.high, predicate.type)
        return _column(predicate.column).between(low, high)
    if isinstance(predicate, In):
        return _column(predicate.column).isin(*(constant(value, predicate.type) for value in predicate.values))
    if isinstance(predicate, IsNull):
        return _column(predicate.column).isNull()
    if isinstance(predicate, Like):
        return _column(predicate.column).like(predicate.pattern)
    if isinstance(predicate, Relate):
        related: Column = _COMPARISONS[predicate.op](value_of(predicate.left, zone), value_of(predicate.right, zone))
        return related
    if isinstance(predicate, Holds):
        return value_of(predicate.expression, zone)
    if isinstance(predicate, Missing):
        return value_of(predicate.expression, zone).isNull()
    if isinstance(predicate, Verbatim):
        return F.expr(predicate.text)
    if isinstance(predicate, Not):
        return ~condition(predicate.operand, zone)
    if isinstance(predicate, Wrapped):
        return _called(WRAPPERS[predicate.by], condition(predicate.operand, zone))
    left, right = condition(predicate.left, zone), condition(predicate.right, zone)
    return left & right if isinstance(predicate, And) else left | right


def value_of(expression: Expression, zone: str) -> Column:
    """An expression as a Column."""
    if isinstance(expression, Of):
        return _column(expression.column)
    if isinstance(expression, Literal):
        return F.expr(expression_sql(expression, zone))
    if isinstance(expression, Member):
        return value_of(expression.of, zone).getField(expression.field)
    if isinstance(expression, Cast):
        return value_of(expression.of, zone).cast(type_sql(expression.type))
    if isinstance(expression, CaseWhen):
        case = F.when(condition(expression.condition, zone), value_of(expression.then, zone))
        return case.otherwise(value_of(expression.otherwise, zone))
    arguments = [value_of(argument, zone) for argument in expression.arguments]
    if expression.function in _ARITHMETIC:
        return reduce(_ARITHMETIC[expression.function], arguments)
    return _called(expression.function.value, *arguments)


def _called(name: str, *arguments: Column) -> Column:
    call = getattr(F, "call_function", F.call_udf)  # its name before Spark 3.5
    found: Column = call(name, *arguments)
    return found


def _column(name: str) -> Column:
    return F.col(identifier(name))

"""Conditions as PySpark Columns, built node by node; the other forms pass SQL text. Without PySpark."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from engines.spark.commands.calls import FUNCTIONS as F
from engines.spark.commands.calls import Expression as Column
from engines.spark.commands.calls import Operation
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

_SIGNS: Mapping[Op | Function, str] = {
    Op.EQ: "==",
    Op.NE: "!=",
    **{op: op.value for op in (Op.LT, Op.LE, Op.GT, Op.GE)},
    Function.ADD: "+",
    Function.SUBTRACT: "-",
    Function.MULTIPLY: "*",
    Function.REMAINDER: "%",
}


def condition(predicate: Predicate, zone: str) -> Column:
    """The predicate as a Column. TIMESTAMP literals are written in ``zone``, the session's time zone."""

    def constant(value: Value, type: AnyType) -> Column:
        return F.expr(literal(value, type, zone))

    if isinstance(predicate, Constant):
        return F.lit(predicate.value).cast("boolean")
    if isinstance(predicate, Compare):
        return _compared(predicate.op, _column(predicate.column), constant(predicate.value, predicate.type))
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
        return _compared(predicate.op, value_of(predicate.left, zone), value_of(predicate.right, zone))
    if isinstance(predicate, Holds):
        return value_of(predicate.expression, zone)
    if isinstance(predicate, Missing):
        return value_of(predicate.expression, zone).isNull()
    if isinstance(predicate, Verbatim):
        return F.expr(predicate.text)
    if isinstance(predicate, Not):
        return Operation("~", (condition(predicate.operand, zone),))
    if isinstance(predicate, Wrapped):
        return _called(WRAPPERS[predicate.by], condition(predicate.operand, zone))
    operands = condition(predicate.left, zone), condition(predicate.right, zone)
    return Operation("&" if isinstance(predicate, And) else "|", operands)


def value_of(expression: Expression, zone: str) -> Column:
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
    if expression.function in _SIGNS:
        return reduce(lambda left, right: Operation(_SIGNS[expression.function], (left, right)), arguments)
    return _called(expression.function.value, *arguments)


def _compared(op: Op, left: Column, right: Column) -> Column:
    return left.eqNullSafe(right) if op is Op.NULL_SAFE_EQ else Operation(_SIGNS[op], (left, right))


def _called(name: str, *arguments: Column) -> Column:
    return F.call_udf(name, *arguments)  # call_function since Spark 3.5


def _column(name: str) -> Column:
    return F.col(identifier(name))

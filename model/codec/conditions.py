"""The JSON form of predicates, tagged by ``"op"``, and of the expressions in them, tagged by ``"expression"``."""

from __future__ import annotations

from typing import Any

from model.codec.fields import (
    Fields,
    corrupt,
    flag,
    list_of,
    member,
    nullable,
    shown,
    tag_of,
    text,
)
from model.codec.json_values import read_type, type_to_json, value_of, value_to_json
from model.predicate import (
    And,
    Between,
    Call,
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
    Or,
    Predicate,
    Relate,
)

_OPS = tuple(op.value for op in Op)
_OTHERS = ("BETWEEN", "IN", "IS NULL", "LIKE", "NOT", "AND", "OR", "CONSTANT", "RELATE", "HOLDS", "MISSING")
_EXPRESSIONS = ("of", "literal", "member", "call", "cast", "case")


# Writing ------------------------------------------------------------------------------------------------------------


def predicate_to_json(predicate: Predicate) -> dict[str, Any]:
    """The document of a predicate, tagged by ``"op"``."""
    if isinstance(predicate, Constant):
        return {"op": "CONSTANT", "value": predicate.value}
    if isinstance(predicate, Compare):
        value, type = value_to_json(predicate.value), type_to_json(predicate.type)
        return {"op": predicate.op.value, "column": predicate.column, "value": value, "type": type}
    if isinstance(predicate, Between):
        low, high = value_to_json(predicate.low), value_to_json(predicate.high)
        type = type_to_json(predicate.type)
        return {"op": "BETWEEN", "column": predicate.column, "low": low, "high": high, "type": type}
    if isinstance(predicate, In):
        values, type = value_to_json(predicate.values), type_to_json(predicate.type)
        return {"op": "IN", "column": predicate.column, "values": values, "type": type}
    if isinstance(predicate, IsNull):
        return {"op": "IS NULL", "column": predicate.column}
    if isinstance(predicate, Like):
        return {"op": "LIKE", "column": predicate.column, "pattern": predicate.pattern}
    if isinstance(predicate, Relate):
        left, right = expression_to_json(predicate.left), expression_to_json(predicate.right)
        return {"op": "RELATE", "relation": predicate.op.value, "left": left, "right": right}
    if isinstance(predicate, (Holds, Missing)):
        tag = "HOLDS" if isinstance(predicate, Holds) else "MISSING"
        return {"op": tag, "of": expression_to_json(predicate.expression)}
    if isinstance(predicate, Not):
        return {"op": "NOT", "operand": predicate_to_json(predicate.operand)}
    tag = "AND" if isinstance(predicate, And) else "OR"
    return {"op": tag, "left": predicate_to_json(predicate.left), "right": predicate_to_json(predicate.right)}


def expression_to_json(expression: Expression) -> dict[str, Any]:
    """The document of an expression, tagged by ``"expression"``."""
    if isinstance(expression, Of):
        return {"expression": "of", "column": expression.column}
    if isinstance(expression, Literal):
        value, type = value_to_json(expression.value), type_to_json(expression.type)
        return {"expression": "literal", "value": value, "type": type}
    if isinstance(expression, Member):
        return {"expression": "member", "of": expression_to_json(expression.of), "field": expression.field}
    if isinstance(expression, Call):
        arguments = [expression_to_json(argument) for argument in expression.arguments]
        call = {"expression": "call", "function": expression.function.value}
        return {**call, "arguments": arguments} if arguments else call
    if isinstance(expression, Cast):
        of, type = expression_to_json(expression.of), type_to_json(expression.type)
        return {"expression": "cast", "of": of, "type": type}
    return {
        "expression": "case",
        "condition": predicate_to_json(expression.condition),
        "then": expression_to_json(expression.then),
        "otherwise": expression_to_json(expression.otherwise),
    }


# Reading ------------------------------------------------------------------------------------------------------------


def predicate_from_json(document: object) -> Predicate:
    """The predicate of a document. Raises CorruptCase."""
    return read_predicate(document, "predicate")


def expression_from_json(document: object) -> Expression:
    """The expression of a document. Raises CorruptCase."""
    return read_expression(document, "expression")


def read_predicate(value: object, path: str) -> Predicate:
    """Reads a predicate. Raises CorruptCase."""
    tag = tag_of(value, path, "op")
    if tag == "CONSTANT":
        return Constant(value=Fields(value, path, {"op", "value"}).required("value", nullable(flag)))
    if tag in _OPS:
        fields = Fields(value, path, {"op", "column", "value", "type"})
        type = fields.required("type", read_type)
        column = fields.required("column", text)
        return Compare(column=column, op=Op(tag), value=fields.required("value", value_of(type)), type=type)
    if tag == "BETWEEN":
        fields = Fields(value, path, {"op", "column", "low", "high", "type"})
        type = fields.required("type", read_type)
        low, high = fields.required("low", value_of(type)), fields.required("high", value_of(type))
        return Between(column=fields.required("column", text), low=low, high=high, type=type)
    if tag == "IN":
        fields = Fields(value, path, {"op", "column", "values", "type"})
        type = fields.required("type", read_type)
        values = fields.required("values", list_of(value_of(type)))
        if not values:
            corrupt(f"{path}.values", "must hold at least one value")
        return In(column=fields.required("column", text), values=values, type=type)
    if tag == "IS NULL":
        return IsNull(column=Fields(value, path, {"op", "column"}).required("column", text))
    if tag == "LIKE":
        fields = Fields(value, path, {"op", "column", "pattern"})
        return Like(column=fields.required("column", text), pattern=fields.required("pattern", text))
    if tag == "RELATE":
        fields = Fields(value, path, {"op", "relation", "left", "right"})
        relation = fields.required("relation", member(Op))
        left, right = fields.required("left", read_expression), fields.required("right", read_expression)
        return Relate(left=left, op=relation, right=right)
    if tag in ("HOLDS", "MISSING"):
        of = Fields(value, path, {"op", "of"}).required("of", read_expression)
        return Holds(of) if tag == "HOLDS" else Missing(of)
    if tag == "NOT":
        return Not(operand=Fields(value, path, {"op", "operand"}).required("operand", read_predicate))
    if tag in ("AND", "OR"):
        fields = Fields(value, path, {"op", "left", "right"})
        conditions = fields.required("left", read_predicate), fields.required("right", read_predicate)
        return And(*conditions) if tag == "AND" else Or(*conditions)
    corrupt(f"{path}.op", f"must be one of {', '.join((*_OPS, *_OTHERS))}, but is {shown(tag)}")


def read_expression(value: object, path: str) -> Expression:
    """Reads an expression. Raises CorruptCase."""
    tag = tag_of(value, path, "expression")
    if tag == "of":
        return Of(column=Fields(value, path, {"expression", "column"}).required("column", text))
    if tag == "literal":
        fields = Fields(value, path, {"expression", "value", "type"})
        type = fields.required("type", read_type)
        return Literal(value=fields.required("value", value_of(type)), type=type)
    if tag == "member":
        fields = Fields(value, path, {"expression", "of", "field"})
        return Member(of=fields.required("of", read_expression), field=fields.required("field", text))
    if tag == "call":
        fields = Fields(value, path, {"expression", "function", "arguments"})
        function = fields.required("function", member(Function))
        return Call(function=function, arguments=fields.optional("arguments", list_of(read_expression), ()))
    if tag == "cast":
        fields = Fields(value, path, {"expression", "of", "type"})
        return Cast(of=fields.required("of", read_expression), type=fields.required("type", read_type))
    if tag == "case":
        fields = Fields(value, path, {"expression", "condition", "then", "otherwise"})
        return CaseWhen(
            condition=fields.required("condition", read_predicate),
            then=fields.required("then", read_expression),
            otherwise=fields.required("otherwise", read_expression),
        )
    corrupt(f"{path}.expression", f"must be one of {', '.join(_EXPRESSIONS)}, but is {shown(tag)}")

"""The types of expressions."""

from __future__ import annotations

from collections.abc import Mapping

from model.semantics.casts import castable
from model.semantics.functions import result_type
from model.vocabulary.predicate import Call, CaseWhen, Cast, Expression, Literal, Member, Of
from model.vocabulary.values import WHOLE_NUMBERS, AnyType, DecimalOf, StructOf, Type, is_nested

_REALS = (Type.FLOAT, Type.DOUBLE)

#: The greatest precision of a DECIMAL.
_MAX_PRECISION = 38


def type_of(expression: Expression, types: Mapping[str, AnyType]) -> AnyType:
    """The type of an expression over columns of these types.

    Raises TypeError if it is not supported (``result_type``, ``castable``), or if the type of a column is missing.
    """
    if isinstance(expression, Of):
        if expression.column not in types:
            raise TypeError(f"the type of the column {expression.column} is missing")
        return types[expression.column]
    if isinstance(expression, (Literal, Cast)):
        if isinstance(expression, Cast):
            checked_cast(type_of(expression.of, types), expression.type)
        return expression.type
    if isinstance(expression, Member):
        return field_of(type_of(expression.of, types), expression.field)[1]
    if isinstance(expression, Call):
        return result_type(expression, tuple(type_of(argument, types) for argument in expression.arguments))
    assert isinstance(expression, CaseWhen), "no other expression is left"
    return common(type_of(expression.then, types), type_of(expression.otherwise, types))


def checked_cast(source: AnyType, target: AnyType) -> None:
    """Raises TypeError for a cast that is not supported."""
    if not castable(source, target):
        raise TypeError(f"the cast from {source} to {target} is not supported")


def field_of(type: AnyType, field: str) -> tuple[int, AnyType]:
    """The index and the type of a struct's field. Raises TypeError if there is none of that name."""
    if isinstance(type, StructOf):
        for place, (name, kind) in enumerate(type.fields):
            if name == field:
                return place, kind
    raise TypeError(f"{type} has no field {field}")


def common(then: AnyType, otherwise: AnyType) -> AnyType:
    """The type of CASE WHEN. Raises TypeError unless both branches have the same type."""
    if then != otherwise:
        raise TypeError(f"the branches of CASE WHEN are of different types: {then} and {otherwise}")
    return then


def comparison_type(left: AnyType, right: AnyType) -> AnyType:
    """The type in which values of two types are compared.

    Supported are: equal types that are not nested; two of whole numbers and DOUBLE (as DOUBLE, which may round); FLOAT
    and DOUBLE; DECIMALs that a DECIMAL of 38 digits can hold. Raises TypeError for others.
    """
    if left == right and not is_nested(left):
        return left
    if isinstance(left, DecimalOf) and isinstance(right, DecimalOf):
        scale = max(left.scale, right.scale)
        precision = max(left.precision - left.scale, right.precision - right.scale) + scale
        if precision <= _MAX_PRECISION:
            return DecimalOf(precision, scale)
    kinds = {left, right} if not (is_nested(left) or is_nested(right)) else set()
    if kinds and kinds <= {*WHOLE_NUMBERS}:
        return Type.LONG
    if kinds == {*_REALS} or (Type.DOUBLE in kinds and kinds <= {*WHOLE_NUMBERS, Type.DOUBLE}):
        return Type.DOUBLE
    raise TypeError(f"comparing {left} with {right} is not supported")

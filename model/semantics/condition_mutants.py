"""Mutants of a condition: the same condition with one small thing changed, as an engine might read it that is slightly wrong.

The operators are those of mutation testing and of MC/DC: each operand, each comparison, each literal, each column must matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any, cast, get_args

from model.semantics.domains import neighbours
from model.vocabulary.predicate import (
    And,
    Between,
    Call,
    CaseWhen,
    Compare,
    Constant,
    Function,
    Holds,
    In,
    IsNull,
    Like,
    Literal,
    Missing,
    Not,
    Of,
    Op,
    Or,
    Predicate,
    Relate,
    Verbatim,
    columns_of,
)
from model.vocabulary.values import AnyType, Type, Value, canonical


class Mutation(str, Enum):
    """What is changed."""

    AND_LEFT = "AND without its left operand"
    AND_RIGHT = "AND without its right operand"
    OR_LEFT = "OR without its left operand"
    OR_RIGHT = "OR without its right operand"
    NO_NOT = "NOT left out"
    LT_AS_LE = "< as <="
    LE_AS_LT = "<= as <"
    GT_AS_GE = "> as >="
    GE_AS_GT = ">= as >"
    EQ_AS_NULL_SAFE = "= as <=>"
    NULL_SAFE_AS_EQ = "<=> as ="
    NE_AS_NULL_SAFE = "<> as NOT <=>"
    LOW_EXCLUSIVE = "BETWEEN without its low end"
    HIGH_EXCLUSIVE = "BETWEEN without its high end"
    IN_FIRST = "IN without its first value"
    IN_LAST = "IN without its last value"
    LITERAL_BELOW = "a literal's neighbour below"
    LITERAL_ABOVE = "a literal's neighbour above"
    OTHER_COLUMN = "another column of the same type"
    TEST_TRUE = "TRUE for a test"
    TEST_FALSE = "FALSE for a test"
    NULL_AS_TRUE = "NULL of a test as TRUE"
    NULL_AS_FALSE = "NULL of a test as FALSE"


@dataclass(frozen=True)
class Mutant:
    """A changed condition. ``columns`` are those of the operand that is left out, else of the innermost test that is changed."""

    mutation: Mutation
    where: Predicate
    columns: frozenset[str]


def mutants(where: Predicate, types: Mapping[str, AnyType]) -> Iterator[Mutant]:
    """All mutants of a condition. ``types`` are the types of the table's columns, by name.

    >>> [one.where for one in mutants(And(a, b), {}) if one.mutation is Mutation.AND_LEFT]
    [b]
    """
    for part, test, rebuilt in _parts(where, where):
        for mutation, other in _changed(part, types):
            changed = columns_of(getattr(part, _LEFT_OUT[mutation]) if mutation in _LEFT_OUT else test)
            yield Mutant(mutation, cast("Predicate", rebuilt(other)), changed)


#: The operand that is left out.
_LEFT_OUT: Mapping[Mutation, str] = {
    Mutation.AND_LEFT: "left",
    Mutation.AND_RIGHT: "right",
    Mutation.OR_LEFT: "left",
    Mutation.OR_RIGHT: "right",
}


#: The comparisons that can be taken for another one.
_OTHER_OPERATORS: Mapping[Op, tuple[Mutation, Op]] = {
    Op.LT: (Mutation.LT_AS_LE, Op.LE),
    Op.LE: (Mutation.LE_AS_LT, Op.LT),
    Op.GT: (Mutation.GT_AS_GE, Op.GE),
    Op.GE: (Mutation.GE_AS_GT, Op.GT),
    Op.EQ: (Mutation.EQ_AS_NULL_SAFE, Op.NULL_SAFE_EQ),
    Op.NULL_SAFE_EQ: (Mutation.NULL_SAFE_AS_EQ, Op.EQ),
}
_TRUE, _FALSE = Literal(True, Type.BOOLEAN), Literal(False, Type.BOOLEAN)


def _parts(node: Any, test: Predicate) -> Iterator[tuple[Any, Predicate, Callable[[Any], Any]]]:
    """The parts of a condition, itself first, each with the innermost condition that it is in, and with what makes the whole
    condition of another part in its place."""
    if isinstance(node, get_args(Predicate)):
        test = node
    yield node, test, lambda other: other
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, tuple):
            for place, one in enumerate(value):
                # The neighbour of an RLIKE pattern need not be a pattern.
                is_pattern = isinstance(node, Call) and node.function is Function.RLIKE and place == 1
                for part, inner, rebuilt in _parts(one, test) if _is_part(one) and not is_pattern else ():
                    yield part, inner, _in_tuple(node, field.name, place, rebuilt)
        elif _is_part(value):
            for part, inner, rebuilt in _parts(value, test):
                yield part, inner, _in_field(node, field.name, rebuilt)


def _is_part(value: object) -> bool:
    return is_dataclass(value) and not isinstance(value, type) and type(value).__module__ == Of.__module__


def _in_field(node: Any, name: str, rebuilt: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda other: replace(node, **{name: rebuilt(other)})


def _in_tuple(node: Any, name: str, place: int, rebuilt: Callable[[Any], Any]) -> Callable[[Any], Any]:
    values = getattr(node, name)
    return lambda other: replace(node, **{name: (*values[:place], rebuilt(other), *values[place + 1 :])})


def _changed(part: Any, types: Mapping[str, AnyType]) -> Iterator[tuple[Mutation, Any]]:
    """What may stand in the place of a part."""
    if isinstance(part, And):
        yield from ((Mutation.AND_LEFT, part.right), (Mutation.AND_RIGHT, part.left))
    elif isinstance(part, Or):
        yield from ((Mutation.OR_LEFT, part.right), (Mutation.OR_RIGHT, part.left))
    elif isinstance(part, Not):
        yield Mutation.NO_NOT, part.operand
    elif isinstance(part, Literal):
        yield from ((mutation, replace(part, value=other)) for mutation, other in _beside(part.value, part.type))
    elif isinstance(part, Of):
        yield from ((Mutation.OTHER_COLUMN, Of(name)) for name in _others(part.column, types))
    elif isinstance(part, (Compare, Between, In, IsNull, Like, Relate, Holds, Missing, Verbatim)):
        yield from _changed_test(part, types)


def as_true_where_null(test: Predicate) -> Predicate:
    """The condition that is TRUE where this one is TRUE or NULL, and FALSE elsewhere."""
    return Holds(CaseWhen(Not(test), _FALSE, _TRUE))


def _changed_test(test: Predicate, types: Mapping[str, AnyType]) -> Iterator[tuple[Mutation, Predicate]]:
    yield from ((Mutation.TEST_TRUE, Constant(True)), (Mutation.TEST_FALSE, Constant(False)))
    yield Mutation.NULL_AS_TRUE, as_true_where_null(test)
    yield Mutation.NULL_AS_FALSE, Holds(CaseWhen(test, _TRUE, _FALSE))
    if isinstance(test, (Compare, Relate)):
        if test.op in _OTHER_OPERATORS:
            mutation, op = _OTHER_OPERATORS[test.op]
            yield mutation, replace(test, op=op)
        elif test.op is Op.NE:
            yield Mutation.NE_AS_NULL_SAFE, Not(replace(test, op=Op.NULL_SAFE_EQ))
    if isinstance(test, Compare):
        yield from ((mutation, replace(test, value=other)) for mutation, other in _beside(test.value, test.type))
    elif isinstance(test, Between):
        low, high = (Compare(test.column, op, value, test.type) for op, value in _ends(test))
        yield Mutation.LOW_EXCLUSIVE, And(replace(low, op=Op.GT), high)
        yield Mutation.HIGH_EXCLUSIVE, And(low, replace(high, op=Op.LT))
        yield from ((mutation, replace(test, low=other)) for mutation, other in _beside(test.low, test.type))
        yield from ((mutation, replace(test, high=other)) for mutation, other in _beside(test.high, test.type))
    elif isinstance(test, In) and len(test.values) > 1:
        yield Mutation.IN_FIRST, replace(test, values=test.values[1:])
        yield Mutation.IN_LAST, replace(test, values=test.values[:-1])
    if isinstance(test, (Compare, Between, In, IsNull, Like)):
        yield from ((Mutation.OTHER_COLUMN, replace(test, column=name)) for name in _others(test.column, types))


def _ends(test: Between) -> tuple[tuple[Op, Value], tuple[Op, Value]]:
    return (Op.GE, test.low), (Op.LE, test.high)


def _beside(value: Value, type: AnyType) -> list[tuple[Mutation, Value]]:
    """The literal's neighbours: none of NULL, of nested types and beyond the ends of the type."""
    both = zip((Mutation.LITERAL_BELOW, Mutation.LITERAL_ABOVE), neighbours(value, type))
    return [(mutation, canonical(other, type)) for mutation, other in both if other is not None]


def _others(column: str, types: Mapping[str, AnyType]) -> list[str]:
    """The other columns of the column's type."""
    return [name for name, type in types.items() if name != column and type == types.get(column)]

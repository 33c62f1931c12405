"""Predicates as values: what may stand behind WHERE."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Union

from model.values import Type, Value


class Op(str, Enum):
    EQ = "="
    NE = "<>"
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    NULL_SAFE_EQ = "<=>"


@dataclass(frozen=True)
class Constant:
    """TRUE, FALSE or NULL as a whole condition."""

    value: bool | None


@dataclass(frozen=True)
class Compare:
    """``column op value``. ``value`` may be NULL."""

    column: str
    op: Op
    value: Value
    type: Type


@dataclass(frozen=True)
class Between:
    """``column BETWEEN low AND high``, both ends included."""

    column: str
    low: Value
    high: Value
    type: Type


@dataclass(frozen=True)
class In:
    """``column IN (values)``. At least one value; a NULL among them makes a miss NULL."""

    column: str
    values: tuple[Value, ...]
    type: Type


@dataclass(frozen=True)
class IsNull:
    column: str


@dataclass(frozen=True)
class Like:
    """``column LIKE pattern`` over a STRING column; ``%`` is any run, ``_`` any one character, ``\\`` escapes."""

    column: str
    pattern: str


@dataclass(frozen=True)
class Not:
    operand: Predicate


@dataclass(frozen=True)
class And:
    left: Predicate
    right: Predicate


@dataclass(frozen=True)
class Or:
    left: Predicate
    right: Predicate


Predicate = Union[Constant, Compare, Between, In, IsNull, Like, Not, And, Or]


def columns_of(predicate: Predicate) -> frozenset[str]:
    """The names of the columns that the predicate mentions."""
    if isinstance(predicate, Constant):
        return frozenset()
    if isinstance(predicate, Not):
        return columns_of(predicate.operand)
    if isinstance(predicate, (And, Or)):
        return columns_of(predicate.left) | columns_of(predicate.right)
    return frozenset({predicate.column})


def conjuncts(predicate: Predicate) -> tuple[Predicate, ...]:
    """The conditions that AND joins at the top of the predicate, left to right."""
    if isinstance(predicate, And):
        return conjuncts(predicate.left) + conjuncts(predicate.right)
    return (predicate,)

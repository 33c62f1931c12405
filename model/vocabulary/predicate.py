"""Predicates and expressions, as used in WHERE."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Union

from model.vocabulary.limits import AT_LEAST_ONE
from model.vocabulary.values import AnyType, Value


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
    """TRUE, FALSE or NULL as a condition."""

    value: bool | None


@dataclass(frozen=True)
class Compare:
    """``column op value``. ``value`` may be NULL."""

    column: str
    op: Op
    value: Value
    type: AnyType


@dataclass(frozen=True)
class Between:
    """``column BETWEEN low AND high``, both ends included."""

    column: str
    low: Value
    high: Value
    type: AnyType


@dataclass(frozen=True)
class In:
    """``column IN (values)``. With a NULL among them it is never FALSE."""

    column: str
    values: Annotated[tuple[Value, ...], AT_LEAST_ONE]
    type: AnyType


@dataclass(frozen=True)
class IsNull:
    column: str


@dataclass(frozen=True)
class Like:
    """``column LIKE pattern`` over a STRING column; ``%`` matches any characters, ``_`` one, ``\\`` escapes."""

    column: str
    pattern: str


@dataclass(frozen=True)
class Relate:
    """``left op right`` between expressions."""

    left: Expression
    op: Op
    right: Expression


@dataclass(frozen=True)
class Holds:
    """A BOOLEAN expression as a condition: ``array_contains(tags, 'a')``, ``s RLIKE '^a'``, a BOOLEAN column."""

    expression: Expression


@dataclass(frozen=True)
class Missing:
    """``expression IS NULL``."""

    expression: Expression


class Language(str, Enum):
    """The SQL of a ``Verbatim``."""

    SPARK = "Spark SQL"
    DATAFUSION = "DataFusion"


@dataclass(frozen=True)
class Verbatim:
    """A test that the model does not evaluate: a text of an engine's own SQL. The engine says of each row whether it is TRUE."""

    text: str
    columns: tuple[str, ...]  # those that the text names
    language: Language = Language.SPARK


@dataclass(frozen=True)
class Answered(Verbatim):
    """A ``Verbatim`` with what the engine has said; a case has none."""

    #: By the values of ``columns``, as ``key_of`` writes them.
    truths: Mapping[str, bool | None] = field(default_factory=dict, compare=False, repr=False)


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


class Wrapper(str, Enum):
    """The kind of a user's function that returns its only argument, a BOOLEAN: TRUE, FALSE or NULL.

    Both get their rows in batches, which may span files.
    """

    PYTHON = "python"  # of a value
    ARROW = "arrow"  # of an Arrow array


@dataclass(frozen=True)
class Wrapped:
    """A condition that goes through a user's function. It means what its operand means.

    It may be the whole condition, or what NOT, AND, OR or another function joins; no part of an expression, whose parts an
    engine evaluates as needed, but not what it gives to Python.
    """

    operand: Predicate
    by: Wrapper


Predicate = Union[Constant, Compare, Between, In, IsNull, Like, Relate, Holds, Missing, Verbatim, Not, And, Or, Wrapped]


# Expressions --------------------------------------------------------------------------


@dataclass(frozen=True)
class Of:
    """A column's value."""

    column: str


@dataclass(frozen=True)
class Literal:
    value: Value
    type: AnyType


@dataclass(frozen=True)
class Member:
    """A field of a struct."""

    of: Expression
    field: str


class Function(str, Enum):
    """The functions that conditions may call, by their SQL names (``model.semantics.functions``)."""

    UPPER = "upper"
    LOWER = "lower"
    TRIM = "trim"
    LENGTH = "length"
    SUBSTRING = "substring"
    CONCAT = "concat"
    STARTSWITH = "startswith"
    RLIKE = "rlike"
    COALESCE = "coalesce"
    ABS = "abs"
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    REMAINDER = "%"
    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    DATE_ADD = "date_add"
    DATE_SUB = "date_sub"
    DATEDIFF = "datediff"
    CURRENT_DATE = "current_date"
    ARRAY_CONTAINS = "array_contains"
    SIZE = "size"
    ELEMENT_AT = "element_at"  # of a map; NULL if the key is missing
    ISNAN = "isnan"


@dataclass(frozen=True)
class Call:
    function: Function
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Cast:
    """``CAST(of AS type)`` under ANSI rules."""

    of: Expression
    type: AnyType


@dataclass(frozen=True)
class CaseWhen:
    """``CASE WHEN condition THEN then ELSE otherwise END``."""

    condition: Predicate
    then: Expression
    otherwise: Expression


Expression = Union[Of, Literal, Member, Call, Cast, CaseWhen]


def columns_of(predicate: Predicate) -> frozenset[str]:
    """The names of the columns in the predicate."""
    if isinstance(predicate, Constant):
        return frozenset()
    if isinstance(predicate, (Not, Wrapped)):
        return columns_of(predicate.operand)
    if isinstance(predicate, (And, Or)):
        return columns_of(predicate.left) | columns_of(predicate.right)
    if isinstance(predicate, Relate):
        return _columns(predicate.left) | _columns(predicate.right)
    if isinstance(predicate, (Holds, Missing)):
        return _columns(predicate.expression)
    if isinstance(predicate, Verbatim):
        return frozenset(predicate.columns)
    return frozenset({predicate.column})


def _columns(expression: Expression) -> frozenset[str]:
    if isinstance(expression, Of):
        return frozenset({expression.column})
    if isinstance(expression, Literal):
        return frozenset()
    if isinstance(expression, Call):
        return frozenset().union(*(_columns(argument) for argument in expression.arguments))
    if isinstance(expression, CaseWhen):
        parts = columns_of(expression.condition), _columns(expression.then), _columns(expression.otherwise)
        return frozenset().union(*parts)
    return _columns(expression.of)


def leaves(predicate: Predicate) -> Iterator[Predicate]:
    """The single tests that NOT, AND and OR join, left to right, also within a user's function."""
    if isinstance(predicate, (Not, Wrapped)):
        yield from leaves(predicate.operand)
    elif isinstance(predicate, (And, Or)):
        yield from leaves(predicate.left)
        yield from leaves(predicate.right)
    else:
        yield predicate


def verbatim_tests(predicate: Predicate | None) -> tuple[Verbatim, ...]:
    """The tests of a condition that the model does not evaluate, left to right; none of no condition."""
    tests = () if predicate is None else leaves(predicate)
    return tuple(test for test in tests if isinstance(test, Verbatim))


def names_metadata(test: Predicate) -> bool:
    """Whether it is a text about the hidden column ``_metadata``, which says what file a row is in."""
    return isinstance(test, Verbatim) and re.search(r"\b_metadata\.file_", test.text) is not None


def key_of(test: Verbatim, row: Mapping[str, Value]) -> str:
    """The values of the columns of a test in a row, which maps names of columns to values."""
    return repr([row[name] for name in test.columns])


def wrappers_of(predicate: Predicate) -> frozenset[Wrapper]:
    """The kinds of the user's functions in the predicate."""
    if isinstance(predicate, Wrapped):
        return wrappers_of(predicate.operand) | {predicate.by}
    if isinstance(predicate, Not):
        return wrappers_of(predicate.operand)
    if isinstance(predicate, (And, Or)):
        return wrappers_of(predicate.left) | wrappers_of(predicate.right)
    return frozenset()


def compared_values(test: Predicate) -> tuple[Value, ...]:
    """The values that a comparison, a BETWEEN or an IN compares its column with; none of other tests."""
    if isinstance(test, Compare):
        return (test.value,)
    if isinstance(test, Between):
        return test.low, test.high
    return test.values if isinstance(test, In) else ()


def conjuncts(predicate: Predicate) -> tuple[Predicate, ...]:
    """The conditions that AND joins at the top of the predicate, left to right."""
    if isinstance(predicate, And):
        return conjuncts(predicate.left) + conjuncts(predicate.right)
    return (predicate,)

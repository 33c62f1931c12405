"""Mutants of conditions: each changes one thing, and is a condition of its own."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.codec import from_json, to_json
from model.semantics.condition_mutants import Mutation, mutants
from model.semantics.domains import neighbours
from model.vocabulary.case import Case
from model.vocabulary.predicate import (
    And,
    Between,
    Call,
    Compare,
    Constant,
    Function,
    Holds,
    In,
    IsNull,
    Literal,
    Not,
    Of,
    Op,
    Or,
    Predicate,
    Relate,
)
from model.vocabulary.steps import Delete
from model.vocabulary.values import AnyType, DecimalOf, Type, Value
from strategies.conditions.predicates import predicates
from strategies.tables.initial_tables import feature_tables

TYPES: dict[str, AnyType] = {"a": Type.INTEGER, "b": Type.INTEGER, "s": Type.STRING}
LESS, NULL = Compare("a", Op.LT, 3, Type.INTEGER), IsNull("b")


def made(where: Predicate, mutation: Mutation) -> list[Predicate]:
    return [one.where for one in mutants(where, TYPES) if one.mutation is mutation]


@pytest.mark.parametrize(
    ("where", "mutation", "expected"),
    [
        (And(LESS, NULL), Mutation.AND_LEFT, [NULL]),
        (And(LESS, NULL), Mutation.AND_RIGHT, [LESS]),
        (Or(LESS, NULL), Mutation.OR_LEFT, [NULL]),
        (Or(LESS, NULL), Mutation.OR_RIGHT, [LESS]),
        (Or(Not(LESS), NULL), Mutation.NO_NOT, [Or(LESS, NULL)]),
        (Not(LESS), Mutation.LT_AS_LE, [Not(Compare("a", Op.LE, 3, Type.INTEGER))]),
        (LESS, Mutation.LITERAL_ABOVE, [Compare("a", Op.LT, 4, Type.INTEGER)]),
        (LESS, Mutation.OTHER_COLUMN, [Compare("b", Op.LT, 3, Type.INTEGER)]),
        (Compare("s", Op.EQ, "x", Type.STRING), Mutation.OTHER_COLUMN, []),
        (Compare("a", Op.LT, None, Type.INTEGER), Mutation.LITERAL_ABOVE, []),
        (Compare("a", Op.LT, 2**31 - 1, Type.INTEGER), Mutation.LITERAL_ABOVE, []),
        (In("a", (1, 2, 3), Type.INTEGER), Mutation.IN_LAST, [In("a", (1, 2), Type.INTEGER)]),
        (In("a", (1,), Type.INTEGER), Mutation.IN_LAST, []),
        (And(NULL, LESS), Mutation.TEST_FALSE, [And(Constant(False), LESS), And(NULL, Constant(False))]),
    ],
)
def test_what_a_mutation_makes(where: Predicate, mutation: Mutation, expected: list[Predicate]) -> None:
    assert made(where, mutation) == expected


def test_the_ends_of_a_range_are_left_out_one_by_one() -> None:
    where = Between("a", 1, 5, Type.INTEGER)
    (low,), (high,) = made(where, Mutation.LOW_EXCLUSIVE), made(where, Mutation.HIGH_EXCLUSIVE)
    assert low == And(Compare("a", Op.GT, 1, Type.INTEGER), Compare("a", Op.LE, 5, Type.INTEGER))
    assert high == And(Compare("a", Op.GE, 1, Type.INTEGER), Compare("a", Op.LT, 5, Type.INTEGER))


def test_a_pattern_of_rlike_has_no_neighbours() -> None:
    pattern = Literal("^[a-z]", Type.STRING)  # its neighbour is "^[a-z", which is no pattern
    where = Holds(Call(Function.RLIKE, (Of("s"), pattern)))
    assert not made(where, Mutation.LITERAL_BELOW) + made(where, Mutation.LITERAL_ABOVE)


def test_expressions_are_mutated_inside() -> None:
    where = Relate(Call(Function.ABS, (Of("a"),)), Op.EQ, Literal(7, Type.INTEGER))
    assert made(where, Mutation.OTHER_COLUMN) == [
        Relate(Call(Function.ABS, (Of("b"),)), Op.EQ, Literal(7, Type.INTEGER))
    ]
    assert made(where, Mutation.LITERAL_BELOW) == [
        Relate(Call(Function.ABS, (Of("a"),)), Op.EQ, Literal(6, Type.INTEGER))
    ]


@pytest.mark.parametrize(
    ("value", "type", "expected"),
    [
        (3, Type.INTEGER, (2, 4)),
        (-128, Type.BYTE, (None, -127)),
        (2**63 - 1, Type.LONG, (2**63 - 2, None)),
        (Decimal("0.01"), DecimalOf(10, 2), (Decimal("0.00"), Decimal("0.02"))),
        (Decimal(10**38 - 1), DecimalOf(38, 0), (Decimal(10**38 - 2), None)),
        (Decimal(1 - 10**38), DecimalOf(38, 0), (None, Decimal(2 - 10**38))),
        (date(2000, 2, 29), Type.DATE, (date(2000, 2, 28), date(2000, 3, 1))),
        (date(9999, 12, 31), Type.DATE, (None, None)),
        ("", Type.STRING, (None, "x")),
        ("ab", Type.STRING, ("a", "abx")),
        (True, Type.BOOLEAN, (None, None)),
        (None, Type.LONG, (None, None)),
        (b"a", Type.BINARY, (None, None)),
    ],
)
def test_neighbours(value: Value, type: AnyType, expected: tuple[Value, Value]) -> None:
    assert neighbours(value, type) == expected


def test_the_neighbours_of_a_moment_are_a_microsecond_away() -> None:
    moment = datetime(2000, 1, 1, tzinfo=timezone.utc)
    step = timedelta(microseconds=1)
    assert neighbours(moment, Type.TIMESTAMP) == (moment - step, moment + step)


@settings(max_examples=60)
@given(data=st.data())
def test_each_mutant_is_another_condition_that_a_case_can_have(data: st.DataObject) -> None:
    table = data.draw(feature_tables(rules=False))
    where = data.draw(predicates(table, functions=True))
    types = {column.name: column.type for column in table.columns}
    for one in mutants(where, types):
        assert one.where != where
        case = Case(table, (Delete(one.where),))
        assert from_json(to_json(case)) == case

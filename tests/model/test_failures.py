"""Which error a condition may end in, and when a DELETE must come upon it."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from model.prediction.delete import LiveFile, may_fail, types_of
from model.prediction.failures import failures, must_fail
from model.vocabulary.predicate import (
    And,
    Call,
    CaseWhen,
    Cast,
    Compare,
    Expression,
    Function,
    IsNull,
    Literal,
    Missing,
    Not,
    Of,
    Op,
    Predicate,
    Relate,
)
from model.vocabulary.steps import Delete
from model.vocabulary.table import Column, Table
from model.vocabulary.values import Type, Value
from strategies.cases.deletes import refused_deletes, typed_deletes
from tests.sampling import fifty, sample

TABLE = Table(
    (Column("p", Type.STRING), Column("i", Type.INTEGER), Column("s", Type.STRING), Column("d", Type.DOUBLE)),
    ("p",),
    (),
    (),
)
TYPES = types_of(TABLE)
ONE = LiveFile("f", ("a",), (("a", 2**31 - 1, "x", 1e300), ("a", 1, "1", 1.0)))
NULLS = LiveFile("n", (None,), ((None, None, None, None),))
HARMLESS = LiveFile("h", ("1",), (("1", 1, "1", 1.0),))


def whole(value: int | None) -> Literal:
    return Literal(value, Type.INTEGER)


def over(expression: Expression, value: Literal | None = None) -> Relate:
    return Relate(expression, Op.GT, value or whole(0))


REMAINDER = over(Call(Function.REMAINDER, (Of("i"), whole(0))))
SUM = over(Call(Function.ADD, (Of("i"), whole(1))))
OF_TEXT = over(Cast(Of("s"), Type.INTEGER))
OF_REAL = over(Cast(Of("d"), Type.INTEGER))
OF_PARTITION = over(Cast(Of("p"), Type.INTEGER))
OF_NOTHING = over(Cast(Literal("a", Type.STRING), Type.INTEGER))


def must(where: Predicate | None, *live: LiveFile) -> bool:
    return must_fail(Delete(where), TABLE, live)


@pytest.mark.parametrize("where", [REMAINDER, SUM, OF_TEXT, OF_REAL, OF_PARTITION, OF_NOTHING, Not(Not(OF_TEXT))])
def test_an_error_in_a_single_comparison_is_due(where: Predicate) -> None:
    assert must(where, NULLS, ONE)
    assert must(where, ONE)


@pytest.mark.parametrize("where", [SUM, OF_TEXT, OF_REAL, OF_PARTITION])
def test_it_is_not_due_without_a_row_that_fails(where: Predicate) -> None:
    assert not must(where, NULLS, HARMLESS)
    assert not must(where)


def test_hidden_rows_need_not_be_evaluated() -> None:
    assert not must(OF_TEXT, dataclasses.replace(ONE, hidden=frozenset({0})))
    assert must(OF_PARTITION, dataclasses.replace(ONE, rows=())), "the partition is evaluated, and has no row"
    assert must(OF_NOTHING, NULLS) and not must(OF_NOTHING)


@pytest.mark.parametrize(
    "where",
    [
        None,
        Compare("s", Op.EQ, "x", Type.STRING),
        And(IsNull("i"), OF_TEXT),  # the other side may be evaluated first
        Missing(Cast(Of("s"), Type.INTEGER)),
        over(Cast(Of("s"), Type.INTEGER), whole(None)),  # the comparison is NULL in any case
        over(Cast(Of("s"), Type.INTEGER), Literal(2**40, Type.LONG)),  # no INTEGER is greater
        over(Call(Function.ADD, (Of("i"), whole(None)))),
        over(Call(Function.COALESCE, (Of("i"), Cast(Of("s"), Type.INTEGER)))),
        over(CaseWhen(IsNull("i"), Cast(Of("s"), Type.INTEGER), whole(1))),
        over(Cast(Cast(Of("i"), Type.STRING), Type.BYTE), Literal(1, Type.BYTE)),
        Relate(Cast(Of("s"), Type.INTEGER), Op.EQ, Of("i")),
    ],
)
def test_an_error_that_an_engine_may_avoid_is_not_due(where: Predicate | None) -> None:
    assert not must(where, ONE)


@pytest.mark.long
@fifty
@given(st.data())
def test_what_must_fail_may_fail(data: st.DataObject) -> None:
    case = data.draw(st.one_of(refused_deletes(), typed_deletes()))
    names = [column.name for column in case.table.columns]
    rows: list[tuple[Value, ...]] = [
        case.table.row(file.partition, row) for file in case.table.files for row in file.rows
    ]
    live = [LiveFile("f", tuple(row[names.index(name)] for name in case.table.partition_by), (row,)) for row in rows]
    failing = [step for step in case.steps if isinstance(step, Delete) and must_fail(step, case.table, live)]
    assume(failing)
    assert all(may_fail(step, case.table, rows) for step in failing)


def test_conditions_that_fail_are_drawn() -> None:
    drawn = sample(refused_deletes(), examples=20, seeds=range(4))
    with_errors = [
        step.where
        for case in drawn
        for step in case.steps
        if isinstance(step, Delete) and step.where and failures(step.where, types_of(case.table))
    ]
    assert len(with_errors) > len(drawn) // 4


@pytest.mark.parametrize(
    ("where", "classes"),
    [
        (OF_TEXT, {"CAST_INVALID_INPUT": "22018"}),
        (REMAINDER, {"REMAINDER_BY_ZERO": "22012", "DIVIDE_BY_ZERO": "22012"}),
        (SUM, {"ARITHMETIC_OVERFLOW": "22003", "BINARY_ARITHMETIC_OVERFLOW": "22003"}),
        (Compare("s", Op.EQ, "x", Type.STRING), {}),
    ],
)
def test_error_classes(where: Predicate, classes: dict[str, str]) -> None:
    assert failures(where, TYPES) == classes
    assert "CAST_OVERFLOW" in failures(And(where, OF_REAL), TYPES)
    assert set(classes) <= set(failures(And(where, OF_REAL), TYPES))

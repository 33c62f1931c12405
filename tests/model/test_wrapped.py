"""Conditions that go through a user's function mean what they mean without it, for the model and in every form."""

from __future__ import annotations

from typing import Any

import pytest

from engines.spark import script_functions
from engines.spark.commands.calls import evaluated, written
from engines.spark.commands.columns import condition
from engines.spark.commands.translation import functions_of
from model import codec
from model.prediction.delete import LiveFile
from model.prediction.failures import must_fail
from model.semantics.condition_mutants import mutants
from model.semantics.evaluate import WouldFail, evaluate
from model.text.sql import sql
from model.vocabulary.capabilities import EVERYTHING, has
from model.vocabulary.case import Case
from model.vocabulary.commands import Assignment, Merge, Optimize, Update
from model.vocabulary.predicate import (
    And,
    Call,
    CaseWhen,
    Function,
    Holds,
    IsNull,
    Literal,
    Not,
    Of,
    Op,
    Or,
    Predicate,
    Relate,
    Wrapped,
    Wrapper,
    columns_of,
    leaves,
)
from model.vocabulary.steps import Delete, OtherCommand, Read
from model.vocabulary.values import Type
from tests.handmade.conditions import FILES, ONE, called

NULL = IsNull("w")
LIVE = (LiveFile("a", (), ((1, 0), (None, 0))),)
FALSE = Literal(False, Type.BOOLEAN)
EACH = tuple(Wrapped(ONE, wrapper) for wrapper in Wrapper)
SOME: tuple[Predicate, ...] = (
    *EACH,
    Not(EACH[0]),
    And(EACH[0], NULL),
    Or(NULL, Wrapped(EACH[1], Wrapper.ARROW)),
    Wrapped(And(ONE, Not(NULL)), Wrapper.PYTHON),
)


def plain(predicate: Predicate) -> Predicate:
    """The condition without functions."""
    if isinstance(predicate, Wrapped):
        return plain(predicate.operand)
    if isinstance(predicate, Not):
        return Not(plain(predicate.operand))
    if isinstance(predicate, And):
        return And(plain(predicate.left), plain(predicate.right))
    return Or(plain(predicate.left), plain(predicate.right)) if isinstance(predicate, Or) else predicate


@pytest.mark.parametrize("where", SOME, ids=sql)
@pytest.mark.parametrize("v", [1, 2, None])
@pytest.mark.parametrize("w", [0, None])
def test_it_means_what_its_operand_means(where: Predicate, v: int | None, w: int | None) -> None:
    row = {"v": v, "w": w}
    assert evaluate(where, row) is evaluate(plain(where), row)
    assert columns_of(where) == columns_of(plain(where)) and list(leaves(where)) == list(leaves(plain(where)))


def test_what_fails_in_it_fails() -> None:
    zero = Literal(0, Type.INTEGER)
    failing = Relate(Call(Function.REMAINDER, (Of("v"), zero)), Op.EQ, zero)
    with pytest.raises(WouldFail):
        evaluate(Wrapped(failing, Wrapper.PYTHON), {"v": 1}, types={"v": Type.INTEGER})
    assert must_fail(Delete(Not(Wrapped(failing, Wrapper.ARROW))), FILES, LIVE)
    assert not must_fail(Delete(Wrapped(ONE, Wrapper.ARROW)), FILES, LIVE)


def test_mutants_keep_the_function() -> None:
    found = [one.where for one in mutants(EACH[0], {"v": Type.INTEGER, "w": Type.INTEGER})]
    assert found and all(isinstance(where, Wrapped) and where.by is Wrapper.PYTHON for where in found)


def test_the_text() -> None:
    assert sql(And(Wrapped(Or(ONE, NULL), Wrapper.PYTHON), Wrapped(ONE, Wrapper.ARROW))) == (
        "tombstone_python(`v` = 1 OR `w` IS NULL) AND tombstone_arrow(`v` = 1)"
    )
    assert sql(Not(EACH[1])) == "NOT (tombstone_arrow(`v` = 1))"


@pytest.mark.parametrize(
    ("where", "place"),
    [
        (Holds(CaseWhen(EACH[0], FALSE, FALSE)), "steps[0].where.of.condition"),
        (Not(Holds(CaseWhen(And(NULL, EACH[1]), FALSE, FALSE))), "steps[0].where.operand.of.condition"),
    ],
)
def test_no_part_of_an_expression_calls_one(where: Predicate, place: str) -> None:
    with pytest.raises(codec.InvalidCase, match="no part of an expression") as refused:
        codec.from_json(codec.to_json(Case(FILES, (Delete(where), Read()))))
    assert refused.value.path == place


def test_no_check_calls_one() -> None:
    document = codec.to_json(called(Wrapper.PYTHON))
    document["table"]["checks"] = [document["steps"][0]["where"]]
    with pytest.raises(codec.InvalidCase, match="a table's property cannot"):
        codec.from_json(document)


def test_each_kind_is_a_capability() -> None:
    assert all(has(EVERYTHING, wrapper) for wrapper in Wrapper)


PYTHON, ARROW = (f'register_{one.value}(spark, "tombstone_{one.value}")' for one in Wrapper)
TO = Assignment("w", Type.INTEGER, 1)


@pytest.mark.parametrize(
    ("step", "calls"),
    [
        (Delete(And(EACH[1], Not(EACH[0]))), [PYTHON, ARROW]),
        (Delete(EACH[1], by_earlier=True), [ARROW.replace("spark", "earlier")]),
        (OtherCommand(Update(TO, EACH[1])), [ARROW]),
        (OtherCommand(Merge(EACH[1])), [ARROW]),
        *((step, []) for step in (Delete(), Delete(ONE), OtherCommand(Optimize()), Read())),
    ],
)
def test_a_step_registers_the_functions_of_its_condition(step: Any, calls: list[str]) -> None:
    assert [written(one.call, {}, "/t") for one in functions_of(step)] == calls


@pytest.mark.xdist_group("spark")
def test_sql_and_columns_select_the_same_rows_on_spark(spark: Any) -> None:
    rows = spark.sql("SELECT * FROM VALUES (1, 0), (1, NULL), (2, NULL), (2, 1), (NULL, 3), (NULL, NULL) AS t(v, w)")
    names = {**vars(script_functions), "spark": spark}
    for function in functions_of(Delete(And(*EACH))):
        evaluated(function.call, names)
    both = [*SOME, *map(plain, SOME)]
    by_column = rows.select(
        *(evaluated(condition(where, "UTC"), names).alias(f"c{number}") for number, where in enumerate(both))
    )
    by_text = rows.selectExpr(*(f"{sql(where)} AS c{number}" for number, where in enumerate(both)))
    for row in (*by_column.collect(), *by_text.collect()):
        assert tuple(row)[: len(SOME)] == tuple(row)[len(SOME) :]

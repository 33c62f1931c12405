"""Predicates: over the columns asked for, well formed, and telling: some rows match, others do not."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from model import codec
from model.evaluate import evaluate, like_expression
from model.predicate import And, Between, Compare, Constant, In, IsNull, Like, Not, Op, Or, Predicate, columns_of
from model.sql import sql
from model.table import Column, Commit, Table
from model.values import Type
from strategies.predicates import Over, constants, patterns, predicates
from strategies.tables import live_files, tables
from strategies.values import STRINGS
from strategies.weights import one_in

measured = settings(max_examples=50, database=None, deadline=None, suppress_health_check=list(HealthCheck))


def answers(table: Table, predicate: Predicate) -> list[list[bool | None]]:
    """What the predicate says of each row of each live file that has rows."""
    names = [column.name for column in table.columns]
    return [
        [evaluate(predicate, dict(zip(names, table.row(file.partition, row)))) for row in file.rows]
        for file in live_files(table)
        if file.rows
    ]


def measure(over: Over) -> dict[str, float]:
    seen: Counter[str] = Counter()
    counts = st.integers(0 if over == "data" else 1, 3)

    @measured
    @given(st.data())
    def draw(data: st.DataObject) -> None:
        table = data.draw(tables(partition_counts=counts, removed=one_in(4)))
        found = answers(table, data.draw(predicates(table, over=over)))
        flat = [answer for file in found for answer in file]
        whole = [all(answer is True for answer in file) for file in found]
        seen["all"] += 1
        seen["nothing matches"] += True not in flat
        seen["part of a file matches"] += any(True in file and not whole[i] for i, file in enumerate(found))
        seen["a whole file matches"] += any(whole)
        seen["one file whole, another not at all"] += any(whole) and any(True not in file for file in found)
        seen["NULL"] += None in flat

    # Hypothesis varies a case before it draws a new one: several seeds give a fairer picture than one.
    for number in range(8):
        seed(number)(draw)()
    return {name: count / seen["all"] for name, count in seen.items()}


def test_row_predicates_split_files() -> None:
    shares = measure("data")
    assert 0.15 <= shares["nothing matches"] <= 0.4, shares
    assert shares["part of a file matches"] >= 0.42, shares
    assert shares["a whole file matches"] >= 0.25, shares
    assert shares["NULL"] >= 0.25, shares


def test_mixed_predicates_match_often() -> None:
    shares = measure("mixed")
    assert 0.15 <= shares["nothing matches"] <= 0.55, shares
    assert shares["part of a file matches"] >= 0.2, shares
    assert shares["a whole file matches"] >= 0.2, shares


def test_partition_predicates_take_some_files_and_leave_others() -> None:
    shares = measure("partition")
    assert 0.15 <= shares["nothing matches"] <= 0.5, shares
    assert shares["part of a file matches"] == 0
    assert shares["one file whole, another not at all"] >= 0.08, shares
    assert shares["NULL"] >= 0.1, shares


@given(st.data())
def test_predicates_keep_to_the_columns_asked_for(data: st.DataObject) -> None:
    table = data.draw(tables(partition_counts=st.integers(1, 3)))
    partition = set(table.partition_by)
    assert columns_of(data.draw(predicates(table, over="partition"))) <= partition
    assert not columns_of(data.draw(predicates(table, over="data"))) & partition
    mixed = columns_of(data.draw(predicates(table, over="mixed")))
    assert mixed & partition
    assert mixed - partition


@given(st.data())
def test_predicates_have_the_types_of_their_columns_and_a_text(data: st.DataObject) -> None:
    table = data.draw(tables())
    predicate = data.draw(predicates(table))
    assert sql(predicate).isprintable()
    assert codec.predicate_from_json(codec.predicate_to_json(predicate)) == predicate
    answers(table, predicate)


def test_every_form_is_drawn() -> None:
    forms: Counter[type] = Counter()
    ops: Counter[Op] = Counter()

    def count(predicate: Predicate) -> None:
        forms[type(predicate)] += 1
        if isinstance(predicate, Compare):
            ops[predicate.op] += 1
        elif isinstance(predicate, Not):
            count(predicate.operand)
        elif isinstance(predicate, (And, Or)):
            count(predicate.left)
            count(predicate.right)

    @measured
    @given(st.data())
    def draw(data: st.DataObject) -> None:
        count(data.draw(predicates(data.draw(tables()))))

    for number in range(8):
        seed(number)(draw)()
    assert set(forms) == {Compare, Between, In, IsNull, Like, Not, And, Or}, forms
    assert set(ops) == set(Op), ops


@pytest.mark.parametrize("over", ["partition", "mixed"])
def test_missing_columns_are_an_error(over: Over) -> None:
    table = Table(columns=(Column("i", Type.INTEGER),), partition_by=(), files=(), commits=(Commit(at=-1),))

    @given(predicates(table, over=over))
    def draw(predicate: Predicate) -> None:
        raise AssertionError(f"{predicate} was drawn over columns that the table lacks")

    with pytest.raises(ValueError, match=f"over {over} columns was asked for"):
        draw()


@given(st.lists(st.sampled_from([*STRINGS, ""]), max_size=3).map(tuple).flatmap(patterns))
def test_patterns_are_well_formed_and_name_no_character_beyond_the_first_plane(pattern: str) -> None:
    like_expression(pattern)
    assert all(character <= "\uffff" for character in pattern)


def test_constants_are_all_three() -> None:
    seen = set()

    @settings(database=None)
    @given(constants())
    def draw(constant: Predicate) -> None:
        assert isinstance(constant, Constant)
        seen.add(constant.value)

    draw()
    assert seen == {True, False, None}

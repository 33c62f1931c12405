"""Files for a condition: they tell it apart from its mutants, and follow the rules of the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from model.codec import from_json, to_json
from model.prediction.delete import matches
from model.prediction.history import hidden_rows, live_ids
from model.semantics.condition_mutants import Mutation, mutants
from model.semantics.evaluate import WouldFail, evaluate
from model.vocabulary.case import Case
from model.vocabulary.predicate import And, Between, Compare, Op, Predicate
from model.vocabulary.steps import Delete
from model.vocabulary.table import Table
from model.vocabulary.values import AnyType, Type, Value
from strategies.cases.corpus.telling_files import with_telling_files
from strategies.conditions.predicates import predicates
from strategies.tables.initial_tables import feature_tables
from tests.handmade.steps import PARTITIONED

COLUMN = next(column for column in PARTITIONED.data_columns if column.type is Type.INTEGER)


def matched(table: Table, where: Predicate) -> list[tuple[int, int]]:
    """The rows that the condition deletes, by file and place."""
    hidden, step = hidden_rows(table), Delete(where)
    return [
        (file.id, place)
        for file in table.files
        if file.id in live_ids(table)
        for place, row in enumerate(file.rows)
        if place not in hidden.get(file.id, ()) and matches(step, table, table.row(file.partition, row)) is True
    ]


def told(table: Table, where: Predicate) -> set[Mutation]:
    types = {column.name: column.type for column in table.columns}
    due = matched(table, where)
    return {one.mutation for one in mutants(where, types) if matched(table, one.where) != due}


def test_a_bound_is_told_apart_from_its_neighbours() -> None:
    where = And(Between(COLUMN.name, 1000, 2000, Type.INTEGER), Compare(COLUMN.name, Op.NE, 1500, Type.INTEGER))
    assert not {Mutation.LOW_EXCLUSIVE, Mutation.AND_RIGHT} & told(PARTITIONED, where)
    table = with_telling_files(PARTITIONED, where)
    assert {Mutation.LOW_EXCLUSIVE, Mutation.HIGH_EXCLUSIVE, Mutation.AND_LEFT, Mutation.AND_RIGHT} <= told(
        table, where
    )
    new = {file.id for file in table.files} - {file.id for file in PARTITIONED.files}
    assert new <= {id for id, _ in matched(table, where)}, "an engine may skip a file without a row to delete"


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_the_files_are_live_follow_the_rules_and_never_tell_less(data: st.DataObject) -> None:
    table = data.draw(feature_tables())
    where = data.draw(predicates(table))
    found = with_telling_files(table, where)
    assert len(table.files) <= len(found.files) <= len(table.files) + 4
    assert told(table, where) <= told(found, where)
    assert from_json(to_json(case := Case(found, (Delete(where),)))) == case
    new = [file for file in found.files if file not in table.files]
    assert {file.id for file in new} <= set(live_ids(found))
    types = {column.name: column.type for column in table.columns}
    for file in new:
        for row in file.rows:
            values = dict(zip(types, found.row(file.partition, row)))
            assert all(values[column.name] is not None for column in table.columns if not column.nullable)
            assert all(_holds(check, values, types) for check in table.checks)
            for column in table.columns:
                assert column.generated_from is None or values[column.name] == values[column.generated_from]
    assert replace(found, files=table.files, commits=table.commits) == table


def _holds(check: Predicate, values: Mapping[str, Value], types: Mapping[str, AnyType]) -> bool:
    try:
        return evaluate(check, values, types=types) is True
    except WouldFail:
        return False

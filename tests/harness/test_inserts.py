"""Appends by the engine: on any table of programs the model predicts their rows, and a wrong one ends the case."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

from engines.deltalake.adapter import DeltalakeEngine
from engines.port import Engine
from harness.running.judge import Judge
from model import codec
from model.text.sql import insert_sql
from model.text.steps import step_text
from model.vocabulary.case import Case
from model.vocabulary.operations import Operation
from model.vocabulary.steps import Delete, Insert, Read, Vacuum
from model.vocabulary.table import Column, Commit, DataFile, Table
from model.vocabulary.values import Type
from reference_engine import ReferenceEngine
from strategies.restriction.capabilities import restricted_to
from strategies.steps.operations import operations
from strategies.steps.program_state import Program
from strategies.tables.program_tables import program_tables
from suites.catalogue import CATALOGUE
from tests.sampling import fifty

TABLE = Table(
    columns=(Column("p", Type.STRING), Column("v", Type.LONG)),
    partition_by=("p",),
    files=(DataFile(0, ("a",), ((1,), (2,)), -5),),
    commits=(Commit(-5, adds=(0,)),),
)
ROWS = (("a", 3), ("b c", 4), (None, None))
CASE = Case(TABLE, (Insert(ROWS), Delete(), Vacuum(), Read(), Read(before_step=1)))


@cache
def cases() -> tuple[Case, ...]:
    """An append to each of some tables of programs, and a read."""
    found: list[Case] = []

    @seed(1)
    @settings(fifty, database=None, phases=[Phase.generate])
    @given(st.data())
    def draw(data: st.DataObject) -> None:
        table = data.draw(program_tables())
        steps = data.draw(operations(Program(table, engine_steps=2), Operation.INSERT))
        found.append(Case(table, (*steps, Read())))

    draw()
    return tuple(found)


@pytest.fixture(params=["model", "deltalake"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    opened = ReferenceEngine() if request.param == "model" else DeltalakeEngine()
    yield opened
    opened.close()


@pytest.mark.long
def test_the_engine_appends_to_every_table_of_programs(engine: Engine, tmp_path: Path) -> None:
    judge = Judge(engine, [CATALOGUE[id] for id in ("LIFE-1J", "LIFE-6A", "LIFE-6B", "LIFE-6D")], tmp_path)
    for case in cases():
        judged = judge.judge(restricted_to(case, capabilities=engine.capabilities))
        assert judged.failure is None, judged.failure
        assert not judged.violated, (case, judged.violated)


def test_what_is_appended_is_part_of_the_table(tmp_path: Path) -> None:
    judged = Judge(ReferenceEngine(), list(CATALOGUE.values()), tmp_path).judge(CASE)
    assert judged.failure is None and not judged.violated
    append, delete, _, last, before = judged.steps
    assert (append.kind, append.text) == ("insert", "INSERT INTO t (3 rows)")
    assert len(delete.observed.removed) == 4, "the file of the table, and one of each partition"
    assert last.outcome.rows == [] and len(before.outcome.rows or ()) == 5


def test_the_json_form_and_the_sql() -> None:
    assert codec.from_json(codec.to_json(CASE)) == CASE
    with pytest.raises(codec.InvalidCase, match="must not be empty"):
        codec.from_json(codec.to_json(Case(TABLE, (Insert(()),))))
    types = [column.type for column in TABLE.columns]
    expected = "INSERT INTO t VALUES ('a', 3L), ('b c', 4L), (CAST(NULL AS STRING), CAST(NULL AS BIGINT))"
    assert insert_sql(Insert(ROWS), types, "t") == expected
    assert step_text(Insert(ROWS[:1])) == "INSERT INTO t (1 row)"

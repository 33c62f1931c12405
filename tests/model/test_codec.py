"""The JSON form of a case: it reads back, is canonical, and never changes its meaning."""

from __future__ import annotations

import dataclasses
import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model import codec
from model.codec import InvalidCase
from model.codec.converter import FORM
from model.vocabulary.case import Case
from model.vocabulary.commands import COMMANDS
from model.vocabulary.predicate import Compare, Expression, Like, Op
from model.vocabulary.steps import Delete, OtherCommand, Vacuum
from model.vocabulary.table import Column, Commit, DataFile, Removal, Table
from model.vocabulary.values import NAN, Type
from strategies.conditions.predicates import predicates
from strategies.tables.initial_tables import tables
from tests.builders.read_back import predicate_read_back, table_read_back
from tests.model.codec_cases import (
    CASE,
    COMMAND_CASE,
    EXPRESSIONS,
    TABLE,
    VACUUM_CASE,
    WIDE_CASE,
    WIDE_TABLE,
)

WITNESSES = Path(__file__).parents[1] / "witnesses"
REGRESSIONS = Path(__file__).parents[2] / "regressions"


ALL_CASES = {"case": CASE, "wide case": WIDE_CASE, "VACUUM's case": VACUUM_CASE, "commands' case": COMMAND_CASE}


@pytest.mark.parametrize("case", ALL_CASES.values(), ids=ALL_CASES)
def test_every_field_and_form_reads_back(case: Case) -> None:
    assert codec.from_json(codec.to_json(case)) == case
    assert codec.loads(json.dumps(codec.to_json(case), indent=2)) == case
    assert repr(codec.loads(codec.dumps(case))) == repr(case)  # the sign of -0.0


@given(st.data())
def test_tables_and_predicates_read_back_alone(data: st.DataObject) -> None:
    table = data.draw(tables())
    predicate = data.draw(predicates(table))
    assert table_read_back(table) == table
    assert predicate_read_back(predicate) == predicate


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=lambda expression: type(expression).__name__)
def test_expressions_read_back_alone(expression: Expression) -> None:
    assert FORM.read(FORM.write(expression), Expression) == expression


def test_the_canonical_text_and_the_id_never_change() -> None:
    # A changed id would orphan every reproduction that people keep: change FORMAT instead.
    case = Case(
        table=Table(
            columns=(Column("ü", Type.DATE),),
            partition_by=(),
            files=(DataFile(id=0, partition=(), rows=((date(2020, 1, 31),),), modified=-1),),
            commits=(Commit(at=-1, adds=(0,)),),
        ),
        steps=(Delete(Compare("ü", Op.EQ, None, Type.DATE)), Vacuum(retain_hours=0.0)),
    )
    assert codec.dumps(case) == (
        '{"format":1,"steps":[{"step":"delete","where":{"column":"\\u00fc","op":"=","type":"date","value":null}},'
        '{"retain_hours":0,"step":"vacuum"}],"table":{"columns":[{"name":"\\u00fc","type":"date"}],'
        '"commits":[{"adds":[0],"at":-1}],"files":[{"id":0,"modified":-1,"partition":[],'
        '"rows":[[{"date":"2020-01-31"}]]}],"partition_by":[]}}'
    )
    assert codec.case_id(case) == "b9bd496b335d"
    ids = [codec.case_id(one) for one in ALL_CASES.values()]
    assert ids == ["898d7aa86dbe", "fb7a5a24ffe3", "c5d539649a17", "ee3b903c2b9d"]  # of cases with every field and form


def test_a_case_of_these_has_each_kind_of_command() -> None:
    commands = {type(step.command) for step in COMMAND_CASE.steps if isinstance(step, OtherCommand)}
    assert commands == {*COMMANDS.values()}


@pytest.mark.parametrize("folder", [WITNESSES, REGRESSIONS], ids=lambda folder: folder.name)
def test_case_files_are_written_as_they_were_read(folder: Path) -> None:
    for path in sorted(folder.glob("*.json")):
        text = path.read_text(encoding="utf-8")
        # As texts, so that the order of fields counts.
        assert json.dumps(codec.to_json(codec.loads(text))) == json.dumps(json.loads(text)), path.name


def test_equal_cases_have_equal_ids() -> None:
    whole, floating = Case(TABLE, (Vacuum(retain_hours=1),)), Case(TABLE, (Vacuum(retain_hours=1.0),))
    assert whole == floating
    assert codec.case_id(whole) == codec.case_id(floating)
    assert codec.case_id(whole) != codec.case_id(Case(TABLE, (Vacuum(retain_hours=2),)))


def test_a_file_that_is_added_again_has_no_hidden_rows() -> None:
    # The last mask of file 1 hides less than the one before its removal.
    assert [vector.rows for commit in WIDE_TABLE.commits for vector in commit.deletion_vectors if vector.file == 1] == [
        (0,),
        (1,),
    ]
    assert table_read_back(WIDE_TABLE) == WIDE_TABLE


def test_cases_may_contain_invalid_conditions() -> None:
    unknown = Delete(Compare("nope", Op.EQ, 1, Type.INTEGER))
    malformed = Delete(Like("p", "a\\"))
    case = Case(TABLE, (unknown, malformed))
    assert codec.from_json(codec.to_json(case)) == case


def test_a_removed_file_may_be_added_again() -> None:
    table = Table(
        columns=(Column("i", Type.INTEGER),),
        partition_by=(),
        files=(DataFile(id=0, partition=(), rows=(), modified=-9),),
        commits=(Commit(-9, adds=(0,)), Commit(-8, removes=(Removal(0, -8),)), Commit(-7, adds=(0,))),
    )
    assert table_read_back(table) == table


def test_a_generated_nan_equals_its_source() -> None:
    columns = (Column("v", Type.DOUBLE), Column("copy", Type.DOUBLE, generated_from="v"))
    table = Table(columns, (), (DataFile(0, (), ((NAN, NAN),), -1),), (Commit(-1, adds=(0,)),))
    assert table_read_back(table) == table
    other = dataclasses.replace(table, files=(DataFile(0, (), ((1.0, NAN),), -1),))
    with pytest.raises(InvalidCase, match="has another value"):
        table_read_back(other)

"""Which commands may be refused: those that a rule of the table is about, or that it does not allow."""

from __future__ import annotations

from dataclasses import replace

import pytest

from model.prediction.commands import may_be_refused
from model.vocabulary.commands import (
    Assignment,
    Command,
    Optimize,
    Overwrite,
    Purge,
    Restore,
    SetRetention,
    StreamAppend,
    Update,
)
from model.vocabulary.predicate import Cast, Compare, Literal, Of, Op, Relate
from model.vocabulary.table import Column, Table
from model.vocabulary.values import StructOf, Type
from tests.builders.merges import merge

TABLE = Table(
    columns=(
        Column("a", Type.LONG),
        Column("b", Type.LONG, nullable=False),
        Column("copy", Type.LONG, generated_from="a"),
        Column("number", Type.LONG, identity=True),
        Column("checked", Type.LONG),
        Column("text", Type.STRING),
    ),
    partition_by=(),
    files=(),
    commits=(),
    checks=(Compare("checked", Op.GE, 0, Type.LONG),),
)
FREE = replace(TABLE, columns=(Column("a", Type.LONG), Column("text", Type.STRING)), checks=())
ROW = (1, "x")
ANY = Compare("a", Op.EQ, 1, Type.LONG)
CAST = Relate(Cast(Of("text"), Type.INTEGER), Op.EQ, Literal(1, Type.INTEGER))


def setting(column: str, value: int | None = 1) -> Assignment:
    return Assignment(column, Type.LONG, value)


@pytest.mark.parametrize(
    ("command", "refusable"),
    [
        (Update(setting("b")), False),
        (Update(setting("b", None)), True),
        (Update(setting("copy")), True),
        (Update(setting("number")), True),
        (Update(setting("checked")), True),
        (merge(ANY, setting("number")), True),
        (merge(ANY), False),
        (merge(ANY, insert=((1, 1, 1, 1, 1, "x"),)), True),
        (StreamAppend(((1, 1, 1, 1, 1, "x"),)), True),
        (Overwrite(()), False),
        (Optimize(), False),
    ],
)
def test_rules_of_columns(command: Command, refusable: bool) -> None:
    assert may_be_refused(command, TABLE, ()) is refusable


@pytest.mark.parametrize(
    "command",
    [
        Update(setting("a")),
        merge(ANY, setting("a"), (ROW,)),
        Overwrite((ROW,)),
        StreamAppend((ROW,)),
        Restore(0),
        Purge(),
    ],
)
def test_without_rules_nothing_may_be_refused_but_what_changes_rows_of_a_table_to_append_to(command: Command) -> None:
    assert not may_be_refused(command, FREE, [ROW])
    append_only = replace(FREE, features=("appendOnly",))
    assert may_be_refused(command, append_only, [ROW]) is not isinstance(command, (StreamAppend, Purge))


def test_a_condition_that_may_be_an_error() -> None:
    assert may_be_refused(Update(setting("a"), CAST), FREE, [ROW])
    assert not may_be_refused(Update(setting("a"), CAST), FREE, [(1, "1")])
    assert may_be_refused(merge(CAST), FREE, [ROW])


def test_a_null_struct_with_a_field_that_must_not_be_null_may_not_be_written_again() -> None:
    struct = Column("s", StructOf((("x", Type.LONG),), required=("x",)))
    table = replace(FREE, columns=(*FREE.columns, struct))
    assert may_be_refused(Optimize(), table, ()) and may_be_refused(Update(setting("a")), table, ())
    assert not may_be_refused(SetRetention(1), table, ())


def test_a_retention_is_compared_with_the_default_of_the_other() -> None:
    cases = [(SetRetention(721), True), (SetRetention(720), False), (SetRetention(0), False)]
    cases += [(SetRetention(167, of_log=True), True), (SetRetention(168, of_log=True), False)]
    assert [may_be_refused(command, FREE, ()) for command, _ in cases] == [refused for _, refused in cases]

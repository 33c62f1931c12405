"""The commands of Spark in a script, where what they need depends on the step before or on the spelling of the path."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from engines.dialect import ScriptCommand, ScriptedCase, ScriptRun
from engines.quoting import Code, quoted
from engines.script_library import free_names
from model.text.commands import command_text
from model.vocabulary.commands import (
    AddColumn,
    Assignment,
    Checkpoint,
    CleanUpLog,
    Command,
    CommandKind,
    CompactLog,
    DropColumn,
    DropFeature,
    Optimize,
    Overwrite,
    Purge,
    RenameColumn,
    Restore,
    SetRetention,
    ShallowClone,
    StreamAppend,
    Switch,
    Update,
    VacuumClone,
    WidenColumn,
    kind_of,
)
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import Delete, Form, Mode, Moment, OtherCommand, Vacuum
from model.vocabulary.table import Column, Commit, Feature
from model.vocabulary.values import Type
from tests import scripts
from tests.builders.merges import merge
from tests.handmade.steps import PARTITIONED

A = Compare("p", Op.EQ, "a", Type.STRING)
SET = Assignment("v", Type.INTEGER, 7)

#: One of each kind.
COMMANDS_OF_STEPS: list[Command] = [
    *(Optimize(A, ("v",)), Purge(), Restore(0), Update(SET, A), merge(A, SET, ((1, "a"),)), Overwrite(((1, "a"),), A)),
    *(StreamAppend(((1, "a"),)), Checkpoint(), CompactLog(), CleanUpLog(), SetRetention(24, of_log=True)),
    *(Switch(Feature.DELETION_VECTORS, on=True), DropFeature(Feature.ROW_TRACKING), WidenColumn("v")),
    *(AddColumn(Column("added", Type.DATE)), RenameColumn("v", "w"), DropColumn("v"), ShallowClone(), VacuumClone()),
]


CASE = ScriptedCase(PARTITIONED, "/tmp/case/table", ())


def commands(*steps: Delete | Vacuum | OtherCommand) -> list[ScriptCommand]:
    """The commands of one script, each at a clock of its own: T + 0, T + 1."""
    runs = tuple(ScriptRun(index, step, Moment(index)) for index, step in enumerate(steps))
    dialect = scripts.SPARK(ScriptedCase(PARTITIONED, "/tmp/case/table", runs))
    found = []
    for run in runs:
        dialect.clock(f"T + {run.clock.offset}", first=run is runs[0])
        found.append(dialect.command(run))
    return found


def test_a_link_to_the_table_has_the_clock_of_its_step() -> None:
    _, through_link = commands(Vacuum(), Vacuum(spelling=Spelling.LINK))
    assert through_link.setup[-1] == 'clock(spark, T + 1, f"{ROOT}-link")'
    assert through_link.cleanup == ('os.unlink(f"{ROOT}-link")',)


def test_an_inventory_lies_beside_the_table_however_its_path_is_spelled() -> None:
    for spelling in Spelling:
        (command,) = commands(Vacuum(mode=Mode.INVENTORY_TABLE, spelling=spelling))
        assert any('.save("/tmp/case-inventory")' in line for line in command.setup), spelling
        assert "USING INVENTORY delta.`/tmp/case-inventory`" in command.text, spelling


def test_a_managed_table_is_made_once() -> None:
    first, second = commands(Delete(form=Form.SQL_MANAGED), Delete(form=Form.SQL_MANAGED))
    assert first.setup == ("make_managed(spark)",) and not second.setup


def test_a_view_is_made_for_each_delete_through_it() -> None:
    for command in commands(Delete(form=Form.VIEW), Delete(form=Form.VIEW)):
        (line,) = command.setup
        assert "CREATE OR REPLACE TEMPORARY VIEW tombstone_view AS SELECT * FROM delta.`{ROOT}`" in line
        assert command.text == 'spark.sql("DELETE FROM tombstone_view")'


def test_a_setting_ends_with_its_step() -> None:
    first, second = commands(Delete(zone="Asia/Kolkata"), Delete())
    key = '"spark.sql.session.timeZone"'
    assert first.setup == (f'spark.conf.set({key}, "Asia/Kolkata")',)
    assert second.setup == (f'spark.conf.set({key}, "UTC")',)


def test_the_library_has_what_a_command_uses() -> None:
    assert {kind_of(command) for command in COMMANDS_OF_STEPS} == set(CommandKind), "every kind has a script"
    for command in COMMANDS_OF_STEPS:
        (found,) = commands(OtherCommand(command))
        text = scripts.runnable("\n".join([*found.setup, found.text, *found.cleanup]), scripts.SPARK(CASE))
        assert free_names(text) <= {"ROOT", "T", "spark", "before_0"}, command


@pytest.mark.parametrize("text", ["plain", "it's", 'a "b"', "both ' and \"", "a \\ b", "it\\'s", "{ROOT}\n"])
def test_a_text_is_the_same_as_a_literal(text: str) -> None:
    assert ast.literal_eval(quoted([text, {text: (text,)}])) == [text, {text: (text,)}]
    assert eval(quoted(f"/r {text} " * 9, "/r"), {"ROOT": "/r"}) == f"/r {text} " * 9


def test_other_values_are_literals_and_code_stands_as_it_is() -> None:
    assert quoted([1, None, -2.5, True, float("inf"), Code("T + 1")]) == '[1, None, -2.5, True, float("inf"), T + 1]'
    with pytest.raises(TypeError, match="a set has no literal"):
        quoted({1})


def test_a_restore_goes_back_to_the_version_that_a_script_knows() -> None:
    _, restore = commands(Delete(), OtherCommand(Restore(0)))
    assert restore.text == 'spark.sql(f"RESTORE TABLE delta.`{ROOT}` TO VERSION AS OF {before_0}")'


def test_a_restore_goes_back_to_a_version_of_the_initial_table() -> None:
    table = replace(PARTITIONED, commits=(*PARTITIONED.commits, Commit(-2), Commit(-1)))
    run = ScriptRun(0, OtherCommand(Restore(-2)), Moment(0))
    spark, delta_rs = (made(ScriptedCase(table, "/t", (run,))) for made in (scripts.SPARK, scripts.DELTA_RS))
    assert spark.command(run).text == 'spark.sql(f"RESTORE TABLE delta.`{ROOT}` TO VERSION AS OF {0}")'
    assert delta_rs.command(run).text == "DeltaTable(ROOT).restore(target=0)"
    assert command_text(Restore(-2)) == "RESTORE TABLE t to the version 2 commits older than that before step 0"


def test_a_command_is_written_for_the_columns_that_the_table_has_by_then() -> None:
    (widened,) = commands(OtherCommand(WidenColumn("v")))
    assert widened.text.endswith('COLUMN `v` TYPE BIGINT")')
    steps = [OtherCommand(AddColumn(Column("added", Type.DATE))), OtherCommand(StreamAppend(((1, "x", None),)))]
    assert "CAST(NULL AS DATE)" in commands(*steps)[1].setup[-1]
    steps = [*steps[:1], OtherCommand(Restore(0)), OtherCommand(StreamAppend(((1, "x"),)))]
    assert "DATE" not in commands(*steps)[2].setup[-1]


def test_a_refused_command_leaves_the_columns_as_they_are() -> None:
    runs = (
        ScriptRun(0, OtherCommand(AddColumn(Column("added", Type.DATE))), Moment(0), failed=True),
        ScriptRun(1, OtherCommand(Overwrite(((1, "x"),))), Moment(0)),
    )
    dialect = scripts.SPARK(ScriptedCase(PARTITIONED, "/tmp/case/table", runs))
    assert "DATE" not in dialect.command(runs[1]).setup[-1]

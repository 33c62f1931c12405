"""The calls of Spark for each step: as a script prints them, and as the worker evaluates them."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import pytest

from engines.dialect import ScriptCommand, ScriptedCase, ScriptRun
from engines.quoting import Code, quoted
from engines.script_library import free_names
from engines.spark.commands.calls import Do, Let, Place, evaluated, written
from engines.spark.commands.translation import calls_of
from model.text.commands import command_text
from model.vocabulary.commands import (
    AddColumn,
    Assignment,
    AsWritten,
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
from model.vocabulary.predicate import And, Compare, In, Not, Op, Or, Predicate, Relate
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import (
    API_VACUUM_FORMS,
    Delete,
    DeleteMistake,
    EngineStep,
    Form,
    Insert,
    InvalidDelete,
    InvalidVacuum,
    Inventory,
    IOFault,
    Listing,
    Mode,
    Moment,
    OpenSession,
    OtherCommand,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.vocabulary.table import Column, Commit, Feature
from model.vocabulary.values import Type
from tests import scripts
from tests.builders.merges import evolving, merge
from tests.handmade.steps import PARTITIONED
from tests.model.codec_cases import EXPRESSIONS, WHERE, WIDE_WHERE

A = Compare("p", Op.EQ, "a", Type.STRING)
SET = Assignment("v", Type.INTEGER, 7)

#: One of each kind.
COMMANDS_OF_STEPS: list[Command] = [
    *(Optimize(A, ("v",)), Purge(), Restore(0), Update(SET, A), merge(A, SET, ((1, "a"),)), Overwrite(((1, "a"),), A)),
    *(StreamAppend(((1, "a"),)), Checkpoint(), CompactLog(), CleanUpLog(), SetRetention(24, of_log=True)),
    *(Switch(Feature.DELETION_VECTORS, on=True), DropFeature(Feature.ROW_TRACKING), WidenColumn("v")),
    *(AddColumn(Column("added", Type.DATE)), RenameColumn("v", "w"), DropColumn("v"), ShallowClone(), VacuumClone()),
    *(
        AsWritten("DESCRIBE HISTORY {table}"),
        AsWritten("ANALYZE TABLE {name}"),
        AsWritten("spark.sql('USE x')", python=True),
    ),
]


ROOT = "/tmp/case/table"
CASE = ScriptedCase(PARTITIONED, ROOT, ())

BOTH = And(A, Not(Compare("v", Op.GT, 1, Type.INTEGER)))
TEXT = "`p` = 'a' AND NOT (`v` > 1)"
NAME = "spark.sql(f\"CREATE TABLE IF NOT EXISTS t USING delta LOCATION '{ROOT}'\")"
VIEW = 'spark.sql(\n    f"CREATE OR REPLACE TEMPORARY VIEW tombstone_view AS SELECT * FROM delta.`{ROOT}`"\n)'
CLOCK = "opened_log.clock().setTime(T + 0)"

#: What is printed for a step: what it needs, and the command. The gate judges the command of every form, by the same calls.
PRINTED: list[tuple[EngineStep, tuple[str, ...]]] = [
    (Delete(BOTH), (f'spark.sql(f"DELETE FROM delta.`{{ROOT}}` WHERE {TEXT}")',)),
    (Delete(BOTH, Form.SQL_NAME), (NAME, f'spark.sql("DELETE FROM t WHERE {TEXT}")')),
    (Delete(form=Form.SQL_MANAGED), ("make_managed(spark)", 'spark.sql("DELETE FROM d.`table`")')),
    (Delete(form=Form.VIEW), (VIEW, 'spark.sql("DELETE FROM tombstone_view")')),
    (
        Delete(form=Form.API_NAME, cached=True),
        (NAME, 'spark.table("t").cache().count()', 'DeltaTable.forName(spark, "t").delete()'),
    ),
    (Delete(A, by_earlier=True), (CLOCK, "opened.delete(\"`p` = 'a'\")")),
    (
        OtherCommand(AsWritten("CREATE VIEW {other} AS SELECT 1\nDROP VIEW {other}")),
        ('spark.sql("CREATE VIEW t_other AS SELECT 1")', 'spark.sql("DROP VIEW t_other").collect()'),
    ),
    (Vacuum(5.5, form=VacuumForm.API_PATH, logging=None), ("DeltaTable.forPath(spark, ROOT).vacuum(5.5)",)),
    (Vacuum(by_earlier=True, logging=None), (CLOCK, "opened.vacuum()")),
    (
        Vacuum(io_fault=IOFault.CANNOT_DELETE, faulty_path="a", logging=None),
        ('failing_files(spark, "it cannot be deleted", "a")', 'spark.sql(f"VACUUM delta.`{ROOT}`")'),
    ),
    (
        InvalidVacuum(VacuumMistake.NOT_A_TABLE),
        ('os.makedirs(f"{ROOT}-target")', 'spark.sql(f"VACUUM delta.`{ROOT}-target`")'),
    ),
    (OtherCommand(Restore(0)), ('spark.sql(f"RESTORE TABLE delta.`{ROOT}` TO VERSION AS OF {before_0}")',)),
    (OtherCommand(CompactLog(3, but_newest=1)), ("compact_log(spark, ROOT, 3, 1)",)),
]

#: One of each form and command, and those with more to say.
STEPS: list[EngineStep] = [
    *(step for step, _ in PRINTED),
    *(Delete(where, form) for form in Form for where in ((None,) if form is Form.TRUNCATE else (None, BOTH))),
    *(Vacuum(0, dry_run=form not in API_VACUUM_FORMS, form=form) for form in VacuumForm),
    *(Vacuum(mode=mode, inventory=kind) for mode in Mode for kind in Inventory),
    *(Vacuum(mode=Mode.INVENTORY_QUERY, listing=listing) for listing in Listing),
    *(InvalidDelete(mistake) for mistake in DeleteMistake),
    *(InvalidVacuum(mistake, dry_run=True) for mistake in VacuumMistake),
    *(Insert(((1, "x"),)), OpenSession()),
    *map(
        OtherCommand,
        (
            *COMMANDS_OF_STEPS,
            Overwrite(((1, "a"),), dynamic=True),
            Overwrite((), adds=Column("n", Type.LONG)),
            Optimize(target_size=99),
            evolving(Column("n", Type.INTEGER), "p", (1, "a", 2), inserts=False),
        ),
    ),
]


def commands(*steps: EngineStep) -> list[ScriptCommand]:
    """The commands of one script, each at a clock of its own: T + 0, T + 1."""
    runs = tuple(ScriptRun(index, step, Moment(index)) for index, step in enumerate(steps))
    dialect = scripts.SPARK(ScriptedCase(PARTITIONED, ROOT, runs))
    found = []
    for run in runs:
        dialect.clock(f"T + {run.clock.offset}", first=run is runs[0])
        found.append(dialect.command(run))
    return found


@pytest.mark.parametrize(("step", "lines"), PRINTED)
def test_a_step_is_printed(step: EngineStep, lines: tuple[str, ...]) -> None:
    (found,) = commands(step)
    assert (*found.setup, found.text) == lines


class Traced:
    """What is done with it, as text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def __getattr__(self, name: str) -> Traced:
        return Traced(f"{self}.{name}")

    def __call__(self, *arguments: object) -> Traced:
        return Traced(f"{self}{arguments}")

    def __invert__(self) -> Traced:
        return Traced(f"~({self})")


for sign, name in zip(
    ["==", "!=", "<", "<=", ">", ">=", "&", "|", "+"], ["eq", "ne", "lt", "le", "gt", "ge", "and", "or", "add"]
):
    setattr(Traced, f"__{name}__", lambda left, right, sign=sign: Traced(f"({left} {sign} {right!r})"))


class Names(dict[str, Any]):
    def __missing__(self, word: str) -> Traced:
        return Traced(word)


#: With every operator, and one that needs several lines.
AS_COLUMNS: list[Predicate] = [
    *(BOTH, WHERE, WIDE_WHERE, Or(Not(WHERE), Not(And(BOTH, BOTH))), In("v", tuple(range(40)), Type.INTEGER)),
    *(Relate(EXPRESSIONS[5], op, EXPRESSIONS[5]) for op in Op),
]


def test_what_is_printed_is_what_is_run() -> None:
    place = Place(ROOT, ROOT, "t", "m", "/i", lambda: [("v", Type.INTEGER), ("p", Type.STRING)], lambda: "p=a")
    conditions = [Delete(where, Form.API_PATH_COLUMN) for where in AS_COLUMNS]
    for step in [*STEPS, *conditions]:
        calls = calls_of(step, place)
        needed = [one.value if isinstance(one, Let) else one.call for one in calls.needed if isinstance(one, (Let, Do))]
        for one in [*needed, calls.command, calls.cached]:
            text = written(one, {}, ROOT)
            assert repr(evaluated(one, Names())) == repr(eval(text, {}, Names(ROOT=ROOT))), step
            assert max(map(len, text.split("\n"))) < 112, "it may stand in a try"


def test_a_link_to_the_table_has_the_clock_of_its_step() -> None:
    _, through_link = commands(Vacuum(), Vacuum(spelling=Spelling.LINK))
    assert through_link.setup[-1] == 'clock(spark, T + 1, f"{ROOT}-link")'
    assert through_link.cleanup == ('os.unlink(f"{ROOT}-link")',)


def test_an_inventory_lies_beside_the_table_however_its_path_is_spelled() -> None:
    for spelling in Spelling:
        (command,) = commands(Vacuum(mode=Mode.INVENTORY_TABLE, spelling=spelling))
        assert any('.save("/tmp/case-inventory")' in line for line in command.setup), spelling
        assert "USING INVENTORY delta.`/tmp/case-inventory`" in command.text, spelling


def test_what_a_script_needs_once_is_made_once() -> None:
    assert not commands(*2 * [Delete(form=Form.SQL_MANAGED)])[1].setup
    assert commands(*2 * [Delete(form=Form.VIEW)])[1].setup == (VIEW,)


def test_a_setting_ends_with_its_step_and_its_session() -> None:
    zone = 'spark.conf.set("spark.sql.session.timeZone", '
    first, second, third = commands(Delete(zone="Asia/Kolkata"), Vacuum(logging=None), Delete())
    assert (first.setup, second.setup, third.setup) == ((f'{zone}"Asia/Kolkata")',), (f'{zone}"UTC")',), ())
    unsafe = Vacuum(by_earlier=True, safety_check=False, logging=None)
    _, first, same, _, other = commands(OpenSession(), unsafe, unsafe, OpenSession(), unsafe)
    assert first.setup == (other.setup[0], CLOCK.replace("0", "1")) and same.setup == (CLOCK.replace("0", "2"),)


def test_the_library_has_what_a_command_uses() -> None:
    assert {kind_of(command) for command in COMMANDS_OF_STEPS} == set(CommandKind), "every kind has a script"
    known = {"ROOT", "T", "spark", "before_0", "earlier", "opened", "opened_log", "FAILING_FILE_SYSTEM"}
    for step in STEPS:
        (found,) = commands(step)
        text = scripts.runnable("\n".join([*found.setup, found.text, *found.cleanup]), scripts.SPARK(CASE))
        assert free_names(text) <= known, step


@pytest.mark.parametrize("text", ["plain", "it's", 'a "b"', "both ' and \"", "a \\ b", "it\\'s", "{ROOT}\n"])
def test_a_text_is_the_same_as_a_literal(text: str) -> None:
    assert ast.literal_eval(quoted([text, {text: (text,)}])) == [text, {text: (text,)}]
    assert eval(quoted(f"/r {text} " * 9, "/r"), {"ROOT": "/r"}) == f"/r {text} " * 9


def test_other_values_are_literals_and_code_stands_as_it_is() -> None:
    assert quoted([1, None, -2.5, True, float("inf"), Code("T + 1")]) == '[1, None, -2.5, True, float("inf"), T + 1]'
    with pytest.raises(TypeError, match="a set has no literal"):
        quoted({1})


def test_a_restore_goes_back_to_a_version_of_the_initial_table() -> None:
    table = replace(PARTITIONED, commits=(*PARTITIONED.commits, Commit(-2), Commit(-1)))
    run = ScriptRun(0, OtherCommand(Restore(-2)), Moment(0))
    spark, delta_rs = (made(ScriptedCase(table, "/t", (run,))) for made in (scripts.SPARK, scripts.DELTA_RS))
    assert spark.command(run).text == 'spark.sql(f"RESTORE TABLE delta.`{ROOT}` TO VERSION AS OF {0}")'
    assert delta_rs.command(run).text == "DeltaTable(ROOT).restore(target=0)"
    by_time = ScriptRun(0, OtherCommand(Restore(-2, by_time=True)), Moment(0))
    spark, delta_rs = (made(ScriptedCase(table, "/t", (by_time,))) for made in (scripts.SPARK, scripts.DELTA_RS))
    assert spark.command(by_time).text == 'spark.sql(f"RESTORE TABLE delta.`{ROOT}` TO " + as_of(spark, ROOT, 0))'
    assert delta_rs.command(by_time).text == "DeltaTable(ROOT).restore(target=as_of(ROOT, 0))"
    assert command_text(Restore(-2)) == "RESTORE TABLE t to the version 2 commits older than that before step 0"


def test_a_log_compaction_ends_before_the_newest_commits() -> None:
    run = ScriptRun(0, OtherCommand(CompactLog(3, but_newest=1)), Moment(0))
    first, last = "sorted(log())[-3:][0]", "version() - 1"
    call = f"DeltaTable(ROOT).compact_logs(starting_version={first}, ending_version={last})"
    text = scripts.DELTA_RS(ScriptedCase(PARTITIONED, "/t", (run,))).command(run).text
    assert text == f"{first} < {last} and {call}"


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
    dialect = scripts.SPARK(ScriptedCase(PARTITIONED, ROOT, runs))
    assert "DATE" not in dialect.command(runs[1]).setup[-1]

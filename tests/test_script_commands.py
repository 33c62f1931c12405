"""The commands of Spark in a script, where what they need depends on the step before or on the spelling of the path."""

from __future__ import annotations

import pytest

from engines.dialect import Command, Run, ScriptedCase, code
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import Delete, Form, Mode, Moment, Vacuum
from tests import scripts
from tests.handmade_steps import PARTITIONED


def commands(*steps: Delete | Vacuum) -> list[Command]:
    """The commands of one script, each at a clock of its own: T + 0, T + 1."""
    runs = tuple(Run(index, step, Moment(index)) for index, step in enumerate(steps))
    dialect = scripts.SPARK(ScriptedCase(PARTITIONED, "/tmp/case/table", runs))
    found = []
    for run in runs:
        dialect.clock(code(f"T + {run.clock.offset}"), first=run is runs[0])
        found.append(dialect.command(run))
    return found


def test_a_link_to_the_table_has_the_clock_of_its_step() -> None:
    _, through_link = commands(Vacuum(), Vacuum(spelling=Spelling.LINK))
    assert through_link.setup[-1].endswith("ManualClock(T + 1))")
    assert through_link.cleanup == ('os.unlink(f"{ROOT}-link")',)


@pytest.mark.parametrize("spelling", Spelling)
def test_an_inventory_lies_beside_the_table_however_its_path_is_spelled(spelling: Spelling) -> None:
    (command,) = commands(Vacuum(mode=Mode.INVENTORY_TABLE, spelling=spelling))
    assert any('.save("/tmp/case-inventory")' in line for line in command.setup)
    assert "USING INVENTORY delta.`/tmp/case-inventory`" in command.text


def test_a_managed_table_is_made_once() -> None:
    first, second = commands(Delete(form=Form.SQL_MANAGED), Delete(form=Form.SQL_MANAGED))
    assert "CREATE TABLE d.`table`" in "\n".join(first.setup) and not second.setup


def test_a_setting_ends_with_its_step() -> None:
    first, second = commands(Delete(zone="Asia/Kolkata"), Delete())
    key = '"spark.sql.session.timeZone"'
    assert first.setup == (f'spark.conf.set({key}, "Asia/Kolkata")',)
    assert second.setup == (f'spark.conf.set({key}, "UTC")',)

"""The step of two sessions at once: its JSON form, what it may consist of, its restriction, shrinking, and what is drawn."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from harness.campaigns.shrinking import candidates, is_valid, without_step
from model.codec import InvalidCase, from_json, to_json
from model.text.steps import step_text
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.case import Case
from model.vocabulary.commands import AddColumn, CommandKind, DropFeature, Restore, StreamAppend
from model.vocabulary.steps import (
    AtOnce,
    CrashPoint,
    Form,
    Insert,
    Mode,
    OtherCommand,
    Read,
    Vacuum,
    named_step,
)
from model.vocabulary.table import Column, Feature
from model.vocabulary.values import Type
from strategies.cases.at_once import cases_at_once
from strategies.restriction.capabilities import restricted_step
from tests.builders.merges import evolving
from tests.handmade.at_once import APPEND, ENDS, UPDATE, pair
from tests.handmade.crashes import PARTITION, ROW, TABLE, with_features

RESTORE = OtherCommand(Restore(0))


@pytest.mark.parametrize("case", [*(case for case, _ in ENDS), Case(TABLE, (Read(), AtOnce(RESTORE, APPEND)))])
def test_it_is_read_back_from_its_json_form(case: Case) -> None:
    assert from_json(to_json(case)) == case


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        (AtOnce(Read(), Read()), "steps[1].second: reads twice"),
        (AtOnce(replace(ROW, cached=True), APPEND), "steps[1].first: has an option"),
        (AtOnce(replace(ROW, form=Form.API_PATH), APPEND), "steps[1].first: has an option"),
        (AtOnce(APPEND, Vacuum(retain_hours=0)), "steps[1].second: has an option"),
        (AtOnce(APPEND, Vacuum(dry_run=True)), "steps[1].second: has an option"),
        (AtOnce(APPEND, Vacuum(mode=Mode.INVENTORY_QUERY)), "steps[1].second: has an option"),
        (AtOnce(Read(by_earlier=True), APPEND), "steps[1].first: has an option"),
        (AtOnce(OtherCommand(AddColumn(Column("q", Type.LONG))), ROW), "steps[1].first.command: AddColumn cannot"),
        (
            AtOnce(ROW, OtherCommand(evolving(Column("q", Type.LONG), "p", ("a", 1, 2)))),
            "steps[1].second.command: a change of columns cannot",
        ),
        (AtOnce(RESTORE, Read(before_step=0)), "steps[1].second: names an earlier version"),
        (AtOnce(OtherCommand(Restore(1)), ROW), "steps[1].first.command.before_step: is 1"),
        (AtOnce(Insert(()), ROW), "steps[1].first.rows: must not be empty"),
        (AtOnce(ROW, OtherCommand(DropFeature(Feature.ROW_TRACKING))), "steps[1].second.command: DropFeature cannot"),
    ],
)
def test_what_cannot_be_beside_another_session_is_refused(step: AtOnce, problem: str) -> None:
    with pytest.raises(InvalidCase) as refused:
        from_json(to_json(Case(TABLE, (Read(), step))))
    assert str(refused.value).startswith(problem)


def test_every_command_must_be_able_to_change_the_table() -> None:
    with pytest.raises(InvalidCase, match="appendOnly, with which no two sessions are tried"):
        from_json(to_json(Case(with_features(Feature.APPEND_ONLY), (AtOnce(ROW, APPEND),))))


def test_its_words_name_both_and_the_point() -> None:
    words = "DELETE FROM t WHERE `id` = 10, held right before: committed; meanwhile INSERT INTO t (1 row)"
    assert step_text(AtOnce(ROW, APPEND)) == words
    assert step_text(AtOnce(Read(), APPEND)).startswith("SELECT * FROM t, held before it reads its files; meanwhile")


def test_an_engine_that_lacks_a_part_runs_the_second_alone() -> None:
    step = AtOnce(UPDATE, PARTITION)
    for lacks in (
        replace(EVERYTHING, sessions=False),
        replace(EVERYTHING, commands=EVERYTHING.commands - {CommandKind.UPDATE}),
    ):
        assert restricted_step(step, capabilities=lacks) == PARTITION
    no_vacuum = replace(EVERYTHING, vacuum=False)
    assert restricted_step(AtOnce(ROW, Vacuum()), capabilities=no_vacuum) == AtOnce(ROW, Read())
    assert restricted_step(AtOnce(Read(), Vacuum()), capabilities=no_vacuum) == Read()
    full = replace(EVERYTHING, modes=EVERYTHING.modes - {Mode.LITE, Mode.LITE_SETTING})
    restricted = restricted_step(AtOnce(ROW, Vacuum(mode=Mode.LITE)), capabilities=full)
    assert restricted == AtOnce(ROW, Vacuum(mode=Mode.FULL))


def test_it_shrinks_to_each_of_the_two_and_to_simpler_ones() -> None:
    case = pair(Vacuum(mode=Mode.FULL), APPEND, point=CrashPoint.DELETION)
    tried = [one.steps[0] for one in candidates(case) if is_valid(one) and len(one.steps) == 2]
    assert {Vacuum(mode=Mode.FULL), APPEND, AtOnce(Vacuum(), APPEND, CrashPoint.DELETION)} <= set(tried)


def test_a_step_that_it_names_moves_with_the_steps_before() -> None:
    steps = (Read(), Read(), AtOnce(OtherCommand(Restore(1)), APPEND))
    assert without_step(steps, 0) == (Read(), AtOnce(RESTORE, APPEND))
    assert named_step(AtOnce(APPEND, RESTORE)) == 0 and named_step(AtOnce(APPEND, ROW)) is None


@pytest.mark.long
def test_what_is_drawn_can_be_kept_and_is_of_every_kind() -> None:
    found: Counter[str] = Counter()

    @seed(1)
    @settings(
        max_examples=300, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @given(cases_at_once())
    def draw(case: Case) -> None:
        assert is_valid(case)
        (step,) = (step for step in case.steps if isinstance(step, AtOnce))
        for one in step.steps:
            found[type(one.command if isinstance(one, OtherCommand) else one).__name__] += 1

    draw()
    assert {"Delete", "Insert", "Vacuum", "Read", "Merge"} <= set(found)
    assert StreamAppend.__name__ not in found

"""Session settings: their keys, which cases have them, and who sees them."""

from __future__ import annotations

import pytest
from hypothesis import given

from engines.deltalake.capabilities import NEWEST
from engines.dialect import ScriptedCase, ScriptRun
from engines.spark.releases import capabilities_of
from harness.campaigns.shrinking import candidates
from model.codec import case_id, loads
from model.codec.cases import dumps
from model.text.session_conf import spark_conf
from model.text.steps import step_text
from model.vocabulary.case import Case
from model.vocabulary.predicate import And, Cast, Compare, Constant, Holds, Literal, Not, Op, Or, Predicate
from model.vocabulary.settings import Setting
from model.vocabulary.steps import Delete, Mode, Moment, Read, Vacuum
from model.vocabulary.table import Table
from model.vocabulary.values import Type
from strategies.cases.settings import configured, configured_cases, has_expressions
from strategies.restriction.capabilities import restricted_to
from tests import scripts
from tests.handmade.steps import PARTITIONED

PLAIN = Compare("v", Op.EQ, 1, Type.INTEGER)
COMPUTED = Holds(Cast(Literal("x", Type.STRING), Type.BOOLEAN))


def test_every_setting_has_keys_of_its_own() -> None:
    keys = [key for setting in Setting for key in spark_conf([setting])]
    assert len(keys) == len(set(keys)) and all(spark_conf([setting]) for setting in Setting)
    assert spark_conf([Setting.ANSI_OFF, Setting.ADAPTIVE_EXECUTION]) == {
        "spark.sql.ansi.enabled": "false",
        "spark.sql.adaptive.enabled": "true",
    }


def test_settings_are_part_of_a_case_and_none_is_the_default() -> None:
    bare = Case(PARTITIONED, (Delete(PLAIN), Vacuum(), Read()))
    set_ = Case(PARTITIONED, tuple(configured(step, tuple(Setting), PARTITIONED) for step in bare.steps))
    assert '"settings"' not in dumps(bare) and loads(dumps(set_)) == set_
    assert case_id(bare) != case_id(set_)


def test_ansi_is_on_where_an_expression_depends_on_it() -> None:
    def kept(where: Predicate | None, table: Table = PARTITIONED) -> bool:
        step = configured(Delete(where), (Setting.ANSI_OFF, Setting.ROW_READER), table)
        assert isinstance(step, Delete) and Setting.ROW_READER in step.settings
        return Setting.ANSI_OFF in step.settings

    assert kept(None) and kept(PLAIN) and kept(Or(PLAIN, Not(And(PLAIN, Constant(True)))))
    assert not kept(COMPUTED) and not kept(Not(COMPUTED)) and not kept(And(PLAIN, COMPUTED))
    assert has_expressions(Or(COMPUTED, PLAIN))


@pytest.mark.long
@given(configured_cases())
def test_only_commands_have_settings_and_all_the_same(case: Case) -> None:
    found = {step.settings for step in case.steps if isinstance(step, (Delete, Vacuum))}
    without_ansi = {tuple(one for one in settings if one is not Setting.ANSI_OFF) for settings in found}
    assert len(without_ansi) <= 1


def test_a_setting_that_a_release_does_not_know_is_left_out() -> None:
    case = Case(PARTITIONED, (Delete(PLAIN, settings=tuple(Setting)), Vacuum(settings=tuple(Setting))))
    since = {Setting.NO_METADATA_ROW_INDEX: "3.2.0", Setting.NO_INCREMENTAL_COMMITS: "3.3.0"}
    for setting, version in since.items():
        for release, known in ((version, True), ("3.1.0", False)):
            steps = restricted_to(case, capabilities=capabilities_of(release)).steps
            assert all((setting in step.settings) is known for step in steps if isinstance(step, (Delete, Vacuum)))
    assert restricted_to(case, capabilities=NEWEST).steps == (Delete(PLAIN), Vacuum(mode=restricted_mode()))


def restricted_mode() -> Mode:
    (step,) = restricted_to(Case(PARTITIONED, (Vacuum(),)), capabilities=NEWEST).steps
    assert isinstance(step, Vacuum)
    return step.mode


def test_a_failure_shows_and_sets_its_settings() -> None:
    step = Delete(PLAIN, settings=(Setting.CASE_SENSITIVE,))
    assert step_text(step).endswith("(case-sensitive names)")
    assert step_text(Vacuum(settings=(Setting.ROW_READER, Setting.ANSI_OFF))) == "VACUUM t (row-based reader; ANSI off)"
    for command in (step, Vacuum(settings=step.settings)):
        run = ScriptRun(0, command, Moment(0))
        dialect = scripts.SPARK(ScriptedCase(PARTITIONED, "/t", (run,)))
        assert 'spark.conf.set("spark.sql.caseSensitive", "true")' in dialect.command(run).setup


def test_settings_are_shrunk_away() -> None:
    both = (Setting.CASE_SENSITIVE, Setting.ROW_READER)
    simpler = {
        step.settings
        for case in candidates(Case(PARTITIONED, (Delete(PLAIN, settings=both),)))
        for step in case.steps
        if isinstance(step, Delete)
    }
    assert {(Setting.CASE_SENSITIVE,), (Setting.ROW_READER,)} < simpler

"""``--budget`` below 1: the chosen cases exercise every clause, and both sides of an upgrade choose the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engines.provider import capabilities_of, rules_of
from harness.drawing import fixed_cases
from harness.judge import Judge
from runner import small_budget as module
from runner.controller import FIXED_SEED
from runner.facets import Measured, facets_of, measured
from runner.options import Options
from runner.small_budget import SmallBudget, small_budget
from selfcheck.reference_engine import ReferenceEngine
from suites.campaigns import CAMPAIGNS, REGRESSIONS, shards
from suites.catalogue import CATALOGUE, unsupported
from suites.profiles import PROFILES, Profile
from tests.test_runner_options import chosen

#: What is installed, in place of the environment's own.
Choose = Callable[..., SmallBudget]


@pytest.fixture
def choosing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Choose:
    def run(installed: str, *arguments: str, processors: int = 2) -> SmallBudget:
        monkeypatch.setattr(module, "installed_version", lambda engine: installed)
        monkeypatch.setattr("os.cpu_count", lambda: processors)
        options: Options = chosen(*arguments)
        return small_budget(options, seed=FIXED_SEED, directory=tmp_path / "tables")

    return run


@pytest.mark.parametrize(
    ("engine", "version", "budget", "most"), [("deltalake", "1.6.6", "0.02", 40), ("spark", "4.4.0", "0.25", 52)]
)
def test_a_small_budget_exercises_every_clause(
    engine: str, version: str, budget: str, most: int, choosing: Choose, tmp_path: Path
) -> None:
    found = choosing(version, f"--engine={engine}", "--profile=smoke", f"--budget={budget}")
    cases = [case for some in found.cases.values() for case in some]
    judged = [shard for shard in found.plan if shard.campaign is not REGRESSIONS]
    wanted = round(float(budget) * sum(PROFILES["smoke"].cases.values()))
    assert sum(shard.cases for shard in judged) == len(cases) <= most
    assert len(cases) == wanted or (
        len(cases) > wanted and found.note.startswith(f"The budget is {wanted} drawn cases; ")
    )
    assert found.plan[0].campaign is REGRESSIONS, "the kept cases are judged whatever the budget"

    healthy = ReferenceEngine(
        rules=rules_of(engine, version), capabilities=capabilities_of(engine, version), version=version
    )
    active = CATALOGUE.keys() - unsupported(healthy).keys()
    judge = Judge(healthy, [CATALOGUE[id] for id in active], tmp_path / "judged")
    kept = fixed_cases(found.plan[0], FIXED_SEED, healthy.capabilities)
    assert {id for case in (*kept, *cases) for id, tally in judge.judge(case).tallies.items() if tally.met} == active


def test_the_cases_are_those_that_the_profile_draws(choosing: Choose) -> None:
    found = choosing("4.4.0", "--profile=smoke", "--budget=0.1", "--clause=DEL-REF")
    planned = {shard.name: shard for shard in shards(PROFILES["smoke"], ["DEL-REF"])}
    name, cases = next(iter(found.cases.items()))
    drawn = fixed_cases(planned[name], FIXED_SEED)
    assert set(cases) <= set(drawn) and [drawn.index(case) for case in cases] == sorted(map(drawn.index, cases))
    assert found.cases.keys() < planned.keys()


def test_both_sides_of_an_upgrade_choose_the_same_by_any_number_of_processes(
    choosing: Choose, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = Profile("smoke", {campaign.name: 2 for campaign in CAMPAIGNS}, fixed=True, shard=2)
    monkeypatch.setitem(PROFILES, "smoke", few)
    options = ("--profile=smoke", "--budget=0.2")
    base = choosing("3.3.2", *options, "--shared-with=spark==4.4.0", processors=1)
    candidate = choosing("4.4.0", *options, "--shared-with=spark==3.3.2")
    assert base == candidate and 0 < sum(map(len, base.cases.values())) < sum(few.cases.values())


def test_what_follows_a_known_deviation_counts_only_if_nothing_else_shows_it() -> None:
    sure, doubtful = Measured(None, frozenset("a"), frozenset("abc")), Measured(None, frozenset("b"), frozenset("bc"))  # type: ignore[arg-type]
    assert facets_of([sure, doubtful]) == [{"a", "c"}, {"b", "c"}]


def test_a_step_that_is_known_to_go_wrong_makes_what_it_exercises_doubtful(tmp_path: Path) -> None:
    """On delta-rs: deletion vectors, plain LIKE beside another test, …"""
    subject = module.Subject((("deltalake", "1.6.6"),), frozenset(CATALOGUE), FIXED_SEED)
    found = measured(subject, "row-deletes", 0, 8, tmp_path / "tables")
    assert any(case.sure < case.facets for case in found) and any(case.sure == case.facets for case in found)
    assert {engine for case in found for engine, _ in case.facets} == {"deltalake==1.6.6"}
    assert not (tmp_path / "tables").exists()
    narrow = replace(subject, clauses=frozenset({"DEL-ROW-1"}))
    again = measured(narrow, "row-deletes", 0, 8, tmp_path / "tables")
    assert [case.case for case in again] == [case.case for case in found]
    assert {id for case in again for _, id in case.facets} == {"DEL-ROW-1"}

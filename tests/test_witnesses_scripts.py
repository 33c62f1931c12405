"""No script made of what a known-bad engine breaks accuses the healthy engine: there, its law holds."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from engines.deltalake.adapter import DeltalakeEngine
from engines.deltalake.operations import operation
from engines.port import version_of
from engines.spark.adapter import SparkEngine
from harness.conditions import KnownDeviation
from harness.judge import Judge
from harness.record import case_line
from harness.reproduction_plan import reproduction_plan
from harness.table_metadata import UNKNOWN_FEATURE
from model.case import Case
from reports.laws import LAWS
from reports.reproduction import reproduction
from reports.script import check
from runner.deviations import deviations_in, known
from runner.plugin import ROOT
from selfcheck.case_order import relevant_cases
from selfcheck.detection import chapters, inapplicable
from selfcheck.faults import FAULTS, KnownBadEngine
from selfcheck.reference_engine import ReferenceEngine
from strategies.restricted import restricted_to
from suites.catalogue import CATALOGUE, unsupported
from suites.profiles import PROFILES
from tests.handmade_plan import contents_of, run_alone
from tests.test_witnesses import ALSO_HEALTHY, witness


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    everything = metafunc.config.getoption("--every-fault")
    if "bad" in metafunc.fixturenames:  # where a script takes some 20 seconds
        metafunc.parametrize("bad", FAULTS if everything else ALSO_HEALTHY[1::2])
    if "bad_on_deltalake" in metafunc.fixturenames:  # where a script takes half a second
        metafunc.parametrize("bad_on_deltalake", applicable()[:: 1 if everything else 8])


def applicable() -> list[str]:
    """The faults that make sense on delta-rs: it promises what they break, and does not break it by itself."""
    if importlib.util.find_spec("deltalake") is None:
        return []
    engine = DeltalakeEngine()
    broken = {one.clause for one in excuses(engine) if one.when is None}
    unpromised = unsupported(engine)
    return [name for name, fault in FAULTS.items() if not inapplicable(fault, engine, unpromised, broken)]


def excuses(engine: DeltalakeEngine) -> tuple[KnownDeviation, ...]:
    return tuple(known(deviations_in(ROOT / "deviations" / "deltalake.toml"), version_of(engine)))


def plans(case: Case, judge: Judge, **how: Any) -> Iterator[dict[str, Any]]:
    """A plan of the first violation of each clause that the case breaks."""
    judged = judge.judge(case)
    assert judged.failure is None, judged.failure
    line = case_line(judged, campaign="witness", shard=0, index=0, origin="drawn")
    for clause in judged.failed:
        violation = next(one for one in line["violations"] if one["clause"] == clause)
        entry = {"id": clause, "sentence": CATALOGUE[clause].sentence}
        yield reproduction_plan(case, line=line, violation=violation, clause=entry, **how)


def test_no_script_accuses_healthy_delta(bad: str, spark_engine: SparkEngine, tmp_path: Path) -> None:
    judge = Judge(KnownBadEngine(ReferenceEngine(), FAULTS[bad]), list(CATALOGUE.values()), tmp_path / "bad")
    made = list(plans(witness(bad), judge, packages={"engine": "spark", "pip": "", "packages": ""}))
    assert made, "the witness shows the fault"
    for number, plan in enumerate(made):
        law, root = plan["law"], tmp_path / str(number) / "table"
        code = check(plan, contents_of(plan), LAWS[law["name"]], spark_engine.session(), str(root))
        assert code == 0, (plan["clause"], law)


@pytest.fixture(scope="module")
def deltalake() -> Iterator[DeltalakeEngine]:
    engine = DeltalakeEngine()
    yield engine
    engine.close()


def test_no_script_accuses_healthy_delta_rs(bad_on_deltalake: str, deltalake: DeltalakeEngine, tmp_path: Path) -> None:
    """On the witness, or on the first of the gate's cases that shows the fault and in which delta-rs is right by itself."""
    fault, unpromised, able = FAULTS[bad_on_deltalake], unsupported(deltalake), deltalake.capabilities
    clauses = [clause for id, clause in CATALOGUE.items() if id not in unpromised]
    judge = Judge(KnownBadEngine(deltalake, fault), clauses, tmp_path / "bad", excuses(deltalake))
    healthy = Judge(deltalake, clauses, tmp_path / "healthy")
    how = {"packages": {"engine": "deltalake", "pip": ""}, "operation": operation}
    cases = chain(
        [restricted_to(witness(bad_on_deltalake), capabilities=able)],
        relevant_cases(PROFILES["gate"], chapters(fault), able),
    )
    shown = ((case, made) for case in cases if (made := list(plans(case, judge, **how))))
    made = next((made for case, made in shown if not healthy.judge(case).violated), [])
    assert made, "no case shows the fault"
    for number, plan in enumerate(made):
        done = run_alone(reproduction(plan), tmp_path / str(number))
        expected = 2 if refuses_to_open(plan) else 0
        assert done.returncode == expected, done.stdout + done.stderr


def refuses_to_open(plan: dict[str, Any]) -> bool:
    """Whether delta-rs makes no checkpoint, because the table has a feature that no engine knows: nothing can be checked."""
    return any(commit.get("checkpoint") for commit in plan["commits"]) and UNKNOWN_FEATURE in str(plan["commits"])

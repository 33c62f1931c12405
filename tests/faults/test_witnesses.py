"""Known-bad engines on witnesses; on top of real Delta, each on its own: the fault is caught, and the healthy engine passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.port import version_of
from engines.spark.adapter import SparkEngine
from faults import FAULTS, KnownBadEngine
from faults.life import commands
from faults.sessions import concurrency, crash, earlier_sessions
from harness.running.judge import Judge
from strategies.restriction.capabilities import restricted_to
from suites.catalogue import CATALOGUE
from tests.builders.observations import full_judge
from tests.find_witnesses import OF_SPARK, WITNESSES, imitating, known_faults_of, witness
from tests.known_faults.test_known_faults import OF_SPARK_ITSELF
from tests.recorded import recorded
from tests.slow import all_slow, slow_except


def test_every_fault_has_a_witness_and_every_witness_a_fault() -> None:
    assert {path.stem for path in WITNESSES.glob("*.json")} == set(FAULTS)


def test_a_fault_of_commands_or_sessions_violates_all_of_its_clauses_on_its_witness() -> None:
    """As recorded. tests/faults/test_known_bad_vacuums.py and tests/suites/test_profiles.py ask the same of the others."""
    faults = (*commands.FAULTS, *earlier_sessions.FAULTS, *concurrency.FAULTS, *crash.FAULTS)
    left = {fault.name: set(fault.caught_by) - recorded("faulty")[fault.name]["violated"].keys() for fault in faults}
    assert {name for name, clauses in left.items() if clauses} == set()


#: Without --slow: tests/suites/test_recorded.py runs all of them on the reference engine, in seconds.
SHOWN = OF_SPARK[::32]

#: Without --slow: the gate judges hundreds of other cases on the healthy engine.
ALSO_HEALTHY = OF_SPARK[::40]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    everything = all_slow(metafunc.config)
    if "bad" in metafunc.fixturenames:
        metafunc.parametrize("bad", OF_SPARK if everything else SHOWN)
    if "good" in metafunc.fixturenames:
        metafunc.parametrize("good", OF_SPARK if everything else ALSO_HEALTHY)
    if "fault" in metafunc.fixturenames:
        metafunc.parametrize("fault", slow_except(list(FAULTS)[::8], FAULTS))


def test_no_fault_breaks_on_the_witnesses_of_others(fault: str, tmp_path: Path) -> None:
    """On six of those that are of the same kind of step."""
    others = [other for other in FAULTS if other != fault and FAULTS[other].on is FAULTS[fault].on]
    healthy, spacing = imitating(FAULTS[fault]), max(1, len(others) // 6)
    judge = full_judge(KnownBadEngine(healthy, FAULTS[fault]), tmp_path)
    for other in others[list(FAULTS).index(fault) % spacing :: spacing]:
        judged = judge.judge(restricted_to(witness(other), capabilities=healthy.capabilities))
        assert judged.failure is None, (other, judged.failure)


def test_the_fault_is_caught_on_real_delta(bad: str, spark_engine: SparkEngine, tmp_path: Path) -> None:
    clauses, case, fault = list(CATALOGUE.values()), witness(bad), FAULTS[bad]
    judge = Judge(
        KnownBadEngine(spark_engine, fault),
        clauses,
        tmp_path / "bad",
        known_faults_of("spark", version_of(spark_engine)),
    )
    judged = judge.judge(case)
    assert judged.failure is None, judged.failure
    caught = judged.violated if bad in OF_SPARK_ITSELF else judged.failed
    assert set(caught) & set(fault.caught_by), f"caught by {caught} and not by {fault.caught_by}"


def test_healthy_delta_passes(good: str, spark_engine: SparkEngine, tmp_path: Path) -> None:
    judged = Judge(
        spark_engine, list(CATALOGUE.values()), tmp_path / "good", known_faults_of("spark", version_of(spark_engine))
    ).judge(witness(good))
    assert judged.failure is None, judged.failure
    assert judged.failed == []

"""Known-bad engines on top of real Delta, each on its witness: the fault is caught, and the healthy engine passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.port import version_of
from engines.spark.adapter import SparkEngine
from faults import FAULTS, KnownBadEngine
from harness.running.judge import Judge
from known_faults.known import known, known_faults_in
from records.known_fault import KnownFault
from runner.plugin import ROOT
from suites.catalogue import CATALOGUE
from tests.find_witnesses import OF_SPARK, WITNESSES, witness
from tests.known_faults.test_known_faults import OF_SPARK_ITSELF


def listed(engine: SparkEngine) -> list[KnownFault]:
    return known(known_faults_in(ROOT / "known_faults" / "spark.toml"), version_of(engine))


def test_every_fault_has_a_witness_and_every_witness_a_fault() -> None:
    assert {path.stem for path in WITNESSES.glob("*.json")} == set(FAULTS)


#: Without --slow: tests/suites/test_recorded.py runs all of them on the reference engine, in seconds.
SHOWN = OF_SPARK[::32]

#: Without --slow: the gate judges hundreds of other cases on the healthy engine.
ALSO_HEALTHY = OF_SPARK[::40]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    everything = metafunc.config.getoption("--slow")
    if "bad" in metafunc.fixturenames:
        metafunc.parametrize("bad", OF_SPARK if everything else SHOWN)
    if "good" in metafunc.fixturenames:
        metafunc.parametrize("good", OF_SPARK if everything else ALSO_HEALTHY)


def test_the_fault_is_caught_on_real_delta(bad: str, spark_engine: SparkEngine, tmp_path: Path) -> None:
    clauses, case, fault = list(CATALOGUE.values()), witness(bad), FAULTS[bad]
    judge = Judge(KnownBadEngine(spark_engine, fault), clauses, tmp_path / "bad", listed(spark_engine))
    judged = judge.judge(case)
    assert judged.failure is None, judged.failure
    caught = judged.violated if bad in OF_SPARK_ITSELF else judged.failed
    assert set(caught) & set(fault.caught_by), f"caught by {caught} and not by {fault.caught_by}"


def test_healthy_delta_passes(good: str, spark_engine: SparkEngine, tmp_path: Path) -> None:
    judged = Judge(spark_engine, list(CATALOGUE.values()), tmp_path / "good", listed(spark_engine)).judge(witness(good))
    assert judged.failure is None, judged.failure
    assert judged.failed == []

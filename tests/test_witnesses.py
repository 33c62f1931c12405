"""Every known-bad engine on top of real Delta, on the case that shows it: noticed there, and nothing on the healthy one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engines.known_bad import FAULTS, KnownBadEngine
from engines.spark.adapter import SparkEngine
from model.case import Case
from model.codec import from_json
from reports.deviations import read_deviations
from runner.plugin import ROOT
from suites.clause import CATALOGUE
from suites.judge import Judge
from tests.find_witnesses import WITNESSES

LISTED = {deviation.clause for deviation in read_deviations(ROOT / "deviations" / "spark.toml")}


def witness(name: str) -> Case:
    return from_json(json.loads((WITNESSES / f"{name}.json").read_text(encoding="utf-8")))


def test_every_fault_has_a_witness_and_no_witness_lacks_its_fault() -> None:
    assert {path.stem for path in WITNESSES.glob("*.json")} == set(FAULTS)


@pytest.mark.parametrize("name", FAULTS)
def test_the_fault_is_noticed_on_real_delta(name: str, spark_engine: SparkEngine, tmp_path: Path) -> None:
    clauses, case = list(CATALOGUE.values()), witness(name)
    bad = Judge(KnownBadEngine(spark_engine, FAULTS[name]), clauses, tmp_path / "bad", LISTED).judge(case)
    assert bad.failure is None, bad.failure
    noticed = set(bad.violated) & set(FAULTS[name].caught_by)
    assert noticed, f"{name} must be noticed by {FAULTS[name].caught_by}, and was by {bad.violated}"


#: Every fourth: the gate judges hundreds of other cases on the healthy engine.
ALSO_HEALTHY = tuple(FAULTS)[::4]


@pytest.mark.parametrize("name", ALSO_HEALTHY)
def test_the_same_case_passes_on_healthy_delta(name: str, spark_engine: SparkEngine, tmp_path: Path) -> None:
    judged = Judge(spark_engine, list(CATALOGUE.values()), tmp_path / "good", LISTED).judge(witness(name))
    assert judged.failure is None, judged.failure
    assert [id for id in judged.violated if id not in LISTED] == []

"""No script made of what a known-bad engine breaks accuses the healthy engine: there, its law holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engines.deltalake.adapter import DeltalakeEngine
from engines.deltalake.operations import operation
from engines.known_bad import FAULTS, KnownBadEngine
from engines.port import version_of
from engines.spark.adapter import SparkEngine
from model.case import Case
from proof.detection import inapplicable
from proof.model_engine import ModelEngine
from reports.laws import LAWS
from reports.reproduction import reproduction
from reports.script import check
from runner.deviations import deviations_in, known
from runner.plugin import ROOT
from strategies.fitted import fitted
from suites.clause import CATALOGUE, unsupported
from suites.judge import Judge
from suites.record import case_line
from suites.reproduction_plan import reproduction_plan
from tests.handmade_plan import contents_of, run_alone
from tests.test_witnesses import ALSO_HEALTHY, witness

#: The same on delta-rs, where a script takes half a second.
SHOWN_ON_DELTALAKE = tuple(FAULTS)[::8]

#: Their laws expect the numbers of the run that was judged, and so those of what the bad engine did.
OF_THE_RUN = frozenset({"DEL-MET-1A", "VAC-LOG-1B"})


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    everything = metafunc.config.getoption("--every-fault")
    for argument, some in (("bad", ALSO_HEALTHY), ("bad_on_deltalake", SHOWN_ON_DELTALAKE)):
        if argument in metafunc.fixturenames:
            metafunc.parametrize(argument, FAULTS if everything else some)


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
    judge = Judge(KnownBadEngine(ModelEngine(), FAULTS[bad]), list(CATALOGUE.values()), tmp_path / "bad")
    made = list(plans(witness(bad), judge, packages={"engine": "spark", "pip": "", "packages": ""}))
    assert made, "the witness shows the fault"
    for number, plan in enumerate(plan for plan in made if plan["clause"] not in OF_THE_RUN):
        law, root = plan["law"], tmp_path / str(number) / "table"
        code = check(plan, contents_of(plan), LAWS[law["name"]], spark_engine.session(), str(root))
        assert code == 0, (plan["clause"], law)


@pytest.fixture(scope="module")
def deltalake() -> Iterator[DeltalakeEngine]:
    pytest.importorskip("deltalake")
    engine = DeltalakeEngine()
    yield engine
    engine.close()


def test_no_script_accuses_healthy_delta_rs(bad_on_deltalake: str, deltalake: DeltalakeEngine, tmp_path: Path) -> None:
    fault, unpromised = FAULTS[bad_on_deltalake], unsupported(deltalake)
    excused = tuple(known(deviations_in(ROOT / "deviations" / "deltalake.toml"), version_of(deltalake)))
    broken = {one.clause for one in excused if one.when is None}
    if reason := inapplicable(fault, deltalake.capabilities, unpromised, broken):
        pytest.skip(reason)
    clauses = [clause for id, clause in CATALOGUE.items() if id not in unpromised]
    judge = Judge(KnownBadEngine(deltalake, fault), clauses, tmp_path / "bad", excused)
    case = fitted(witness(bad_on_deltalake), capabilities=deltalake.capabilities)
    how = {"packages": {"engine": "deltalake", "pip": ""}, "operation": operation}
    for number, plan in enumerate(plans(case, judge, **how)):
        done = run_alone(reproduction(plan), tmp_path / str(number))
        assert done.returncode == 0, done.stdout + done.stderr

"""A run on a cluster: crashes and two sessions are left out, with the reason, and the header names the master."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

import pytest
from rich.console import Console

from engines.kind import Provider
from engines.object_store import Storage
from engines.port import EngineUnavailable
from engines.spark.kind import Spark
from harness.campaigns.drawing import kept_cases
from model.vocabulary.steps import AtOnce, Delete, Step, Vacuum
from reference_engine import ReferenceEngine
from runner.command_line.options import Options
from runner.run.circumstances import set_up
from runner.run.controller import Controller, RunContext
from runner.run.plan import RunPlan, limits_of, plan_of
from runner.run.worker import EngineWorker, one_engine
from suites.campaigns import batches
from suites.catalogue import CATALOGUE
from tests.runner.test_options import chosen

CLUSTER = "spark://host:7077"
OF_STATE = {id for id, one in CATALOGUE.items() if one.chapter in ("crashes", "two at once") or "-COST-" in id}


def options(master: str, *arguments: str) -> Options:
    return chosen("--profile=smoke", f"--spark-master={master}", *arguments)


def steps(plan: RunPlan) -> Iterator[Step]:
    """The steps of the kept cases of a plan."""
    kept = [batch.campaign for batch in plan.batches if batch.campaign.kept is not None]
    return (step for campaign in kept for case in kept_cases(campaign) for step in case.steps)


def faults(found: Iterable[Step]) -> int:
    return sum(isinstance(step, Vacuum) and step.io_fault is not None for step in found)


def stops(step: Step) -> bool:
    return isinstance(step, AtOnce) or (isinstance(step, (Delete, Vacuum)) and step.crash is not None)


@pytest.mark.parametrize(
    ("engine", "master"), [("spark", "local[*]"), ("spark", "local"), ("deltalake", CLUSTER), ("deltalake", "local[*]")]
)
def test_elsewhere_there_are_no_limits(engine: str, master: str) -> None:
    own = chosen(f"--engine={engine}", f"--spark-master={master}")
    assert not limits_of(own) and not set_up(own.kind, own.storage)


@pytest.mark.parametrize("master", [CLUSTER, "local-cluster[1,1,1024]"])
def test_cases_on_a_cluster_have_io_faults_and_no_crashes(master: str) -> None:
    here, there = (list(steps(plan_of(options(one)))) for one in ("local[*]", master))
    assert any(stops(step) for step in here) and not any(stops(step) for step in there)
    assert faults(here) == faults(there) > 0


def unsupported(chosen_options: Options, directory: Path) -> dict[str, str]:
    """The clauses that a worker says are unsupported, with the reasons."""
    said: dict[str, str] = {}

    class Stub:
        def begin(self, versions: dict[str, str], pid: int, reasons: dict[str, str]) -> RunContext:
            said.update(reasons)
            return RunContext(0, directory, ())

        def claim(self, *about: object) -> bool:
            return False

        def case(self, line: bytes) -> None:
            return

    worker = EngineWorker(
        chosen_options,
        cast("Controller", Stub()),
        lambda _: one_engine(chosen_options, lambda _: ReferenceEngine()),
        "main",
    )
    profile = dataclasses.replace(chosen_options.profile, corpus=())
    worker.judge(batches(profile, ())[0])
    worker.close()
    return said


def test_their_clauses_are_unsupported_with_the_reason(tmp_path: Path) -> None:
    here, there = (
        unsupported(options(master), tmp_path / str(number)) for number, master in enumerate(("local[*]", CLUSTER))
    )
    assert there.keys() - here.keys() == OF_STATE and here.items() <= there.items()
    (reason,) = {there[id] for id in OF_STATE}
    assert reason.startswith(
        "It needs a file system that stops or holds at one effect on storage, and the suite counts those of the driver's JVM"
    )


def test_the_header_names_the_master_of_a_cluster() -> None:
    assert set_up(options(CLUSTER).kind, Storage.LOCAL) == {"master": CLUSTER}


def test_a_master_among_the_settings_comes_first() -> None:
    kind = options("local[*]", f"--spark-conf=spark.master={CLUSTER}").kind
    assert isinstance(kind, Spark) and kind.chosen.master == CLUSTER


def test_scripts_which_run_in_local_mode_are_not_run() -> None:
    assert chosen("--profile=gate").scripts == 3
    assert chosen("--profile=gate", f"--spark-master={CLUSTER}").scripts == 0


def test_a_cluster_that_the_run_starts_is_one() -> None:
    own = chosen("--spark-cluster=2")
    assert own.scripts == 0 and limits_of(own) == limits_of(options(CLUSTER))
    assert set_up(own.kind, own.storage) == {"master": "standalone[2]"}


@pytest.mark.long
def test_a_run_that_loses_its_cluster_says_why_and_proves_nothing(tmp_path: Path) -> None:
    class Lost:
        def lease(self, lost: int) -> None:
            raise EngineUnavailable("The cluster is lost: start it again.")

        def close(self) -> None:
            return

    said = io.StringIO()
    controller = Controller(chosen("--engine=deltalake", f"--report-dir={tmp_path / 'report'}"), Console(file=said))
    try:
        controller._bench.provider = cast(Provider, Lost())
        with pytest.raises(EngineUnavailable):
            controller.lease(1)
        assert controller.finish(complete=True) == 2
    finally:
        controller.close()
    assert said.getvalue().splitlines()[0] == "The cluster is lost: start it again."

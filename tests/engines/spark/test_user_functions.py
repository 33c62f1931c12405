"""Functions of the user through the Spark adapter: no process stays behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.kind import Settings
from engines.provider import provider_for
from engines.spark.adapter import SparkEngine
from harness.running.judge import Judge
from model.vocabulary.case import Case
from model.vocabulary.predicate import Predicate, Wrapped, Wrapper
from model.vocabulary.steps import Delete, Read
from runner.processes.workspace import Workspace
from tests.handmade.conditions import FILES, ONE
from tests.runner.test_workspace import alive, until

pytestmark = pytest.mark.xdist_group("spark")


def below(pid: int) -> Iterator[int]:
    """The processes that this one started, and those that they started."""
    children = [int(one) for path in Path(f"/proc/{pid}/task").glob("*/children") for one in path.read_text().split()]
    for child in children:
        yield child
        yield from below(child)


@pytest.mark.slow
def test_no_python_stays_behind_when_the_engine_ends(tmp_path: Path) -> None:
    workspace, started = Workspace(None), list[int]()
    provider = provider_for("spark", Settings(workspace.directory, started.append))
    provider.start()
    where: Predicate = Wrapped(ONE, Wrapper.PYTHON)
    Judge(SparkEngine(provider.lease), [], tmp_path).judge(Case(FILES, (Delete(where), Read())))
    pids = list(below(started[0]))
    assert pids, "Spark started a Python"
    provider.close()
    workspace.close()
    until(lambda: not any(map(alive, pids)), "no Python is there any more")

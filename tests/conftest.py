"""The Hypothesis profiles of the suite's own tests, their marks and their order, and the fixtures for Delta on Spark.

Tests that need Spark share a worker (``xdist_group``) and its JVM.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase
from xdist.scheduler import LoadGroupScheduling

from engines.kind import Provider, Settings
from engines.provider import provider_for
from runner.processes.workspace import Workspace
from tests.processes import guarded, starts_process
from tests.slow import ALL
from tombstone.mistakes import Mistake
from tombstone.parts import part

if TYPE_CHECKING:
    from engines.spark.adapter import SparkEngine

# The tests of the pages in a browser have an environment of their own, without Spark: tox -e browser.
collect_ignore = [] if find_spec("playwright") else ["browser"]

# How long an example takes depends on the machine, so no profile fails a test for its time.
_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("selftest", _UNTIMED, derandomize=True, database=None)
# ``--hypothesis-profile random``: other examples in each run; those that failed are kept and tried first in the next run.
settings.register_profile(
    "random", _UNTIMED, derandomize=False, database=DirectoryBasedExampleDatabase(".hypothesis/selftest")
)
settings.load_profile("selftest")  # the option --hypothesis-profile is applied after this module is imported

# What a test judges is none of the job's results.
for _name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
    os.environ.pop(_name, None)

_NEED_SPARK = {"provider", "spark_engine", "spark"}

#: Groups (``xdist_group``) whose tests take long.
_LONG = {"comparison", "drawn", "judge", "known-bad-vacuums", "scripts"}

#: What a worker begins with, so that no long group is left at the end: the JVM first.
_FIRST = ("spark", "long", "process")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slow",
        nargs="?",
        const=ALL,
        type=_checked,
        metavar="K/N",
        help="also the tests that are marked slow, or the K-th of N parts of them, chosen by their names",
    )


def _checked(text: str) -> str:
    try:
        part(text)
    except Mistake as wrong:
        raise argparse.ArgumentTypeError(f"{text} {wrong}") from None
    return text  # which pytest-xdist can send to its workers


class _Scheduling(LoadGroupScheduling):  # type: ignore[misc] # which has no types
    """A worker gets a whole group (``xdist_group``), or what is in none of a module, in the order of the tests."""

    def _split_scope(self, nodeid: str) -> str:
        return str(super()._split_scope(nodeid)).partition("::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    if config.getvalue("dist") != "loadgroup":
        return None
    config.option.loadscopereorder = False  # else that with most tests is first
    return _Scheduling(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that need a JVM run on one worker: two cores cannot run two busy JVMs."""
    slow = config.getoption("--slow")
    wanted = part(slow) if slow else None
    chosen = [item for item in items if not item.get_closest_marker("slow") or (wanted and wanted.has(item.nodeid))]
    config.hook.pytest_deselected(items=list(set(items) - set(chosen)))
    items[:] = chosen
    for item in items:
        _mark(item)
    if hasattr(config, "workerinput"):
        sizes = Counter(item.path for item in items)
        items.sort(key=lambda item: (_place(item), -sizes[item.path]))


def _mark(item: pytest.Item) -> None:
    group = item.get_closest_marker("xdist_group")
    if group is None and _NEED_SPARK & set(getattr(item, "fixturenames", ())):  # two marks would make another group
        group = pytest.mark.xdist_group("spark").mark
        item.add_marker(pytest.mark.xdist_group("spark"))
    name = None if group is None else group.args[0]
    if name == "spark":
        item.add_marker(pytest.mark.spark)
    if name in _LONG:
        item.add_marker(pytest.mark.long)
    if isinstance(item, pytest.Function) and starts_process(item):
        item.add_marker(pytest.mark.process)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    with guarded(item):
        return (yield)


def _place(item: pytest.Item) -> int:
    return min((_FIRST.index(mark.name) for mark in item.iter_markers() if mark.name in _FIRST), default=len(_FIRST))


@pytest.fixture(scope="session")
def workspace() -> Iterator[Workspace]:
    made = Workspace(None)
    yield made
    made.close()


@pytest.fixture(scope="session")
def provider(workspace: Workspace) -> Iterator[Provider]:
    """The engine's process."""
    made = provider_for("spark", Settings(workspace.directory, workspace.started))
    made.start()
    yield made
    made.close()


@pytest.fixture(scope="session")
def spark_engine(provider: Provider) -> SparkEngine:
    """Delta on Spark, through the adapter that the gate uses."""
    from engines.spark.adapter import SparkEngine

    return SparkEngine(provider.lease)


@pytest.fixture
def spark(spark_engine: SparkEngine) -> Any:
    """A PySpark session in the same JVM, restarted if a test has killed it."""
    return spark_engine.session()

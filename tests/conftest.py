"""The Hypothesis profiles of the suite's own tests, and the fixtures for Delta on Spark.

Tests that need Spark share a worker (``xdist_group``) and its JVM.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from engines.kind import Provider, Settings
from engines.provider import provider_for
from runner.processes.workspace import Workspace

if TYPE_CHECKING:
    from engines.spark.adapter import SparkEngine

# The tests of the pages in a browser have an environment of their own, without Spark: tox -e browser.
collect_ignore = [] if find_spec("playwright") else ["browser"]

# How long an example takes depends on the machine, so no profile fails a test for its time.
_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("selftest", _UNTIMED, derandomize=True, database=None)
# For ``tox -e selftest-random``: other examples in each run; those that failed are kept and tried first in the next run.
settings.register_profile(
    "random", _UNTIMED, derandomize=False, database=DirectoryBasedExampleDatabase(".hypothesis/selftest")
)
settings.load_profile("selftest")  # the option --hypothesis-profile is applied after this module is imported

# What a test judges is none of the job's results.
for _name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
    os.environ.pop(_name, None)

_NEED_SPARK = {"provider", "spark_engine", "spark_reader", "spark"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slow",
        action="store_true",
        help="also the tests that are marked slow, and every known-bad engine where a sample is tried otherwise",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that need a JVM run on one worker: two cores cannot run two busy JVMs."""
    if not config.getoption("--slow"):
        slow = [item for item in items if item.get_closest_marker("slow") is not None]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]
    for item in items:
        needs_spark = _NEED_SPARK & set(getattr(item, "fixturenames", ()))
        if needs_spark and item.get_closest_marker("xdist_group") is None:  # two marks would make another group
            item.add_marker(pytest.mark.xdist_group("spark"))


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


@pytest.fixture
def spark_reader(spark: Any) -> Callable[[str, int | None], list[tuple[object, ...]]]:
    """Reads all rows of a table with Spark."""
    spark.conf.set("spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration", "false")

    def read(path: str, version: int | None) -> list[tuple[object, ...]]:
        reader = spark.read.format("delta")
        if version is not None:
            reader = reader.option("versionAsOf", version)
        return [tuple(row) for row in reader.load(path).collect()]

    return read

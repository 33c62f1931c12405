"""The provider of an engine, of which a run has one, and the adapter that each worker opens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from engines.deltalake import capabilities as deltalake
from engines.port import Engine, Operation
from engines.spark import masters
from engines.spark import releases as spark
from engines.versions import DELTALAKE, JUDGED
from model.capabilities import EVERYTHING, Capabilities
from model.rules import DELTA_RS, Rules

#: The engines that can be judged, the default first.
ENGINES = ("spark", "deltalake")

#: The newest known version of each.
_NEWEST = {"spark": JUDGED[-1], "deltalake": DELTALAKE[-1]}


class Provider(Protocol):
    """The part of an engine that all workers of a run share: a JVM, for example."""

    @property
    def packages(self) -> Mapping[str, str]:
        """What a reproduction script needs: PyPI packages (``pip``) and the engine's name (``engine``)."""
        ...

    @property
    def operation(self) -> Operation | None:
        """How a reproduction script calls this engine; None for Spark SQL."""
        ...

    def start(self) -> None:
        """Find or download what the engine needs, and start it. Raises EngineUnavailable."""
        ...

    def lease(self, lost: int) -> Any:
        """How to connect to the engine's process, started after the one of generation ``lost``."""
        ...

    def keep_startup_cache(self, tell: Callable[[str], None]) -> None:
        """End the engine so that the next run starts faster; ``tell`` gets a sentence if that takes time."""
        ...

    def close(self) -> None: ...


def provider_for(
    engine: str,
    *,
    directory: Path,
    started: Callable[[int], None],
    spark_conf: Mapping[str, str],
    extra_classpath: Sequence[str],
    jars: Sequence[str],
    master: str,
) -> Provider:
    """The provider of one of ``ENGINES``. Raises EngineUnavailable, with the remedy."""
    # Imported here, because the other engine need not be installed.
    if engine == "deltalake":
        from engines.deltalake.provider import DeltalakeProvider

        return DeltalakeProvider()
    from engines.spark.provider import SparkProvider

    return SparkProvider(
        directory=directory,
        started=started,
        spark_conf=spark_conf,
        extra_classpath=extra_classpath,
        jars=jars,
        master=master,
    )


def capabilities_of(engine: str, version: str | None = None) -> Capabilities:
    """What a version of one of ``ENGINES`` supports (None: the newest known). It need not be installed."""
    of = {"deltalake": deltalake.capabilities_of, "spark": spark.capabilities_of}[engine]
    return of(known_version(engine, version))


@dataclass(frozen=True)
class Limits:
    """What the place where an engine runs supports, and why not everything, in one sentence."""

    capabilities: Capabilities
    reason: str


def limits_on(engine: str, master: str) -> Limits | None:
    """The limits of one of ``ENGINES`` with this Spark master; None: there are none."""
    if engine != "spark" or masters.is_local(master):
        return None
    return Limits(
        replace(EVERYTHING, io_faults=frozenset()),
        "It needs a file system that fails, which the suite has in the driver's JVM alone: on a cluster, executors list and "
        "delete too.",
    )


def rules_of(engine: str, version: str) -> Rules:
    """The rules that a version of one of ``ENGINES`` follows. It need not be installed."""
    return DELTA_RS if engine == "deltalake" else spark.rules_of(version)


def known_version(engine: str, version: str | None) -> str:
    """The version, or the newest known one of one of ``ENGINES``."""
    return version or _NEWEST[engine]


def installed_version(engine: str) -> str:
    """The version of one of ``ENGINES`` in this environment. Raises EngineUnavailable if there is none."""
    if engine == "deltalake":
        from engines.deltalake.adapter import installed

        return installed()
    from engines.spark.adapter import installed_delta

    return installed_delta()


def open_adapter(engine: str, lease: Callable[[int], Any], *, time_limit: float = 120) -> Engine:
    """A worker's adapter. ``time_limit`` is in seconds per step. Raises EngineUnavailable."""
    if engine == "deltalake":
        from engines.deltalake.adapter import DeltalakeEngine

        return DeltalakeEngine(time_limit=time_limit)
    from engines.spark.adapter import SparkEngine

    return SparkEngine(lease, time_limit=time_limit)

"""What the suite asks of an engine besides running steps on it: its versions, what a run has one of, and how workers open it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from engines.dialect import DialectFor
from engines.object_store import ObjectStore, Storage
from engines.port import Engine
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.rules import RuleChange, Rules


class Provider(Protocol):
    """The part of an engine that all workers of a run share: a JVM, for example."""

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


class NothingShared:
    """The provider of an engine whose workers share nothing: each has a process of its own, or none."""

    def start(self) -> None:
        """There is nothing to start."""

    def lease(self, lost: int) -> Any:
        """There is nothing to connect to."""

    def keep_startup_cache(self, tell: Callable[[str], None]) -> None:
        """There is none."""

    def close(self) -> None:
        """Nothing was started."""


@runtime_checkable
class Scripting(Protocol):
    """A provider that also has commands for reproduction scripts. Without them a script says CANNOT TELL, and how to replay."""

    @property
    def dialect(self) -> DialectFor: ...


@dataclass(frozen=True)
class Settings:
    """What a run gives its provider."""

    directory: Path  # the run's own
    started: Callable[[int], None]  # is called with the id of each process that is started, so that none is left behind
    spark_conf: Mapping[str, str] = field(default_factory=dict)
    extra_classpath: Sequence[str] = ()
    jars: Sequence[str] = ()
    master: str = "local[*]"
    store: ObjectStore | None = None  # where the tables are; None: on a local file system
    tell: Callable[[str], object] = lambda sentence: (
        None
    )  # is called with what a user waits for, while the provider starts


@dataclass(frozen=True)
class Limits:
    """What the place where an engine runs supports, and why not everything, in one sentence."""

    capabilities: Capabilities
    reason: str


@dataclass(frozen=True)
class Version:
    """A version of an engine, with all that decides its environment."""

    title: str  # for people: Delta 4.4.0 on PySpark 4.2.0
    parts: Mapping[str, str]  # the versions that it sets, by their names in the header of a run; the engine's own first
    requirements: tuple[str, ...]  # what pip installs besides the suite's own packages; the engine's own first
    is_listed: bool  # whether it is known to exist; if not, pip is asked before an environment is made
    engine: str = ""  # what `--engine` takes; `engines.versions` sets it

    @property
    def version(self) -> str:
        """The engine's own version."""
        return next(iter(self.parts.values()))


class Releases(Protocol):
    """The releases of an engine, for the commands that make an environment for each: gate-version, upgrade, all-versions."""

    @property
    def judged(self) -> Sequence[str]:
        """Those that all-versions judges, oldest first."""
        ...

    @property
    def columns(self) -> Mapping[str, str]:
        """The versions in its table: their names in the header of a run, the engine's own first, each with its heading."""
        ...

    def version(self, text: str) -> Version:
        """``1.6.3``, or what else users may write.

        Raises EngineUnavailable, with the remedy, for one that is not judged, or not on this Python.
        """
        ...

    def check(self, version: str) -> None:
        """Raises EngineUnavailable, with the remedy, for one that is not judged on any Python."""
        ...


@dataclass(frozen=True)
class Costs:
    """How long an engine takes, as a basis for choosing cases: an estimate, never a limit. The defaults are those of Spark."""

    speed: float = 1.0  # how many times as fast as Spark it runs a step
    start: float = 25.0  # seconds until it judges its first step
    slow_scripts: bool = True  # whether a reproduction script takes as long; then few are run without being asked for


class EngineKind(Protocol):
    """An engine in all its versions. A module that has one as ``NAME`` is named as ``--engine module:NAME``.

    What it may have besides is in the protocols below.
    """

    @property
    def name(self) -> str:
        """Its short name: of its deviations, and in reports."""
        ...

    def capabilities_of(self, version: str | None) -> Capabilities:
        """What a version supports (None: the newest known). It need not be installed."""
        ...

    def rules_of(self, version: str) -> Rules:
        """The rules that a version follows. It need not be installed."""
        ...

    def installed_version(self) -> str:
        """The version in this environment. Raises EngineUnavailable, with the remedy, if there is none."""
        ...

    def provider(self, settings: Settings) -> Provider:
        """What a run has one of. Raises EngineUnavailable, with the remedy."""
        ...

    def open_adapter(self, lease: Callable[[int], Any], *, time_limit: float) -> Engine:
        """A worker's adapter. ``lease`` is the provider's, ``time_limit`` in seconds per step. Raises EngineUnavailable."""
        ...


@runtime_checkable
class HasReleases(Protocol):
    """Without it, commands make no environment for a version: it is judged where it is installed."""

    @property
    def releases(self) -> Releases: ...


@runtime_checkable
class HasCosts(Protocol):
    """Without it, it is taken to be like Spark."""

    @property
    def costs(self) -> Costs: ...


@runtime_checkable
class HasLimits(Protocol):
    """Without it, it supports the same everywhere."""

    def limits_on(self, master: str) -> Limits | None:
        """What it supports with this Spark master; None: all that it supports elsewhere."""
        ...


@runtime_checkable
class HasStorages(Protocol):
    """Without it, it is judged on local file systems only."""

    def limits_in(self, storage: Storage) -> Sequence[Limits]:
        """What it supports in this storage, each limit with its own reason; none for a local file system."""
        ...


@runtime_checkable
class HasRuleChanges(Protocol):
    """Without it, a comparison of two of its versions predicts no change of a rule."""

    @property
    def rule_changes(self) -> Sequence[RuleChange]:
        """Which release changed which rule, oldest first."""
        ...

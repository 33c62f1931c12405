"""What the suite asks of an engine besides running steps: its versions, what a run has once, and how workers open it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from engines.dialect import DialectFor
from engines.object_store import ObjectStore, Storage
from engines.port import Engine
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.rules import RuleChange, Rules
from tombstone.options import Option


class Provider:
    """The part of an engine that all workers of a run share: a JVM, for example. This one has nothing to share."""

    def start(self) -> None:
        """Find or download what the engine needs, and start it. Raises EngineUnavailable."""

    def lease(self, lost: int) -> Any:
        """How to connect to the engine's process, started after the one of generation ``lost``."""

    def keep_startup_cache(self, tell: Callable[[str], None]) -> None:
        """End the engine so that the next run starts faster; ``tell`` gets a sentence if that takes time."""

    def close(self) -> None:
        """End what was started."""


@dataclass(frozen=True)
class Settings:
    """What a run gives its provider."""

    directory: Path  # the run's own
    started: Callable[[int], None]  # is called with the id of each process that is started, so that none is left behind
    store: ObjectStore | None = None  # where the tables are; None: on a local file system
    tell: Callable[[str], object] = lambda sentence: (
        None
    )  # is called with what a user waits for, while the provider starts


#: The options of engines that are given, by their keys. One that is not given is None, an empty tuple, or left out.
Given = Mapping[str, Any]


@dataclass(frozen=True)
class Limits:
    """What an engine supports in its place and with its storage, and why not everything, in one sentence."""

    capabilities: Capabilities
    reason: str


#: For the newest release that the package index has, in place of a number.
NEWEST = "newest"


@dataclass(frozen=True)
class Version:
    """A version of an engine, with everything that its environment depends on."""

    title: str  # for people: Delta 4.4.0 on PySpark 4.2.0
    parts: Mapping[str, str]  # the versions that it sets, by their names in the header of a run; the engine's own first
    requirements: tuple[str, ...]  # what pip installs besides the suite's own packages; the engine's own first
    is_listed: bool  # whether it is known to exist; if not, pip is asked before an environment is made
    # What it is judged beside, if that is not the usual: another PySpark. The engine's own package, which may refuse it, is then
    # installed last, without what it asks for.
    beside: str = ""
    engine: str = ""  # what `--engine` takes; `engines.versions` sets it
    uses: tuple[str, ...] = ()  # what a run with it uses that needs more packages: `runner.gate_version` knows them

    @property
    def version(self) -> str:
        """The engine's own version."""
        return next(iter(self.parts.values()))

    @property
    def number(self) -> str:
        """How users write it: ``4.4.0``, or ``4.4.0@4.2.1`` with another PySpark."""
        return f"{self.version}@{self.beside}" if self.beside else self.version

    @property
    def called(self) -> str:
        """How reports call it: ``Delta 4.4.0``, or ``Delta 4.4.0 on PySpark 4.2.1``."""
        return self.title if self.beside else self.title.partition(" on ")[0]


class Releases(Protocol):
    """The releases of an engine, for the commands that make an environment for each: `tombstone gate`, `upgrade`, `versions`."""

    @property
    def judged(self) -> Sequence[str]:
        """Those that `tombstone versions` judges, oldest first."""
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


class EngineKind(ABC):
    """An engine in all its versions. A module that has one as ``NAME`` is named as ``--engine module:NAME``."""

    #: What it adds to the command line: those of the table (``tombstone.options``) that have its name.
    options: Sequence[Option] = ()
    #: None: commands make no environment for a version, which is judged where it is installed.
    releases: Releases | None = None
    costs: Costs = Costs()
    #: Which release changed which rule, oldest first.
    rule_changes: Sequence[RuleChange] = ()

    @property
    @abstractmethod
    def name(self) -> str:
        """Its short name, in reports and for the file of its known faults."""

    @abstractmethod
    def capabilities_of(self, version: str | None) -> Capabilities:
        """What a version supports (None: the newest known). It need not be installed."""

    @abstractmethod
    def rules_of(self, version: str) -> Rules:
        """The rules that a version follows. It need not be installed."""

    @abstractmethod
    def installed_version(self) -> str:
        """The version in this environment. Raises EngineUnavailable, with the remedy, if there is none."""

    @abstractmethod
    def open_adapter(self, lease: Callable[[int], Any], *, time_limit: float) -> Engine:
        """A worker's adapter. ``lease`` is the provider's, ``time_limit`` in seconds per step. Raises EngineUnavailable."""

    def provider(self, settings: Settings) -> Provider:
        """What the workers of a run share. Raises EngineUnavailable, with the remedy."""
        return Provider()

    def dialect_of(self, versions: Mapping[str, str]) -> DialectFor | None:
        """The commands of reproduction scripts for these versions, named as in the header of a run; they need not be installed.

        None: a script says CANNOT TELL, and how to replay.
        """
        return None

    def dialects_of(self, versions: Mapping[str, str]) -> tuple[DialectFor | None, ...]:
        """The same of each engine of a run."""
        return (self.dialect_of(versions),)

    def with_options(self, given: Given) -> EngineKind:
        """The engine with these options. Raises EngineUnavailable, with the remedy, for options that cannot be judged."""
        return self

    def limits_in(self, storage: Storage) -> Sequence[Limits] | None:
        """What it does not support with its options and in this storage, each limit with a reason; None: no limit. Raises
        EngineUnavailable, with the remedy, for a storage that its options exclude.
        """
        return () if storage is Storage.LOCAL else None

    @property
    def machine(self) -> Mapping[str, str]:
        """How its options change the header's description of the machine: the master of a cluster, for example."""
        return {}

    @property
    def remembers_tables(self) -> bool:
        """Whether it caches tables by path between two steps, although the suite writes the log again."""
        return False

    @property
    def session_zone(self) -> str | None:
        """The time zone that its options give to sessions; None: the machine's."""
        return None

    @property
    def is_scripted(self) -> bool:
        """Whether a reproduction script, which has no options, runs the same engine."""
        return True

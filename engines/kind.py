"""What the suite asks of an engine besides running steps on it: its versions, what a run has one of, and how workers open it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from engines.dialect import DialectFor
from engines.port import Engine
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.rules import Rules


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


@dataclass(frozen=True)
class Limits:
    """What the place where an engine runs supports, and why not everything, in one sentence."""

    capabilities: Capabilities
    reason: str


class EngineKind(Protocol):
    """An engine in all its versions. A module that has one as ``NAME`` is named as ``--engine module:NAME``."""

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


#: What an engine from outside must have.
MEMBERS = tuple(name for name in vars(EngineKind) if not name.startswith("_"))

"""The engines by name: the built-in ones, those that a package brings as an entry point, and ``module:name``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, cast

from engines.kind import MEMBERS, EngineKind, Limits, Provider, Settings
from engines.port import Engine, EngineUnavailable
from engines.spark import masters
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.rules import Rules

#: The built-in engines, the default first, and where they are.
_BUILT_IN = {"spark": "engines.spark.kind:ENGINE", "deltalake": "engines.deltalake.kind:ENGINE"}
ENGINES = tuple(_BUILT_IN)

#: The group of entry points by which a package brings an engine.
GROUP = "tombstone.engines"


@cache
def kind_of(engine: str) -> EngineKind:
    """The engine that is named: a built-in one, an entry point of ``GROUP``, or ``module:name``.

    Raises EngineUnavailable, in one sentence with the remedy, if there is none, or if it lacks something.
    """
    place = _BUILT_IN.get(engine) or next((one.value for one in entry_points(group=GROUP, name=engine)), engine)
    module, colon, name = place.partition(":")
    if not colon:
        raise EngineUnavailable(
            f"{engine} is not known: use one of {', '.join(ENGINES)}, or module:name of an engine of your own."
        )
    try:
        found = getattr(import_module(module), name)
    except Exception as error:
        raise EngineUnavailable(
            f"{engine} cannot be loaded ({type(error).__name__}: {error}): name a module that Python finds from "
            "here, and the engine in it (docs/adding-an-engine.md)."
        ) from error
    if missing := [member for member in MEMBERS if not hasattr(found, member)]:
        raise EngineUnavailable(
            f"{engine} has no {', '.join(missing)}: an engine has what engines/kind.py asks for "
            "(docs/adding-an-engine.md)."
        )
    return cast(EngineKind, found)


def provider_for(engine: str, settings: Settings) -> Provider:
    """The provider of an engine. Raises EngineUnavailable, with the remedy."""
    return kind_of(engine).provider(settings)


def capabilities_of(engine: str, version: str | None = None) -> Capabilities:
    """What a version of an engine supports (None: the newest known). It need not be installed."""
    return kind_of(engine).capabilities_of(version)


def limits_on(engine: str, master: str) -> Limits | None:
    """The limits of an engine with this Spark master; None: there are none."""
    if engine != "spark" or masters.is_local(master):
        return None
    return Limits(
        replace(EVERYTHING, io_faults=frozenset()),
        "It needs a file system that fails, which the suite has in the driver's JVM alone: on a cluster, executors list and "
        "delete too.",
    )


def rules_of(engine: str, version: str) -> Rules:
    """The rules that a version of an engine follows. It need not be installed."""
    return kind_of(engine).rules_of(version)


def installed_version(engine: str) -> str:
    """The version of an engine in this environment. Raises EngineUnavailable if there is none."""
    return kind_of(engine).installed_version()


def open_adapter(engine: str, lease: Callable[[int], Any], *, time_limit: float = 120) -> Engine:
    """A worker's adapter. ``time_limit`` is in seconds per step. Raises EngineUnavailable."""
    return kind_of(engine).open_adapter(lease, time_limit=time_limit)

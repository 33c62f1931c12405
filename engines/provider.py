"""The engines by name: the folders of ``engines/``, those that a package brings as an entry point, and ``module:name``."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoints, entry_points
from pkgutil import iter_modules
from typing import Any

import engines
from engines import outside
from engines.kind import EngineKind, Given, Limits, Provider, Settings
from engines.object_store import Storage
from engines.port import Engine, EngineUnavailable

#: The engine that is judged if none is named.
DEFAULT = "spark"

#: The built-in engines, the default first: the folders beside this module. Each has its kind as ``kind.ENGINE``.
ENGINES = (DEFAULT, *sorted({found.name for found in iter_modules(engines.__path__) if found.ispkg} - {DEFAULT}))

#: The group of entry points by which a package brings an engine.
GROUP = "tombstone.engines"

#: How the name of two engines in turn begins.
PAIR = "together:"

#: No option of an engine.
NONE_GIVEN: Given = {}


def is_known(name: str) -> bool:
    """Whether an engine has this name here: a built-in one, or one that a package brings."""
    return name in ENGINES or bool(_brought(name))


def is_engine(text: str) -> bool:
    """Whether the text can follow ``--engine``: a known name, or ``module:name``."""
    return is_known(text) or re.fullmatch(r"[\w.]+:\w+", text) is not None


def is_pair(text: str) -> bool:
    """Whether the text names two engines in turn (``engines.pair``)."""
    return text.startswith(PAIR)


def _brought(name: str) -> EntryPoints:
    return entry_points(group=GROUP, name=name)


@cache
def kind_of(engine: str) -> EngineKind:
    """The engine that is named: a built-in one, an entry point of ``GROUP``, ``module:name``, or two in turn: ``together:A,B``.

    Raises EngineUnavailable, in one sentence with the remedy, if there is none, or if it lacks something.
    """
    if is_pair(engine):
        pair: EngineKind = import_module("engines.pair").pair_of(engine)
        return pair
    if engine in ENGINES:
        place = f"engines.{engine}.kind:ENGINE"
    else:
        place = next((one.value for one in _brought(engine)), engine)
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
            "here, and the engine in it (docs/engines.md)."
        ) from error
    return outside.checked(engine, found)


@contextmanager
def _installed(engine: str) -> Iterator[None]:
    """Raises EngineUnavailable, with the remedy, where a package is missing that the engine imports."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise EngineUnavailable(
            f"{engine} cannot be judged in {sys.prefix}, where the package {missing.name} is not installed: install it, or "
            "use `tombstone gate`, which makes an environment."
        ) from missing


def provider_for(engine: str, settings: Settings, given: Given = NONE_GIVEN) -> Provider:
    """The provider of an engine with these options. Raises EngineUnavailable, with the remedy."""
    with _installed(engine):
        return kind_of(engine).with_options(given).provider(settings)


def limits_in(engine: str, storage: Storage, given: Given = NONE_GIVEN) -> Sequence[Limits]:
    """The limits of an engine with these options and in this storage, each with its reason.

    Raises EngineUnavailable if it is not judged there.
    """
    limits = kind_of(engine).with_options(given).limits_in(storage)
    if limits is None:
        option = "--table-root s3://…" if storage is Storage.BUCKET else f"--storage {storage.value}"
        raise EngineUnavailable(f"{option}: {engine} is judged on local file systems only; leave it out.")
    return limits


def installed_version(engine: str) -> str:
    """The version of an engine in this environment. Raises EngineUnavailable if there is none."""
    with _installed(engine):
        return kind_of(engine).installed_version()


def open_adapter(engine: str, lease: Callable[[int], Any], *, time_limit: float = 120) -> Engine:
    """A worker's adapter. ``time_limit`` is in seconds per step. Raises EngineUnavailable."""
    with _installed(engine):
        return kind_of(engine).open_adapter(lease, time_limit=time_limit)


def start(engine: str, provider: Provider, *, time_limit: float) -> None:
    """Start the provider of an engine. Raises EngineUnavailable; also for an engine from outside that workers could not open."""
    if engine in ENGINES or is_pair(engine):
        with _installed(engine):
            provider.start()
    else:
        outside.start(engine, kind_of(engine), provider, time_limit=time_limit)

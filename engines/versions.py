"""Versions as users name them: ``deltalake==1.6.3``, ``module:name==1.0``; of the default engine ``3.3.2`` alone."""

from __future__ import annotations

from dataclasses import replace

from engines.kind import Releases, Version
from engines.port import EngineUnavailable
from engines.provider import DEFAULT, ENGINES, is_engine, kind_of


def releases_of(engine: str) -> Releases:
    """The releases of an engine. Raises EngineUnavailable, with the remedy, if there is no such engine, or if it brings none."""
    releases = kind_of(engine).releases
    if releases is None:
        raise EngineUnavailable(
            f"{engine} does not say what its releases need: judge it where it is installed, with --engine {engine}, or give "
            "it releases (engines/kind.py)."
        )
    return releases


def version_of(text: str) -> Version:
    """Raises EngineUnavailable, with the remedy, for a version that is not judged, or not on this Python."""
    engine, equals, number = text.partition("==")
    if not equals:
        engine, number = DEFAULT, text
        if alone := _engine_in(text):
            newest = name_of(alone, releases_of(alone).judged[-1])
            raise EngineUnavailable(f"{text} names no version of {alone}: write, say, {newest}.")
    return replace(releases_of(engine).version(number), engine=engine)


def name_of(engine: str, version: str) -> str:
    """How users name a version."""
    return version if engine == DEFAULT else f"{engine}=={version}"


def judged_of(engine: str) -> tuple[str, ...]:
    """The versions that ``tombstone versions`` judges, as users name them."""
    return tuple(name_of(engine, version) for version in releases_of(engine).judged)


def _engine_in(text: str) -> str | None:
    """The engine that the text names or begins with."""
    return text if is_engine(text) else next((name for name in ENGINES if text.startswith(name)), None)

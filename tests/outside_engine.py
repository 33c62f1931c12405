"""Engines from outside the project, as ``--engine tests.outside_engine:ENGINE``: the reference engine under another name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, cast

from engines.deltalake.script import DeltalakeScript
from engines.dialect import DialectFor
from engines.kind import Costs, EngineKind, Provider, Settings, Version
from engines.port import Engine, EngineUnavailable
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.rules import SPARK, Retain, RuleChange, Rules
from reference_engine import ReferenceEngine


class Outside(EngineKind):
    """The reference engine with these capabilities, or with something instead of them, or of its adapter."""

    name = "outside"

    def __init__(self, capabilities: Any = EVERYTHING, adapter: Callable[[Capabilities], Any] | None = None) -> None:
        self._capabilities = capabilities
        self._adapter = adapter or (lambda capabilities: ReferenceEngine(capabilities=capabilities))

    def capabilities_of(self, version: str | None) -> Capabilities:
        return cast(Capabilities, self._capabilities)

    def rules_of(self, version: str) -> Rules:
        return SPARK

    def installed_version(self) -> str:
        return "4.4.0"

    def open_adapter(self, lease: Callable[[int], Any], *, time_limit: float) -> Engine:
        return cast(Engine, self._adapter(self._capabilities))


ENGINE = Outside()

#: It has DELETE only.
WITHOUT_VACUUM = Outside(replace(EVERYTHING, vacuum=False))


class OutsideReleases:
    judged = ("1.0", "1.1")
    columns: Mapping[str, str] = {"outside": "Outside", "library": "Its library"}

    def version(self, text: str) -> Version:
        self.check(text)
        return Version(f"Outside {text}", {"outside": text}, (f"outside=={text}",), is_listed=text in self.judged)

    def check(self, version: str) -> None:
        if version.startswith("0"):
            raise EngineUnavailable(f"Outside {version} is not judged: use 1.0 or newer.")


class OutsideWithAll(Outside):
    """Has what an engine may have besides."""

    releases = OutsideReleases()
    costs = Costs(speed=10.0, start=1.0, slow_scripts=False)
    rule_changes = (RuleChange("1.1", "retain", Retain.ANY, "It obeys RETAIN.", "its documentation"),)


WITH_ALL = OutsideWithAll()


class OutsideWithScripts(Outside):
    """An engine that brings the commands of its scripts, too, which are fast, and use delta-rs."""

    costs = Costs(slow_scripts=False)

    def dialect_of(self, versions: Mapping[str, str]) -> DialectFor:
        return partial(DeltalakeScript, pip="deltalake pyarrow")


WITH_SCRIPTS = OutsideWithScripts()


class InterruptedProvider(Provider):
    """The user interrupts it where it writes what only the next run needs."""

    def keep_startup_cache(self, tell: Callable[[str], None]) -> None:
        tell("Writing a cache for the next run.")
        raise KeyboardInterrupt


class OutsideWithCache(Outside):
    def provider(self, settings: Settings) -> Provider:
        return InterruptedProvider()


WITH_CACHE = OutsideWithCache()


class Unfinished:
    """Lacks most of what an engine has, and is no EngineKind."""

    name = "unfinished"


def _unavailable(capabilities: Capabilities) -> Any:
    raise EngineUnavailable("The server does not start: install it.")


def _broken(capabilities: Capabilities) -> Any:
    raise OSError("no such file")


UNFINISHED = Unfinished()
NO_CAPABILITIES = Outside({"deletes": True})
UNKNOWN_FORM = Outside(replace(EVERYTHING, delete_forms=frozenset({"sql by telepathy"})))  # type: ignore[arg-type]
NO_BOOLEAN = Outside(replace(EVERYTHING, vacuum="no"))  # type: ignore[arg-type]
NO_ADAPTER = Outside(adapter=lambda capabilities: Unfinished())
UNAVAILABLE = Outside(adapter=_unavailable)
BROKEN = Outside(adapter=_broken)

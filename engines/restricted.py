"""An engine that is asked for less than it can do: for what another can do, too, so that both judge the same cases."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engines.port import Engine, Outcome
from model.capabilities import Capabilities
from model.rules import Rules
from model.steps import EngineStep


class Restricted:
    """``engine``, with other ``capabilities``."""

    def __init__(self, engine: Engine, capabilities: Capabilities) -> None:
        self._engine = engine
        self._capabilities = capabilities

    @property
    def name(self) -> str:
        return self._engine.name

    @property
    def versions(self) -> Mapping[str, str]:
        return self._engine.versions

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    @property
    def rules(self) -> Rules:
        return self._engine.rules

    def run(self, root: Path, step: EngineStep, *, clock: int, version: int | None) -> Outcome:
        return self._engine.run(root, step, clock=clock, version=version)

    def close(self) -> None:
        self._engine.close()

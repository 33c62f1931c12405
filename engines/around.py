"""What an engine around another one has of it: all but what it does itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engines.port import Engine, Outcome
from model.capabilities import Capabilities
from model.rules import Rules
from model.steps import EngineStep


class Around:
    """Answers every question as ``engine`` does, and runs every step on it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def name(self) -> str:
        return self._engine.name

    @property
    def versions(self) -> Mapping[str, str]:
        return self._engine.versions

    @property
    def capabilities(self) -> Capabilities:
        return self._engine.capabilities

    @property
    def rules(self) -> Rules:
        return self._engine.rules

    def run(self, root: Path, step: EngineStep, *, clock: int, version: int | None) -> Outcome:
        return self._engine.run(root, step, clock=clock, version=version)

    def close(self) -> None:
        self._engine.close()

"""A base for engines that delegate to another engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engines.port import Engine, Outcome
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.rules import Rules
from model.vocabulary.steps import Request


class WrappedEngine:
    """Delegates everything to ``engine``. Subclasses override what they change."""

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

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        return self._engine.run(root, step, clock=clock, version=version)

    def use_processors(self, number: int) -> None:
        self._engine.use_processors(number)

    def close(self) -> None:
        self._engine.close()

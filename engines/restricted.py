"""An engine restricted to the capabilities that it shares with another, so that both run the same cases."""

from __future__ import annotations

from engines.port import Engine
from engines.wrapped import WrappedEngine
from model.vocabulary.capabilities import Capabilities


class Restricted(WrappedEngine):
    """``engine``, with other ``capabilities``."""

    def __init__(self, engine: Engine, capabilities: Capabilities) -> None:
        super().__init__(engine)
        self._capabilities = capabilities

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

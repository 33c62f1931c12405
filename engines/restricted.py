"""An engine that is asked for less than it can do: for what another can do, too, so that both judge the same cases."""

from __future__ import annotations

from engines.around import Around
from engines.port import Engine
from model.capabilities import Capabilities


class Restricted(Around):
    """``engine``, with other ``capabilities``."""

    def __init__(self, engine: Engine, capabilities: Capabilities) -> None:
        super().__init__(engine)
        self._capabilities = capabilities

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

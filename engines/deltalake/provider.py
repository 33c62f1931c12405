"""What a run owns of delta-rs: nothing. Each worker has a process of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engines.deltalake.adapter import installed


class DeltalakeProvider:
    @property
    def packages(self) -> Mapping[str, str] | None:
        return None

    def start(self) -> None:
        """Raises EngineUnavailable where the package is not installed."""
        installed()

    def lease(self, lost: int) -> Any:
        """There is none."""

    def close(self) -> None:
        """There is nothing to close."""

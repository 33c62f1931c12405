"""The provider of delta-rs. Workers share nothing but the storage: each has its own process."""

from __future__ import annotations

from pathlib import Path

from engines.deltalake.adapter import installed
from engines.kind import Provider
from engines.object_store import ObjectStore


class DeltalakeProvider(Provider):
    def __init__(self, store: ObjectStore | None, directory: Path) -> None:
        """``directory`` is the run's."""
        self._store = store
        self._directory = directory

    def start(self) -> None:
        """Raises EngineUnavailable if the package is not installed, or cannot write to the bucket and read from it."""
        installed()
        if self._store is not None:
            from engines.deltalake.tables import require_usable  # the package need not be installed before

            require_usable(self._store, self._directory / "deltalake-probe")

    def lease(self, lost: int) -> ObjectStore | None:
        """Where tables are."""
        return self._store

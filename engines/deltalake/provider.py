"""The provider of delta-rs. Workers share nothing: each has its own process."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Mapping
from typing import Any

from engines.deltalake.adapter import installed
from engines.deltalake.operations import operation
from engines.deltalake.versions import PACKAGE
from engines.port import Operation


class DeltalakeProvider:
    @property
    def packages(self) -> Mapping[str, str]:
        """The PyPI packages and the engine's name, for reproduction scripts."""
        pyarrow = importlib.metadata.version("pyarrow")
        return {"engine": PACKAGE, "pip": f"{PACKAGE}=={installed()} pyarrow=={pyarrow}"}

    @property
    def operation(self) -> Operation:
        return operation

    def start(self) -> None:
        """Raises EngineUnavailable if the package is not installed."""
        installed()

    def lease(self, lost: int) -> Any:
        """Nothing is shared."""

    def keep_startup_cache(self, tell: Callable[[str], None]) -> None:
        """There is none."""

    def close(self) -> None:
        """Nothing was started."""

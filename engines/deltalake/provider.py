"""A run has nothing of delta-rs that workers share: each has its own process."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from typing import Any

from engines.deltalake.adapter import PACKAGE, installed
from engines.deltalake.operations import operation
from engines.port import Operation


class DeltalakeProvider:
    @property
    def packages(self) -> Mapping[str, str]:
        """What a reproduction script needs: the packages from PyPI, and which part of its machinery."""
        pyarrow = importlib.metadata.version("pyarrow")
        return {"engine": PACKAGE, "pip": f"{PACKAGE}=={installed()} pyarrow=={pyarrow}"}

    @property
    def operation(self) -> Operation:
        return operation

    def start(self) -> None:
        """Raises EngineUnavailable where the package is not installed."""
        installed()

    def lease(self, lost: int) -> Any:
        """Nothing is shared."""

    def close(self) -> None:
        """Nothing was started."""

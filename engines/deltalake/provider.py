"""What a run owns of delta-rs: nothing. Each worker has a process of its own."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from typing import Any

from engines.deltalake.adapter import PACKAGE, installed
from engines.deltalake.operations import operation
from engines.provider import Operation


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
        """There is none."""

    def close(self) -> None:
        """There is nothing to close."""

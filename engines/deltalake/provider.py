"""The provider of delta-rs. Workers share nothing: each has its own process."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from functools import partial
from typing import Any

from engines.deltalake.adapter import installed
from engines.deltalake.script import DeltalakeScript
from engines.deltalake.versions import PACKAGE
from engines.dialect import DialectFor


class DeltalakeProvider:
    @property
    def dialect(self) -> DialectFor:
        pyarrow = importlib.metadata.version("pyarrow")
        return partial(DeltalakeScript, pip=f"{PACKAGE}=={installed()} pyarrow=={pyarrow}")

    def start(self) -> None:
        """Raises EngineUnavailable if the package is not installed."""
        installed()

    def lease(self, lost: int) -> Any:
        """Nothing is shared."""

    def keep_startup_cache(self, tell: Callable[[str], None]) -> None:
        """There is none."""

    def close(self) -> None:
        """Nothing was started."""

"""The provider of delta-rs. Workers share nothing: each has its own process."""

from __future__ import annotations

import importlib.metadata
from functools import partial

from engines.deltalake.adapter import installed
from engines.deltalake.script import DeltalakeScript
from engines.deltalake.versions import PACKAGE
from engines.dialect import DialectFor
from engines.kind import NothingShared


class DeltalakeProvider(NothingShared):
    @property
    def dialect(self) -> DialectFor:
        pyarrow = importlib.metadata.version("pyarrow")
        return partial(DeltalakeScript, pip=f"{PACKAGE}=={installed()} pyarrow=={pyarrow}")

    def start(self) -> None:
        """Raises EngineUnavailable if the package is not installed."""
        installed()

"""Hatchling's hook: puts the suite into the package, as one file of the launcher."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))

from tombstone.archive import NAME, pack


class SuiteHook(BuildHookInterface[Any]):  # type: ignore[misc, unused-ignore]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # the launcher then runs the clone itself
            return
        self._made = tempfile.TemporaryDirectory()
        archive = Path(self._made.name, NAME)
        pack(Path(self.root), archive)
        build_data["force_include"][str(archive)] = f"tombstone/{NAME}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self._made.cleanup()

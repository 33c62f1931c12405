"""The engine that runs a fault: the real one, tampered with after each step."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from engines.known_bad.fault import Fault
from engines.known_bad.tampering import Tampering
from engines.port import Engine, Outcome
from model.steps import EngineStep, Vacuum


class KnownBadEngine:
    """``engine`` with ``fault`` built in."""

    def __init__(self, engine: Engine, fault: Fault) -> None:
        self._engine = engine
        self._fault = fault
        self._memory: dict[Path, tuple[int, bool, int]] = {}  # by table: VACUUMs, whether the last settled, DRY RUNs

    @property
    def name(self) -> str:
        return self._engine.name

    @property
    def versions(self) -> Mapping[str, str]:
        return self._engine.versions

    def run(self, root: Path, step: EngineStep, *, clock: int, version: int | None) -> Outcome:
        with tempfile.TemporaryDirectory(dir=root.parent) as scratch:
            before = Path(scratch) / "before"
            shutil.copytree(root, before, symlinks=True)
            outcome = self._engine.run(root, step, clock=clock, version=version)
            runs, settled, dry_runs = self._memory.get(root, (0, False, 0))
            tampering = Tampering(root, before, step, outcome, clock, runs, settled, dry_runs)
            if isinstance(step, self._fault.on):
                outcome = self._fault.tamper(tampering) or outcome
            if isinstance(step, Vacuum):
                deleted = root.is_dir() and any(
                    not (root / path).exists() for path in [*tampering.files(), *tampering.directories()]
                )
                self._memory[root] = (
                    (runs, settled, dry_runs + 1) if step.dry_run else (runs + 1, not deleted, dry_runs)
                )
            return outcome

    def close(self) -> None:
        self._engine.close()

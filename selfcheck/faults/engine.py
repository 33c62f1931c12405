"""The engine that runs a fault: the real one, tampered with after each step."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from engines.around import Around
from selfcheck.faults.fault import Fault
from selfcheck.faults.tampering import Tampering
from engines.port import Engine, Outcome
from model.steps import EngineStep, Vacuum


class KnownBadEngine(Around):
    """``engine`` with ``fault`` built in."""

    def __init__(self, engine: Engine, fault: Fault) -> None:
        super().__init__(engine)
        self._fault = fault
        self._memory: dict[Path, tuple[int, bool, int]] = {}  # by table: VACUUMs, whether the last settled, DRY RUNs

    def run(self, root: Path, step: EngineStep, *, clock: int, version: int | None) -> Outcome:
        # Not beside the root: what lies there is part of what is observed.
        with tempfile.TemporaryDirectory(dir=root.parent.parent) as scratch:
            around = Path(scratch) / "before"
            shutil.copytree(root.parent, around, symlinks=True)
            before = around / root.name
            outcome = self._engine.run(root, step, clock=clock, version=version)
            runs, settled, dry_runs = self._memory.get(root, (0, False, 0))
            tampering = Tampering(root, before, step, outcome, clock, runs, settled, dry_runs)
            if isinstance(step, self._fault.on):
                outcome = self._fault.tamper(tampering) or outcome
            if isinstance(step, Vacuum):
                deleted = root.is_dir() and any(not os.path.lexists(root / path) for path in tampering.things)
                self._memory[root] = (
                    (runs, settled, dry_runs + 1) if step.dry_run else (runs + 1, not deleted, dry_runs)
                )
            return outcome

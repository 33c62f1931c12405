"""A known-bad engine: the real one, with its table or outcome tampered with after each step."""

from __future__ import annotations

import os
from pathlib import Path

from engines.port import Engine, Outcome
from engines.wrapped import WrappedEngine
from faults.machinery.disk import copied
from faults.machinery.fault import Fault, Question
from faults.machinery.table_log import TableLog
from faults.machinery.tampering import Tampering
from model.vocabulary.steps import Ask, Request, Vacuum


class KnownBadEngine(WrappedEngine):
    """``engine`` with ``fault``."""

    def __init__(self, engine: Engine, fault: Fault) -> None:
        super().__init__(engine)
        self._fault = fault
        self._vacuums: dict[Path, tuple[int, bool]] = {}  # by table: VACUUMs, and whether the last deleted nothing

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        if isinstance(step, Ask):
            return self._engine.run(root, step, clock=clock, version=version)
        with copied(root) as before:
            asked = Question(step, clock, TableLog(root, before))
            if self._fault.asks is not None and isinstance(step, self._fault.on):
                asked = self._fault.asks(asked)
            outcome = self._engine.run(root, asked.step, clock=asked.clock, version=version)
            runs, settled = self._vacuums.get(root, (0, False))
            t = Tampering(root, before, step, outcome, clock, runs, settled, version)
            if isinstance(step, self._fault.on):
                outcome = self._fault.tamper(t) or outcome
            if isinstance(step, Vacuum) and not step.dry_run:
                deleted = root.is_dir() and any(not os.path.lexists(root / path) for path in t.disk.kinds)
                self._vacuums[root] = runs + 1, not deleted
            return outcome

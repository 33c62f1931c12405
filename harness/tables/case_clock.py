"""The clock of a case. All times are in ms since the epoch."""

from __future__ import annotations

from pathlib import Path

from deltalog.shift_timestamps import shift_timestamps
from engines.port import now


class CaseClock:
    """The engine's clock. For an engine that uses the machine's clock, the table is made older instead.

    ``start`` is the instant that the offsets of the case count from: it moves back when the table is made older. At first it
    is a whole ``unit``, the unit of the storage's times, so that a file can be exactly as old as a cutoff; or it is given.
    """

    def __init__(self, root: Path, *, settable: bool, unit: int = 1, start: int | None = None) -> None:
        self._root = root
        self._settable = settable
        self._aged = 0  # ms that the table was made older by
        self.start = now() // unit * unit if start is None else start
        self.now = self.start

    def tick(self) -> int:
        """Begin a step; the ms that the table was made older by so far."""
        if not self._settable:
            self.now = now()
        return self._aged

    def set(self, to: int) -> int:
        """Set the clock to ``to``; the ms that the table became older by."""
        if self._settable:
            self.now = to
            return 0
        by = to - self.now
        shift_timestamps(self._root, by=by)
        self._aged += by
        self.start -= by
        return by

    def since(self, aged: int) -> int:
        """The ms that the table was made older by since ``tick`` returned ``aged``."""
        return self._aged - aged

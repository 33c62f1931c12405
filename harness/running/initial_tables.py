"""The table that a case begins with: one that was drawn, or a copy of one that was read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness.observing.observer import LogObserver, Observer
from harness.observing.steps.expected_versions import ExpectedVersions, UnreadVersions
from harness.tables.plan import plan_table
from harness.tables.storage import write_table
from model.vocabulary.rules import Rules
from model.vocabulary.table import Table


@dataclass(frozen=True)
class InitialTable:
    """A drawn table."""

    table: Table

    #: Whether its times may stay as they are while an engine's clock is set.
    sets_clock = True

    def write(self, root: Path, *, start: int, rules: Rules) -> None:
        write_table(plan_table(self.table, root, start=start, uris=rules.file_uris))

    def expected(self, *, start: int, unit: int) -> ExpectedVersions:
        return ExpectedVersions(self.table, start=start, unit=unit)

    def observer(self, root: Path, *, unit: int) -> Observer:
        return Observer(self.table, root, unit=unit)


@dataclass(frozen=True)
class StandIns(InitialTable):
    """A copy of a table that was read, with stand-ins for its data files, which ``make`` makes. Nobody knows its rows: clauses
    that need some judge nothing. The times of the copy are true, so that they are moved instead of a clock: RETAIN may count
    from the machine's.
    """

    make: Callable[[Path], None]

    sets_clock = False

    def write(self, root: Path, *, start: int, rules: Rules) -> None:
        self.make(root)

    def expected(self, *, start: int, unit: int) -> ExpectedVersions:
        return UnreadVersions(self.table)

    def observer(self, root: Path, *, unit: int) -> Observer:
        return LogObserver(self.table, root, unit=unit)

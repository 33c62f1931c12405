"""What log compactions hold, beside what their commits hold. Source: PROTOCOL.md, "Log Compaction Files"."""

from __future__ import annotations

from dataclasses import dataclass, replace

from deltalog.entries.actions import Action, Remove
from deltalog.entries.compaction import read_compaction
from deltalog.errors import DeltaLogError
from deltalog.log import Log
from deltalog.snapshot import Snapshot, replay
from deltalog.storage.names import LOG_DIRECTORY, LogFileKind, compacted_name, parse_name
from harness.observing.table.root_paths import RelativeLog
from harness.observing.table.table_state import TableState


@dataclass(frozen=True)
class Compaction:
    """``expected`` is the state that its commits lead to, ``found`` that of a reader who reads it instead. Paths are as
    stored, by which actions are reconciled."""

    first: int
    last: int
    actions: tuple[Action, ...]
    expected: Snapshot
    found: Snapshot

    @property
    def brought_back(self) -> tuple[Remove, ...]:
        """The removes of the files that are live by it alone."""
        return tuple(remove for key, remove in self.expected.removes.items() if key in self.found.adds)


def new_ranges(before: TableState, after: TableState) -> list[tuple[int, int]]:
    """The first and last versions of the log compactions that were written between two states, also of one that was there."""
    found = []
    for path, entry in after.listing.items():
        name = parse_name(path.removeprefix(f"{LOG_DIRECTORY}/"))
        if name is not None and name.kind is LogFileKind.COMPACTED and before.listing.get(path) != entry:
            found.append((name.version, name.last or name.version))
    return sorted(found)


def compaction(log: Log, first: int, last: int) -> Compaction | None:
    """None if the version before it, or one of its commits, is not there: then nobody can read it instead.

    Raises DeltaLogError and OSError if it cannot be read.
    """
    log = log.stored if isinstance(log, RelativeLog) else log
    numbers = range(first, last + 1)
    if not log.commits.keys() >= set(numbers):
        return None
    try:
        base = log.snapshot(first - 1) if first else None
        expected = replay(((number, log.commits[number].actions) for number in numbers), base=base)
    except DeltaLogError:
        return None
    actions = read_compaction(log.root / LOG_DIRECTORY / compacted_name(first, last))
    found = replay([(last, actions)], base=None if base is None else replace(base, version=last - 1))
    return Compaction(first, last, actions, expected, found)


def is_ambiguous(before: TableState, after: TableState) -> bool:
    """Whether a new log compaction brings files back, so that what the table holds depends on who reads it."""
    try:
        found = [compaction(after.log, *numbers) for numbers in new_ranges(before, after)]
    except DeltaLogError:
        return True
    return any(one is not None and one.brought_back for one in found)

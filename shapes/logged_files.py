"""A file or a tombstone in a log, in the same form from a line of a commit and from a row of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from deltalog.entries.actions import Add, Remove
from deltalog.entries.descriptors import DeletionVectorDescriptor

#: The members of statistics (PROTOCOL.md, "Per-file Statistics").
MEMBERS = ("numRecords", "minValues", "maxValues", "nullCount", "tightBounds")


@dataclass(frozen=True, slots=True)
class Vector:
    storage: str
    text: str
    offset: int | None
    size: int
    cardinality: int

    @classmethod
    def of(cls, logged: DeletionVectorDescriptor) -> Vector:
        return cls(logged.storage, logged.path_or_inline, logged.offset, logged.size, logged.cardinality)

    @property
    def unique_id(self) -> str:
        """PROTOCOL.md, "Derived Fields"."""
        head = self.storage + self.text
        return head if self.offset is None else f"{head}@{self.offset}"


class LoggedStatistics(NamedTuple):
    """A form of statistics, and the bits of ``MEMBERS`` that it has: those of the JSON, if there is one."""

    word: Literal["json", "none", "struct", "struct-and-json"]
    members: int


NO_STATISTICS = LoggedStatistics("none", 0)


class LoggedFile(NamedTuple):  # there may be a million
    """A file, or its tombstone. ``path`` is as in the log; only files have ``partitions`` and ``statistics``."""

    path: str
    removed: bool
    size: int
    partitions: frozenset[tuple[str, str | None]]
    vector: Vector | None
    statistics: LoggedStatistics | None


def of_action(action: Add | Remove) -> LoggedFile:
    vector = None if action.deletion_vector is None else Vector.of(action.deletion_vector)
    if isinstance(action, Remove):
        return LoggedFile(action.path, True, 0, frozenset(), vector, None)
    form = NO_STATISTICS if action.stats is None else LoggedStatistics("json", members_in(action.stats))
    return LoggedFile(action.path, False, action.size, pairs(action.partition_values), vector, form)


def pairs(values: Mapping[str, str | None]) -> frozenset[tuple[str, str | None]]:
    return frozenset(values.items())


def members_in(text: str) -> int:
    """The bits of ``MEMBERS`` in the JSON of statistics.

    The text is searched, not parsed: bounds may be long, and a file whose statistics are about columns has all these members.
    """
    return sum(1 << place for place, member in enumerate(MEMBERS) if f'"{member}"' in text)

"""What the cases of a run covered: by their VACUUMs, the operations of programs, and the features of their tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import final

from model.vocabulary.operations import DRAWN, Operation
from records.run import RecordedCase

#: By the name of a table in a case's ``coverage``: its title, what its rows are, and its columns, if they are fixed.
_TABLES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "paths": ("Paths, by what the model expects of them and why", "Reason", ("keep", "delete", "unspecified")),
    "vacuums": ("VACUUMs, by retention and mode", "Retention", ()),
    "cutoff": ("Timestamps next to the cutoff, by the ms between them", "Timestamp of", ("-1", "0", "+1")),
}


#: The campaigns that draw programs: of a fixed length, and by the state machine.
PROGRAMS = ("programs", "exploration")


@dataclass(frozen=True)
class Coverage:
    """A table of counts. ``complete``: a cell with 0 is a gap."""

    title: str
    corner: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Counter[tuple[str, str]]
    complete: bool


@final
class Covered:
    """What cases covered, taken one after another. Those made by shrinking do not count."""

    def __init__(self) -> None:
        self._cells = {name: Counter[tuple[str, str]]() for name in _TABLES}
        self._operations: Counter[tuple[str, str]] = Counter()
        self._pairs: Counter[tuple[str, str]] = Counter()

    def take(self, case: RecordedCase) -> None:
        if case.origin == "shrunk":
            return
        covered = case.coverage
        for name, cells in self._cells.items():
            for row, counts in covered.get(name, {}).items():
                for column, count in counts.items():
                    cells[row, column] += count
        if case.campaign in PROGRAMS:
            for operation, counts in covered.get("operations", {}).items():
                self._operations[case.campaign, operation] += sum(counts.values())
        self._pairs.update(combinations_with_replacement(sorted(case.features), 2))

    def tables(self) -> tuple[Coverage, ...]:
        """The tables that have rows."""
        return tuple(
            Coverage(
                title,
                corner,
                tuple(sorted({row for row, _ in self._cells[name]})),
                columns or tuple(sorted({column for _, column in self._cells[name]})),
                self._cells[name],
                complete=name != "paths",  # most reasons allow only one of its columns
            )
            for name, (title, corner, columns) in _TABLES.items()
            if self._cells[name]
        )

    def operations(self) -> OperationShares:
        return OperationShares(self._operations)

    def features(self) -> FeaturePairs:
        return FeaturePairs(tuple(sorted({name for pair in self._pairs for name in pair})), self._pairs)


@dataclass(frozen=True)
class OperationShares:
    """How many steps of each operation ran, by campaign."""

    counts: Counter[tuple[str, str]]  # by campaign and operation

    @property
    def campaigns(self) -> tuple[str, ...]:
        """The campaigns of programs that ran."""
        return tuple(name for name in PROGRAMS if any(campaign == name for campaign, _ in self.counts))

    def count(self, campaign: str, operation: Operation) -> int:
        return self.counts[campaign, operation.value]

    def share(self, campaign: str, operation: Operation) -> float:
        """The percentage of the campaign's steps."""
        total = sum(count for (name, _), count in self.counts.items() if name == campaign)
        return 100 * self.count(campaign, operation) / total

    @property
    def never(self) -> tuple[Operation, ...]:
        """The operations, each a rule of the state machine, that never ran in any campaign of programs."""
        return tuple(one for one in DRAWN if not any(self.count(name, one) for name in self.campaigns))


@dataclass(frozen=True)
class FeaturePairs:
    """Feature names in alphabetical order, and how many cases have both of a pair (a name with itself: that feature)."""

    names: tuple[str, ...]
    counts: Counter[tuple[str, str]]

    def count(self, one: str, other: str) -> int:
        """How many cases have both features."""
        return self.counts[min(one, other), max(one, other)]

    @property
    def never(self) -> tuple[tuple[str, str], ...]:
        """The pairs that no case has."""
        return tuple(pair for pair in combinations_with_replacement(self.names, 2) if not self.counts[pair])

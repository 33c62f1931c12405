"""What the cases of a run covered: by their VACUUMs, and by the features of their tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations_with_replacement

from reports.stream import Line

#: By the name of a table in a case's ``coverage``: its title, what its rows are, and its columns, if they are fixed.
_TABLES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "paths": ("Paths, by what the model expects of them and why", "Reason", ("keep", "delete", "unspecified")),
    "vacuums": ("VACUUMs, by retention and mode", "Retention", ()),
    "cutoff": ("Timestamps next to the cutoff, by the ms between them", "Timestamp of", ("-1", "0", "+1")),
}


@dataclass(frozen=True)
class Coverage:
    """A table of counts. ``complete``: a cell with 0 is a gap."""

    title: str
    corner: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Counter[tuple[str, str]]
    complete: bool


def coverage_tables(cases: Iterable[Line]) -> tuple[Coverage, ...]:
    """The tables that have rows. Cases made by shrinking do not count."""
    cells = {name: Counter[tuple[str, str]]() for name in _TABLES}
    for case in cases:
        if case["origin"] != "shrunk":
            for name, rows in case.get("coverage", {}).items():
                for row, counts in rows.items():
                    cells[name].update({(row, column): count for column, count in counts.items()})
    return tuple(
        Coverage(
            title,
            corner,
            tuple(sorted({row for row, _ in cells[name]})),
            columns or tuple(sorted({column for _, column in cells[name]})),
            cells[name],
            complete=name != "paths",  # most reasons allow only one of its columns
        )
        for name, (title, corner, columns) in _TABLES.items()
        if cells[name]
    )


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


def feature_pairs(cases: Iterable[Line]) -> FeaturePairs:
    """The pairs in the case lines of a run. Cases made by shrinking do not count."""
    counts: Counter[tuple[str, str]] = Counter()
    for case in cases:
        if case["origin"] != "shrunk":
            counts.update(combinations_with_replacement(sorted(case.get("features", ())), 2))
    names = sorted({name for pair in counts for name in pair})
    return FeaturePairs(tuple(names), counts)

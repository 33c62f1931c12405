"""What the VACUUMs of a run met: reasons by which a path stays or goes, modes with retention forms, sides of the cutoff.

A case line counts them under names: ``stay: live add``, ``go: …``, ``either: …`` count paths; ``mode FULL × RETAIN whole,
check on`` and ``boundary: tombstone -1`` (a tombstone 1 ms older than the cutoff) count steps and instants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reports.stream import Line

FATES = ("stay", "go", "either")
SIDES = ("-1", "0", "+1")


@dataclass(frozen=True)
class Counts:
    """A table of counts: ``title`` says what is counted, ``corner`` what the rows are. What is not in it is 0."""

    title: str
    corner: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], int]

    def count(self, row: str, column: str) -> int:
        return self.cells.get((row, column), 0)


def coverage(cases: Iterable[Line]) -> Counter[str]:
    """All occasions in the case lines of a run. Cases made by shrinking do not count, nor lines that say none."""
    total: Counter[str] = Counter()
    for case in cases:
        if case["origin"] != "shrunk":
            total.update(case.get("occasions", {}))
    return total


def occasion_tables(met: Mapping[str, int]) -> tuple[Counts, ...]:
    """The tables of what was met; those without rows are left out. A reason's row has counts where it was met only."""
    reasons: dict[tuple[str, str], int] = {}
    modes: dict[tuple[str, str], int] = {}
    sides: dict[tuple[str, str], int] = {}
    for name, count in met.items():
        kind, _, rest = name.partition(": ")
        if kind in FATES:
            reasons[rest, kind] = count
        elif kind == "boundary":
            instant, _, side = rest.rpartition(" ")
            sides[instant, side] = count
        elif name.startswith("mode "):
            mode, _, form = name.removeprefix("mode ").partition(" × ")
            modes[form, mode] = count
    tables = (
        _table("Paths, by the reason of their fate", "Reason", FATES, reasons),
        _table("VACUUMs, by mode and retention", "Retention", sorted({mode for _, mode in modes}), modes),
        _table("Instants beside the cutoff, by ms from it", "Of", SIDES, sides),
    )
    return tuple(table for table in tables if table.rows)


def _table(title: str, corner: str, columns: Sequence[str], cells: Mapping[tuple[str, str], int]) -> Counts:
    return Counts(title, corner, tuple(sorted({row for row, _ in cells})), tuple(columns), cells)

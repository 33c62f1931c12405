"""Which features of tables and cases were drawn, and which of them together: it is in their pairs that engines go wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations_with_replacement

from reports.stream import Line


@dataclass(frozen=True)
class FeaturePairs:
    """``names``, in alphabetical order, and how many cases have two of them (one, where the two are the same)."""

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
    """The pairs in the case lines of a run. Cases made by shrinking do not count, nor lines that say no features."""
    counts: Counter[tuple[str, str]] = Counter()
    for case in cases:
        if case["origin"] != "shrunk":
            counts.update(combinations_with_replacement(sorted(case.get("features", ())), 2))
    names = sorted({name for pair in counts for name in pair})
    return FeaturePairs(tuple(names), counts)

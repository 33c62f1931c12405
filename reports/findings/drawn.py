"""What was drawn for each clause: the cases that exercised it, by campaign and by what they have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import final

from records.run import JudgedCase

#: The most bars of a chart; the width of the longest, and the height of each, in pixels.
_MOST, _WIDTH, _HEIGHT = 12, 150, 18


@dataclass(frozen=True)
class Bar:
    """``width`` in pixels."""

    name: str
    cases: int
    y: int
    width: int


@dataclass(frozen=True)
class Chart:
    """The most frequent first. ``height`` in pixels; ``others``: how many names have no bar."""

    title: str
    bars: tuple[Bar, ...]
    height: int
    others: int


@dataclass(frozen=True)
class Drawn:
    """Of one clause. ``features``: all that a case which exercised it has, sorted."""

    cases: int
    charts: tuple[Chart, ...]
    features: tuple[str, ...]


NOTHING = Drawn(0, (), ())


@final
class Drawing:
    """What was drawn for each clause, by cases that are taken one after another. Those made by shrinking do not count."""

    def __init__(self) -> None:
        self._clauses, self._campaigns, self._features = _Sets(), _Sets(), _Sets()
        self._number = 0

    def take(self, case: JudgedCase) -> None:
        if case.origin != "shrunk":
            self._campaigns.put(self._number, [case.campaign])
            self._features.put(self._number, case.features)
            self._clauses.put(self._number, [id for id, result in case.clauses.items() if result.met])
            self._number += 1

    def of_clauses(self) -> dict[str, Drawn]:
        """By clause, without those that no case exercised."""
        by_campaign, by_feature = self._campaigns.sets(), self._features.sets()
        found = {}
        for clause, own in self._clauses.sets().items():
            counts = _counts(own, by_feature)
            charts = (_chart("By campaign", _counts(own, by_campaign)), _chart("By what the table has", counts))
            found[clause] = Drawn(own.bit_count(), tuple(one for one in charts if one.bars), tuple(sorted(counts)))
        return found


class _Sets:
    """Sets of case numbers by name, each as the bits of an integer: the common cases of two are one operation."""

    def __init__(self) -> None:
        self._bits: dict[str, bytearray] = {}

    def put(self, number: int, names: Iterable[str]) -> None:
        place, bit = divmod(number, 8)
        for name in names:
            bits = self._bits.setdefault(name, bytearray())
            if len(bits) <= place:
                bits.extend(bytes(place + 1 - len(bits)))
            bits[place] |= 1 << bit

    def sets(self) -> dict[str, int]:
        return {name: int.from_bytes(bits, "little") for name, bits in self._bits.items()}


def _counts(cases: int, sets: Mapping[str, int]) -> dict[str, int]:
    """How many of the cases are in each set, without the zeros."""
    counts = {name: (cases & own).bit_count() for name, own in sets.items()}
    return {name: count for name, count in counts.items() if count}


def _chart(title: str, counts: Mapping[str, int]) -> Chart:
    ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    shown = ranked[:_MOST]
    bars = tuple(
        Bar(name, count, _HEIGHT * place, max(1, _WIDTH * count // shown[0][1]))
        for place, (name, count) in enumerate(shown)
    )
    return Chart(title, bars, _HEIGHT * len(bars), len(ranked) - len(shown))

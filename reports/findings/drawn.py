"""What was drawn for each clause: the cases that exercised it, and their features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from records.run import RecordedCase


@dataclass(frozen=True)
class Drawn:
    """Of one clause. ``features``: all that a case which exercised it has, sorted."""

    cases: int
    features: tuple[str, ...]


NOTHING = Drawn(0, ())


@final
class Drawing:
    """What was drawn for each clause, by cases that are taken one after another. Those made by shrinking do not count."""

    def __init__(self) -> None:
        self._clauses, self._features = _Sets(), _Sets()
        self._number = 0

    def take(self, case: RecordedCase) -> None:
        if case.origin != "shrunk":
            self._features.put(self._number, case.features)
            self._clauses.put(self._number, [id for id, result in case.clauses.items() if result.met])
            self._number += 1

    def of_clauses(self) -> dict[str, Drawn]:
        """By clause, without those that no case exercised."""
        by_feature = self._features.sets()
        return {
            clause: Drawn(own.bit_count(), tuple(sorted(name for name, having in by_feature.items() if own & having)))
            for clause, own in self._clauses.sets().items()
        }


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

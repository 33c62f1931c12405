"""``python -m tools.likeness SHAPES.json``: how far likeness tells which tables are alike, on the shapes of a file.

Two tables that a reader calls alike have the same features, types of partition columns and kinds of deletion vectors, and
known faults concern both or neither. The table counts both for the pairs of each class of likeness. ``shapes.likeness.ALIKE``
comes from the test tables of delta-rs, delta-kernel-rs and Delta: from 0.8 on, at least 96 % of the pairs agree in the first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from pathlib import Path

from harness.judging.excusing.conditions import CONDITIONS, SUBJECTS
from records.mistakes import UsageMistake
from runner.command_line.commands import in_a_sentence
from shapes.document import read_shapes
from shapes.entries import EntryGroup, entries_of, group_of
from shapes.likeness import EntryBits
from shapes.shape import Shape
from shapes.told import Told

#: The groups of entries that decide most about what DELETE and VACUUM do.
_DECIDING = (EntryGroup.FEATURE, EntryGroup.PARTITION, EntryGroup.VECTORS)

#: Twentieths of likeness in a row.
_CLASSES = 20


@dataclass(frozen=True)
class Pair:
    """Two shapes: the class of their likeness, whether they are the same in what decides most, and of how many conditions and
    subjects of known faults they tell different answers."""

    likeness: int
    same: bool
    differing: int


@dataclass(frozen=True)
class _Compared:
    bits: int
    deciding: frozenset[str]
    told: Sequence[Told]


def pairs(shapes: Iterable[Shape]) -> Iterator[Pair]:
    """Each two of the shapes."""
    bits = EntryBits()
    predicates = [*(one.on_shape for one in CONDITIONS.values()), *(one.on_shape for one in SUBJECTS.values())]
    compared = [
        _Compared(
            bits.of(entries),
            frozenset(one for one in entries if group_of(one) in _DECIDING),
            [holds(shape) for holds in predicates],
        )
        for shape in shapes
        for entries in [entries_of(shape)]
    ]
    for one, other in combinations(compared, 2):
        # Rounded first: 0.8 is a sum of fractions.
        place = int(round(bits.likeness(one.bits, other.bits), 9) * _CLASSES)
        differing = sum(mine is not theirs for mine, theirs in zip(one.told, other.told))
        yield Pair(min(place, _CLASSES - 1), one.deciding == other.deciding, differing)


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1:
        raise UsageMistake("Name one file of shapes: python -m tools.likeness SHAPES.json.")
    found = read_shapes(Path(arguments[0]), option="SHAPES")
    print("likeness      pairs  the same  differing answers")
    ordered = sorted(pairs(one.shape for one in found.shapes), key=lambda pair: pair.likeness)
    for place, group in groupby(ordered, key=lambda pair: pair.likeness):
        own = list(group)
        same, differing = (sum(values) / len(own) for values in zip(*((one.same, one.differing) for one in own)))
        row = f"{len(own):7,}  {same:8.0%}  {differing:17.1f}"
        print(f"{place / _CLASSES:.2f} to {(place + 1) / _CLASSES:.2f}{row}")
    return 0


if __name__ == "__main__":
    sys.exit(in_a_sentence(main)(sys.argv[1:]))

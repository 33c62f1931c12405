"""How alike two tables are, by the entries of their shapes."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from shapes.entries import EntryGroup, group_of

#: What each group of entries counts. Features, properties and partitions decide most about what DELETE and VACUUM do.
_WEIGHTS: Mapping[EntryGroup, int] = {
    EntryGroup.FEATURE: 4,
    EntryGroup.PROPERTY: 2,
    EntryGroup.PARTITION: 3,
    EntryGroup.COLUMN: 2,
    EntryGroup.PATH: 2,
    EntryGroup.STATISTICS: 1,
    EntryGroup.VECTORS: 3,
    EntryGroup.FILES: 1,
}
_WHOLE = sum(_WEIGHTS.values())

#: A case is like a table from here on (docs/your-tables.md#when-a-case-resembles-a-table).
ALIKE = 0.8


class EntryBits:
    """Entries as bits of whole numbers: thousands of cases are compared with thousands of shapes."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._masks = dict.fromkeys(EntryGroup, 0)

    def of(self, entries: Collection[str]) -> int:
        """The bits of these entries. A new entry gets the next bit."""
        found = 0
        for entry in entries:
            if entry not in self._places:
                self._places[entry] = len(self._places)
                self._masks[group_of(entry)] |= 1 << self._places[entry]
            found |= 1 << self._places[entry]
        return found

    def likeness(self, one: int, other: int) -> float:
        """From 0 to 1: in each group the share of the entries of either that both have, and their mean by weight.

        A group in which neither has an entry counts as equal.
        """
        either, both, found = one | other, one & other, 0.0
        for group, weight in _WEIGHTS.items():
            mask = self._masks[group]
            whole = (either & mask).bit_count()
            found += weight * ((both & mask).bit_count() / whole) if whole else weight
        return found / _WHOLE


def likeness(one: Collection[str], other: Collection[str]) -> float:
    """The same of two sets of entries."""
    bits = EntryBits()
    return bits.likeness(bits.of(one), bits.of(other))

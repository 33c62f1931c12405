"""What a run says of the user's tables (``--like``): how many cases are like each of their shapes, and what no case has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import final

from records.run import ConcernedTables, Header, LikeTables, RecordedCase
from reports.findings.failures import Failure
from reports.findings.known import ShownFault
from reports.text.quantities import counted
from shapes.entries import EntryGroup, group_of, name_of
from shapes.likeness import ALIKE, EntryBits

#: A shape is covered if so many cases are like it (docs/your-tables.md#when-a-case-resembles-a-table).
ENOUGH = 10

#: The groups of entries that tell shapes apart for readers.
_TELLING = (EntryGroup.FEATURE, EntryGroup.PARTITION, EntryGroup.FILES)


@dataclass(frozen=True)
class CoveredShape:
    """A shape of the user's tables: how many tables have it, its description in words, how many cases of the run resemble it,
    and the reasons of the known faults that concern it.
    """

    id: str
    tables: int
    words: str
    cases: int
    faults: tuple[str, ...]


@dataclass(frozen=True)
class NotCovered:
    """A feature, property or type of some of the user's tables that no case of the run has."""

    name: str
    tables: int


@dataclass(frozen=True)
class TablesCovered:
    """``tables`` were read and ``unreadable`` could not be. ``shapes``: the most frequent first. ``missing``: what most tables
    have first. ``compared``: the cases that were compared."""

    tables: int
    unreadable: int
    shapes: tuple[CoveredShape, ...]
    missing: tuple[NotCovered, ...]
    compared: int

    @property
    def covered(self) -> int:
        """The tables whose shape ``ENOUGH`` cases are like."""
        return sum(one.tables for one in self.shapes if one.cases >= ENOUGH)


@final
class Likened:
    """The cases of a run, taken one after another, beside the user's tables that its header has, if it has any."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self._cases: Counter[tuple[str, ...]] = Counter()

    def take(self, case: RecordedCase) -> None:
        """Those made by shrinking do not count."""
        if self._header.like is not None and case.shape is not None and case.origin != "shrunk":
            self._cases[case.shape] += 1

    def covered(self) -> TablesCovered | None:
        """None: the header has no tables."""
        like = self._header.like
        if like is None:
            return None
        reasons = [one.reason for one in self._header.known_faults or ()]
        bits = EntryBits()
        cases = [(bits.of(entries), number) for entries, number in self._cases.items()]
        shapes = []
        for one in like.shapes:
            entries = [like.entries[place] for place in one.entries if place < len(like.entries)]
            own = bits.of(entries)
            number = sum(count for other, count in cases if bits.likeness(own, other) >= ALIKE)
            faults = tuple(reasons[place] for place in one.faults if place < len(reasons))
            shapes.append(CoveredShape(one.id, one.tables, _words(entries), number, faults))
        return TablesCovered(like.tables, like.unreadable, tuple(shapes), self._missing(like), self._cases.total())

    def _missing(self, like: LikeTables) -> tuple[NotCovered, ...]:
        """The sizes do not count: the profile scale has large tables."""
        there = {entry for entries in self._cases for entry in entries}
        tables: Counter[str] = Counter()
        for one in like.shapes:
            tables.update({entry: one.tables for place, entry in enumerate(like.entries) if place in one.entries})
        wanted = (entry for entry in tables if entry not in there and group_of(entry) is not EntryGroup.FILES)
        return tuple(
            NotCovered(name_of(entry), tables[entry]) for entry in sorted(wanted, key=lambda one: (-tables[one], one))
        )


def _words(entries: Collection[str]) -> str:
    """``deletionVectors; partition by string; 10 to 99 files``."""
    telling = [one for group in _TELLING for one in entries if group_of(one) is group]
    return "; ".join(map(name_of, telling))


def tables_with(like: LikeTables, conditions: Collection[str]) -> ConcernedTables | None:
    """The user's tables in which these conditions hold together; None if their shapes do not tell."""
    wanted = {place for place, name in enumerate(like.conditions) if name in conditions}
    told = {place for one in like.shapes for place in (*one.has, *one.lacks)}
    if not wanted & told:
        return None
    return ConcernedTables(
        certain=sum(one.tables for one in like.shapes if wanted <= {*one.has}),
        possible=sum(one.tables for one in like.shapes if not wanted & {*one.lacks}),
    )


def failure_tables(header: Header, failure: Failure) -> ConcernedTables | None:
    """The user's tables that a new fault concerns, by the conditions in its case; None if unknown. A case that is not shrunk
    has conditions that do not matter.
    """
    lead = failure.lead
    if header.like is None or lead.judged.origin != "shrunk":
        return None
    return tables_with(header.like, lead.violation.circumstances)


def fault_tables(header: Header, reason: str) -> ConcernedTables | None:
    """The user's tables that the known fault with this reason concerns; None if the header does not list it, or has no tables."""
    return next((one.tables for one in header.known_faults or () if one.reason == reason), None)


def covered_words(like: TablesCovered, *, most: int | None = None) -> str:
    """``96 % of your 40,000 tables have a shape that at least 10 cases resemble; not covered: clustering (31 tables)``, without a
    full stop. ``most``: how many of those that are not covered are named."""
    share = 100 * like.covered // like.tables
    told = f"{share} % of your {like.tables:,} tables have a shape that at least {ENOUGH} cases resemble"
    named = [f"{one.name} ({one.tables:,} {'table' if one.tables == 1 else 'tables'})" for one in like.missing[:most]]
    if left := len(like.missing) - len(named):
        named.append(f"and {left} more")
    told += (
        f"; not covered: {', '.join(named)}" if named else "; a case has each of their features, properties and types"
    )
    if like.unreadable:
        are = "is" if like.unreadable == 1 else "are"
        told += f"; {counted(like.unreadable, 'table')} could not be read, and {are} not counted"
    return told


def spared_words(known: Iterable[ShownFault]) -> str:
    """``3 known faults concern none of your tables``; empty if there are none."""
    number = sum(one.concerns_none for one in known)
    return (
        f"{counted(number, 'known fault')} {'concerns' if number == 1 else 'concern'} none of your tables"
        if number
        else ""
    )

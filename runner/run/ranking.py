"""Which cases matter most to a user, by the shapes of the user's tables."""

from __future__ import annotations

from harness.tables.case_shape import table_entries
from model.vocabulary.case import Case
from shapes.entries import entries_of
from shapes.likeness import EntryBits
from shapes.shape import Shapes
from suites.campaigns import Rank


def ranked_by(shapes: Shapes) -> Rank:
    """How like a case's table is to the user's: from 0 to 1000 for each table, their sum. 0 for a case that has no shape.

    Whole numbers, as sums of fractions differ between releases of Python, and both sides of an upgrade must judge the same cases.
    A case takes some 30 ms of a core, once.
    """
    bits = EntryBits()
    wanted = [(bits.of(entries_of(one.shape)), one.count) for one in shapes.shapes]
    known: dict[tuple[str, ...], int] = {}

    def rank(case: Case) -> int:
        entries = table_entries(case.table)
        if entries is None:
            return 0
        if entries not in known:
            own = bits.of(entries)
            known[entries] = sum(count * round(1000 * bits.likeness(own, other)) for other, count in wanted)
        return known[entries]

    return rank

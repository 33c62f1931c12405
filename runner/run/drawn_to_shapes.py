"""Random cases that resemble the user's tables (``--like``): without the features that a table lacks, and the nearest of
several.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.campaigns.drawing import Choice
from harness.tables.case_shape import table_entries
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from model.vocabulary.table import ColumnRule, Feature, Reference
from shapes.entries import entries_of
from shapes.likeness import EntryBits
from shapes.needs import FEATURES, REFERENCES, RULES
from shapes.shape import Shape, Shapes
from strategies.restriction.capabilities import can_be_judged, restricted_to


def capabilities_like(shape: Shape) -> Capabilities:
    """What a case for tables of this shape may contain."""
    return Capabilities(
        features=frozenset(one for one in Feature if one not in FEATURES or FEATURES[one](shape)),
        column_rules=frozenset(one for one in ColumnRule if one not in RULES or RULES[one](shape)),
        references=frozenset(one for one in Reference if one not in REFERENCES or REFERENCES[one](shape)),
    )


def drawn_to(shapes: Shapes, capabilities: Capabilities = EVERYTHING) -> Choice:
    """For each case to judge, takes the next shape of the user's tables, and the candidate nearest to it, without what the
    shape lacks; the first of equally near ones. ``capabilities``: what the engine supports. A candidate takes some 30 ms of a
    core.
    """
    bits = EntryBits()
    wanted = [
        (bits.of(entries_of(one.shape)), capabilities_like(one.shape).shared(capabilities)) for one in shapes.shapes
    ]

    def choose(candidates: Sequence[Case], place: int) -> Case | None:
        own, allowed = wanted[place % len(wanted)]

        def likeness(case: Case) -> int:
            entries = table_entries(case.table)
            return 0 if entries is None else round(1000 * bits.likeness(own, bits.of(entries)))

        known = [one for one in candidates if can_be_judged(one, capabilities=allowed)]
        return max((restricted_to(one, capabilities=allowed) for one in known), key=likeness, default=None)

    return choose

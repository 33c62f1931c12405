"""The rows of versions; each version shares most of its rows with the one before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from harness.observing.table.table_state import Rows


@dataclass(frozen=True, eq=False)
class VersionRows:
    """The rows of a version: those of the one ``before``, without the ``removed``, with the ``added``; of the first the added.

    So a thousand versions of a table take the space of its changes, not of a thousand tables.
    """

    added: Rows
    removed: Rows = field(default_factory=Counter)
    before: VersionRows | None = None

    @property
    def all(self) -> Rows:
        """All rows, made again for each call."""
        chain = [self]
        while (before := chain[-1].before) is not None:
            chain.append(before)
        rows: Rows = Counter()
        for one in reversed(chain):
            rows.update(one.added)
            rows.subtract(one.removed)
        return +rows


def change_between(before: VersionRows | None, after: VersionRows) -> tuple[Rows, Rows] | None:
    """The rows that were removed and those that were added between a version and the next; None if that is not known."""
    if after is before:
        return Counter(), Counter()
    return (after.removed, after.added) if after.before is not None and after.before is before else None


def converted(versions: Iterable[VersionRows], convert: Callable[[Rows], Rows]) -> dict[VersionRows, VersionRows]:
    """Each of these versions, with its rows converted one by one. A version comes after the one before it."""
    found: dict[VersionRows, VersionRows] = {}
    for one in versions:
        if one not in found:
            before = found.get(one.before) if one.before is not None else None
            whole = one.before is not None and before is None
            rows = convert(one.all) if whole else convert(one.added)
            found[one] = VersionRows(rows, Counter() if whole else convert(one.removed), before)
    return found

"""What one version offers that another does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runner.surface.inventory import EngineSurface, SurfaceItem


@dataclass(frozen=True)
class ItemChange:
    """``before`` and ``after``: the details; None where a version does not have the item."""

    item: SurfaceItem
    before: str | None
    after: str | None

    @property
    def word(self) -> str:
        if self.before is None:
            return "new"
        return "gone" if self.after is None else "changed"


def changes(old: EngineSurface, new: EngineSurface) -> Sequence[ItemChange]:
    """What is new, gone, or has another detail, sorted by item."""
    both = sorted({*old.items(), *new.items()})
    found = (ItemChange(item, old.detail(item), new.detail(item)) for item in both)
    return [change for change in found if change.before != change.after]

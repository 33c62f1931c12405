"""A case: an initial table and a list of steps. Its id is a digest of its JSON form (``model.codec``)."""

from __future__ import annotations

from dataclasses import dataclass

from model.vocabulary.commands import AsWritten
from model.vocabulary.steps import AtOnce, Delete, OtherCommand, Step, Vacuum
from model.vocabulary.table import Table


@dataclass(frozen=True)
class Case:
    table: Table
    steps: tuple[Step, ...]

    @property
    def has_code(self) -> bool:
        """Whether a step has code."""
        return any(map(has_code, self.steps))


def has_code(step: Step) -> bool:
    """Whether it has texts that an engine runs as code. A case from a file may come from anybody: these are not run."""
    if isinstance(step, AtOnce):
        return has_code(step.first) or has_code(step.second)
    if isinstance(step, OtherCommand):
        return isinstance(step.command, AsWritten)
    return isinstance(step, (Delete, Vacuum)) and bool(step.given)

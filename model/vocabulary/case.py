"""A case: an initial table and a list of steps. Its id is a digest of its JSON form (``model.codec``)."""

from __future__ import annotations

from dataclasses import dataclass

from model.vocabulary.steps import Step
from model.vocabulary.table import Table


@dataclass(frozen=True)
class Case:
    table: Table
    steps: tuple[Step, ...]

"""How many processors an engine may use in a case, where that can change its answer (``Rules.draws_processors``)."""

from __future__ import annotations

from model.codec import case_id
from model.vocabulary.case import Case
from model.vocabulary.table import Table

#: The numbers that are drawn. A machine with fewer gives what it has.
CHOICES = (1, 2, 4)


def processors_for(table: Table) -> int:
    """The number for all cases that begin with this table: the same in a replay, and while steps are dropped to shrink a case."""
    return CHOICES[int(case_id(Case(table, ())), 16) % len(CHOICES)]

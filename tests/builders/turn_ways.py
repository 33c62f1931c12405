"""A way in which one of two engines in turn goes wrong on tables of the other."""

from __future__ import annotations

from model.vocabulary.severity import Severity
from reports.together.answer import TurnWay

#: Delta 4.4.0 reads a row that Delta 3.3.2 has deleted.
WAY = TurnWay(
    side="Delta 4.4.0",
    other="Delta 3.3.2",
    clauses=("READ-1A", "DEL-ROW-5B"),
    cause="wrong: rows",
    severity=Severity.DATA_LOSS,
    message="3 rows are read, 2 are there.",
    inherited=None,
    known=None,
    cases=1,
    case="50fe18cd8156",
    pattern="AB",
    step=1,
)

"""DEL-SAFE: DELETEs of rows from tables with a live file that nobody can read whole."""

from __future__ import annotations

import json
import re
from collections import Counter

from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, judgement
from harness.judging.severity import Cause, data_loss
from harness.observing import evidence
from harness.observing.steps.observation import DamagedTableObservation
from harness.observing.table.table_state import Rows
from model.vocabulary.settings import Setting
from model.vocabulary.severity import Severity
from records.expectations import ByReplay, Expectation, FieldHolds, about
from suites.clauses.delete.refusals import check_left_as_it_was
from suites.clauses.shared import harms
from suites.clauses.shared.causes import UNREADABLE, rows
from suites.clauses.shared.checks import difference

_NO_READER = ByReplay("no reader can read the table, of which a file is damaged")
_UNREAD_LOST = Cause("a damaged file is removed, and the rows of it that cannot be read are lost")


@clause(
    "DEL-SAFE-1",
    "DELETE loses no row that it cannot read: if a live file is damaged or missing, the DELETE is refused, or every row that does not match stays in the table, including the rows of that file.",
    sources=("S0", "P Add File and Remove File"),
    harm=data_loss("Rows that nobody could read, but might have brought back, are gone from the table."),
)
def unread_rows_stay(d: DamagedTableObservation) -> Judgement:
    """It may not rewrite such a file. It may remove one by what it knows without reading, as statistics that say that all rows match."""
    if d.after.rows is not None and not d.missing_rows:
        return judgement(None)
    removed = sorted({file.path for file in d.damaged} - set(d.after.live))
    if d.after.rows is None:
        message, facts, cause = "A file that the DELETE leaves cannot be read.", evidence.of_answer(d), UNREADABLE
    else:
        message = f"Every row that does not match must stay, whether it can be read or not: of {d.expected_rows.total()} rows {d.missing_rows.total()} are missing."
        facts = (*evidence.of_rows(d.expected_rows, d.after.rows), *evidence.of_answer(d))
        unread: Rows = sum((d.unread_rows[path] for path in removed), start=Counter())
        cause = _UNREAD_LOST if d.missing_rows <= unread else rows(d.expected_rows, d.after.rows)
    subject = removed[0] if removed else "rows"
    return judgement(Violation(subject, message, _not_removed(d, subject), facts, cause=cause))


def _not_removed(d: DamagedTableObservation, path: str) -> Expectation:
    """That no remove names this file, if it is one."""
    if path not in d.removed:
        return _NO_READER
    encoded = json.dumps(d.before.live[path].path)
    other = FieldHolds("remove", "path", f"(?!{re.escape(encoded)}$).*", f"another path than {encoded}")
    return about(path, other, otherwise=_NO_READER)


@clause(
    "DEL-SAFE-2",
    "If a DELETE succeeds although a live file is damaged or missing, it deletes the matching rows of all files that can be read, and adds no row.",
    sources=("S0",),
    harm=harms.DELETED_ROWS_STAY,
    needs=(Setting.IGNORE_CORRUPT_FILES,),
)
def rows_that_can_be_read_go(d: DamagedTableObservation) -> Judgement:
    found = d.after.rows
    if d.refused or found is None:
        return NOT_EXERCISED
    if not d.unexpected_rows - d.undecided_rows:
        return judgement(None)
    message = f"The DELETE must leave no matching row of a file that can be read; it left {difference(d.expected_rows, found)}."
    facts = (*evidence.of_rows(d.expected_rows, found), *evidence.of_answer(d))
    cause = Cause("rows that must go are there", Severity.WRONG_ANSWERS)
    return judgement(Violation("rows", message, _NO_READER, facts, cause=cause))


@clause(
    "DEL-SAFE-3",
    "A DELETE that is refused because it cannot read a live file commits nothing, touches no existing file, and leaves nothing new but files that it was writing.",
    sources=("C 2.2",),
    harm=harms.DELETED_AND_FAILED,
    of_broken=True,
)
def refused_beside_damage(d: DamagedTableObservation) -> Judgement:
    return check_left_as_it_was(d) if d.refused else NOT_EXERCISED

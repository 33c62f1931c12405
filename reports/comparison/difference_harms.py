"""The worst harm of a difference, by the field that differs: for unexplained differences that no clause is about."""

from __future__ import annotations

from collections.abc import Mapping

from model.vocabulary.severity import Severity
from reports.comparison.differences import Amount, Difference
from reports.comparison.facts import ERROR

_LOSS, _ANSWERS, _UNREADABLE = Severity.DATA_LOSS, Severity.WRONG_ANSWERS, Severity.UNREADABLE
_FAILS, _SPACE, _NUMBERS, _WORDS = Severity.FAILS, Severity.SPACE_KEPT, Severity.WRONG_NUMBERS, Severity.WRONG_WORDS

#: By part of a field. What is not here is a text or a name.
_COSTS: Mapping[str, Severity] = {
    "case": _ANSWERS,
    "broken": _UNREADABLE,
    "changed": _ANSWERS,
    "removed": _SPACE,  # of a command whose rows the clauses judge; a DELETE's are below
    "masked": _SPACE,
    "added": _SPACE,
    "appeared": _SPACE,
    "operations": _NUMBERS,
    "checkpoints": _NUMBERS,
}

#: Where one side only fails: what a user does not get.
_WITHOUT: Mapping[str, Severity] = {
    "delete": _ANSWERS,
    "truncate": _ANSWERS,
    "read": _UNREADABLE,
    "read_changes": _UNREADABLE,
    "vacuum": _SPACE,
}


def harm_of(difference: Difference) -> Severity:
    part, kind, more = difference.field.part, difference.command.kind, difference.amount is not Amount.FEWER
    if part in ("vanished", "changed_beside"):
        return _LOSS if more else _SPACE
    if part in ("removed", "masked") and kind in ("delete", "truncate"):
        return _LOSS if more else _ANSWERS
    if part == "rows":
        return _WORDS if kind == "vacuum" else _ANSWERS
    if difference.field == ERROR and None in (difference.base, difference.candidate):
        return _WITHOUT.get(kind, _FAILS)
    if part in ("metrics", "parameters") and difference.amount is not None:
        return _NUMBERS
    return _COSTS.get(part, _WORDS)

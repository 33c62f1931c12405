"""Faults of the predicate that the commit of a DELETE records: it is on the right columns, and another condition."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from faults.machinery import actions
from faults.machinery.fault import Tamper, delete_fault
from faults.machinery.members import becomes, within

_OTHER = {"=": ">=", "<=>": ">=", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_COMPARISON = re.compile(r"(#\d+L? )(<=>|<=|>=|<|>|=)( )")
_NUMBER = re.compile(r"(#\d+L? (?:<=>|<=|>=|<|>|=) )(-?\d+)(?=\))")
_NEGATED = re.compile(r"\bNOT (?=\()|\bisnotnull(?=\()")
_LIST = re.compile(r"(#\d+L? IN \([^()]*),[^(),]*\)")


def _records(change: Callable[[str], str]) -> Tamper:
    """Change the text of the predicate."""

    recorded = becomes("predicate", lambda texts: json.dumps([change(text) for text in json.loads(texts)]))
    return actions.every(actions.commit_infos, within("operationParameters", recorded))


def _left_operand(text: str) -> str:
    """The left operand of a condition that is an AND as a whole."""
    depth = 0
    for place, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 1 and text.startswith(" AND ", place):
            return text[1:place]
    return text


# fmt: off
FAULTS = (
    delete_fault("records-another-number", "DEL-INFO-2D",
        _records(lambda text: _NUMBER.sub(lambda found: f"{found[1]}{int(found[2]) + 1}", text, count=1)),
        "commitInfo records a predicate with another number."),
    delete_fault("records-another-operator", "DEL-INFO-2D",
        _records(lambda text: _COMPARISON.sub(lambda found: f"{found[1]}{_OTHER[found[2]]}{found[3]}", text, count=1)),
        "commitInfo records a predicate with another operator."),
    delete_fault("records-or-for-and", "DEL-INFO-2D", _records(lambda text: text.replace(" AND ", " OR ", 1)),
        "commitInfo records a predicate with OR instead of AND."),
    delete_fault("records-half-a-predicate", "DEL-INFO-2D", _records(_left_operand),
        "commitInfo records the left side only of conditions that are joined by AND."),
    delete_fault("records-no-negation", "DEL-INFO-2D",
        _records(lambda text: _NEGATED.sub(lambda found: "isnull" if "is" in found[0] else "", text, count=1)),
        "commitInfo records a predicate without its NOT."),
    delete_fault("records-a-shorter-list", "DEL-INFO-2D", _records(lambda text: _LIST.sub(r"\1)", text, count=1)),
        "commitInfo records a predicate whose IN lacks the last value."),
)
# fmt: on

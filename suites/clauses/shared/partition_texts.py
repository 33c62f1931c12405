"""Texts of partition values that an engine has written and that are no values of their type: what a script can check of them.

An engine may read its own texts where other readers cannot, so the rows that it reads show nothing.
"""

from __future__ import annotations

import re

from deltalog.entries.actions import Add, Cdc
from harness.observing.steps.observation import Observation
from model.text.layout import partition_value, physical_name
from model.vocabulary.table import Column
from model.vocabulary.values import AnyType, DecimalOf, Type
from records.expectations import ByReplay, Expectation, FieldHolds

_NUMBER = r"-?\d+(\.\d+)?([eE][-+]?\d+)?"

#: By type: PROTOCOL.md, "Partition Value Serialization".
_PATTERNS: dict[Type, str] = {
    **dict.fromkeys((Type.BYTE, Type.SHORT, Type.INTEGER, Type.LONG), r"-?\d+"),
    **dict.fromkeys((Type.FLOAT, Type.DOUBLE), rf"{_NUMBER}|-?Infinity|NaN"),
    Type.BOOLEAN: "true|false",
    Type.DATE: r"\d{4,}-\d\d-\d\d",
}


def wrong_partition_text(observation: Observation) -> Expectation | None:
    """What must be true of the partition values of the step's adds or change files; None if all are values of their types."""
    actions: list[Add | Cdc] = []
    for commit in observation.commits:
        actions += [*commit.adds, *commit.cdcs]
    for column in observation.table.partition_columns:
        name = physical_name(observation.table, column.name)
        for action in actions:
            text = (action.partition_values or {}).get(name)
            if not _is_value(text, column):
                kind = type(action).__name__.lower()
                return _expectation(kind, name, str(text), column.type)
    return None


def _is_value(text: str | None, column: Column) -> bool:
    try:
        partition_value(text, column.type)
    except ValueError:
        return False
    return True


def _expectation(kind: str, name: str, text: str, type: AnyType) -> Expectation:
    pattern = _NUMBER if isinstance(type, DecimalOf) else _PATTERNS.get(type) if isinstance(type, Type) else None
    if pattern is None or "." in name or re.fullmatch(pattern, text):
        return ByReplay("other readers cannot read the text of a partition value, which this engine has written")
    return FieldHolds(kind, f"partitionValues.{name}", f'"({pattern})"|null', "a value of the column's type")

"""The retention of removed files that a table's properties set."""

from __future__ import annotations

import re
from collections.abc import Mapping

from model.vocabulary.table import DAY, DEFAULT_RETENTION, HOUR, MINUTE, SECOND, WEEK
from records.mistakes import UsageMistake

_PROPERTY = "delta.deletedFileRetentionDuration"
_UNITS: Mapping[str, float] = {
    "week": WEEK,
    "day": DAY,
    "hour": HOUR,
    "minute": MINUTE,
    "second": SECOND,
    "millisecond": 1,
    "microsecond": 0.001,
}
_PART = re.compile(rf"([0-9]{{1,9}}) +({'|'.join(_UNITS)})s?", re.ASCII)


def retention_of(properties: Mapping[str, str]) -> int:
    """In ms. Raises UsageMistake for a value that is no interval of weeks, days and smaller units."""
    text = properties.get(_PROPERTY)
    if text is None:
        return DEFAULT_RETENTION
    parts = re.sub(r"^\s*interval\s+", "", text.lower()).strip()
    if not re.fullmatch(rf"{_PART.pattern}(?:\s+{_PART.pattern})*", parts):
        raise UsageMistake(
            f"The table has {_PROPERTY} = {text!r}, which this release cannot read: it knows intervals such as "
            "'interval 30 days' or 'interval 36 hours 30 minutes'."
        )
    return int(sum(int(count) * _UNITS[unit] for count, unit in _PART.findall(parts)))

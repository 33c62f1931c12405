"""The retentions of removed files and of the log that a table's properties set."""

from __future__ import annotations

import re
from collections.abc import Mapping

from model.vocabulary.table import DAY, DEFAULT_LOG_RETENTION, DEFAULT_RETENTION, HOUR, MINUTE, SECOND, WEEK
from records.mistakes import UsageMistake

_OF_FILES = "delta.deletedFileRetentionDuration"
_OF_THE_LOG = "delta.logRetentionDuration"
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
    """Of removed files, in ms. Raises UsageMistake for a value that is no interval of weeks, days and smaller units."""
    return _interval(properties, _OF_FILES, DEFAULT_RETENTION)


def log_retention_of(properties: Mapping[str, str]) -> int:
    """Of the log, in ms. Raises UsageMistake likewise."""
    return _interval(properties, _OF_THE_LOG, DEFAULT_LOG_RETENTION)


def _interval(properties: Mapping[str, str], name: str, default: int) -> int:
    text = properties.get(name)
    if text is None:
        return default
    parts = re.sub(r"^\s*interval\s+", "", text.lower()).strip()
    if not re.fullmatch(rf"{_PART.pattern}(?:\s+{_PART.pattern})*", parts):
        raise UsageMistake(
            f"The table has {name} = {text!r}, which this release cannot read: it knows intervals such as "
            "'interval 30 days' or 'interval 36 hours 30 minutes'."
        )
    return int(sum(int(count) * _UNITS[unit] for count, unit in _PART.findall(parts)))

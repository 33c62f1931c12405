"""The retentions of removed files and of the log that a table's properties set."""

from __future__ import annotations

from collections.abc import Mapping

from model.vocabulary import table
from model.vocabulary.table import DEFAULT_LOG_RETENTION
from records.mistakes import UsageMistake


def retention_of(properties: Mapping[str, str]) -> int | None:
    """Of removed files, in ms; None: not set. Raises UsageMistake for a value that is no interval of weeks, days and smaller
    units.
    """
    return _interval(properties, "delta.deletedFileRetentionDuration")


def log_retention_of(properties: Mapping[str, str]) -> int:
    """Of the log, in ms. Raises UsageMistake likewise."""
    found = _interval(properties, "delta.logRetentionDuration")
    return DEFAULT_LOG_RETENTION if found is None else found


def _interval(properties: Mapping[str, str], name: str) -> int | None:
    text = properties.get(name)
    try:
        return None if text is None else table.retention_of(text)
    except ValueError:
        raise UsageMistake(
            f"The table has {name} = {text!r}, which this release cannot read: it knows intervals such as "
            "'interval 30 days' or 'interval 36 hours 30 minutes'."
        ) from None

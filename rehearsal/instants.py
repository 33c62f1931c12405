"""The time at which a VACUUM is rehearsed, as users write it."""

from __future__ import annotations

import re
from datetime import datetime, timezone

from model.vocabulary.table import DAY, HOUR
from records.mistakes import UsageMistake

_LATER = re.compile(r"\+([0-9]{1,6})([dh])", re.ASCII)


def instant_of(text: str | None, now: int) -> int:
    """The time in ms since the epoch: ``2026-12-01T00:00:00Z``, or ``+30d`` or ``+12h`` after ``now``; None: ``now``.

    Raises UsageMistake.
    """
    if text is None:
        return now
    if match := _LATER.fullmatch(text):
        return now + int(match[1]) * (DAY if match[2] == "d" else HOUR)
    try:
        found = datetime.fromisoformat(re.sub("[Zz]$", "+00:00", text))
    except ValueError:
        found = None
    if found is None or found.tzinfo is None or found.year < 1971:
        raise UsageMistake(
            f"--at {text} is no time: write, say, 2026-12-01T00:00:00Z, with the time zone, or +30d or +12h for later than now."
        )
    return round(found.timestamp() * 1000)


def written(at: int) -> str:
    """A time in ms since the epoch: ``2026-12-01T00:00:00.000Z``."""
    found = datetime.fromtimestamp(at // 1000, timezone.utc)
    return f"{found:%Y-%m-%dT%H:%M:%S}.{at % 1000:03d}Z"

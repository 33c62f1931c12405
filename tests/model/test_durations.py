"""Lengths of time in words."""

from __future__ import annotations

import pytest

from model.text.durations import duration
from model.vocabulary.table import HOUR, WEEK


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0 s"),
        (1, "0.001 s"),
        (1500, "1.5 s"),
        (59_999, "59.999 s"),
        (HOUR, "1 h"),
        (WEEK + HOUR + 1, "7 d 1 h 0.001 s"),
        (90_000, "1 min 30 s"),
    ],
)
def test_durations_as_text(ms: int, text: str) -> None:
    assert duration(ms) == text

"""The text of a table's retention."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.vocabulary.table import DAY, DEFAULT_RETENTION, HOUR, WEEK, retention_of, retention_text


@pytest.mark.parametrize(
    ("hours", "text"),
    [
        (0, "interval 0 hours"),
        (1, "interval 1 hour"),
        (5, "interval 5 hours"),
        (24, "interval 1 day"),
        (25, "interval 25 hours"),
        (48, "interval 2 days"),
        (168, "interval 1 week"),
        (192, "interval 8 days"),
        (240, "interval 10 days"),
        (336, "interval 2 weeks"),
        (1.5, "interval 90 minutes"),
        (30.0125, "interval 108045 seconds"),
    ],
)
def test_a_retention_uses_the_largest_unit_that_fits(hours: float, text: str) -> None:
    assert retention_text(hours) == text
    assert retention_of(text) == hours * HOUR


@given(st.integers(0, 100_000))
def test_a_retention_reads_back(hours: int) -> None:
    assert retention_of(retention_text(hours)) == hours * HOUR


def test_other_forms_are_accepted() -> None:
    assert retention_of("interval 168 hours") == retention_of("interval 7 days") == WEEK == DEFAULT_RETENTION
    assert retention_of("interval 1 days") == retention_of("23 hours  60 minutes") == DAY
    assert retention_of("INTERVAL 1 day 1500 microseconds") == DAY + 1


@pytest.mark.parametrize("text", ["", "week", "interval 1 month", "interval -1 hours", "interval 1 week and 2 days"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a retention"):
        retention_of(text)


def test_a_negative_retention_is_refused() -> None:
    with pytest.raises(ValueError, match="a retention cannot be -1 hours"):
        retention_text(-1)

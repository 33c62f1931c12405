"""When a ratio of times is clear: where each pair of runs says the same, by more than the pairs differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from records.mistakes import UsageMistake
from reports.comparison.times import TimeRatio, time_ratios


@pytest.mark.parametrize(
    ("ratios", "clear"),
    [
        ((1.3, 1.4, 1.35), True),
        ((0.7, 0.75, 0.72), True),
        ((1.1, 1.4, 1.2), False),  # the spread is as wide as the distance to 1
        ((0.9, 1.3, 1.2), False),  # a pair says the contrary
        ((1.0, 1.0, 1.0), False),
    ],
)
def test_a_ratio_is_clear_of_its_spread(ratios: tuple[float, ...], clear: bool) -> None:
    assert TimeRatio("DELETE of rows", 1_000, 2.0, ratios).is_clear is clear


def test_a_directory_without_runs_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageMistake, match=r"--times .* has no runs of large tables"):
        time_ratios(tmp_path)

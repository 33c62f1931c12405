"""The model of VACUUM: the cutoff, and what no second opinion says of fates.

``second_opinions/test_vacuum.py`` has the fates, ``test_vacuum_storage.py`` also what is listed, and
``tests/suites/test_recorded.py`` the reasons.
"""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.prediction.fates import Reason
from model.prediction.retention import Cutoff, cutoff_for, whole_hours
from model.vocabulary.table import HOUR, WEEK
from tests.builders.listings import CLOCK, DIRECTORY, LINE, WINDOW, file, must_keep, predict, unspecified

VECTOR = "deletion_vector_61d16c75-6994-46b7-a15b-8b538852e50e.bin"


# The cutoff ------------------------------------------------------------------------------------------


def test_without_retain_the_cutoff_is_clock_minus_retention() -> None:
    assert cutoff_for(clock=CLOCK, retention=WEEK, retain=None, wall=(1, 2)) == Cutoff(LINE, LINE, LINE)


def test_a_clock_that_cannot_be_set_gives_an_uncertain_cutoff() -> None:
    """At both ends too: engines differ on files exactly as old as the retention."""
    cutoff = cutoff_for(clock=CLOCK, retention=WEEK, retain=None, wall=(CLOCK, CLOCK + 5), own_clock=False)
    assert [cutoff.is_old(LINE + ms) for ms in (-1, 0, 5, 6)] == [True, None, None, False]
    assert [cutoff.retains(LINE + ms) for ms in (-1, 0, 5, 6)] == [False, None, None, True]


def test_an_effective_retain_uses_the_wall_clock() -> None:
    cutoff = cutoff_for(clock=CLOCK, retention=WEEK, retain=HOUR, wall=(CLOCK + 5, CLOCK + 9))
    assert cutoff == Cutoff(CLOCK + 5 - HOUR, CLOCK + 9 - HOUR, LINE)


@pytest.mark.parametrize(
    ("hours", "whole"),
    [
        (0, 0),
        (0.4, 0),
        (0.49999999999999994, 0),  # adding a half and rounding down would say 1
        (0.5, 1),
        (1.4, 1),
        (1.5, 2),
        (2.5, 3),
        (-0.4, 0),
        (-0.5, 0),
        (-0.50001, -1),
        (-1, -1),
        (-1.5, -1),
        (168, 168),
        (100_000, 100_000),
    ],
)
def test_retain_rounds_to_whole_hours_halves_up(hours: float, whole: int) -> None:
    assert whole_hours(hours) == whole * HOUR


@given(st.floats(-1e6, 1e6))
def test_retain_rounds_as_javas_math_round(hours: float) -> None:
    """Math.round: the nearest whole number, ties towards positive infinity, computed exactly."""
    assert whole_hours(hours) == math.floor(Fraction(hours) + Fraction(1, 2)) * HOUR


# The window of a clock that cannot be set ---------------------------------------------------------------------------


def test_in_the_wall_window_the_protection_of_a_directory_is_uncertain() -> None:
    judged = predict({"d": DIRECTORY}, tombstones={"d/f": CLOCK + 3}, cutoff=WINDOW)
    assert judged["d"] == unspecified(Reason.AT_CUTOFF, None)
    judged = predict({"d/f": file()}, tombstones={"d/f": CLOCK + 3}, cutoff=WINDOW)
    assert judged["d"] == unspecified(Reason.HOLDS_OLD, False)
    judged = predict({"d/_f": file()}, tombstones={"d/f": CLOCK + 3}, cutoff=WINDOW)
    assert judged["d"] == must_keep(Reason.HOLDS, None)


def test_in_the_wall_window_a_vectors_tombstone_is_undecided() -> None:
    things, deleted = {VECTOR: file()}, {VECTOR: CLOCK + 3}
    for judged in (
        predict(things, cutoff=WINDOW, vector_tombstones=deleted),
        predict(things, cutoff=WINDOW, absolute_vectors=deleted),
    ):
        assert judged[VECTOR] == unspecified(Reason.AT_CUTOFF, None)

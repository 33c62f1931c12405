"""``K/N``: a part of many things, by their names."""

from __future__ import annotations

import pytest

from tombstone.mistakes import Mistake
from tombstone.parts import WHOLE, Part, part


def test_each_name_is_in_one_part_and_the_parts_are_of_about_one_size() -> None:
    names = [f"test_{number}" for number in range(1000)]
    parts = [[name for name in names if Part(number, 5).has(name)] for number in range(1, 6)]
    assert sorted(name for one in parts for name in one) == sorted(names) and all(150 < len(one) < 250 for one in parts)
    assert all(WHOLE.has(name) for name in names)


def test_a_part_is_given_by_its_number_and_of_how_many() -> None:
    assert part("2/5") == Part(2, 5)
    for mistake in ("0/5", "6/5", "2", "2/", "a/5", "tests/model"):
        with pytest.raises(Mistake, match="such as 2/5"):
            part(mistake)

"""What is asked of a table beside a read of all rows, by the rows of that read."""

from __future__ import annotations

from model.vocabulary.readings import filtered_by, sought_of

ROWS = ((1, "b"), (3, None), (2, "b"), (2, "a"))


def test_a_column_is_compared_with_the_value_in_the_middle() -> None:
    assert sought_of(ROWS, [0, 1]) == (2, "b")
    assert filtered_by(ROWS, [0, 1]) == (*(2, 1, 0), *(2, 0, 1))


def test_a_column_without_values_is_equal_to_nothing() -> None:
    assert sought_of([(None,), (None,)], [0]) == sought_of((), [0]) == (None,)
    assert filtered_by([(None,), (None,)], [0]) == (0, 0, 2)
    assert filtered_by((), [0]) == (0, 0, 0)

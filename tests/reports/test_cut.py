"""Long texts are cut between words."""

from __future__ import annotations

import pytest

from reports.text.cut import cut


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a short one", "a short one"),
        ("exactly twenty chars", "exactly twenty chars"),
        ("a file with tombstones", "a file with …"),
        ("a file of twenty, or so", "a file of twenty, …"),
        ("p=1/part-00000-20bdfea1.parquet", "p=1/part-00000-20bd…"),
    ],
)
def test_it_is_cut_between_words(text: str, shown: str) -> None:
    assert cut(text, 20) == shown and len(shown) <= 20

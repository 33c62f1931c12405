"""A long text is cut between words, unless a word is half of it or more."""

from __future__ import annotations

from reports.text.cut import cut


def test_a_long_word_is_cut() -> None:
    assert cut("p=1/part-00000-20bdfea1.parquet", 20) == "p=1/part-00000-20bd…"

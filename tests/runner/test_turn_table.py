"""The table of Delta beside delta-rs: which pairs it has, and what becomes of the pages. Nothing runs."""

from __future__ import annotations

import pytest

from engines.provider import DEFAULT
from engines.versions import judged_of
from records.mistakes import UsageMistake
from runner import all_versions, gate_version, turn_table
from runner.turn_table import TurnPair, chosen, pairs, rows_of, table

TWO = (judged_of(DEFAULT)[-1], judged_of("deltalake")[-1])


def test_the_newest_of_each_is_with_all_of_the_other_once() -> None:
    spark, other = judged_of(DEFAULT), judged_of("deltalake")
    found = pairs()
    assert {one.other for one in found if one.spark == spark[-1]} == {*other}
    assert {one.spark for one in found if one.other == other[-1]} == {*spark}
    assert len(found) == len(set(found)) == len(spark) + len(other) - 1


def test_versions_choose_the_pairs_between_them() -> None:
    assert chosen(TWO) == (TurnPair(*TWO),)
    for names in (TWO[:1], (judged_of(DEFAULT)[0], judged_of("deltalake")[0]), (*TWO, "4.4.9")):
        with pytest.raises(UsageMistake, match="The table has "):
            chosen(names)


def test_the_documents_have_the_table_of_their_pages() -> None:
    """Each page has its row, and each row its page."""
    root = gate_version.ROOT
    page = all_versions.page_of(DEFAULT, turn_table.ABOUT)
    assert page == root / "docs" / "together.md"
    first, last = all_versions.marks(DEFAULT, turn_table.ABOUT)
    shown = page.read_text(encoding="utf-8").partition(first)[2].partition(last)[0].strip()
    rows = rows_of({}, shown)
    pages = {path.name for path in (root / turn_table.PAGES).glob("*.md")}
    assert {one.page for one in pairs() if any(f"/{one.page})" in row for row in rows)} == pages
    assert shown == (table(rows) if rows else "")

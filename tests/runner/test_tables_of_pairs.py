"""The tables of upgrades, and of Delta beside delta-rs: their pairs and runs. ``tests/approved/transcripts`` has their words."""

from __future__ import annotations

import pytest

from engines.provider import DEFAULT, ENGINES, kind_of
from engines.versions import judged_of, releases_of
from harness.campaigns.corpus import corpus_cases
from harness.campaigns.drawing import kept_cases
from records.mistakes import UsageMistake
from runner import all_versions, gate_version, turn_table, upgrade_table
from runner.turn_table import OTHER, TurnPair, chosen, pairs, rows_of
from runner.upgrade_table import UpgradePair, UpgradeSide, pairs_of, sides_of, table
from suites.campaigns import CORPUS
from suites.catalogue import CATALOGUE

# Pairs --------------------------------------------------------------------------------------------------------------------


def test_the_pairs_are_neighbours_and_each_with_the_newest_without_doubles() -> None:
    expected = [("1", "2"), ("1", "4"), ("2", "3"), ("2", "4"), ("3", "4")]
    assert [(pair.base, pair.candidate) for pair in pairs_of(("1", "2", "3", "4"))] == expected
    assert pairs_of(("1", "2")) == (UpgradePair("1", "2"),) and pairs_of(("1",)) == ()


@pytest.mark.parametrize("engine", ENGINES)
def test_both_runs_of_a_pair_judge_what_both_versions_can_be_asked_for(engine: str) -> None:
    kind = kind_of(engine)
    for pair in pairs_of(releases_of(engine).judged):
        shared = kind.capabilities_of(pair.base).shared(kind.capabilities_of(pair.candidate))
        for side, version in zip(sides_of(engine, pair), (pair.base, pair.candidate)):
            own = kind.capabilities_of(side.version)
            assert side.version == version
            assert shared == (own if side.other is None else own.shared(kind.capabilities_of(side.other)))


def test_a_run_serves_all_pairs_with_the_same_cases() -> None:
    needed = {side for pair in pairs_of(releases_of("deltalake").judged) for side in sides_of("deltalake", pair)}
    assert sides_of("deltalake", UpgradePair("1.6.3", "1.6.6")) == (UpgradeSide("1.6.3"), UpgradeSide("1.6.6"))
    assert sides_of("deltalake", UpgradePair("1.5.1", "1.6.6")) == (UpgradeSide("1.5.1"), UpgradeSide("1.6.6", "1.5.0"))
    assert len(needed) < 2 * len(pairs_of(releases_of("deltalake").judged))


# The documents ------------------------------------------------------------------------------------------------------------


def rows_in(shown: str) -> str:
    """The table alone."""
    return "\n".join(line for line in shown.splitlines() if line.startswith("|"))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_counts_the_clauses_of_today(engine: str) -> None:
    """Else it is older than the catalogue: its command makes it again."""
    root, first = gate_version.ROOT, kind_of(engine).name
    page = all_versions.page_of(engine).read_text(encoding="utf-8")
    begin, end = all_versions.marks(engine)
    rows = [
        line.strip("| ").split(" | ") for line in rows_in(page.partition(begin)[2].partition(end)[0]).splitlines()[2:]
    ]
    assert rows
    for row in rows:
        failing = 0 if row[8] == "–" else row[8].count(",") + 1
        assert sum(map(int, row[5:8])) + failing == len(CATALOGUE), row
    pages = [path for folder in ("upgrades", "together") for path in (root / "docs" / folder).glob(f"{first}-*.md")]
    old = [path.name for path in pages if f"{len(CATALOGUE)} clauses" not in path.read_text(encoding="utf-8")]
    assert pages and not old


@pytest.mark.parametrize("engine", ENGINES)
def test_the_documents_have_the_table_of_their_pages(engine: str) -> None:
    """Each page has its row, and each row its page; an engine has a row for each pair, or none."""
    root = gate_version.ROOT
    assert all_versions.page_of(engine, "upgrades") == root / "docs" / "upgrades.md"
    begin, end = all_versions.marks(engine, "upgrades")
    shown = (root / "docs" / "upgrades.md").read_text(encoding="utf-8").partition(begin)[2].partition(end)[0]
    pages = {path.name for path in (root / "docs" / "upgrades").glob(f"{kind_of(engine).name}-*.md")}
    rows = upgrade_table._rows(engine, {})
    assert {one.page for one in rows} == pages
    if rows:
        assert rows_in(shown) == table(rows, "upgrades")
    else:
        assert "|" not in shown


def test_a_table_keeps_the_rows_that_the_page_has_of_other_versions() -> None:
    begin, end = all_versions.marks(DEFAULT)
    head, rule = "| Delta | PySpark | Date |", "| --- | --- | --- |"
    rows = ["| 4.0.0 | 4.0.1 | a |", "| 4.0.0 | 4.0.5 | b |", "| 10.0.0 | 4.2.0 | c |"]
    page = "\n".join(["text", begin, "", head, rule, *rows, "", "Made.", end, "| else |"])
    new = "| 4.0.0 | 4.0.5 | new |"
    made = all_versions.with_kept("\n".join([head, rule, new]), page, DEFAULT)
    assert made.splitlines() == [head, rule, rows[0], new, rows[2]]
    older = page.replace(head, "| Delta | PySpark |")
    assert all_versions.with_kept("\n".join([head, rule, new]), older, DEFAULT).splitlines() == [head, rule, new]


# Delta beside delta-rs ----------------------------------------------------------------------------------------------------

TWO = (judged_of(DEFAULT)[-1], judged_of("deltalake")[-1])


def test_the_newest_of_each_is_with_all_of_the_other_once() -> None:
    spark, other = judged_of(DEFAULT), judged_of("deltalake")
    found = pairs()
    assert {one.other for one in found if one.spark == spark[-1]} == {*other}
    assert {one.spark for one in found if one.other == other[-1]} == {*spark}
    assert len(found) == len(set(found)) == len(spark) + len(other) - 1


def test_each_pair_can_be_asked_all_cases_of_the_corpus() -> None:
    """Delta before 3.3 and delta-rs have no mode of VACUUM of the same name: no such pair had ever run."""
    for pair in pairs():
        other = kind_of(OTHER).capabilities_of(pair.other.partition("==")[2])
        shared = kind_of(DEFAULT).capabilities_of(pair.spark).shared(other)
        assert kept_cases(CORPUS.of(corpus_cases("together")), shared), pair


def test_versions_choose_the_pairs_between_them() -> None:
    assert chosen(TWO) == (TurnPair(*TWO),)
    for names in (TWO[:1], (judged_of(DEFAULT)[0], judged_of("deltalake")[0]), (*TWO, "4.4.9")):
        with pytest.raises(UsageMistake, match="The table has "):
            chosen(names)


def test_the_document_has_the_table_of_its_pages() -> None:
    """Each page has its row, and each row its page."""
    root = gate_version.ROOT
    page = all_versions.page_of(DEFAULT, turn_table.ABOUT)
    assert page == root / "docs" / "together.md"
    first, last = all_versions.marks(DEFAULT, turn_table.ABOUT)
    shown = rows_in(page.read_text(encoding="utf-8").partition(first)[2].partition(last)[0])
    rows = rows_of({}, shown)
    pages = {path.name for path in (root / turn_table.PAGES).glob("*.md")}
    assert {one.page for one in pairs() if any(f"/{one.page})" in row for row in rows)} == pages
    assert shown == (turn_table.table(rows) if rows else "")

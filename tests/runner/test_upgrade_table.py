"""The table of upgrades: which pairs it has, from which runs. What the command says is in ``tests/approved/transcripts``."""

from __future__ import annotations

import pytest

from engines.provider import ENGINES, kind_of
from engines.versions import releases_of
from runner import all_versions, gate_version, upgrade_table
from runner.upgrade_table import UpgradePair, UpgradeSide, pairs_of, sides_of, table

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


# The table ----------------------------------------------------------------------------------------------------------------


# The documents ------------------------------------------------------------------------------------------------------------


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
        assert shown.strip() == table(rows, "upgrades")
    else:
        assert "|" not in shown

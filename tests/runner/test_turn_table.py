"""The table of Delta beside delta-rs: which pairs it has, and what becomes of the pages. Nothing runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engines.provider import DEFAULT
from engines.versions import judged_of
from records.mistakes import UsageMistake
from reports.together.reading import FILE
from runner import all_versions, gate_version, together, turn_table
from runner.turn_table import TurnPair, chosen, pairs, rows_of, table
from tests.builders.turn_ways import WAY
from tests.runner.test_versions import Gate

TWO = (judged_of(DEFAULT)[-1], judged_of("deltalake")[-1])


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A checkout with the page that has a place for the table."""
    for module in (all_versions, turn_table):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("Nothing.\n", encoding="utf-8")
    first, last = all_versions.marks(DEFAULT, turn_table.ABOUT)
    (tmp_path / "docs" / "together.md").write_text(f"Before.\n{first}\n\n{last}\nAfter.\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    fake = Gate()
    monkeypatch.setattr(together, "judged_in_turn", fake.in_turn)
    return fake


def asked(root: Path, *arguments: str) -> int:
    return turn_table.main([*arguments, "--out", str(root / "out")])


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


def test_the_table_and_the_page_are_written_and_other_rows_stay(
    root: Path, gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    gate.ways = (replace(WAY, side=f"Delta {TWO[0]}", other=f"deltalake {TWO[1].partition('==')[2]}"),)
    page = root / "docs" / "together.md"
    oldest = TurnPair(TWO[0], judged_of("deltalake")[0])
    kept = f"| a | b | ✅ [PASS](together/{oldest.page}) | c | d | 3 |"
    text = page.read_text(encoding="utf-8").replace("begin -->\n", f"begin -->\n\n{kept}\n")
    page.write_text(text, encoding="utf-8")
    assert asked(root, *TWO, "--run", "--write") == 0
    number = TWO[1].partition("==")[2]
    made = f"| {TWO[0]} | {number} | ❌ [FAIL](together/{TurnPair(*TWO).page}) | loses data in 1 way | nothing new is wrong | 1 |"
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert said[2:] == [kept, made]
    text = page.read_text(encoding="utf-8")
    assert text.startswith("Before.") and text.endswith("After.\n") and kept in text and made in text
    own = (root / "docs" / "together" / TurnPair(*TWO).page).read_text(encoding="utf-8")
    assert own.startswith("# ❌ FAIL: ") and "(cases/" not in own and "50fe18cd8156, AB, step 1" in own
    assert own.endswith(f"    .venv/bin/tox -e together -- {TWO[0]} {TWO[1]}\n")
    turns = list(gate.turns)
    assert asked(root, *TWO, "--run") == asked(root, *TWO) == 0
    assert gate.turns == turns, "what is there is not run again"
    file = root / "out" / "-".join(TWO) / FILE
    file.write_text(
        file.read_text(encoding="utf-8").replace('"interrupted": null', '"interrupted": 60'), encoding="utf-8"
    )
    assert asked(root, *TWO) == 2 and asked(root, *TWO, "--run") == 0
    assert gate.turns == 2 * turns, "what the user interrupted is"


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

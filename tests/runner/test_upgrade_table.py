"""The table of upgrades: which pairs it has, from which runs, and what becomes of the pages. A fake gate stands for tox."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from engines.provider import ENGINES, kind_of
from engines.versions import releases_of, version_of
from reports.text.ladder import Word
from runner import all_versions, gate_version, together, upgrade_table
from runner.upgrade_table import UpgradePair, UpgradeRow, UpgradeSide, pairs_of, row_of, sides_of, table
from tests.builders.small_streams import CLAUSES, case, changed, header, plain, run, written
from tests.builders.turn_ways import WAY
from tests.runner.test_versions import QUIET, Gate

KEPT = gate_version.ROOT / "docs" / "demo" / "upgrade"

#: The small streams of the fake gate are of this profile.
GATE = ("--profile", "gate")

TWO = ("deltalake==1.5.0", "deltalake==1.5.1")


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A checkout with the pages that have a place for the tables."""
    for module in (all_versions, upgrade_table):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("Nothing.\n", encoding="utf-8")
    places = [line for engine in ENGINES for line in all_versions.marks(engine, "upgrades")]
    text = "\n".join(["Before.", *places[:1], "an old table", *places[1:], "After."])
    (tmp_path / "docs" / "upgrades.md").write_text(f"{text}\n", encoding="utf-8")
    return tmp_path


def asked(root: Path, *arguments: str, alone: bool = True) -> int:
    """The command, with its files below ``root``. ``alone``: the versions do not run in turn."""
    given = [*arguments, *["--no-together"] * alone]
    return upgrade_table.main([*given, "--from", str(root / "versions"), "--out", str(root / "out")])


def use(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> Gate:
    monkeypatch.setattr(upgrade_table, "run_gate", gate)
    monkeypatch.setattr(together, "judged_in_turn", gate.in_turn)
    return gate


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


def test_a_row_has_the_answer_with_its_page_and_the_reason() -> None:
    page = "# ⚠️ LOOK FIRST: nothing is worse; 1 \\_x | y\n\nmore\n"
    found = row_of(UpgradePair("1", "2"), page, "a-1-2.md")
    assert found == UpgradeRow(UpgradePair("1", "2"), "⚠️", Word.LOOK_FIRST, "nothing is worse; 1 \\_x | y", "a-1-2.md")
    assert table([found], "upgrades").splitlines() == [
        "| From | To | Answer | Why |",
        "| --- | --- | --- | --- |",
        "| 1 | 2 | ⚠️ [LOOK FIRST](upgrades/a-1-2.md) | nothing is worse; 1 \\_x \\| y |",
    ]


@pytest.mark.long
def test_the_answer_is_that_of_a_comparison_of_the_kept_runs(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = {TWO[0]: KEPT / "candidate", TWO[1]: KEPT / "base"}
    for name, stream in sides.items():
        shutil.copytree(stream, root / "versions" / name)
    assert asked(root, *TWO, "--write") == 0
    reason = "deltalake 1.5.1 loses data in 1 way that 1.5.0 does not"
    row = f"| 1.5.0 | 1.5.1 | ❌ [DO NOT UPGRADE](upgrades/deltalake-1.5.0-1.5.1.md) | {reason}"
    assert row in capsys.readouterr().out
    assert (root / "out" / "-".join(TWO) / "compare.html").is_file()
    page = (root / "docs" / "upgrades" / "deltalake-1.5.0-1.5.1.md").read_text(encoding="utf-8")
    assert page.startswith(f"# ❌ DO NOT UPGRADE: {reason}") and len(page) < 20_000
    assert "## Worse on deltalake 1.5.1, in " in page and "## Better on deltalake 1.5.1\n" in page


def test_what_is_missing_is_run_and_nothing_else(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = use(Gate(v1_6_6=1), monkeypatch)
    two = ("deltalake==1.5.1", "deltalake==1.6.6")
    assert asked(root, *two, *GATE, "--run") == 0
    shared = [*QUIET, "--shared-with", "deltalake==1.5.0", *GATE]
    assert gate.asked == [(version_of(two[0]), [*QUIET, *GATE]), (version_of(two[1]), shared)]
    assert asked(root, *two, *GATE, "--run") == asked(root, *two, *GATE) == 0
    assert len(gate.asked) == 2
    stream = root / "versions" / two[0] / "run.jsonl"
    stream.write_bytes(stream.read_bytes()[:-20])
    assert asked(root, *two, *GATE, "--run") == 0
    assert len(gate.asked) == 3, "the one without an end is run again"


def test_the_table_and_the_pages_are_written_and_other_rows_stay(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(Gate(v1_5_1=1), monkeypatch)
    kept = root / "docs" / "upgrades" / "deltalake-1.6.3-1.6.6.md"
    kept.parent.mkdir()
    kept.write_text("# ✅ UPGRADE: of before\n", encoding="utf-8")
    assert asked(root, *TWO, *GATE, "--run", "--write") == 0
    worse = "deltalake 1.5.1 loses data in 1 way that 1.5.0 does not"
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| 1")]
    assert rows == [
        f"| 1.5.0 | 1.5.1 | ❌ [DO NOT UPGRADE](upgrades/deltalake-1.5.0-1.5.1.md) | {worse} |",
        "| 1.6.3 | 1.6.6 | ✅ [UPGRADE](upgrades/deltalake-1.6.3-1.6.6.md) | of before |",
    ]
    text = (root / "docs" / "upgrades.md").read_text(encoding="utf-8")
    assert all(line in text for line in rows) and text.startswith("Before.") and text.endswith("After.\n")
    page = (kept.parent / "deltalake-1.5.0-1.5.1.md").read_text(encoding="utf-8")
    assert page.startswith("# ❌ DO NOT UPGRADE: deltalake 1.5.1 loses data") and str(root) not in page
    again = "    .venv/bin/tox -e upgrade -- deltalake==1.5.0 deltalake==1.5.1 --profile gate --no-together"
    assert again in page.splitlines()


def test_what_goes_wrong_in_turn_is_in_the_row_and_in_the_page(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = use(Gate(), monkeypatch)
    gate.ways = (replace(WAY, side="deltalake 1.5.0", other="deltalake 1.5.1"),)
    assert asked(root, *TWO, *GATE, "--run", "--write", alone=False) == 0
    assert gate.turns == ["deltalake 1.5.0", "deltalake 1.5.1"]
    assert "⚠️ [LOOK FIRST]" in (said := capsys.readouterr().out) and "there is no way back; nothing is worse" in said
    page = (root / "docs" / "upgrades" / "deltalake-1.5.0-1.5.1.md").read_text(encoding="utf-8")
    assert "**NO WAY BACK: on tables of deltalake 1.5.1, deltalake 1.5.0 loses data in 1 way.**" in page
    assert (
        "## Both in turn, on the same tables" in page and "on the same tables, in turn: 1 case in both orders" in page
    )
    assert "    .venv/bin/tox -e upgrade -- deltalake==1.5.0 deltalake==1.5.1 --profile gate" in page.splitlines()
    assert asked(root, *TWO, *GATE, "--run", alone=False) == asked(root, *TWO, *GATE, alone=False) == 0
    assert len(gate.turns) == 2, "it is not run again"


def test_a_missing_run_in_turn_is_named(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(Gate(), monkeypatch)
    assert asked(root, *TWO, *GATE, "--run") == 0
    capsys.readouterr()
    assert asked(root, *TWO, *GATE, alone=False) == 2
    place = root / "out" / "together" / "-".join(TWO)
    assert capsys.readouterr().err == (
        f"There is no run of both in turn in {place}: add --run, which makes it in minutes, or --no-together.\n"
    )


def test_without_write_no_page_is_touched(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(Gate(), monkeypatch)
    before = (root / "docs" / "upgrades.md").read_text(encoding="utf-8")
    assert asked(root, *TWO, *GATE, "--run") == 0
    assert (root / "docs" / "upgrades.md").read_text(encoding="utf-8") == before
    assert not (root / "docs" / "upgrades").exists()


# Mistakes -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("cut", "ends in the middle of a line: the run that wrote it died, so run it again."),
        ("schema", "has schema version 5, but this release reads version 6"),
        (
            "profile",
            "has no run of all cases of smoke on deltalake==1.5.0: name another directory with --from, or remove",
        ),
        (
            "clauses",
            "has no run of all cases of gate on deltalake==1.5.0: name another directory with --from, or remove",
        ),
    ],
)
def test_a_run_that_cannot_be_used_is_told_in_a_sentence(
    end: str, words: str, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(Gate(), monkeypatch)
    assert asked(root, *TWO, *GATE, "--run") == 0
    stream = root / "versions" / TWO[0] / "run.jsonl"
    if end == "cut":
        stream.write_bytes(stream.read_bytes()[:-20])
    elif end == "schema":
        first, rest = stream.read_bytes().split(b"\n", 1)
        stream.write_bytes(json.dumps({**json.loads(first), "schema": 5}).encode() + b"\n" + rest)
    elif end == "clauses":
        head = header(engine="deltalake", versions={"deltalake": "1.5.0"})
        first, *others = plain(head)["clauses"]
        chosen = changed(
            head, clauses=[first | {"status": "disabled", "reason": "--clause does not select it."}, *others]
        )
        one = run(case(1, clauses=CLAUSES[1:]), first=chosen)
        stream.write_bytes(written([one.header, *one.cases, one.footer]))
    capsys.readouterr()
    assert asked(root, *TWO, *(() if end == "profile" else GATE)) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


def test_a_gate_that_does_not_end_ends_the_command(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(Gate(v1_5_1=2), monkeypatch)
    assert asked(root, *TWO, *GATE, "--run") == 2
    assert capsys.readouterr().err == (
        "The gate on deltalake 1.5.1 did not finish, as is said above: the same command goes on there.\n"
    )


def test_runs_of_different_cases_are_told_with_the_pair(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(Gate(), monkeypatch)
    assert asked(root, *TWO, *GATE, "--run") == 0
    one = run(case(2), first=header(engine="deltalake", versions={"deltalake": "1.5.1"}))
    (root / "versions" / TWO[1] / "run.jsonl").write_bytes(written([one.header, *one.cases, one.footer]))
    assert asked(root, *TWO, *GATE) == 2
    assert capsys.readouterr().err.startswith("1.5.0 → 1.5.1: The runs judged different cases: ")


def test_a_page_that_is_no_upgrade_is_named(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(Gate(), monkeypatch)
    (root / "docs" / "upgrades").mkdir()
    (root / "docs" / "upgrades" / "deltalake-1.6.3-1.6.6.md").write_text("Mine.\n", encoding="utf-8")
    assert asked(root, *TWO, *GATE, "--run") == 2
    assert capsys.readouterr().err == (
        "docs/upgrades/deltalake-1.6.3-1.6.6.md does not begin with an answer: remove it, and make it again.\n"
    )


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

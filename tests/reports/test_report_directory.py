"""What is deleted of a directory before a report is written: an earlier report, and nothing of the user's."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from records.mistakes import UsageMistake
from reports.command import main as reports
from reports.render.marks import COMPARISON, REPORT, require_own
from reports.render.report_directory import prepare, reserve
from reports.stream.reading import read_run
from runner import upgrade
from runner.plugin import ROOT
from tests.builders.fake_gates import Gate, used

DEMO = ROOT / "docs" / "demo"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A whole report, with a counterexample."""
    made = tmp_path / "report"
    shutil.copytree(DEMO / "broken", made)
    run = made / "run.jsonl.gz"
    assert reports(["render", str(run)]) == 0
    (made / "run.jsonl").write_text('{"type":"header",', encoding="utf-8")
    (made / "counterexamples" / "scripts.json").write_text("[]\n", encoding="utf-8")
    run.unlink()
    return made


def contents(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_an_earlier_report_is_removed(report: Path) -> None:
    assert {*REPORT} <= {*contents(report)}
    prepare(report, option="--report-dir").close()
    assert contents(report) == {"run.jsonl": b""}


def test_nothing_is_removed_until_the_run_begins(report: Path) -> None:
    before = contents(report)
    with reserve(report, option="--report-dir"):
        pass
    assert contents(report) == before


def test_where_no_run_has_begun_nothing_is_left(tmp_path: Path) -> None:
    with reserve(tmp_path, option="--report-dir"):
        assert (tmp_path / "run.jsonl").exists()
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("name", REPORT)
def test_a_file_of_the_users_is_not_replaced(name: str, report: Path) -> None:
    (report / name).write_text("# My summary: what PASS means\n", encoding="utf-8")
    before = contents(report)
    with pytest.raises(UsageMistake) as refusal:
        prepare(report, option="--report-dir")
    assert str(refusal.value) == (
        f"--report-dir: {report / name} is not of Tombstone, and would be replaced: name another directory."
    )
    assert contents(report) == before
    (report / name).unlink()
    prepare(report, option="--report-dir").close()


def test_what_a_user_adds_to_a_counterexample_stays(report: Path) -> None:
    (folder,) = (path for path in (report / "counterexamples").iterdir() if path.is_dir())
    (folder / "notes.md").write_text("mine")
    other = report / "counterexamples" / "mine"
    other.mkdir()
    (other / "case.json").write_bytes((folder / "case.json").read_bytes())
    prepare(report, option="--report-dir").close()
    left = {"run.jsonl", f"counterexamples/{folder.name}/notes.md", "counterexamples/mine/case.json"}
    assert {*contents(report)} == left


@pytest.mark.long
def test_the_views_of_a_part_of_a_run_and_of_a_comparison_are_known(tmp_path: Path) -> None:
    """Each file that a command writes has the mark by which the next one knows it."""
    for command, known in [
        (["compare", *(str(DEMO / "upgrade" / side) for side in ("base", "candidate"))], COMPARISON),
        (
            ["render", str(DEMO / "healthy")],
            {name: REPORT[name] for name in ("report.html", "summary.md", "junit.xml")},
        ),
    ]:
        for _ in range(2):
            assert reports([*command, "--out", str(tmp_path)]) in (0, 1, 3)
        assert all((tmp_path / name).is_file() for name in known)
        require_own(tmp_path, known, option="--out")


SIDES = [str(DEMO / "upgrade" / side) for side in ("base", "candidate")]


@pytest.mark.parametrize(
    ("command", "out", "name"),
    [
        *((["compare", *SIDES], "", name) for name in ("compare.html", "comparison.md", "comparison.json")),
        (["index", str(DEMO)], "index.html", "index.html"),
    ],
)
def test_no_file_of_the_users_is_replaced(
    command: list[str], out: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text("mine", encoding="utf-8")
    assert reports([*command, "--out", str(tmp_path / out)]) == 2
    assert f"{tmp_path / name} is not of Tombstone" in capsys.readouterr().err
    assert contents(tmp_path) == {name: b"mine"}


@pytest.mark.long
def test_the_cases_of_a_comparison_are_replaced_and_no_others(tmp_path: Path) -> None:
    case = next((DEMO / "broken" / "counterexamples").glob("*/case.json"))
    own, mine = tmp_path / "cases" / "01a58165dab6.json", tmp_path / "cases" / "my-case.json"
    own.parent.mkdir()
    own.write_bytes(case.read_bytes())
    mine.write_bytes(case.read_bytes())
    (tmp_path / "cases" / "notes.json").write_text(json.dumps([1]))
    assert reports(["compare", *SIDES, "--out", str(tmp_path)]) == 1
    assert not own.exists() and mine.exists() and (tmp_path / "cases" / "notes.json").exists()


# An upgrade -----------------------------------------------------------------------------------------------------------

VERSIONS = ["deltalake==1.5.1", "deltalake==1.5.0"]


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """Of a checkout in a directory of the test."""
    made = Gate()
    with used(made, tmp_path):
        yield made


def test_an_upgrade_that_does_not_end_leaves_no_earlier_answer(gate: Gate, tmp_path: Path) -> None:
    assert upgrade.main([*VERSIONS, "--out", "there"]) == 0
    assert {*COMPARISON} <= {*contents(tmp_path / "there")}
    read_run(tmp_path / "there" / "candidate")
    gate.ends = {"1.5.1": "does-not-end"}
    assert upgrade.main([*VERSIONS, "--out", "there"]) == 2
    assert {*contents(tmp_path / "there")} == {"base/run.jsonl", "candidate/run.jsonl"}
    assert set(contents(tmp_path / "there").values()) == {b""}


@pytest.mark.parametrize("options", [["--profile", "smok"], ["--accept", "nowhere.toml"], ["-x"]])
@pytest.mark.usefixtures("gate")
def test_an_upgrade_with_a_mistake_leaves_the_earlier_answer(
    options: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert upgrade.main([*VERSIONS, "--out", "there"]) == 0
    before = contents(tmp_path)

    def refuse(_: object) -> None:
        raise UsageMistake("No.")

    monkeypatch.setattr(upgrade, "check_gate", refuse)
    assert upgrade.main([*VERSIONS, "--out", "there", *options]) == 2
    assert contents(tmp_path) == before


@pytest.mark.usefixtures("gate")
@pytest.mark.parametrize("name", ["compare.html", "base/summary.md", "candidate/run.jsonl"])
def test_an_upgrade_replaces_no_file_of_the_users(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine", encoding="utf-8")
    assert upgrade.main([*VERSIONS, "--out", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert "is not of Tombstone" in said.err and "(gate of" not in said.out
    assert contents(tmp_path) == {name: b"mine"}

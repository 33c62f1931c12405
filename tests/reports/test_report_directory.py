"""What is deleted of a directory before a report is written: an earlier report, and nothing of the user's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from records.mistakes import UsageMistake
from reports.command import main as reports
from reports.render.marks import REPORT
from reports.render.report_directory import prepare, reserve
from runner.plugin import ROOT

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

"""The rehearsal against engines: what it says is what a right engine deletes of a copy, and not what a wrong one does."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from model.prediction.fates import Reason
from rehearsal import trials
from rehearsal.__main__ import main
from runner.command_line.commands import in_a_sentence
from tests.rehearsal.tables import EXPIRED, RECENT, WRITTEN, write_table
from tests.shapes.test_reads_alone import status


def rehearse(*words: str) -> int:
    return in_a_sentence(main)([*words, "--at", WRITTEN])


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every version is the one that is installed beside the tests."""
    monkeypatch.setattr(trials, "python_of", lambda version: Path(sys.executable))


def test_delta_rs_on_a_copy(here: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = write_table(tmp_path / "table")
    (table / "_link").symlink_to(table / "p=1")
    (table / EXPIRED).unlink()
    before = status(table)
    assert rehearse(str(table), f"deltalake=={version('deltalake')}", "--out", str(tmp_path / "out")) == 0
    said = capsys.readouterr().out
    assert "PASS: " in said and " did so on a copy\n" in said
    (trial,) = json.loads((tmp_path / "out" / "rehearsal.json").read_text(encoding="utf-8"))["trials"]
    assert trial["gone"] == {"files": 1, "bytes": 4} and trial["announced"]["listed"] == 2
    assert " and then 1 file (4 bytes) went. Of those listed 1 was not there any more\n" in said
    assert status(table) == before


def test_a_known_fault_of_delta_rs_shows(here: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By its other path, through a link, a file that must be kept looks like an old one that nothing refers to."""
    table = write_table(tmp_path / "table")
    (table / "link").symlink_to(table / "p=1")
    assert rehearse(str(table), f"deltalake=={version('deltalake')}") == 1
    said = capsys.readouterr().out
    assert "VACUUM deleted p=1/recent.parquet, which must be kept: " in said
    assert "A known fault: The listing of a local directory follows sym" in said


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        (
            "BY_FILE_AGE",
            f"VACUUM deleted {RECENT}, which must be kept: {Reason.RETAINED.value} (VAC-KEEP-1B, VAC-SAFE-2)",
        ),
        ("KEEPS_EXPIRED", f"VACUUM did not delete {EXPIRED}, which must be deleted: {Reason.EXPIRED.value} ("),
    ],
)
def test_a_release_with_a_fault_of_vacuum_fails(
    engine: str, said: str, here: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of the real way: its process runs the statement on copies."""
    assert rehearse(str(write_table(tmp_path / "table")), f"tests.rehearsal.known_bad:{engine}==1.1") == 1
    (answer,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("FAIL: "))
    assert f" on a copy: {said}" in answer


def test_no_engine_is_run_where_it_is_not_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "tried", None)
    table = write_table(tmp_path / "table")
    assert rehearse(str(table)) == 0
    assert rehearse(str(table), "4.3.1", "4.4.0", "--model-only") == 0

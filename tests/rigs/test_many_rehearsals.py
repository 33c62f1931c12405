"""The commands that show that the rehearsal is right: many tables by one engine, and copies with data."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from model.prediction.fates import Reason
from runner.command_line.commands import Main, in_a_sentence
from tests.rehearsal.tables import RECENT, WRITTEN, write_table
from tests.rigs import many_rehearsals as many
from tests.rigs import rehearsal_with_data as with_data
from tests.shapes.test_reads_alone import status

pytestmark = pytest.mark.process

RIGHT, WRONG = "tests.outside_engine:WITH_ALL==1.0", "tests.rehearsal.known_bad:BY_FILE_AGE==1.1"


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every version is the one that is installed beside the tests."""
    for module in (many, with_data):
        monkeypatch.setattr(module, "python_of", lambda version: Path(sys.executable))


def run(main: Main, *words: str) -> int:
    return in_a_sentence(main)([*words, "--at", WRITTEN])


def test_many_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = [write_table(tmp_path / name) for name in ("a", "b")]
    (tmp_path / "none").mkdir()
    names = tmp_path / "names"
    names.write_text("".join(f"{path}\n" for path in [*tables, tmp_path / "none"]), encoding="utf-8")
    before = [status(table) for table in tables]
    assert run(many.main, RIGHT, "--tables", str(names)) == 0
    (*lines, last) = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["agrees", "agrees", "refused"]
    assert last.endswith(" 2 agrees, 0 known fault, 0 alarm, 1 refused; 4 files went")
    assert [status(table) for table in tables] == before
    assert run(many.main, WRONG, str(tables[0])) == 1
    said = capsys.readouterr().out
    assert f"such as {RECENT}: " in said
    assert f"\n1 table: tests.rehearsal.known_bad:BY_FILE_AGE 1.1 deletes: {Reason.RETAINED.value}\n" in said


def test_a_copy_with_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = write_table(tmp_path / "table")
    (table / "_delta_log" / ".00000000000000000000.json.crc").write_bytes(b"crc")
    before = status(table)
    assert run(with_data.main, str(table), RIGHT) == 0
    (line, last) = capsys.readouterr().out.splitlines()
    both = "2 files (1.0 kB)"
    assert line.endswith(
        f" deletes {both} by the model, {both} of the stand-ins, {both} of the copy with data: the same"
    )
    assert last == "10 paths, 3 commits: the lists are the same"
    assert status(table) == before
    assert run(with_data.main, str(table), WRONG) == 1
    assert f"  {RECENT}: only stand-ins and data\n" in capsys.readouterr().out

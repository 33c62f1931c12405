"""``tombstone rehearse``: what it answers, writes and refuses."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deltalog.entries.actions import Metadata, Protocol
from deltalog.entries.commits import write_commit
from model.vocabulary.table import DAY
from rehearsal.__main__ import main
from runner.command_line.commands import in_a_sentence
from tests.rehearsal.tables import (
    AT,
    METADATA,
    WRITTEN,
    info,
    write_table,
)
from tests.runner.test_workspace import until

ROOT = Path(__file__).resolve().parents[2]


def rehearse(*words: str, at: str = WRITTEN) -> int:
    return in_a_sentence(main)([*words, "--model-only", "--at", at])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_table(tmp_path / "table")


def test_many_directories_are_folded(tmp_path: Path) -> None:
    root = tmp_path / "table"
    write_commit(
        root, 0, [info("CREATE TABLE"), Protocol(1, 2), Metadata("a", METADATA.schema_string)], modified=AT - 9 * DAY
    )
    for number in range(60):
        (root / f"p={number % 3}" / f"q={number}").mkdir(parents=True)
        (root / f"p={number % 3}" / f"q={number}" / "a").write_bytes(b"xy")
    assert rehearse(str(root), "--out", str(tmp_path / "out"), at="+8d") == 0
    page = (tmp_path / "out" / "rehearsal.md").read_text(encoding="utf-8")
    assert [line.count("20 files (40 bytes)") for line in page.splitlines() if line.startswith("| p=")] == [2, 2, 2]


#: A rehearsal that says where its files are, and waits there.
WAITS = """
import signal, sys
import rehearsal.__main__ as command
def waits(root, copy):
    print(copy.parent, flush=True)
    signal.pause()
command.read_table = waits
command.main(sys.argv[1:])
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_rehearsal_that_is_ended_leaves_nothing(table: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-c", WAITS, str(table), "--model-only"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        directory = Path(process.stdout.readline().rstrip("\n"))
        assert directory.is_dir()
        process.send_signal(how)
    until(lambda: not directory.exists(), "the directory is removed")

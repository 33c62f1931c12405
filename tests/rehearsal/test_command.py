"""``tombstone rehearse`` leaves nothing, however it ends. ``tests/approved/transcripts`` has what it says."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rehearsal.tables import write_table
from tests.runner.test_workspace import until

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_table(tmp_path / "table")


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

"""The directory of a run is removed however the run ends, and nothing else is."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from records.mistakes import UsageMistake
from runner.processes.reaper import reap
from runner.processes.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]

#: How long to wait for a condition, seconds.
LIMIT = 30

#: A run that makes a workspace, starts a process, prints both, and closes the workspace at "close" on its standard input.
RUN = """
import subprocess, sys
from runner.processes.workspace import Workspace
workspace = Workspace(sys.argv[1] if len(sys.argv) > 1 else None)
child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], start_new_session=True)
workspace.started(child.pid)
(workspace.directory / "table").mkdir()
(workspace.directory / "table" / "file").write_text("x")
print(workspace.directory, child.pid, workspace._reaper.pid, flush=True)
if sys.stdin.readline() == "close\\n":
    workspace.close()
    print("closed", flush=True)
    sys.stdin.readline()
"""


def until(condition: Callable[[], bool], what: str, *, limit: float = LIMIT) -> None:
    """Wait until a condition holds; fail after the limit, in seconds."""
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, f"waited {limit} s until {what}"
        os.sched_yield()


def alive(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@contextmanager
def run(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], Path, int, int]]:
    """A run in another process; yields it, its directory, the process that it started, and its reaper."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        directory, child, reaper = process.stdout.readline().rsplit(" ", 2)
        try:
            yield process, Path(directory), int(child), int(reaper)
        finally:
            process.kill()
            if alive(int(child)):
                os.kill(int(child), signal.SIGKILL)


def send(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def test_a_temporary_directory_is_made_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    workspace = Workspace(None)
    assert workspace.directory.is_dir() and workspace.directory.parent == tmp_path
    assert workspace.directory.name.startswith("tombstone-")
    (workspace.directory / "table").mkdir()
    (workspace.directory / "table" / "file").write_text("x")
    workspace.close()
    assert not list(tmp_path.iterdir())


def test_a_table_root_that_the_run_made_is_removed(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path / "made" / "root"))
    assert workspace.directory.parent == tmp_path / "made" / "root"
    workspace.close()
    assert not (tmp_path / "made" / "root").exists()
    assert tmp_path.is_dir()


def test_an_empty_table_root_of_the_user_is_kept(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    workspace = Workspace(str(root))
    assert workspace.directory.parent == root
    workspace.close()
    assert root.is_dir() and not list(root.iterdir())


@pytest.mark.parametrize("there_before", [True, False])
def test_files_of_others_in_the_table_root_are_kept(tmp_path: Path, there_before: bool) -> None:
    root = tmp_path / "root"
    if there_before:
        root.mkdir()
    workspace = Workspace(str(root))
    (root / "theirs").write_text("x")
    workspace.close()
    assert [path.name for path in root.iterdir()] == ["theirs"]


@pytest.mark.parametrize("there", ["file", "directory", ".hidden"])
def test_a_table_root_that_holds_anything_is_refused_and_left_alone(tmp_path: Path, there: str) -> None:
    root = tmp_path / "root"
    (root / there).mkdir(parents=True)
    with pytest.raises(UsageMistake) as refusal:
        Workspace(str(root))
    assert str(refusal.value) == f"--table-root {root} is not an empty directory: name a new or an empty one."
    assert [path.name for path in root.iterdir()] == [there]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("file", r"is not an empty directory"),
        ("file/root", r"cannot be used \(Not a directory\): name another directory\."),
    ],
)
def test_a_table_root_that_cannot_be_a_directory_is_refused(path: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageMistake, match=reason):
        Workspace(str(tmp_path / path))
    assert (tmp_path / "file").read_text() == "x"


@pytest.mark.parametrize("uri", ["hdfs://name/tables", "abfss://c@a.dfs.core.windows.net/t"])
def test_other_file_systems_are_refused(uri: str) -> None:
    with pytest.raises(UsageMistake) as refusal:
        Workspace(uri)
    assert str(refusal.value) == f"--table-root {uri}: name a local directory, or s3://bucket/prefix."


def test_a_file_uri_is_a_local_directory(tmp_path: Path) -> None:
    workspace = Workspace(f"{(tmp_path / 'a').as_uri()}%20b")
    assert workspace.directory.parent == tmp_path / "a b"
    workspace.close()
    assert not list(tmp_path.iterdir())


@pytest.mark.long
def test_of_a_killed_run_everything_is_removed_and_nothing_else(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with run(str(root)) as (process, directory, child, reaper):
        assert (directory / "table" / "file").exists() and alive(child)
        assert os.getsid(reaper) == reaper != os.getsid(process.pid), "Ctrl-C must not end the reaper"
        (root / "theirs").write_text("x")
        process.kill()
        process.wait(LIMIT)
        until(lambda: not directory.exists(), "the directory is removed")
        until(lambda: not alive(child), "the process that the run started has ended")
        until(lambda: not alive(reaper), "the reaper has ended")
    assert [path.name for path in root.iterdir()] == ["theirs"]


def test_after_a_close_the_reaper_does_nothing(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with run(str(root)) as (process, directory, child, reaper):
        send(process, "close")
        assert process.stdout is not None
        assert process.stdout.readline() == "closed\n"
        assert not alive(reaper) and not directory.exists()
        # A directory of that name that somebody makes after the run must be kept.
        directory.mkdir()
        process.kill()
        process.wait(LIMIT)
        assert directory.is_dir() and alive(child)


def test_reaping_a_process_that_has_ended_is_no_error(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait(LIMIT)
    (tmp_path / "one two").mkdir()
    (tmp_path / "three").mkdir()
    reap(io.StringIO(f"kill {process.pid}\nremove {tmp_path / 'one two'}\nremove {tmp_path / 'none'}\n"))
    assert [path.name for path in tmp_path.iterdir()] == ["three"]

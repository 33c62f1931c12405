"""``tox -e together``: mistakes end in a sentence before anything runs; a whole run; one that is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from engines.port import EngineUnavailable
from reports.stream.reading import read_run
from runner import gate_version, together
from runner.command_line.commands import in_a_sentence
from runner.plugin import ROOT
from runner.processes.hosted_engine import HostedEngine
from runner.processes.workspace import Workspace
from tests.runner.test_interrupted import in_a_terminal
from tests.runner.test_workspace import until

PAIR = ["deltalake==1.5.1", "deltalake==1.6.6"]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where runs have their directories."""
    directory = tmp_path / "temporary"
    directory.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(directory))
    return directory


def called(*arguments: str) -> int:
    return in_a_sentence(together.main)(list(arguments))


def processes(text: str) -> list[int]:
    """Those that have it in their command."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text in file.read_bytes().decode(errors="replace"):
                found.append(int(file.parent.name))
        except OSError:
            continue  # it has ended
    return found


# Mistakes -------------------------------------------------------------------------------------------------------------


def test_an_environment_that_cannot_be_made_is_told_before_an_engine_starts(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(command: Sequence[str], *, directory: Path, environ: Mapping[str, str], output: IO[bytes]) -> int:
        output.write(b"installing\nERROR: No matching distribution found for deltalake==1.5.1\n  versioned: exit 1\n")
        return 1

    monkeypatch.setattr(gate_version, "exit_code_of", fails)
    assert called(*PAIR, "--out", str(tmp_path / "out")) == 2
    said = capsys.readouterr()
    assert said.err == (
        "tox cannot make the environment of deltalake 1.5.1: No matching distribution found for deltalake==1.5.1\n"
    )
    assert not said.out and not list(temporary.iterdir())


# An engine in a process of its own ------------------------------------------------------------------------------------


@contextmanager
def hosted(engine: str) -> Iterator[HostedEngine]:
    workspace = Workspace(None)
    try:
        opened = HostedEngine(Path(sys.executable), engine, workspace.directory, workspace.started)
        try:
            yield opened
        finally:
            opened.close()
    finally:
        workspace.close()


def test_an_engine_that_cannot_be_started_is_told_in_a_sentence(temporary: Path) -> None:
    with pytest.raises(EngineUnavailable) as caught, hosted("no_engine"):
        pass
    said = str(caught.value)
    assert said.startswith(f"no_engine cannot be started by {sys.executable}: ") and "\n" not in said
    assert not processes(str(temporary)) and not list(temporary.iterdir())


# A whole run ----------------------------------------------------------------------------------------------------------


#: A plugin of pytest's: both versions are the one that is installed beside the tests.
HERE = """
import sys
from pathlib import Path
from runner import pair, plugin
plugin.python_of = pair.python_in = lambda version: Path(sys.executable)
"""


def command(*arguments: str) -> list[str]:
    fixed = ["-c", "tox.ini", "suites", "--engine", f"together:{','.join(PAIR)}", "--profile", "together", "-q"]
    return [sys.executable, "-m", "pytest", *fixed, "-p", "versions_here", "-p", "no:xdist", *arguments]


@pytest.fixture
def environ(temporary: Path, tmp_path: Path) -> dict[str, str]:
    (tmp_path / "versions_here.py").write_text(HERE, encoding="utf-8")
    return {**os.environ, "PYTHONPATH": str(tmp_path), "TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"}


@pytest.mark.process
@pytest.mark.long
def test_a_run_has_an_answer_and_a_report_and_leaves_nothing_else(
    environ: dict[str, str], temporary: Path, tmp_path: Path
) -> None:
    """The same version is on both sides, by two names."""
    out = tmp_path / "out"
    run = subprocess.run(
        command("--budget", "0.05", "--report-dir", str(out)),
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    judged = read_run(out)
    assert judged.header.pair == ("deltalake 1.5.1", "deltalake 1.6.6")
    assert {step.side for case in judged.cases for step in case.steps} == {*judged.header.pair}
    assert run.stdout.splitlines()[-1].startswith("PASS: deltalake 1.5.1 and deltalake 1.6.6 ")
    assert "work on the same tables" in run.stdout and (out / "report.html").exists()
    assert not processes(str(temporary)) and not list(temporary.iterdir())


@pytest.mark.process
def test_a_run_that_is_interrupted_ends_with_130_and_leaves_nothing(
    environ: dict[str, str], tmp_path: Path, temporary: Path
) -> None:
    with in_a_terminal(command("--report-dir", str(tmp_path / "out")), cwd=ROOT, env=environ) as run:
        until(lambda: any(temporary.glob("*/tables-main/case-*")), "a case is judged")
        os.killpg(run.pid, signal.SIGINT)
        said = run.communicate()[0]
    assert run.returncode == 130 and "Traceback" not in said, said
    assert not processes(str(temporary)) and not list(temporary.iterdir())

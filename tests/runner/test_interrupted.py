"""Ctrl-C: one sentence, and the exit code that shells use then."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from reports.stream.reading import FILE_NAME
from runner.command_line.commands import INTERRUPTED, in_a_sentence
from runner.plugin import ROOT, pytest_pyfunc_call
from runner.processes.child_process import exit_code_of
from runner.run import controller
from tests.runner.in_process import run_suite
from tests.runner.test_workspace import until


def in_a_terminal(command: list[str], **options: object) -> subprocess.Popen[str]:
    """A process with a group of its own, which a terminal would interrupt."""
    popen = subprocess.Popen[str](  # type: ignore[call-overload]
        command,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        # Where the tests themselves run in the background, it is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        **options,
    )
    assert isinstance(popen, subprocess.Popen)
    return popen


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_gate_that_is_interrupted_ends_with_130(workers: str, tmp_path: Path) -> None:
    stream = tmp_path / FILE_NAME
    command = [sys.executable, "-m", "pytest", "-c", "tox.ini", "suites", "--engine", "deltalake", "--profile", "smoke"]
    with in_a_terminal([*command, "-n", workers, "--report-dir", str(tmp_path)], cwd=ROOT) as gate:
        begun = lambda: gate.poll() is not None or (stream.exists() and stream.stat().st_size > 0)  # noqa: E731
        until(begun, "the run has begun", limit=180)
        os.killpg(gate.pid, signal.SIGINT)
        said = gate.communicate()[0]
    assert gate.returncode == 130 and said.count(INTERRUPTED) == 1 and "Traceback" not in said, said


@pytest.mark.long
def test_an_interrupt_after_the_answer_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(controller, "WARM", 1)
    ended = run_suite(tmp_path, "--profile=smoke", "--budget=0.02", engine="tests.outside_engine:WITH_CACHE")
    answer, last = [line for line in ended.said.splitlines() if "PASS" in line or "cache" in line][-2:]
    assert ended.code == 0 and answer.startswith("PASS") and last == "Writing a cache for the next run.", ended.said
    assert INTERRUPTED not in ended.said and (tmp_path / "report.html").exists()


def test_an_interrupt_is_shown_without_what_it_came_upon() -> None:
    """pytest raises an error of its own where a frame has no line yet, and the run ended with 1."""
    call = pytest_pyfunc_call(cast("pytest.Function", None))
    next(call)
    with pytest.raises(KeyboardInterrupt) as caught:
        call.throw(KeyboardInterrupt("deep within"))
    assert caught.value.__context__ is None and not caught.value.args


#: Runs a child that takes its time to end, and says so.
PARENT = """
import os, sys
from pathlib import Path
from typing import cast
from runner.processes.child_process import exit_code_of
from runner.command_line.commands import ended

CHILD = '''
import signal, sys
try:
    print("begun", flush=True)
    signal.pause()
except KeyboardInterrupt:
    print("ended in order", flush=True)
    sys.exit(130)
'''

ended(lambda arguments: exit_code_of([sys.executable, "-c", CHILD], directory=Path.cwd(), environ=os.environ))
"""


def test_a_command_waits_until_what_it_started_has_ended() -> None:
    with in_a_terminal([sys.executable, "-c", PARENT], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}) as parent:
        assert parent.stdout is not None and parent.stdout.readline() == "begun\n"
        os.killpg(parent.pid, signal.SIGINT)
        said = parent.communicate()[0]
    assert (parent.returncode, said.splitlines()) == (130, ["ended in order", INTERRUPTED])


def test_the_exit_code_is_that_of_the_child() -> None:
    assert exit_code_of([sys.executable, "-c", "raise SystemExit(3)"], directory=ROOT, environ=os.environ) == 3


def test_a_command_that_is_interrupted_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    @in_a_sentence
    def interrupted(arguments: list[str]) -> int:
        raise KeyboardInterrupt

    assert interrupted([]) == 130
    assert capsys.readouterr().err == f"{INTERRUPTED}\n"

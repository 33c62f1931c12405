"""A command is run to its end, also when the launcher is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from records.suite_version import VERSION
from tests.runner.test_interrupted import in_a_terminal
from tombstone import processes
from tombstone.processes import exit_code_of

ROOT = Path(__file__).parents[2]

#: Runs a child that has a child of its own, both of which write a file when they are interrupted.
LAUNCHER = """
import os, sys
from pathlib import Path
from tombstone import __main__ as launcher
from tombstone.processes import exit_code_of

child = '''
import os, subprocess, sys, time
inner = None if len(sys.argv) > 1 else subprocess.Popen([sys.executable, __file__, "inner"])
print("ready", flush=True)
try:
    time.sleep(60)
except KeyboardInterrupt:
    open(f"ended-{os.getpid()}", "w").close()
    inner and inner.wait()
'''
Path("child.py").write_text(child)
launcher.job_of = lambda *_: sys.exit(exit_code_of([sys.executable, "child.py"], directory=Path.cwd(), environ=os.environ))
sys.exit(launcher.main(["gate"]))
"""


@pytest.mark.parametrize("code", [0, 1, 3])
def test_the_exit_code_is_passed_on(code: int, tmp_path: Path) -> None:
    asked = [sys.executable, "-c", f"raise SystemExit({code})"]
    assert exit_code_of(asked, directory=tmp_path, environ=os.environ) == code


def test_one_that_a_signal_ends_has_the_code_of_shells(tmp_path: Path) -> None:
    asked = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    assert exit_code_of(asked, directory=tmp_path, environ=os.environ) == 137


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_reaches_all_processes(sent: signal.Signals, code: int, tmp_path: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    with in_a_terminal([sys.executable, "-c", LAUNCHER], cwd=tmp_path, env=environ) as launcher:
        assert launcher.stdout is not None
        for _ in range(2):
            assert launcher.stdout.readline() == "ready\n"
        launcher.send_signal(sent)
        said = launcher.communicate(timeout=60)[0]
    assert launcher.returncode == code and "Traceback" not in said, said
    assert len(list(tmp_path.glob("ended-*"))) == 2, said


def test_a_launcher_in_the_background_of_a_script_can_be_terminated(tmp_path: Path) -> None:
    """There SIGINT is ignored, by all that it starts."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    ignoring = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{LAUNCHER}"
    with in_a_terminal([sys.executable, "-c", ignoring], cwd=tmp_path, env=environ) as launcher:
        assert launcher.stdout is not None
        for _ in range(2):
            assert launcher.stdout.readline() == "ready\n"
        launcher.send_signal(signal.SIGTERM)
        launcher.communicate(timeout=60)
    assert launcher.returncode == 143 and len(list(tmp_path.glob("ended-*"))) == 2


@pytest.mark.parametrize("ended_before", [True, False])
def test_an_interrupt_when_it_has_just_ended_is_no_error(ended_before: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal its group is gone then."""
    ended = subprocess.Popen([sys.executable, "-c", ""], start_new_session=True)
    ended.wait()
    late = None if ended_before else subprocess.TimeoutExpired("x", 1)
    waits: Iterator[BaseException | None] = iter([KeyboardInterrupt(), late])

    def wait(*_: object) -> int:
        if (error := next(waits)) is not None:
            raise error
        return 0

    monkeypatch.setattr(ended, "wait", wait)
    monkeypatch.setattr(subprocess.Popen, "__exit__", lambda *_: None)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: ended)
    monkeypatch.setattr(processes, "_in_terminal", lambda: False)
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(KeyboardInterrupt):
            exit_code_of(["x"], directory=ROOT, environ=os.environ)
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_after_the_answer_changes_nothing(tmp_path: Path) -> None:
    asked = """
import os, signal, sys
from tombstone import __main__ as launcher
sys.argv = ["tombstone", "--version"]
code = launcher.main()
for sent in (signal.SIGINT, signal.SIGTERM):
    os.kill(os.getpid(), sent)
sys.exit(code)
"""
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    with in_a_terminal([sys.executable, "-c", asked], cwd=tmp_path, env=environ) as launcher:
        said = launcher.communicate()[0]
    assert (launcher.returncode, said) == (0, f"tombstone {VERSION}\n")


def test_the_launcher_needs_no_package_of_the_suite() -> None:
    """It runs where only what pyproject.toml lists is installed."""
    asked = "import sys; sys.path[:0] = [sys.argv[1]]; import tombstone.__main__; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", asked, str(ROOT)], capture_output=True, text=True, check=True, cwd=ROOT / "docs"
    )
    assert not {"hypothesis", "pytest", "cattrs", "pyarrow", "model", "runner"} & set(done.stdout.split())

"""A run ends with its launcher, tox or ``tombstone``, even if that is killed; and it leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from reports.stream.reading import FILE_NAME
from runner.command_line import launched
from tests.runner.test_interrupted import in_a_terminal
from tests.runner.test_workspace import alive, until

ROOT = Path(__file__).parents[2]

#: Stands for tox: runs what is after ``--``, and reads what it prints.
TOX = """
import os, subprocess, sys
environ = {**os.environ, "TOX_ENV_NAME": "gate"}
command = sys.argv[sys.argv.index("--") + 1:]
with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as child:
    child.communicate()
"""

#: Stands for a run, and for pip: has a directory and a process, and writes the ids of its processes into a file.
RUN = """
import os, signal, subprocess, sys
from pathlib import Path
from runner.command_line.commands import ended
from runner.processes.workspace import Workspace

def main(_):
    workspace = Workspace(None)
    child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    try:
        new = Path(os.environ["BEGUN"] + ".new")
        new.write_text(f"{os.getpid()} {child.pid}")
        new.rename(os.environ["BEGUN"])
        signal.pause()
    finally:
        child.kill()
        workspace.close()

ended(main)
"""

#: A command that runs tox, such as ``python -m runner.upgrade``, and one that ``tombstone`` runs.
COMMAND = """
import os, sys
from pathlib import Path
from runner.command_line.commands import ended
from runner.gate_version import _TOX
from runner.processes.child_process import exit_code_of

ended(lambda words: exit_code_of([*_TOX, "--", *words], directory=Path.cwd(), environ=os.environ))
"""
TOMBSTONE = (
    "import sys; from pathlib import Path; from tombstone.tree import _tox; _tox(Path(ROOT), '--', *sys.argv[1:])"
)
PYTEST = (
    *("-m", "pytest", "-c", str(ROOT / "tox.ini"), str(ROOT / "suites"), "-n", "0", "--profile", "smoke"),
    *("--engine", "tests.outside_engine:ENGINE", "--report-dir", "report"),
)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    for name, text in {"tox": TOX, "pip": RUN}.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "tmp").mkdir()
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("TOX_")},
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]),
        "TMPDIR": str(tmp_path / "tmp"),
        "BEGUN": str(tmp_path / "begun"),
    }


@pytest.mark.long
@pytest.mark.parametrize(
    "command",
    [
        ["tox.py", "--", sys.executable, "-c", RUN],
        ["tox.py", "--", sys.executable, launched.__file__, "pip"],
        ["tox.py", "--", sys.executable, "-c", COMMAND, sys.executable, "-c", RUN],
        ["-c", TOMBSTONE.replace("ROOT", repr(str(ROOT))), sys.executable, "-c", RUN],
    ],
    ids=["a run", "pip", "a run that a command began", "a run that tombstone began"],
)
def test_what_a_launcher_began_ends_with_it(command: list[str], environ: dict[str, str], tmp_path: Path) -> None:
    with in_a_terminal([sys.executable, *command], cwd=tmp_path, env=environ) as launcher:
        begun = tmp_path / "begun"
        until(lambda: launcher.poll() is not None or begun.exists(), "it has begun")
        launcher.kill()
        launcher.communicate()
    processes = [int(one) for one in begun.read_text().split()]
    until(lambda: not any(map(alive, processes)), "its processes have ended")
    until(lambda: not list((tmp_path / "tmp").iterdir()), "its directory is removed")


@pytest.mark.long
def test_a_gate_is_interrupted_and_does_not_judge_on(environ: dict[str, str], tmp_path: Path) -> None:
    stream = tmp_path / "report" / FILE_NAME
    command = [sys.executable, "tox.py", "--", sys.executable, *PYTEST]

    def judges() -> bool:
        return stream.exists() and stream.read_bytes().count(b"\n") > 1

    with in_a_terminal(command, cwd=tmp_path, env=environ) as launcher:
        until(lambda: launcher.poll() is not None or judges(), "it judges", limit=180)
        launcher.terminate()
        launcher.communicate()
    until(lambda: not list((tmp_path / "tmp").glob("tombstone-*")), "its directory is removed")
    assert b'"exit"' not in stream.read_bytes().splitlines()[-1], "a stream without a footer is a run that died"


def test_what_a_shell_began_may_outlive_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = threading.active_count(), signal.getsignal(signal.SIGUSR1)
    monkeypatch.setattr(launched, "_parents", [])
    for name in ("TOX_ENV_NAME", "TOMBSTONE_LAUNCHED"):
        monkeypatch.delenv(name, raising=False)
    launched.end_with_launcher()
    assert (threading.active_count(), signal.getsignal(signal.SIGUSR1)) == before and not launched.is_alone()


def test_tox_installs_so_that_pip_ends_too() -> None:
    """As a path from the root, where tox runs it: one with blanks would be two words."""
    (line,) = [one for one in (ROOT / "tox.ini").read_text().splitlines() if one.startswith("install_command")]
    command = line.partition(" = ")[2].split()
    assert (ROOT / command[2]).samefile(launched.__file__)
    asked = [sys.executable, *command[1:5], "--no-index", "no-package-of-this-name"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "No matching distribution" in done.stderr, "tox ends with it, and 1 is a verdict"

"""The README's two commands, for the main job and for the suite's own tests, and .ci/run, which runs both."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README, RUN = (ROOT / "README.md").read_text(encoding="utf-8"), ROOT / ".ci" / "run"


def commands() -> list[list[str]]:
    """The README's commands from a bare machine, each as what it does one after another."""
    return [line.split(" && ") for line in re.findall(r"^    (python3 -m venv .*)$", README, re.MULTILINE)]


def test_the_readme_has_one_command_for_the_main_job_and_one_for_the_tests() -> None:
    gate, selftest = commands()
    assert gate[:-1] == selftest[:-1]
    assert gate[-1] == ".venv/bin/tox -e gate -- --profile smoke" and selftest[-1] == ".venv/bin/tox -e selftest"


def test_ci_runs_both_as_the_readme_says() -> None:
    lines = [line.strip() for line in RUN.read_text(encoding="utf-8").splitlines()]
    gate, selftest = commands()
    asked = [line.partition(" .venv/bin/")[2] for line in lines if line.startswith("part ")]
    assert set(gate[:-1]) <= set(lines)
    assert gate[-1].removeprefix(".venv/bin/") in asked
    assert selftest[-1].removeprefix(".venv/bin/") in [line.partition(" -- --slow")[0] for line in asked]


#: "python3 -m venv" makes a tox that fails where $FAILS says; git tells a commit.
_TOX = '#!/bin/sh\necho "tox $*"\ncase "$*" in *"$FAILS"*) exit 3 ;; esac\n'
_PROGRAMS = {
    "python3": "#!/bin/sh\nmkdir -p .venv/bin\ncp {programs}/tox .venv/bin/tox\ncp {programs}/tox .venv/bin/python\n"
    "cp {programs}/git .venv/bin/pip\n",
    "git": "#!/bin/sh\necho 00000a\n",
    "chromium": "#!/bin/sh\n",
    "tox": _TOX,
}


@pytest.mark.parametrize(
    ("fails", "named"), [("nothing", ""), ("-e selftest", "selftest"), ("deltalake==1.4.2", "deltalake-1.4.2")]
)
def test_each_part_has_a_line_and_a_part_that_fails_is_named(fails: str, named: str, tmp_path: Path) -> None:
    programs, checkout = tmp_path / "programs", tmp_path / "checkout"
    programs.mkdir()
    (checkout / ".ci").mkdir(parents=True)
    (checkout / ".ci" / "run").write_text(RUN.read_text(encoding="utf-8"), encoding="utf-8")
    for name, text in _PROGRAMS.items():
        (programs / name).write_text(text.replace("{programs}", str(programs)), encoding="utf-8")
        (programs / name).chmod(0o755)
    environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "FAILS": fails}
    ended = subprocess.run(
        ["bash", ".ci/run"], cwd=checkout, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    last = ended.stdout.splitlines()[-1]
    rows = dict(re.findall(r"^(\S+) +\d+ s +\d+ s of CPU  (\w+)", ended.stdout, re.MULTILINE))
    if named:
        assert ended.returncode in (1, 3) and last == f"FAILED: {named}", ended.stdout + ended.stderr
        assert rows[named] == "FAILED"
    else:
        assert ended.returncode == 0 and last.startswith("all "), ended.stdout + ended.stderr
        parts = re.findall(r"^ +part (\S+)", RUN.read_text(encoding="utf-8"), re.MULTILINE)
        assert rows == dict.fromkeys(parts, "passed") and "--slow 1/5" in ended.stdout

"""Failed tests are run again, alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

TESTS = """
import os, pathlib, pytest

MARK = pathlib.Path(__file__).with_name("mark")

@pytest.mark.xdist_group("some")
def test_by_chance():
    before = MARK.exists()
    MARK.touch()
    assert before, "it is the first time"

def test_always():
    assert {always}

def test_well():
    pass
"""


@pytest.mark.parametrize("workers", [[], ["-n", "2", "--dist", "loadgroup"]], ids=["alone", "two workers"])
@pytest.mark.parametrize(("always", "code"), [(True, 0), (False, 1)])
def test_only_a_test_that_fails_twice_fails_the_run(
    always: bool, code: int, workers: list[str], tmp_path: Path
) -> None:
    (tmp_path / "test_some.py").write_text(TESTS.format(always=always), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.flaky",
        "--rerun-failed",
        "--rootdir",
        str(tmp_path),
        "test_some.py",
    ]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run([*command, *workers], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert ended.returncode == code, ended.stdout
    lines = ended.stdout.splitlines()
    place = next(number for number, line in enumerate(lines) if " FLAKY " in line)
    assert (
        lines[place + 1].startswith("test_some.py::test_by_chance")
        and "failed among others, passed alone" in lines[place + 1]
    )
    assert any("it is the first time" in line for line in lines[place:])
    assert "1 flaky" in lines[-1] and ("1 failed" in lines[-1]) == (not always)


def test_without_the_option_a_failed_test_fails_the_run(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS.format(always=True), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "tests.flaky", "--rootdir", str(tmp_path), "test_some.py"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert ended.returncode == 1 and "FLAKY" not in ended.stdout

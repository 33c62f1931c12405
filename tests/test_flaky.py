"""A failed test is run again, for information: one that passes then fails the run too. With tox.ini's options."""

from __future__ import annotations

import os
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

TESTS = """
import pathlib, pytest

MARK = pathlib.Path(__file__).with_name("mark")

@pytest.mark.xdist_group("some")
def test_by_chance():
    before = {before}
    MARK.touch()
    assert before, "it is the first time"

def test_always():
    assert {always}

def test_well():
    pass
"""


def options() -> list[str]:
    """The options of ``tox -e selftest`` that are about tests that fail."""
    settings = ConfigParser(interpolation=None)
    settings.read(ROOT / "tox.ini", encoding="utf-8")
    words = settings["testenv:selftest"]["commands"].split()
    return words[words.index("--reruns") : words.index("{posargs}")]


@pytest.mark.parametrize("workers", [[], ["-n", "2", "--dist", "loadgroup"]], ids=["alone", "two workers"])
@pytest.mark.parametrize(
    ("before", "always", "code"), [("MARK.exists()", True, 1), ("MARK.exists()", False, 1), ("True", True, 0)]
)
def test_a_test_that_passes_only_when_it_is_run_again_fails_the_run(
    before: str, always: bool, code: int, workers: list[str], tmp_path: Path
) -> None:
    (tmp_path / "test_some.py").write_text(TESTS.format(before=before, always=always), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "tests.flaky", "--rootdir", str(tmp_path), *options()]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    environ["PYTHONDONTWRITEBYTECODE"] = "1"
    ended = subprocess.run(
        [*command, "test_some.py", *workers], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
    )
    assert ended.returncode == code, ended.stdout
    flaky = before != "True"
    assert ("RERUN test_some.py::test_by_chance" in ended.stdout) == flaky
    assert ("it is the first time" in ended.stdout) == flaky
    assert ("1 rerun" in ended.stdout.splitlines()[-1]) == (flaky and always)
    assert ("1 failed" in ended.stdout.splitlines()[-1]) == (not always)

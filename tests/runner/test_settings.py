"""pytest's settings are those of tox.ini, whatever a command line names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from runner.gate_version import ROOT


@pytest.mark.parametrize(
    "words",
    [
        "--known-faults {}/none.toml suites --replay={}/case.json",
        "--replay {}/case.json suites --known-faults={}/none.toml --report-dir {}/report",
    ],
)
def test_what_lies_beside_a_file_that_is_named_is_not_run(words: str, tmp_path: Path) -> None:
    """Neither a conftest.py, nor pytest's settings."""
    (tmp_path / "conftest.py").write_text("import my_company_fixtures\n", encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --nonsense\n", encoding="utf-8")
    (tmp_path / "report").mkdir()
    (tmp_path / "none.toml").write_bytes((ROOT / "known_faults" / "none.toml").read_bytes())
    (tmp_path / "case.json").write_bytes(next((ROOT / "regressions").glob("*.json")).read_bytes())
    command = [sys.executable, "-m", "pytest", "-c", "tox.ini", *words.replace("{}", str(tmp_path)).split(" ")]
    command += ["--engine", "deltalake", "--collect-only", "--ignore-glob=*"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, ended.stdout + ended.stderr


def test_the_options_of_every_environment_are_read_from_here() -> None:
    """A file that is named may lie in a project with settings of its own for pytest."""
    lines = [line for line in (ROOT / "tox.ini").read_text(encoding="utf-8").splitlines() if "pytest" in line]
    assert not [line for line in lines if " suites" in line and "pytest -c tox.ini suites" not in line]

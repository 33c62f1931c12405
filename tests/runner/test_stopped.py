"""``-x``: a run that stops at its first failure has a report of it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from reports.stream.reading import read_run
from runner.plugin import ROOT

FAULT = "corrupts-a-live-file"


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_first_failure_ends_the_run_with_a_whole_report(workers: str, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "suites",
        "--engine",
        "deltalake",
        "--profile",
        "smoke",
        "-x",
        "-n",
        workers,
    ]
    command += ["--known-bad", FAULT, "--check-scripts", "0", "--report-dir", str(tmp_path)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 1, ended.stdout
    assert "test items were not judged, and only what failed is decided." in ended.stdout
    assert ended.stdout.splitlines()[-1].startswith("FAIL: deltalake ")
    run = read_run(tmp_path)
    verdicts = {clause: result.verdict for clause, result in run.footer.verdicts.items()}
    assert "fails" in verdicts.values() and "holds" not in verdicts.values()
    assert run.footer.exit == 1 and (tmp_path / "summary.md").is_file() and (tmp_path / "junit.xml").is_file()


def test_what_is_no_failure_does_not_stop_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "suites", "--engine", "deltalake", "--profile", "smoke", "-x", "-n", "0"]
    command += ["--budget", "10s", "--report-dir", str(tmp_path)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stdout
    assert "Stopped" not in ended.stdout
    assert re.fullmatch(r"PASS: deltalake \S+ holds \d+ of \d+ clauses.*", ended.stdout.splitlines()[-1])
    assert " passed" not in ended.stdout, "pytest's number is of shards"

"""``-x``: a run that stops at its first failure has a report of it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from reports.stream.reading import read_run
from runner.plugin import ROOT
from tests.runner.in_process import Ended, run_suite

FAULT = "corrupts-a-live-file"
OPTIONS = ("--profile", "smoke", "-x")


def in_a_process(report: Path, *options: str, engine: str) -> Ended:
    """Of pytest-xdist, which needs one."""
    command = [sys.executable, "-m", "pytest", "suites", "--engine", engine, "--report-dir", str(report), *options]
    ended = subprocess.run([*command, "-n", "2"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    return Ended(ended.returncode, ended.stdout)


@pytest.mark.process
@pytest.mark.parametrize("run", [run_suite, in_a_process])
def test_the_first_failure_ends_the_run_with_a_whole_report(run: Callable[..., Ended], tmp_path: Path) -> None:
    ended = run(tmp_path, *OPTIONS, "--known-bad", FAULT, "--check-scripts", "0", engine="deltalake")
    assert ended.code == 1, ended.said
    assert "test items were not judged, and only what failed is decided." in ended.said
    assert ended.said.splitlines()[-1].startswith("FAIL: deltalake ")
    footer = read_run(tmp_path).footer
    verdicts = {result.verdict for result in footer.verdicts.values()}
    assert "fails" in verdicts and "holds" not in verdicts
    assert footer.exit == 1 and (tmp_path / "summary.md").is_file() and (tmp_path / "junit.xml").is_file()


def test_what_is_no_failure_does_not_stop_it(tmp_path: Path) -> None:
    ended = run_suite(tmp_path, *OPTIONS, "--budget", "0.05", engine="deltalake")
    assert ended.code == 0, ended.said
    assert "Stopped" not in ended.said
    assert re.fullmatch(r"PASS: deltalake \S+ holds \d+ of \d+ clauses.*", ended.said.splitlines()[-1])
    assert " passed" not in ended.said, "pytest's number is of shards"

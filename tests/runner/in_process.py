"""A run of the suite in the process of the test: it starts in no time, and ends as ``python -m pytest suites`` does."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest

from runner import plugin
from runner.plugin import ROOT, SUITES


@dataclass(frozen=True)
class Ended:
    """The exit code, and all that the run printed."""

    code: int
    said: str


def run_suite(report: Path, *options: str, engine: str) -> Ended:
    """A run with these options and its report in a directory."""
    arguments = ["-c", str(ROOT / "tox.ini"), str(SUITES), "--assert=plain", "-p", "no:xdist", "--engine", engine]
    said = io.StringIO()
    # The session around it has seen other tests.
    own = patch.multiple(plugin, _MISHAPS=[], _INTERRUPTS=[])
    with own, redirect_stdout(said), redirect_stderr(said):
        code = pytest.main([*arguments, "--report-dir", str(report), *options])
    return Ended(int(code), said.getvalue())

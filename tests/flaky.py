"""Tests that fail are run once more, each alone in a process of its own: ``--rerun-failed``.

One that passes then does not fail the run, but stands at its end under FLAKY, with both outcomes.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest
from _pytest.terminal import TerminalReporter

#: The most tests that are run once more: where more fail, it is not by chance.
MOST = 10

#: The category of the terminal's statistics.
FLAKY = "flaky"


class Rerun:
    """Runs the failed tests again when the session has ended, in the process that started the workers."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Set the exit code to 0 if every failed test passes alone."""
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if session.exitstatus != pytest.ExitCode.TESTS_FAILED or terminal is None or "error" in terminal.stats:
            return
        failed: list[pytest.TestReport] = terminal.stats.get("failed", [])
        names = list(dict.fromkeys(report.nodeid for report in failed))
        if len(names) > MOST:
            return
        flaky = {name for name in names if self._passes_alone(name)}
        terminal.stats[FLAKY] = [report for report in failed if report.nodeid in flaky]
        terminal.stats["failed"] = [report for report in failed if report.nodeid not in flaky]
        if not terminal.stats["failed"]:
            del terminal.stats["failed"]
            session.exitstatus = pytest.ExitCode.OK

    def _passes_alone(self, name: str) -> bool:
        command = [
            sys.executable,
            "-m",
            "pytest",
            str(self._config.rootpath / _plain(name)),
            "-q",
            *_kept(self._config),
        ]
        return subprocess.run(command, cwd=self._config.rootpath, capture_output=True, check=False).returncode == 0

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        reports = terminalreporter.stats.get(FLAKY, [])
        if not reports:
            return
        terminalreporter.ensure_newline()
        terminalreporter.section(FLAKY.upper(), sep="=", yellow=True)
        for report in reports:
            terminalreporter.write_line(f"{report.nodeid}: failed among others, passed alone. Mend it next.")
            terminalreporter.write_line(report.longreprtext)


def _plain(name: str) -> str:
    """The test's name without the group that pytest-xdist appends to it: ``test_some.py::test_this[a@b]@group``."""
    plain, at, group = name.rpartition("@")
    return plain if at and "]" not in group else name


def _kept(config: pytest.Config) -> Sequence[str]:
    """The options that a single test is run with too."""
    return ("--slow",) if config.getoption("--slow", False) else ()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rerun-failed",
        action="store_true",
        help="run failed tests again, alone; those that pass are FLAKY, not failed",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--rerun-failed") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Rerun(config))

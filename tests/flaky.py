"""A test that fails, and passes when pytest-rerunfailures runs it again, fails the run all the same.

Its option ``--fail-on-flaky`` does not see the tests of pytest-xdist's workers.
"""

from __future__ import annotations

import pytest


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Set the exit code to 1 if a test was run again. Workers leave it to the process that started them."""
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.exitstatus == pytest.ExitCode.OK and terminal is not None and terminal.stats.get("rerun"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED

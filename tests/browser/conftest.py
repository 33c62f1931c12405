"""One browser and one set of pages for all tests; each test has its own windows, and what a page must not do is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.terminal import TerminalReporter
from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import NoBrowser, launched
from tests.browser.pages import write_pages
from tests.browser.windows import Windows

#: What tests measure, to be read: no test fails for a time, which depends on the machine.
TIMES = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TIMES] = []


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    for line in terminalreporter.config.stash.get(TIMES, []):
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as started:
        try:
            made = launched(started)
        except NoBrowser as missing:
            pytest.exit(str(missing), returncode=1)  # one sentence, not one for each test
        yield made
        made.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the pages are."""
    made = tmp_path_factory.mktemp("pages")
    write_pages(made)
    return made


@pytest.fixture
def windows(browser: Browser, folder: Path) -> Iterator[Windows]:
    """Opens pages. A test fails if one of them says something on the console, asks for anything, or opens a dialog."""
    made = Windows(browser, folder)
    yield made
    made.close()
    assert made.faults == []

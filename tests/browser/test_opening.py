"""Each page is one file: it opens from the disk, asks for nothing else, and has nothing to complain about."""

from __future__ import annotations

import shutil
import time

import pytest
from playwright.sync_api import expect

from tests.browser import chromium
from tests.browser.conftest import TIMES
from tests.browser.pages import PAGES
from tests.browser.windows import Windows


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_from_the_disk_and_asks_for_nothing_else(windows: Windows, name: str) -> None:
    page = windows.empty()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(windows.address(name))
    assert asked == [windows.address(name)]
    assert page.title() and page.locator("h1").count() == 1
    assert page.evaluate("performance.getEntriesByType('resource').length") == 0


@pytest.mark.parametrize(
    ("name", "word"),
    [
        *(("kept", "PASS"), ("one", "FAIL"), ("worse", "DO NOT UPGRADE"), ("upgrade", "UPGRADE")),
        ("rehearsal", "LOOK FIRST"),
    ],
)
def test_the_answer_is_on_the_first_screen(windows: Windows, name: str, word: str) -> None:
    heading = windows.open(name, width=360, height=640).locator("h1")
    expect(heading).to_be_in_viewport()
    expect(heading).to_contain_text(f"{word}: ")


def test_a_page_of_many_failures_is_ready_when_it_is_loaded(windows: Windows, request: pytest.FixtureRequest) -> None:
    page = windows.empty()
    started = time.perf_counter()
    page.goto(windows.address("many"), wait_until="load")
    shown = page.locator("#shown").text_content()
    seconds = time.perf_counter() - started
    request.config.stash[TIMES].append(f"The page with 500 failures: {seconds:.2f} s until it is loaded and filtered.")
    assert shown == "200 of 200 match", "its filters need no other event"
    assert page.locator("article.failure").count() == 50


def test_without_a_browser_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(chromium.VARIABLE, raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(chromium.NoBrowser, match=r"^[^.]* install Chromium [^.]*\.$"):
        chromium.program()
    monkeypatch.setenv(chromium.VARIABLE, "/nowhere")
    with pytest.raises(chromium.NoBrowser, match="names /nowhere"):
        chromium.program()

"""No page is wider than its window, and hostile text is text, whatever it says and however long it is."""

from __future__ import annotations

from collections import Counter

import pytest
from playwright.sync_api import Page

from reports.document.printing import visible
from tests.browser.pages import PAGES, TEXTS
from tests.browser.windows import Windows, open_details

_WIDTHS = (360, 480, 768, 1024, 1440, 1920)

_HOSTILE = [name for name in PAGES if name.startswith("hostile")]


@pytest.mark.parametrize("name", PAGES)
def test_no_page_scrolls_sideways(windows: Windows, name: str) -> None:
    page = windows.open(name)
    for opened in "as it opens", "with everything open":
        wide = {}
        for width in _WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wide[width] = page.evaluate("document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth")
        assert {width: over for width, over in wide.items() if over > 0} == {}, opened
        open_details(page)


@pytest.mark.parametrize("width", [360, 760])
@pytest.mark.parametrize("name", ["one", "worse", "index", "rehearsal"])
def test_no_word_at_the_head_of_a_column_is_broken(windows: Windows, name: str, width: int) -> None:
    page = windows.open(name, width=width)
    open_details(page)
    broken = page.evaluate(
        """[...document.querySelectorAll("thead th")].filter((one) => {
            if (getComputedStyle(one.closest("thead")).position === "absolute") return false;  // each cell has its own
            const range = document.createRange();
            range.selectNodeContents(one);
            return range.getClientRects().length > one.textContent.split(" ").length;
        }).map((one) => one.textContent)"""
    )
    assert broken == []


@pytest.mark.parametrize("name", ["kept", "many", "worse", "index", "rehearsal"])
def test_on_a_narrow_screen_no_table_hides_a_column(windows: Windows, name: str) -> None:
    page = windows.open(name, width=390)
    assert page.evaluate("document.scrollingElement.scrollHeight") < (20_000 if name != "many" else 600_000)
    open_details(page)
    wide = page.evaluate(
        """[...document.querySelectorAll(".scroll:has(table.stack)")].filter((one) => one.scrollWidth > one.clientWidth)
            .map((one) => one.getAttribute("aria-label") || one.getAttribute("aria-labelledby"))"""
    )
    assert wide == []
    assert page.locator("table.stack").count() > 0


def test_the_lines_of_expected_and_seen_are_under_each_other(windows: Windows) -> None:
    page = windows.open("hostile")
    open_details(page)
    gaps = page.locator(".diff > *").evaluate_all(
        """(lines) => lines.filter((one) => one.previousElementSibling).map((one) =>
            Math.round(one.getBoundingClientRect().top - one.previousElementSibling.getBoundingClientRect().bottom))"""
    )
    assert gaps and set(gaps) == {0}


def elements(page: Page) -> Counter[str]:
    """How many elements of each name a page has."""
    return Counter(page.evaluate("[...document.querySelectorAll('*')].map((one) => one.tagName)"))


@pytest.mark.parametrize("name", _HOSTILE)
def test_hostile_text_is_shown_as_text(windows: Windows, name: str) -> None:
    page = windows.open(name)
    plain = windows.open(name.replace("hostile", "plain"))
    open_details(page)
    assert elements(page) == elements(plain)
    shown = " ".join(page.locator("main").inner_text().split())
    for text in TEXTS:
        assert " ".join(visible(text).split()) in shown
    assert not any(char in shown for char in "\x1b\u202e\x00")


@pytest.mark.parametrize("name", _HOSTILE)
def test_a_hostile_page_works(windows: Windows, name: str) -> None:
    page = windows.open(name)
    attributes = page.evaluate(
        "[...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames().filter((name) => name.startsWith('on')))"
    )
    assert attributes == []
    assert page.locator("a[href^='javascript']").count() == 0
    theme = page.locator("#theme")
    theme.click()
    assert theme.text_content() == "Theme: light"

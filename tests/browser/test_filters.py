"""The filters: by mouse and by keys, in the address, and together with links to what they hide.

``FILTERS`` finds them all, so that the tests of what every filter does hold for those that come later.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.pages import FEW
from tests.browser.windows import Windows, open_details, tab_to

FILTERS = "main .filters :is(button[aria-pressed], select, input)"

#: What a page shows: each of its rows, cards and lines, the counters, and the state of the filters.
_STATE = f"""() => ({{
    shown: [...document.querySelectorAll("main :is(tr, article, li)")].map((one) => one.checkVisibility()),
    said: [...document.querySelectorAll("main [aria-live]")].map((one) => one.textContent),
    filters: [...document.querySelectorAll({FILTERS!r})].map(
        (one) => one.getAttribute("aria-pressed") ?? (one.type === "checkbox" ? one.checked : one.value)),
}})"""


def state(page: Page) -> Any:
    return page.evaluate(_STATE)


def fragment(page: Page) -> str:
    return str(page.evaluate("location.hash.slice(1)"))


def kind_of(filter: Locator) -> str:
    return str(filter.evaluate("(one) => one.type || one.tagName.toLowerCase()"))


def by_mouse(filter: Locator) -> None:
    """Set a filter that is not set, or back."""
    kind = kind_of(filter)
    if kind in ("button", "checkbox"):
        filter.click()
    elif kind == "select-one":  # its list is drawn by the system, out of a test's reach
        filter.select_option(index=0 if filter.evaluate("(one) => one.selectedIndex") else 1)
    else:
        filter.click()
        filter.fill("" if filter.input_value() else "row-1")


def by_keys(filter: Locator, press: str) -> None:
    tab_to(filter)
    keyboard, kind = filter.page.keyboard, kind_of(filter)
    if kind == "button":
        keyboard.press(press)
    elif kind == "checkbox":
        keyboard.press("Space")
    elif kind == "select-one":
        keyboard.press("ArrowUp" if filter.evaluate("(one) => one.selectedIndex") else "ArrowDown")
    elif filter.input_value():
        keyboard.press("Control+a")
        keyboard.press("Delete")
    else:
        keyboard.type("row-1")


@pytest.mark.parametrize("name", ["kept", "one", "worse", "index"])
def test_every_filter_changes_what_is_shown_and_the_address_and_can_be_taken_back(windows: Windows, name: str) -> None:
    page = windows.open(name)
    start = state(page)
    filters = page.locator(FILTERS).all()
    assert filters or name in ("worse", "index"), "their pages have none"
    for filter in filters:
        by_mouse(filter)
        set = state(page)
        assert set != start and fragment(page).startswith("?")
        assert state(windows.open(name, f"#{fragment(page)}")) == set, "who opens the address sees the same"
        by_mouse(filter)
        assert state(page) == start and not fragment(page)


@pytest.mark.parametrize("press", ["Enter", "Space"])
def test_keys_do_what_the_mouse_does(windows: Windows, press: str) -> None:
    mouse, keys = windows.open("one"), windows.open("one")
    for one, other in zip(mouse.locator(FILTERS).all(), keys.locator(FILTERS).all()):
        for _ in ("set", "taken back"):
            by_mouse(one)
            by_keys(other, press)
            assert state(mouse) == state(keys) and fragment(mouse) == fragment(keys)


@pytest.mark.parametrize("name", ["kept", "one", "many"])
def test_filters_together_survive_a_new_window(windows: Windows, name: str) -> None:
    page = windows.open(name)
    for filter in page.locator(FILTERS).all():
        by_mouse(filter)
    assert state(windows.open(name, f"#{fragment(page)}")) == state(page)


# The filters of the clauses -------------------------------------------------------------------------------------------


def clauses(page: Page) -> list[str]:
    """The clauses whose rows are shown. The counter agrees."""
    rows = page.locator(".matrix tbody tr").evaluate_all("(all) => all.map((one) => [one.id, one.checkVisibility()])")
    found = [str(id).removeprefix("clause-") for id, is_visible in rows if is_visible]
    expect(page.locator("#shown")).to_have_text(f"{len(found)} of {len(rows)} match")
    return found


def verdict(page: Page, word: str) -> Locator:
    return page.locator(f'button[data-verdict="{word}"]')


def test_verdicts_add_up_and_chapter_and_text_narrow(windows: Windows) -> None:
    page = windows.open("one")
    everything = clauses(page)
    assert everything == list(FEW)
    verdict(page, "fails").click()
    assert clauses(page) == ["VAC-SAFE-1"]
    verdict(page, "holds").click()
    assert clauses(page) == everything[:4]
    page.get_by_label("Chapter").select_option("DEL")
    assert clauses(page) == everything[:2]
    page.get_by_label("Text").fill("SENTENCE of del-row-2")
    assert clauses(page) == ["DEL-ROW-2"]
    assert fragment(page) == "?verdict=holds%2Cfails&chapter=DEL&text=SENTENCE+of+del-row-2"
    page.get_by_label("Text").fill("no such text")
    assert clauses(page) == []


@pytest.mark.parametrize("asked", ["verdict=nonsense", "chapter=<b>", "text=", "text=%E0%A4%A", "other=1", "&&="])
def test_an_address_that_asks_for_what_there_is_not_shows_something(windows: Windows, asked: str) -> None:
    page = windows.open("one", f"#?{asked}")
    assert clauses(page) == (list(FEW) if "%" not in asked else [])


def test_a_link_to_a_hidden_row_shows_it_and_back_hides_it_again(windows: Windows) -> None:
    page = windows.open("one")
    verdict(page, "known fault").click()
    assert clauses(page) == ["VAC-GONE-1"]
    page.locator('article.failure a[href="#clause-VAC-SAFE-1"]').first.click()
    row = page.locator("#clause-VAC-SAFE-1")
    expect(row).to_be_in_viewport()
    assert "VAC-SAFE-1" in clauses(page)
    page.go_back()
    expect(row).to_be_hidden()
    assert clauses(page) == ["VAC-GONE-1"] and re.search("verdict=known\\+fault", fragment(page))
    page.go_forward()
    expect(row).to_be_in_viewport()
    verdict(page, "known fault").click()
    assert not fragment(page) and len(clauses(page)) == 5
    page.locator('article.failure a[href="#clause-VAC-SAFE-1"]').first.click()
    expect(row).to_be_in_viewport()


def test_a_page_opened_at_a_clause_shows_its_row(windows: Windows) -> None:
    page = windows.open("many", "#clause-VAC-GONE-50")
    expect(page.locator("#clause-VAC-GONE-50")).to_be_in_viewport()
    open_details(page)
    assert len(clauses(page)) == 200


def test_a_long_list_of_clauses_is_folded_by_chapter_and_a_filter_opens_those_that_have_some(windows: Windows) -> None:
    page = windows.open("many")
    chapters = page.locator("details.chapter")
    folded = "(all) => all.map((one) => [one.open, one.checkVisibility()])"
    assert chapters.evaluate_all(folded) == [[False, True], [False, True]]
    assert chapters.first.locator("summary").first.inner_text() == "DEL: 100 fail"
    page.get_by_label("Text").fill("vac-gone-50")
    assert clauses(page) == ["VAC-GONE-50"]
    assert chapters.evaluate_all(folded) == [[False, False], [True, True]]
    page.get_by_label("Text").fill("")
    assert chapters.evaluate_all(folded) == [[False, True], [False, True]]

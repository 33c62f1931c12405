"""Links inside a page lead to what can be seen then; buttons copy exactly the text that they are about."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages import SCRIPT
from tests.browser.windows import Windows, tab_to

#: More links of one page are not followed: the rest are rows of the same table.
_LINKS = 30

_CLIPBOARD = ["clipboard-read", "clipboard-write"]

#: What a browser does that keeps the clipboard from a page.
_REFUSED = 'navigator.clipboard.writeText = () => Promise.reject(new DOMException("", "NotAllowedError"));'


@pytest.mark.parametrize("name", ["kept", "one", "many", "worse", "upgrade", "index", "rehearsal"])
def test_every_link_inside_the_page_leads_to_something_in_sight(windows: Windows, name: str) -> None:
    page = windows.open(name)
    links = page.locator('a[href^="#"]')
    addresses = list(dict.fromkeys(links.evaluate_all("(all) => all.map((one) => one.getAttribute('href'))")))
    assert addresses[0] == "#content"
    for address in addresses[:_LINKS]:
        link = page.locator(f'a[href="{address}"]').first
        link.focus()
        expect(link).to_be_in_viewport()
        page.keyboard.press("Enter")
        expect(page.locator(f'[id="{address[1:]}"]')).to_be_in_viewport()
        assert page.evaluate("location.hash") == address


def test_links_to_the_runs_of_an_index_lead_to_their_pages(windows: Windows) -> None:
    page = windows.open("index")
    for version, word in (("3.3.2", "FAIL"), ("4.0.1", "PASS")):
        page.get_by_role("link", name=f"Delta {version}").first.click()
        expect(page.locator("h1")).to_contain_text(f"{word}: ")
        page.go_back()
    assert page.get_by_role("link", name="Delta 4.4.0").count() == 0, "it has no page"


def test_links_in_the_hostile_index_lead_to_their_pages(windows: Windows) -> None:
    page = windows.open("hostile-index")
    links = page.locator("tbody a")
    for number in range(links.count()):
        links.nth(number).click()
        expect(page.locator("h1")).to_contain_text("PASS: ")
        page.go_back()


def copied(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


@pytest.mark.parametrize("before", ["", _REFUSED], ids=["allowed", "refused"])
@pytest.mark.parametrize(
    ("name", "how"),
    [("one", "mouse"), ("one", "Enter"), ("one", "Space"), ("worse", "mouse"), ("rehearsal", "Enter")],
)
def test_every_button_copies_the_text_that_it_names(windows: Windows, name: str, how: str, before: str) -> None:
    page = windows.empty(permissions=_CLIPBOARD, before=before)
    page.clock.install()
    page.goto(windows.address(name))
    buttons = page.locator("button[data-copy]").all()
    assert len(buttons) >= 2
    for button in buttons:
        label = str(button.text_content())
        if how == "mouse":
            button.click()
        else:
            tab_to(button)
            page.keyboard.press(how)
        expect(button).to_have_text("Copied")
        expect(button).to_be_focused()
        named = page.locator(f'[id="{button.get_attribute("data-copy")}"]')
        assert copied(page) == named.text_content() != ""
        page.clock.run_for(2000)
        expect(button).to_have_text(label)


def test_what_is_copied_is_what_the_run_has(windows: Windows, folder: Path) -> None:
    page = windows.open("one", permissions=_CLIPBOARD)
    article = page.locator("article.failure").first
    article.get_by_role("button", name="Copy the script", exact=True).click()
    expect(article.get_by_role("button", name="Copied")).to_be_visible()
    assert copied(page) == SCRIPT == next((folder / "one").rglob("reproduce.py")).read_text(encoding="utf-8")
    article.get_by_role("button", name="Copy the replay command").click()
    expect(article.get_by_role("button", name="Copied")).to_have_count(2)
    assert " replay /" in copied(page) and copied(page).endswith("/case.json 4.4.0") and "\n" not in copied(page)


def test_a_button_that_can_copy_nothing_says_so(windows: Windows) -> None:
    page = windows.empty(before=_REFUSED + "document.execCommand = () => false;")
    page.goto(windows.address("one"))
    button = page.locator("button[data-copy]").first
    button.click()
    expect(button).to_have_text("Not copied")

"""Light and dark, as the system has it or as one chooses; and what is on paper."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from tests.browser.windows import Windows, open_details

_NAMES = ["as the system", "light", "dark"]


def colours(page: Page) -> tuple[str, str]:
    """Of the paper and of the ink."""
    return tuple(
        page.evaluate("(({backgroundColor, color}) => [backgroundColor, color])(getComputedStyle(document.body))")
    )


def _reload_until_stored(page: Page, theme: str) -> None:
    """Chromium stores a value after ``setItem`` has returned: a busy machine may reload the page before that."""
    for _ in range(20):
        page.reload()
        if page.locator("#theme").text_content() == f"Theme: {theme}":
            return


@dataclass(frozen=True)
class Shades:
    light: tuple[str, str]
    dark: tuple[str, str]


@pytest.fixture
def shades(windows: Windows) -> Shades:
    page = windows.open("kept", color_scheme="light")
    light = colours(page)
    page.emulate_media(color_scheme="dark")
    return Shades(light, colours(page))


@pytest.mark.parametrize(("name", "scheme"), [("one", "light"), ("one", "dark"), ("worse", "light"), ("index", "dark")])
def test_the_theme_is_the_systems_until_one_is_chosen_which_stays(
    windows: Windows, name: str, scheme: str, shades: Shades
) -> None:
    assert shades.light != shades.dark
    page = windows.open(name, color_scheme=scheme)
    button = page.locator("#theme")
    of = {"light": shades.light, "dark": shades.dark}
    of["as the system"] = of[scheme]
    for theme in [*_NAMES, _NAMES[0]]:
        expect(button).to_have_text(f"Theme: {theme}")
        assert colours(page) == of[theme]
        _reload_until_stored(page, theme)
        expect(button).to_have_text(f"Theme: {theme}")
        assert colours(page) == of[theme]
        button.focus()
        page.keyboard.press("Enter")


def test_the_system_may_change_while_the_page_is_open(windows: Windows, shades: Shades) -> None:
    page = windows.open("one", color_scheme="light")
    page.emulate_media(color_scheme="dark")
    assert colours(page) == shades.dark
    page.locator("#theme").click()
    assert colours(page) == shades.light, "light is chosen"


def test_a_browser_that_keeps_nothing_has_themes_too(windows: Windows, shades: Shades) -> None:
    refused = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('', 'SecurityError'); }});"
    page = windows.open("one", before=refused)
    for _ in "light", "dark":
        page.locator("#theme").click()
    assert colours(page) == shades.dark
    expect(page.locator("#shown")).to_have_text("5 of 5 match")


def on_paper(page: Page) -> None:
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")


@pytest.mark.parametrize("name", ["one", "many", "worse", "index", "rehearsal"])
def test_on_paper_everything_is_open_and_nothing_is_to_be_pressed(windows: Windows, name: str) -> None:
    page = windows.open(name)
    on_paper(page)
    assert page.locator("details:not([open])").count() == 0
    assert page.locator("button:visible, input:visible, select:visible").count() == 0
    cut = page.evaluate(
        "[...document.querySelectorAll('pre, .scroll')].filter((one) => one.checkVisibility()"
        " && getComputedStyle(one).overflowY !== 'visible' && one.scrollHeight > one.clientHeight + 2).length"
    )
    assert cut == 0, "paper cannot be scrolled"


def test_on_paper_the_ink_is_dark_whatever_the_theme(windows: Windows, shades: Shades) -> None:
    page = windows.open("one")
    for _ in "light", "dark":
        page.locator("#theme").click()
    page.emulate_media(media="print")
    assert colours(page) == shades.light


def test_a_page_can_be_printed(windows: Windows) -> None:
    page = windows.open("one")
    assert page.pdf().startswith(b"%PDF")
    assert page.locator("details:not([open])").count() == 0


def test_details_open_by_mouse_and_by_keys(windows: Windows) -> None:
    page = windows.open("one")
    for summary in reversed(page.locator("summary").all()):  # what is inside of another before that
        details = summary.locator("xpath=..")
        was = details.get_attribute("open") is not None
        summary.click()
        assert (details.get_attribute("open") is not None) != was
        for key in "Enter", "Space":
            was = not was
            summary.press(key)
            assert (details.get_attribute("open") is not None) != was
    open_details(page)
    assert page.locator("pre:visible").count() == page.locator("pre").count()

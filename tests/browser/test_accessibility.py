"""What axe-core finds, in light and in dark, and where the Tab key leads."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.pages import PAGES
from tests.browser.windows import PLACES, Windows, open_details

_GRAVE = ("serious", "critical")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_grave(windows: Windows, name: str, scheme: str) -> None:
    page = windows.open(name, color_scheme=scheme)
    if name != "many":  # its first failure is open, and the others are alike: to judge all takes long
        open_details(page)
    found = Axe().run(page).response["violations"]
    assert [
        f"{one['id']} ({one['impact']}): {node['html'][:200]}: {node['failureSummary']}"
        for one in found
        if one["impact"] in _GRAVE
        for node in one["nodes"][:3]
    ] == []


@pytest.mark.parametrize("name", ["one", "worse", "index", "rehearsal"])
def test_tab_leads_to_everything_that_can_be_used_and_shows_where_it_is(windows: Windows, name: str) -> None:
    page = windows.open(name)
    open_details(page)
    places = page.evaluate(
        "(places) => { window.places = [...document.querySelectorAll(places)]; return window.places.length; }", PLACES
    )
    reached, outlines = [], set()
    for _ in range(places):
        page.keyboard.press("Tab")
        place, outline = page.evaluate(
            "[places.indexOf(document.activeElement), getComputedStyle(document.activeElement).outlineStyle]"
        )
        reached.append(place)
        outlines.add(outline)
    assert reached == list(range(places)), "in the order of the page"
    assert outlines == {"solid"}

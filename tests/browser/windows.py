"""Windows of the browser with the pages in them, and what one does there with a mouse or with keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Dialog, Locator, Page, Request, expect

from tests.browser.pages import PAGES, PLAIN

#: What the Tab key leads to.
PLACES = "a[href], button, input, select, summary, [tabindex='0']"


class Windows:
    """``faults`` is what pages did that they must not do: a message, an error, a request, a dialog."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.faults: list[str] = []
        self._browser = browser
        self._folder = folder
        self._contexts: list[BrowserContext] = []

    def address(self, name: str) -> str:
        """The address of a page on the disk."""
        return (self._folder / (PAGES | PLAIN)[name]).as_uri()

    def empty(self, *, before: str = "", width: int = 1200, height: int = 900, **options: Any) -> Page:
        """A window of a user of its own, without a page. ``before`` is a script that runs before those of each page."""
        context = self._browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(10_000)
        self._contexts.append(context)
        if before:
            context.add_init_script(before)
        page = context.new_page()
        page.on("console", lambda said: self.faults.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("request", self._asked)
        page.on("dialog", self._dialog)
        return page

    def open(self, name: str, fragment: str = "", **options: Any) -> Page:
        """The page in a window of its own."""
        page = self.empty(**options)
        page.goto(self.address(name) + fragment)
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _asked(self, request: Request) -> None:
        if not (request.is_navigation_request() and request.url.startswith("file://")):
            self.faults.append(f"request: {request.url}")

    def _dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()


def tab_to(element: Locator) -> None:
    """Go to an element with the Tab key, from the place before it."""
    element.evaluate(
        """(one, places) => { const all = [...document.querySelectorAll(places)].filter((place) => place.checkVisibility());
        all[all.indexOf(one) - 1].focus(); }""",
        PLACES,
    )
    element.page.keyboard.press("Tab")
    expect(element).to_be_focused()


def open_details(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

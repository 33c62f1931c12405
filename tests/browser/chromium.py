"""The browser of the tests: the machine's own Chromium, since Playwright's is a download of its own."""

from __future__ import annotations

import os
import shutil

from playwright.sync_api import Browser, Playwright

#: What names another program than those below.
VARIABLE = "TOMBSTONE_CHROMIUM"

_NAMES = ("chromium", "chromium-browser", "google-chrome")


class NoBrowser(Exception):
    """No Chromium is found. The text says what to install."""


def program() -> str:
    """The path of the browser."""
    given = os.environ.get(VARIABLE)
    if given is not None:
        if shutil.which(given) is None:
            raise NoBrowser(f"{VARIABLE} names {given}, which is no program: install Chromium, and name it there.")
        return given
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        raise NoBrowser(
            f"The tests of the pages need a browser: install Chromium (apt-get install chromium), or name one in {VARIABLE}."
        )
    return found


def launched(playwright: Playwright) -> Browser:
    """The browser, without a window."""
    # In a container Chromium may have no sandbox to put its processes into; it opens no pages but ours.
    return playwright.chromium.launch(executable_path=program(), args=["--no-sandbox"])

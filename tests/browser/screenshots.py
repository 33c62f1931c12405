"""Pictures of the pages that `tombstone demo` makes: ``python -m tests.browser.screenshots FOLDER OUT``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.chromium import NoBrowser, launched

#: The pictures, each with its page below the folder.
PICTURES = {
    "healthy.png": "healthy/report.html",
    "broken.png": "broken/report.html",
    "upgrade.png": "upgrade/compare.html",
}


def take(folder: Path, out: Path) -> None:
    """Take a picture of the first screen of each page, in light colours."""
    out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as started:
        browser = launched(started)
        page = browser.new_page(
            viewport={"width": 1200, "height": 900},
            device_scale_factor=1,
            color_scheme="light",
            reduced_motion="reduce",
        )
        for picture, name in PICTURES.items():
            page.goto((folder / name).resolve().as_uri())
            page.screenshot(path=out / picture)
        browser.close()


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 2 without a page or a browser, with one sentence on stderr."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots", description=(__doc__ or "").strip())
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of the pages, such as build/demo")
    parser.add_argument("out", type=Path, metavar="OUT", help="where the pictures go")
    arguments = parser.parse_args(argv)
    missing = [name for name in PICTURES.values() if not (arguments.folder / name).is_file()]
    if missing:
        print(f"{arguments.folder} has no {' and no '.join(missing)}: run tombstone demo first.", file=sys.stderr)
        return 2
    try:
        take(arguments.folder, arguments.out)
    except NoBrowser as none:
        print(none, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The screen in docs/first-run.md is that of a run that docs/demo keeps."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from reports.render.terminal import show_run
from reports.stream.reading import read_run
from suites.catalogue import CATALOGUE

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "docs" / "demo"

#: The documents with the screen of a run, and the kept run that it is from.
SCREENS = {"docs/first-run.md": "delta-rs"}


def screen_in(document: str) -> list[str]:
    """The lines of the first screen in a document: an indented block that begins with the answer."""
    lines = iter((ROOT / document).read_text(encoding="utf-8").splitlines())
    found = [next(line for line in lines if line.startswith("    PASS: "))]
    for line in lines:
        if not line.startswith("    "):
            break
        found.append(line)
    return [line.removeprefix("    ") for line in found]


def screen_of(run: str) -> list[str]:
    """What a terminal shows of a kept run."""
    screen = io.StringIO()
    show_run(read_run(DEMO / run), Console(file=screen, width=400), directory=Path("build/report"))
    return screen.getvalue().splitlines()


@pytest.mark.parametrize(("document", "run"), SCREENS.items())
def test_the_screen_is_of_the_kept_run(document: str, run: str) -> None:
    """A line that ends with … is the beginning of one, and a line of … alone stands for any."""
    shown = iter(screen_of(run))
    for line in screen_in(document):
        if line.strip() == "…":
            continue
        begins = line.removesuffix(" …").removesuffix("…")
        assert any(one == line or (begins != line and one.startswith(begins)) for one in shown), (
            f"{document} shows a line that the kept run does not have, or not in this order: {line!r}"
        )


@pytest.mark.long
@pytest.mark.parametrize("run", ["delta-rs", "healthy", "broken", "upgrade/base", "upgrade/candidate"])
def test_a_kept_run_is_of_today(run: str) -> None:
    """It has the clauses of the catalogue with their sentences, so that the pages and pictures made of it are current."""
    header = read_run(DEMO / run).header
    assert {one.id: one.sentence for one in header.clauses} == {id: one.sentence for id, one in CATALOGUE.items()}
    assert header.interpreter is None, "it names a directory of the machine that it is from"


def test_the_documents_count_the_clauses() -> None:
    for document in SCREENS:
        for number in _numbers_before(" clauses", (ROOT / document).read_text(encoding="utf-8")):
            assert number < 200 or number == len(CATALOGUE), f"{document}: {number} clauses, not {len(CATALOGUE)}"


def _numbers_before(word: str, text: str) -> list[int]:
    parts = [part.rpartition(" ")[2] for part in text.split(word)[:-1]]
    return [int(part) for part in parts if part.isdigit()]

"""Runs of two versions in turn that are kept in a directory, one for each pair: a kept run is not repeated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engines.versions import version_of
from records.mistakes import UsageMistake
from reports.stream.reading import is_whole
from reports.together.answer import TurnReport
from reports.together.reading import read_together
from runner.together import run_in_turn


def kept_in_turn(names: Sequence[str], directory: Path, *, make: bool, remedy: str) -> TurnReport:
    """Both versions in turn, as users name them. ``make``: run them if the run is missing; ``remedy``: what to do otherwise.
    Raises UsageMistake if the run is missing, or cannot be read.
    """
    place = place_of(names, directory)
    if not is_whole(place):
        if not make:
            raise UsageMistake(f"There is no run of both in turn in {place}: {remedy}.")
        a, b = map(version_of, names)
        print(f"{a.title} and {b.title} in turn.", flush=True)
        run_in_turn(a, b, (), report=place)
    return read_together(place)


def place_of(names: Sequence[str], directory: Path) -> Path:
    """Where the run of two versions is kept."""
    return directory / "-".join(names)

"""The views of a run that are files."""

from __future__ import annotations

from pathlib import Path

from reports.counterexamples.checked import read_checked
from reports.stream import Run
from reports.views.junit import junit
from reports.views.summary import summary


def write_views(run: Run, directory: Path) -> None:
    """Write ``junit.xml`` and ``summary.md`` of a run into ``directory``, which is made if need be."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "junit.xml").write_text(junit(run), encoding="utf-8", newline="\n")
    checked = read_checked(directory)
    (directory / "summary.md").write_text(summary(run, checked=checked), encoding="utf-8", newline="\n")

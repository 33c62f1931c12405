"""A comparison on a terminal: what regressed, what differs, then the verdict."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from reports.compare.comparison import Change, Comparison
from reports.compare.wording import explained, overview, signature, verdict
from reports.quantities import counted
from reports.views.terminal import visible

#: How many unexplained differences are shown. The files have all.
_SHOWN = 20
_STYLES = {Change.REGRESSED: "bold red", Change.IMPROVED: "green", Change.CHANGED: "yellow"}


def show_comparison(comparison: Comparison, console: Console, *, directory: Path) -> None:
    """Print a comparison. ``directory`` is where its files are."""
    for change, style in _STYLES.items():
        for clause in comparison.of(change):
            sides = [result.verdict.value if result else "not listed" for result in (clause.base, clause.candidate)]
            _print(console, f"{change.value}: {clause.clause} ({sides[0]} → {sides[1]})", style)
            _print(console, f"  expected: {clause.sentence}")
            if clause.message:
                _print(console, f"  observed: {clause.message}")
            if clause.case is not None:
                _print(console, f"  replay:   pytest suites --replay {directory / 'cases' / clause.case['id']}.json")
    for group in comparison.unexplained[:_SHOWN]:
        _print(console, f"unexplained: {signature(group)}", "yellow")
        shown = f"case {group.base['id']}" + (f", step {group.step}" if group.step is not None else "")
        _print(console, f"  {counted(group.cases, 'case')}, {counted(group.steps, 'step')}; the smallest: {shown}")
    left_out = len(comparison.unexplained) - _SHOWN
    if left_out > 0:
        _print(console, f"… and {left_out} more, in {directory / 'comparison.md'}")
    for one in explained(comparison):
        _print(console, f"{one.change.word}: {one.change.sentence}")
        _print(console, f"  {counted(one.cases, 'case')}; source: {one.change.source}")
    for line in ("", *overview(comparison), f"The full comparison is in {directory / 'comparison.md'}"):
        _print(console, line)
    _print(console, verdict(comparison), "bold red" if comparison.exit else "bold green")


def _print(console: Console, line: str, style: str = "") -> None:
    # Text objects are not parsed as markup; soft wrapping keeps paths and commands whole for copying.
    console.print(Text(visible(line), style=style), soft_wrap=True, highlight=False)

"""A comparison on a terminal: the verdict, what regressed, what differs and why."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from reports.compare.cases import Change
from reports.compare.comparison import Comparison
from reports.compare.wording import (
    accepted,
    ended_words,
    explained,
    fault_words,
    overview,
    shift_words,
    signature,
    verdict,
)
from reports.quantities import counted
from reports.views.terminal import visible

#: How many unexplained differences are shown. The files have all.
_SHOWN = 20
_STYLES = {
    Change.REGRESSED: "bold red",
    Change.UNCOMPARED: "bold yellow",
    Change.IMPROVED: "green",
}


def show_comparison(comparison: Comparison, console: Console, *, directory: Path) -> None:
    """Print a comparison, the verdict first and last. ``directory`` is where its files are."""
    style = {0: "bold green", 1: "bold red", 2: "bold yellow"}[comparison.exit]
    _print(console, verdict(comparison), style)
    _shifts(comparison, Change.REGRESSED, console, directory)
    _known_faults(comparison, console, new=True)
    _shifts(comparison, Change.UNCOMPARED, console, directory)
    _accepted(comparison, console)
    for group in comparison.unexplained[:_SHOWN]:
        _print(console, f"unexplained: {signature(group)}", "yellow")
        shown = f"case {group.base['id']}" + (f", step {group.step}" if group.step is not None else "")
        _print(console, f"  {counted(group.cases, 'case')}, {counted(group.steps, 'step')}; the smallest: {shown}")
    left_out = len(comparison.unexplained) - _SHOWN
    if left_out > 0:
        _print(console, f"… and {left_out} more, in {directory / 'comparison.md'}")
    _known_faults(comparison, console, new=False)
    for one in explained(comparison):
        _print(console, f"{one.word}: {one.sentence}")
        _print(console, f"  {counted(one.cases, 'case')}; source: {one.source}")
    _shifts(comparison, Change.IMPROVED, console, directory)
    for line in ("", *overview(comparison), f"The full comparison is in {directory / 'comparison.md'}"):
        _print(console, line)
    _print(console, verdict(comparison), style)


def _known_faults(comparison: Comparison, console: Console, *, new: bool) -> None:
    """What the suite knows of either version, one line for each reason; the clauses and cases are in the files."""
    for fault in comparison.known_faults:
        if fault.is_new is new:
            _print(console, fault_words(fault, comparison), "bold yellow" if new else "")
            _print(console, f"  {counted(len(fault.case_ids), 'case')}; {', '.join(fault.clauses)}")
            of_fault = [one for one in comparison.shifted(Change.KNOWN) if one.cause == fault.reason]
            for line in dict.fromkeys(ended_words(one, comparison) for one in of_fault):
                if line:
                    _print(console, f"  {line}")


def _accepted(comparison: Comparison, console: Console) -> None:
    """What the user's file accepts, and until when."""
    for one in accepted(comparison):
        _print(console, f"worse, and accepted: {one.cause} ({one.severity})")
        _print(console, f"  {counted(len(one.case_ids), 'case')}; {', '.join(one.clauses)}")
        _print(console, f"  by {comparison.acceptance.file if comparison.acceptance else ''} {one.by}")


def _shifts(comparison: Comparison, change: Change, console: Console, directory: Path) -> None:
    sentences = {clause.clause: clause.sentence for clause in comparison.clauses}
    for one in comparison.shifted(change):
        cases = counted(len(one.case_ids), "case")
        _print(console, f"{change.value}: {shift_words(one)}", _STYLES[change])
        if change is Change.IMPROVED:
            _print(console, f"  {cases}; the smallest: {one.case['id']}")
            continue
        _print(console, f"  expected: {sentences[one.clause]}")
        _print(console, f"  observed: {one.message}")
        _print(console, f"  before:   {one.before}; {cases}")
        if ended := ended_words(one, comparison):
            _print(console, f"  accepted: no more: {ended}")
        _print(console, f"  replay:   pytest suites --replay {directory / 'cases' / one.case['id']}.json")


def _print(console: Console, line: str, style: str = "") -> None:
    # Text objects are not parsed as markup; soft wrapping keeps paths and commands whole for copying.
    console.print(Text(visible(line), style=style), soft_wrap=True, highlight=False)

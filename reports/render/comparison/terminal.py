"""A comparison on a terminal, on one screen: the answer, in what the candidate is worse, what differs, and where the rest
is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from reports.comparison.answer import answer_to, next_steps
from reports.comparison.comparison import Comparison
from reports.comparison.overview import overview
from reports.comparison.weight import WeighedWay
from reports.comparison.wording import (
    also,
    ended_words,
    explained_lines,
    shift_concerns,
    shift_tables,
    side_names,
    unexplained,
)
from reports.render.lines import show_clipped, show_command, show_fact, show_kinds, show_text
from reports.text.harms import in_ways
from reports.text.quantities import counted
from reports.text.replaying import replay_command

#: How many ways to be worse are shown. The files have all.
_WAYS = 10


def show_comparison(comparison: Comparison, console: Console, *, directory: Path, verbose: bool = False) -> None:
    """Print a comparison. ``directory`` is where its files are; ``verbose``: every line of each kind."""
    answer = answer_to(comparison)
    show_text(console, str(answer), answer.style)
    if comparison.shared is not None and comparison.bars_the_way_back:
        show_text(console, comparison.shared.no_way_back, "bold yellow")
    spared = comparison.sparing
    worse = [one for one in comparison.worse if one not in spared]
    for number, way in enumerate(worse[:_WAYS], start=1):
        _show_way(number, way, comparison, console, directory)
    if len(worse) > _WAYS:
        show_text(console, f"and worse in {counted(len(worse) - _WAYS, 'more way')}: see compare.html")
    if spared:
        concern = "concerns" if len(spared) == 1 else "concern"
        ways = counted(len(spared), "more way" if worse else "way")
        show_text(console, f"worse in {ways} that {concern} none of your tables: see compare.html")
    show_text(console)
    show_kinds(console, _kinds(comparison), whole=verbose)
    if both := [one.severity for one in comparison.known_faults if one.on_base and one.on_candidate]:
        show_text(console, f"known of both: {in_ways(both)}")
    for told in overview(comparison):
        show_clipped(console, str(told))
    show_command(console, "report", str(directory / "compare.html"))
    for step in next_steps(comparison, cases=str(directory / "cases")):
        show_fact(console, "next", step)


def _show_way(number: int, way: WeighedWay, comparison: Comparison, console: Console, directory: Path) -> None:
    lead = way.lead
    sentence = next(one.sentence for one in comparison.clauses if one.clause == lead.clause)
    also = f"; with it {', '.join(way.clauses)}" if way.clauses else ""
    show_text(console)
    known = "known, " if way.is_known else ""
    show_text(console, f"{number}. {known}{way.does}: {lead.cause}", "bold red")
    show_fact(console, "promised", f"{sentence} ({lead.clause}{also})")
    base, candidate = side_names(comparison)
    show_fact(console, "from", f"{base}: {lead.before}")
    show_fact(console, "to", f"{candidate}: {lead.message}")
    show_fact(console, "case", f"{lead.case.id}, step {lead.step} ({counted(len(way.case_ids), 'case')})")
    if concerns := shift_concerns(lead, comparison):
        show_fact(console, "known", concerns)
    if tables := shift_tables(lead, comparison):
        show_fact(console, "your tables", tables)
    if ended := ended_words(lead, comparison):
        show_fact(console, "accepted", f"no more: {ended}")
    case = directory / "cases" / f"{lead.case.id}.json"
    show_command(console, "replay", replay_command(comparison.candidate.header, case))
    script = next(directory.glob(f"candidate/counterexamples/{lead.clause}-*/reproduce.py"), None)
    if script is not None:
        show_command(console, "script", str(script))


def _kinds(comparison: Comparison) -> dict[str, Sequence[str]]:
    """What else is to be said, a line for each."""
    return {
        **unexplained(comparison),
        **also(comparison),
        "explained": explained_lines(comparison),
    }

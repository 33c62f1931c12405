"""A run on a terminal: a progress line while it runs, then one screen; the tables on request."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from harness.campaigns.costs import seconds_by_pace
from model.text.durations import duration
from records.run import Header, RecordedCase, Verdict
from reports.counterexamples import folder_of
from reports.counterexamples.checked import ScriptResult, read_checked
from reports.findings.answers import answer_of, named
from reports.findings.coverage import Coverage
from reports.findings.failures import Failure
from reports.findings.like import covered_words, failure_tables, spared_words
from reports.findings.of_run import Findings, findings_of
from reports.findings.verdicts import ATTENTION, ClauseFinding, counts
from reports.render.lines import show_command, show_fact, show_kinds, show_line, show_text, visible
from reports.stream.reading import Run
from reports.text.circumstances import machine_of, profile_of, versions_of
from reports.text.engines import engine_words
from reports.text.harms import does
from reports.text.own_tables import concerned, concerned_briefly
from reports.text.quantities import counted
from reports.text.replaying import replay_command
from reports.text.verdicts import headline, tallied

_STYLES = {
    Verdict.HOLDS: "green",
    Verdict.FAILS: "bold red",
    Verdict.KNOWN_FAULT: "yellow",
    Verdict.LISTED_BUT_GONE: "bold red",
    Verdict.NOT_APPLICABLE: "dim",
    Verdict.DISABLED: "dim",
    Verdict.NOT_TESTED: "bold yellow",
    Verdict.ERROR: "bold yellow",
}
#: The width of a table without a terminal, as in a CI log: in a narrower one sentences wrap after a few words.
_LOG_WIDTH = 140

#: How many failures are shown. The files have all.
_FAILURES = 10

#: How many of the things that no case has are named.
_MISSING = 5


class Progress:
    """A progress line: ``start`` with the header of the stream and what the run takes, ``case`` with each case, ``stop``.

    On a terminal the line is redrawn with each case; elsewhere a plain line is printed every ``every`` seconds at most.
    ``now`` gives seconds, for display only.
    """

    def __init__(self, console: Console, *, every: float = 30.0, now: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._every = every
        self._now = now
        self._live = Live(
            console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
        )
        self._name = ""
        self._planned = self._done = self._steps = self._failed = 0
        self._began = self._shown = self._seconds = 0.0
        self._first: tuple[float, float] | None = None

    def start(self, header: Header, seconds: float) -> None:
        """The run begins, and takes so many ``seconds`` by an estimate."""
        self._seconds = seconds
        self._name = engine_words(header.engine, header.version)
        self._planned = sum(campaign.planned for campaign in header.campaigns)
        self._began = self._shown = self._now()
        if self._console.is_terminal:
            self._live.start()

    def case(self, case: RecordedCase) -> None:
        """A case was judged. Those made by shrinking do not count as done."""
        self._done += case.origin != "shrunk"
        self._steps += len(case.steps)
        self._failed += any(result.verdict is Verdict.FAILS for result in case.clauses.values())
        now = self._now()
        if self._console.is_terminal:
            self._live.update(Text(self._line(now), overflow="ellipsis", no_wrap=True), refresh=True)
        elif now - self._shown >= self._every:
            self._shown = now
            self._console.print(Text(self._line(now)), soft_wrap=True)

    def stop(self) -> None:
        """The run ended: remove the line from a terminal. It may be called twice."""
        self._live.stop()

    def _line(self, now: float) -> str:
        elapsed = now - self._began
        parts = [
            f"{self._name}: {self._done} of {self._planned} cases",
            counted(self._steps, "step"),
            _seconds(elapsed),
        ]
        if 0 < self._done < self._planned:
            share = self._done / self._planned
            # Before the first case came, the run waited for an engine: that is no pace.
            self._first = first, begun = self._first or (now, share)
            whole = seconds_by_pace(self._seconds, share - begun, now - first)
            parts.append(f"about {_seconds(whole * (1 - share))} left")
        if self._failed:
            parts.append(f"{self._failed} failing")
        return ", ".join(parts)


def show(
    run: Run, console: Console, *, directory: Path | None = None, page: Path | None = None, verbose: bool = False
) -> None:
    """Print a finished run on one screen: the answer, the failures, the clauses by chapter, what is known, where the rest is, and
    the answer again with the number of clauses, as the last line.

    The gravest failure comes first. Clauses that fail in the same step of the same case are one failure. ``directory`` is the
    report directory that holds ``counterexamples/``; with it, paths and commands are shown. ``page`` is its page, if it is not
    there. ``verbose``: the tables too, first.
    """
    findings = findings_of(run)
    results = findings.results
    if verbose:
        _show_tables(run, findings, console)
    show_answer(run, console)
    checked = read_checked(directory)
    found = findings.failures
    for number, failure in enumerate(found[:_FAILURES], start=1):
        _show_failure(run, number, failure, console, directory, checked)
    if len(found) > _FAILURES:
        show_text(console, f"and {counted(len(found) - _FAILURES, 'more failure')}: see report.html")
    for one in checked:
        if one.disagrees:
            show_text(console, one.text, "bold red")
    if found:
        show_text(console)
    show_kinds(console, _kinds(findings), whole=verbose)
    if spared := spared_words(findings.known):
        show_text(console, spared)
    if findings.like is not None:
        show_text(console, f"your tables: {covered_words(findings.like, most=_MISSING)}")
    for chapter, own in groupby(results, key=lambda one: run.clauses[one.clause].chapter):
        tally = ", ".join(tallied(verdict, number) for verdict, number in counts(own).items())
        show_text(console, f"{chapter}: {tally}")
    header, footer = run.header, run.footer
    took = f"{counted(footer.cases, 'case')}, {counted(footer.steps, 'step')} in {_seconds(footer.seconds)}"
    show_text(console, f"{took}; {profile_of(header)}; {machine_of(header)}")
    show_text(console, versions_of(header))
    if page is None and directory is not None:
        page = directory / "report.html"
    if header.shard is not None:
        if directory is not None:
            show_command(console, "part", str(directory))
    elif page is not None:
        show_command(console, "report", str(page))
    answer = answer_of(run)
    show_line(console, f"{answer.word.value}: {headline(run.footer, named(run))}", answer.style)


def show_answer(run: Run, console: Console) -> None:
    """The first line of the screen alone."""
    answer = answer_of(run)
    show_text(console, str(answer), answer.style)


def _show_failure(
    run: Run, number: int, failure: Failure, console: Console, directory: Path | None, checked: Sequence[ScriptResult]
) -> None:
    lead, judged = failure.lead, failure.lead.judged
    also = f"; with it {', '.join(failure.clauses)}" if failure.clauses else ""
    show_text(console)
    show_text(console, f"{number}. {does(lead.severity)}: {lead.cause}", "bold red")
    show_fact(console, "promised", f"{run.clauses[lead.clause].sentence} ({lead.clause}{also})")
    show_fact(console, "seen", lead.violation.message)
    show_fact(console, "case", f"{judged.id}, step {lead.violation.step} ({counted(lead.cases, 'case')})")
    if (tables := failure_tables(run.header, failure)) is not None and run.header.like is not None:
        show_fact(console, "your tables", concerned(tables, run.header.like.tables))
    if directory is not None:
        folder = folder_of(lead.clause, judged.id)
        show_command(console, "replay", replay_command(run.header, directory / folder / "case.json"))
        script = next((f" says {one.words}" for one in checked if one.folder == folder), "")
        show_command(console, "script", f"{directory / folder / 'reproduce.py'}{script}")


def _kinds(findings: Findings) -> dict[str, list[str]]:
    """What else is to be said, a line for each."""
    undecided = [one for one in findings.results if one.verdict in ATTENTION and one.reason]
    return {
        "cases that ended in an error": [
            f"{one.case} of {one.campaign}: {one.error.kind}: {one.error.message}" for one in findings.errors
        ],
        "not decided as it should be": [f"{one.verdict.value}: {one.clause}: {one.reason}" for one in undecided],
        **_known_kind(findings),
    }


def _known_kind(findings: Findings) -> dict[str, list[str]]:
    """The known faults, without those that concern none of the user's tables."""
    like = findings.like
    if like is None:
        return {"known faults": [f"{one.does}: {one.reason}" for one in findings.known]}
    concern = [one for one in findings.known if not one.concerns_none]
    lines = [f"{one.does}{concerned_briefly(one.tables, like.tables)}: {one.reason}" for one in concern]
    return {"known faults that concern your tables, or may": lines}


def _show_tables(run: Run, findings: Findings, console: Console) -> None:
    """All clauses, what the cases covered, and the features that were never drawn together."""
    width = None if console.is_terminal else max(console.width, _LOG_WIDTH)
    console.print(_table(run, findings.results, width), crop=False)
    for coverage in findings.coverage:
        console.print(Text(), Text(f"{coverage.title}:"), _counts(coverage), crop=False)
    never = findings.features.never
    if never:
        listed = "; ".join(f"{one} with {other}" for one, other in never)
        show_text(console, f"Features never drawn together: {listed}", "yellow")
    show_text(console)


def _table(run: Run, results: tuple[ClauseFinding, ...], width: int | None) -> Table:
    table = Table(box=None, pad_edge=False, expand=True, width=width)
    for name, justify in (("clause", "left"), ("verdict", "left"), ("exercised", "right"), ("engine s", "right")):
        table.add_column(name, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    # The sentence gets the remaining width: it is cut on a terminal (no ``width``) and wraps in a log.
    table.add_column("expected", overflow="ellipsis" if width is None else "fold", no_wrap=width is None, ratio=1)
    for result in results:
        style = _STYLES[result.verdict]
        table.add_row(
            Text(result.clause),
            Text(result.verdict.value, style=style),
            str(result.met),
            f"{result.seconds:.1f}",
            Text(visible(run.clauses[result.clause].sentence)),
        )
    return table


def _counts(coverage: Coverage) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(visible(coverage.corner), overflow="fold")
    for column in coverage.columns:
        table.add_column(visible(column), justify="right", overflow="fold")
    for name in coverage.rows:
        table.add_row(Text(visible(name)), *(str(coverage.cells[name, column]) for column in coverage.columns))
    return table


def _seconds(seconds: float) -> str:
    return duration(round(seconds) * 1000)

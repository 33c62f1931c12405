"""A run on a terminal: a progress line while it runs, then the verdicts and the failures."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from reports.circumstances import machine_of, profile_of
from reports.counterexamples import folder_of
from reports.counterexamples.checked import Checked, read_checked
from reports.failures import Failure
from reports.quantities import counted, duration
from reports.stream import Line, Run
from reports.verdicts import ATTENTION, ClauseResult, Verdict, counts, failures_of, headline, results_of
from reports.views.coverage import Coverage, coverage_tables, feature_pairs

_STYLES = {
    Verdict.PASS: "green",
    Verdict.FAIL: "bold red",
    Verdict.XFAIL: "yellow",
    Verdict.STALE: "bold red",
    Verdict.UNSUPPORTED: "dim",
    Verdict.DISABLED: "dim",
    Verdict.UNEXERCISED: "bold yellow",
    Verdict.ERROR: "bold yellow",
}
#: The width of a table without a terminal, as in a CI log: in a narrower one sentences wrap after a few words.
_LOG_WIDTH = 140
_HEADLINE_STYLES = {0: "bold green", 1: "bold red", 2: "bold yellow"}

#: The failures that are shown with all that is known of them; of the others one line each.
_IN_FULL = 8


class Progress:
    """A progress line: ``start`` with the header of the stream, then ``case`` with each case, then ``stop``.

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
        self._planned = self._done = self._steps = self._failed = 0
        self._began = self._shown = 0.0

    def start(self, header: Line) -> None:
        """The run begins. ``header`` is the stream's header line."""
        self._planned = sum(campaign["planned"] for campaign in header["campaigns"])
        self._began = self._shown = self._now()
        if self._console.is_terminal:
            self._live.start()

    def case(self, line: Line) -> None:
        """A case was judged. ``line`` is its line of the stream. Cases made by shrinking do not count as done."""
        self._done += line["origin"] != "shrunk"
        self._steps += len(line["steps"])
        self._failed += any(result["verdict"] == "fail" for result in line["clauses"].values())
        now = self._now()
        text = Text(self._line(line["campaign"], now))
        if self._console.is_terminal:
            self._live.update(text, refresh=True)
        elif now - self._shown >= self._every:
            self._shown = now
            self._console.print(text)

    def stop(self) -> None:
        """The run ended: remove the line from a terminal. It may be called twice."""
        self._live.stop()

    def _line(self, campaign: str, now: float) -> str:
        elapsed = now - self._began
        parts = [f"{campaign}: {self._done} of {self._planned} cases", counted(self._steps, "step"), _seconds(elapsed)]
        if 0 < self._done < self._planned:
            parts.append(f"about {_seconds(elapsed / self._done * (self._planned - self._done))} left")
        if self._failed:
            parts.append(f"{self._failed} failing")
        return ", ".join(parts)


def show(run: Run, console: Console, *, directory: Path | None = None) -> None:
    """Print a finished run: the clause table, coverage, what needs attention, the failures, then the verdict.

    The gravest failure comes first. Clauses that fail in the same step of the same case are one failure.

    ``directory`` is the report directory that holds ``counterexamples/``; with it, paths and commands are shown.
    """
    results = results_of(run)
    width = None if console.is_terminal else max(console.width, _LOG_WIDTH)
    console.print(_table(run, results, width), crop=False)
    for coverage in coverage_tables(run.cases):
        console.print(Text(), Text(f"{coverage.title}:"), _counts(coverage), crop=False)
    for case in run.cases:
        if case["error"] is not None:
            error = case["error"]
            _print(console, Text(f"error: case {case['id']} of {case['campaign']}", style="bold yellow"))
            _print(console, Text(f"  {error['kind']}: {visible(error['message'])}"))
    never = feature_pairs(run.cases).never
    if never:
        listed = "; ".join(f"{one} with {other}" for one, other in never)
        _print(console, Text(), Text(visible(f"Features never drawn together: {listed}"), style="yellow"))
    for result in results:
        if result.verdict in ATTENTION and result.reason:  # a clause that fails has one if its deviation has ended
            _print(console, *_undecided(run, result))
    checked = read_checked(directory)
    found = failures_of(run)
    if found:
        _print(console, Text(), Text(f"{headline(run)}, the gravest first", style="bold red"))
    for number, failure in enumerate(found, start=1):
        lines = _details(run, number, failure, directory, checked) if number <= _IN_FULL else [_brief(number, failure)]
        _print(console, *lines)
    for one in checked:
        if one.disagrees:
            _print(console, Text(visible(one.text), style="bold red"))
    _print(console, *_verdict(run, results))


def _print(console: Console, *lines: Text) -> None:
    for line in lines:
        # Text objects are not parsed as markup; soft wrapping keeps paths and commands whole for copying.
        console.print(line, soft_wrap=True, highlight=False)


def _table(run: Run, results: tuple[ClauseResult, ...], width: int | None) -> Table:
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
            Text(visible(run.clauses[result.clause]["sentence"])),
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


def _undecided(run: Run, result: ClauseResult) -> list[Text]:
    """A clause that is stale, unexercised or in error, or whose deviation has ended."""
    return [
        Text(),
        Text.assemble((f"{result.verdict.value}: {result.clause}", _STYLES[result.verdict])),
        Text(f"  expected: {visible(run.clauses[result.clause]['sentence'])}"),
        Text(f"  reason:   {visible(result.reason)}"),
    ]


def _details(run: Run, number: int, failure: Failure, directory: Path | None, checked: Sequence[Checked]) -> list[Text]:
    lead, line = failure.lead, failure.lead.line
    lines = [
        Text(),
        Text(f"{number}. {lead.severity}: {lead.clause}", style=_STYLES[Verdict.FAIL]),
        Text(f"  promised: {visible(run.clauses[lead.clause]['sentence'])}"),
        Text(f"  seen:     {visible(lead.violation['message'])}"),
        Text(f"  cause:    {visible(lead.cause)} ({counted(lead.cases, 'case')})"),
    ]
    others = _others(failure)
    if others:
        lines.append(Text(f"  also:     {', '.join(others)} fail{'s' if len(others) == 1 else ''} in the same step"))
    lines.append(Text(f"  case:     {line['id']}, step {lead.violation['step']}, campaign {line['campaign']}"))
    if directory is not None:
        folder = folder_of(lead.clause, line["id"])
        command = f"pytest suites --engine {run.header['engine']} --replay {directory / folder / 'case.json'}"
        lines.append(Text(f"  replay:   {command}"))
        answers = [one for one in checked if one.folder == folder]
        lines += [
            Text(f"  script:   {directory / folder / 'reproduce.py'} says {visible(one.answer)}") for one in answers
        ]
    return lines


def _others(failure: Failure) -> list[str]:
    """The clauses that fail with the gravest one."""
    return [clause for clause in dict.fromkeys(one.clause for one in failure.others) if clause != failure.lead.clause]


def _brief(number: int, failure: Failure) -> Text:
    lead = failure.lead
    clauses = ", ".join([lead.clause, *_others(failure)])
    return Text(visible(f"{number}. {lead.severity}: {clauses}: {lead.cause} (case {lead.line['id']})"), style="red")


def _verdict(run: Run, results: tuple[ClauseResult, ...]) -> list[Text]:
    header, footer = run.header, run.footer
    versions = ", ".join(f"{name} {version}" for name, version in header["versions"].items())
    tally = ", ".join(f"{number} {verdict}" for verdict, number in counts(results).items())
    fault = f", with the fault {header['known_bad']} built in" if header["known_bad"] is not None else ""
    return [
        Text(),
        Text(visible(f"{header['engine']} ({versions}){fault}, {profile_of(header)}; {machine_of(header)}")),
        Text(
            f"{counted(footer['cases'], 'case')}, {counted(footer['steps'], 'step')} in {_seconds(footer['seconds'])}"
        ),
        Text(f"{headline(run)}: {tally}", style=_HEADLINE_STYLES[footer["exit"]]),
    ]


def visible(text: str) -> str:
    """The text without control characters."""
    # Control characters could move the cursor or colour what follows.
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _seconds(seconds: float) -> str:
    return duration(round(seconds) * 1000)

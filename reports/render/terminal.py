"""A run on a terminal: a progress line while it runs, then one screen; the tables on request."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.text import Text

from harness.campaigns.costs import seconds_by_pace
from model.text.durations import duration
from records.run import Header, RecordedCase, Verdict
from reports.counterexamples.checked import read_checked
from reports.document.printing import show_command, show_line, show_text
from reports.document.terminal import STYLES, show
from reports.findings.answers import answer_of, named
from reports.render.run import run_document
from reports.stream.reading import Run
from reports.text.engines import header_words
from reports.text.quantities import counted
from reports.text.verdicts import headline


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
        self._name = header_words(header)
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


def show_run(
    run: Run, console: Console, *, directory: Path | None = None, page: Path | None = None, verbose: bool = False
) -> None:
    """Print a finished run on one screen, and the answer again with the number of clauses, as the last line.

    ``directory`` is the report directory that holds ``counterexamples/``. ``page`` is its page, if it is not there. ``verbose``:
    the tables too.
    """
    checked = read_checked(directory)
    show(run_document(run, checked=checked, directory=directory), console, whole=verbose)
    if page is None and directory is not None:
        page = directory / "report.html"
    if run.header.shard is not None:
        if directory is not None:
            show_command(console, "part", str(directory))
    elif page is not None:
        show_command(console, "report", str(page))
    answer = answer_of(run)
    show_line(console, f"{answer.word.value}: {headline(run.footer, named(run))}", STYLES[answer.mark])


def show_answer(run: Run, console: Console) -> None:
    """Print only the first line of the screen."""
    answer = answer_of(run)
    show_text(console, str(answer), STYLES[answer.mark])


def _seconds(seconds: float) -> str:
    return duration(round(seconds) * 1000)

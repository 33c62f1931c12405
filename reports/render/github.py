"""What GitHub shows of a job: annotations, and the job's summary.

GitHub's documentation, "Workflow commands for GitHub Actions": a line of the log that begins with ``::error`` is an annotation.
Text appended to the file that ``GITHUB_STEP_SUMMARY`` names is shown on the page of the job.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from records.run import Verdict
from reports.comparison.answer import answer_to
from reports.comparison.comparison import Comparison
from reports.comparison.wording import shift_concerns
from reports.document.printing import show_line
from reports.findings.answers import answer_of
from reports.findings.of_run import findings_of
from reports.stream.reading import Run
from reports.text.harms import does
from reports.text.ladder import Word
from reports.together.answer import sentence

#: The step summary may have 1 MiB, and comparisons and runs keep below it (``reports.document.markdown.LIMIT``).
_SUMMARY, _ACTIONS = "GITHUB_STEP_SUMMARY", "GITHUB_ACTIONS"

#: GitHub shows ten of a kind for each step.
_MOST = 10


@dataclass(frozen=True)
class Annotation:
    """``kind``: ``error`` or ``warning``."""

    kind: str
    title: str
    message: str

    def __str__(self) -> str:
        title = _data(self.title).replace(":", "%3A").replace(",", "%2C")
        return f"::{self.kind} title={title}::{_data(self.message)}"


def tell_of_run(run: Run, console: Console, summary: Path | None) -> None:
    """Tell GitHub, if it runs the job. ``summary``: the file to show; None: a part of a run has none."""
    _tell(of_run(run), console, summary)


def tell_of_comparison(comparison: Comparison, console: Console, summary: Path) -> None:
    """The same of two runs."""
    _tell(of_comparison(comparison), console, summary)


def of_run(run: Run) -> Iterator[Annotation]:
    """An error for each new fault, the gravest first, and for each fault that is gone; a warning if the run is inconclusive."""
    for failure in findings_of(run).failures[:_MOST]:
        lead = failure.lead
        clauses = ", ".join((lead.clause, *failure.clauses))
        yield Annotation("error", f"{does(lead.severity)} ({clauses})", f"{lead.cause}: {lead.violation.message}")
    for clause, one in run.footer.verdicts.items():
        if one.verdict is Verdict.LISTED_BUT_GONE:
            yield Annotation("error", f"listed but gone ({clause})", one.reason)
    answer = answer_of(run)
    if answer.word is Word.INCONCLUSIVE:
        yield Annotation("warning", answer.word.value, answer.reason)


def of_comparison(comparison: Comparison) -> Iterator[Annotation]:
    """An error, or a warning where one must look first, with the answer; and one for each way in which it gets worse, or in which
    one of the two goes wrong on tables of the other.
    """
    answer = answer_to(comparison)
    if answer.word is Word.UPGRADE:
        return
    kind = "error" if answer.word is Word.DO_NOT_UPGRADE else "warning"
    yield Annotation(kind, answer.word.value, answer.reason)
    ways = [*_worse(comparison, kind), *_in_turn(comparison, kind)]
    yield from ways[: _MOST - 1]


def _worse(comparison: Comparison, kind: str) -> Iterator[Annotation]:
    for way in comparison.worse:
        clauses = ", ".join((way.lead.clause, *way.clauses))
        told = (f"{way.lead.cause}: {way.lead.message}", shift_concerns(way.lead, comparison))
        yield Annotation(kind, f"{way.does} ({clauses})", "\n".join(filter(None, told)))


def _in_turn(comparison: Comparison, kind: str) -> Iterator[Annotation]:
    shared = comparison.shared
    for way in () if shared is None else (*shared.forward, *shared.back):
        clauses = ", ".join(way.clauses)
        yield Annotation(kind, f"{way.side} on tables of {way.other} {does(way.severity)} ({clauses})", sentence(way))


def _tell(annotations: Iterable[Annotation], console: Console, summary: Path | None) -> None:
    if os.environ.get(_ACTIONS) == "true":
        for one in annotations:
            show_line(console, str(one))
    shown = os.environ.get(_SUMMARY)
    if shown and summary is not None:
        with open(shown, "a", encoding="utf-8", newline="\n") as file:
            file.write(summary.read_text(encoding="utf-8") + "\n")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

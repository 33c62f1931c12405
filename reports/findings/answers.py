"""The answer of a run: the word that every view begins with, why, and the exit code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from records.run import Part, Verdict
from reports.findings.of_run import findings_of
from reports.stream.reading import Run
from reports.text.harms import in_ways
from reports.text.quantities import counted


class Word(str, Enum):
    """The first word of a run, of a part of one (NOTHING BROKEN, BROKEN or PROVES NOTHING), or of the comparison of two."""

    KEPT = "KEPT"
    BROKEN = "BROKEN"
    PROVES_NOTHING = "PROVES NOTHING"
    NOTHING_BROKEN = "NOTHING BROKEN"
    UPGRADE = "UPGRADE"
    LOOK_FIRST = "LOOK FIRST"
    DO_NOT_UPGRADE = "DO NOT UPGRADE"

    @property
    def mark(self) -> str:
        """A sign of it, for Markdown."""
        good, bad = (Word.KEPT, Word.NOTHING_BROKEN, Word.UPGRADE), (Word.BROKEN, Word.DO_NOT_UPGRADE)
        return "✅" if self in good else "❌" if self in bad else "⚠️"

    @property
    def style(self) -> str:
        """Its style on a terminal."""
        return {"✅": "bold green", "❌": "bold red"}.get(self.mark, "bold yellow")


@dataclass(frozen=True)
class Answer:
    """A word, one sentence without an end that says why, and the exit code that goes with it."""

    word: Word
    reason: str
    exit: int

    def __str__(self) -> str:
        return f"{self.word.value}: {self.reason}"


def answer_of(run: Run) -> Answer:
    """KEPT (0), BROKEN (1) with the worst harm, or PROVES NOTHING (2), of a finished run.

    What the suite knows of the engine is in the same line: ``known: loses data in 3 ways``.
    """
    shown = findings_of(run).known
    known = f"; known: {in_ways(one.severity for one in shown)}" if shown else ""
    if run.header.shard is not None:
        return _of_part(run, run.header.shard, known)
    if run.footer.exit == 0:
        return Answer(Word.KEPT, f"{named(run)} does what is promised{known}", 0)
    if run.footer.exit == 1:
        return Answer(Word.BROKEN, f"{named(run)} {', and '.join(_broken(run))}{known}", 1)
    return Answer(Word.PROVES_NOTHING, f"{' and '.join(_undecided(run))} on {named(run)}{known}", 2)


def _of_part(run: Run, part: Part, known: str) -> Answer:
    """Of a part of a run: what fails in it, and how to come to the verdict."""
    more = f"{known}; this is {part}: python -m reports merge gives the verdict"
    if run.footer.exit == 0:
        return Answer(Word.NOTHING_BROKEN, f"nothing new fails on {named(run)}{more}", 0)
    if run.footer.exit == 1:
        return Answer(Word.BROKEN, f"{named(run)} {', and '.join(_broken(run))}{more}", 1)
    return Answer(Word.PROVES_NOTHING, f"{' and '.join(_undecided(run))} on {named(run)}{more}", 2)


def _with(run: Run, *verdicts: Verdict) -> list[str]:
    """The clauses with one of these verdicts."""
    return [id for id, one in run.footer.verdicts.items() if one.verdict in verdicts]


def _broken(run: Run) -> Iterator[str]:
    """What the engine does wrong, and what the list of known deviations says wrongly of it."""
    failed, stale = _with(run, Verdict.FAIL), _with(run, Verdict.STALE)
    found = findings_of(run).failures
    if found:
        yield in_ways(one.lead.severity for one in found)
    elif failed:
        yield f"fails {counted(len(failed), 'clause')} by deviations that are past their end"
    if stale:
        yield f"holds {counted(len(stale), 'clause')} for which a deviation is listed"


def _undecided(run: Run) -> Iterator[str]:
    """Why nothing is proven."""
    unexercised, erred = _with(run, Verdict.UNEXERCISED, Verdict.ERROR), findings_of(run).errors
    if unexercised:
        yield f"no case decides on {counted(len(unexercised), 'clause')}"
    if erred:
        yield f"{counted(len(erred), 'case')} ended in an error"
    if not unexercised and not erred:
        judged = _with(run, Verdict.PASS, Verdict.XFAIL, Verdict.FAIL)
        yield "the scripts contradict every failure" if judged else "no clause was judged"


def named(run: Run) -> str:
    """An engine with its version, and its built-in fault: ``spark 4.4.0``."""
    fault = f" with the fault {run.header.known_bad}" if run.header.known_bad is not None else ""
    return f"{run.header.engine} {run.header.version}".strip() + fault

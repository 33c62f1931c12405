"""The answer of a run."""

from __future__ import annotations

from collections.abc import Iterator

from model.vocabulary.severity import Severity
from records.run import Verdict
from reports.findings.of_run import findings_of
from reports.stream.reading import Run
from reports.text.engines import header_words
from reports.text.harms import in_ways
from reports.text.ladder import Answer, Word, of_one
from reports.text.quantities import counted


def answer_of(run: Run) -> Answer:
    """PASS (0), FAIL (1) with the worst harm, or INCONCLUSIVE (2), of a finished run.

    What the suite knows of the engine is in the same line: ``6 known faults, 3 of them lose data``.
    """
    shown = findings_of(run).known
    losing = sum(one.severity is Severity.DATA_LOSS for one in shown)
    known = f". {_known(len(shown), losing)}" if shown else ""
    part = run.header.shard
    more = f". This is {part}: python -m reports merge gives the verdict" if part is not None else ""
    word = of_one(wrong=run.footer.exit == 1, undecided=run.footer.exit == 2, part=part is not None)
    if run.header.pair is not None and word in (Word.FAIL, Word.PASS):
        ways = len(findings_of(run).failures)
        fails = f"do not work on the same tables, in {counted(ways, 'new way')}"
        return Answer(word, f"{named(run)} {fails if word is Word.FAIL else 'work on the same tables'}{more}")
    known += more
    if word is Word.FAIL:
        return Answer(word, f"{named(run)} {', and '.join(_broken(run))}{known}")
    if word is Word.INCONCLUSIVE:
        return Answer(word, f"{' and '.join(_undecided(run))} on {named(run)}{known}")
    if word is Word.PASS_SO_FAR:
        return Answer(word, f"nothing new fails on {named(run)}{known}")
    return Answer(word, f"no new fault in {named(run)}{known}", losing > 0)


def _known(number: int, losing: int) -> str:
    """``6 known faults, 3 of them lose data``."""
    found = counted(number, "known fault")
    if not losing:
        return f"{found}, none of them loses data" if number > 1 else f"{found}, which loses no data"
    if number == 1:
        return f"{found}, which loses data"
    return f"{found}, {losing} of them {'loses' if losing == 1 else 'lose'} data"


def _with(run: Run, *verdicts: Verdict) -> list[str]:
    """The clauses with one of these verdicts."""
    return [id for id, one in run.footer.verdicts.items() if one.verdict in verdicts]


def _broken(run: Run) -> Iterator[str]:
    """The engine's new faults, and the entries of known faults that are gone."""
    failed, stale = _with(run, Verdict.FAILS), _with(run, Verdict.LISTED_BUT_GONE)
    found = findings_of(run).failures
    if found:
        yield in_ways(one.lead.severity for one in found)
    elif failed:
        yield f"fails {counted(len(failed), 'clause')} by known faults that are past their end"
    if stale:
        yield f"holds {counted(len(stale), 'clause')} for which a known fault is listed"


def _undecided(run: Run) -> Iterator[str]:
    """Why the run is inconclusive."""
    unexercised, erred = _with(run, Verdict.NOT_TESTED, Verdict.ERROR), findings_of(run).errors
    if unexercised:
        yield f"no case decides on {counted(len(unexercised), 'clause')}"
    if erred:
        yield f"{counted(len(erred), 'case')} ended in an error"
    if not unexercised and not erred:
        judged = _with(run, Verdict.HOLDS, Verdict.KNOWN_FAULT, Verdict.FAILS)
        yield "the scripts contradict every failure" if judged else "no clause was judged"


def named(run: Run) -> str:
    """An engine with its version, and its built-in fault: ``Delta 4.4.0``."""
    if run.header.pair is not None:
        return " and ".join(run.header.pair)
    fault = f" with the fault {run.header.known_bad}" if run.header.known_bad is not None else ""
    return header_words(run.header) + fault

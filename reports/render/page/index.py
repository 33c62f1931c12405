"""The page over a folder of runs: every version with its answer, and every clause by version."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from model.vocabulary.versions import parse
from records.mistakes import StreamError
from records.run import Verdict
from reports.findings.answers import Answer, Word, answer_of, named
from reports.stream.reading import COMPRESSED_NAME, FILE_NAME, Run, read_run, stream_path

#: What a verdict looks like in the matrix. The word is its title, for those who cannot see it.
SIGNS = {
    "holds": "✓",
    "fails": "✗",
    "known fault": "~",
    "listed but gone": "!",
    "not applicable": "·",
    "disabled": "–",
    "not tested": "?",
    "error": "‼",
}


@dataclass(frozen=True)
class RunShown:
    """``date`` is empty for a run that has none; ``link`` leads to the run's own page, if there is one; ``passed`` and ``known``
    count clauses. ``changes``: the clauses with another verdict than in the run of this version before it."""

    name: str
    version: str
    date: str
    changes: tuple[str, ...]
    answer: Answer
    link: str
    passed: int
    known: int
    cases: int
    profile: str


@dataclass(frozen=True)
class ClauseRow:
    """``verdicts`` are those of the runs, in their order; empty where a run does not list the clause."""

    id: str
    chapter: str
    sentence: str
    verdicts: tuple[str, ...]


@dataclass(frozen=True)
class IndexPage:
    """``runs``: the last of each version, in the order of versions. ``history``: all, the last first; empty where each version
    has one run."""

    title: str
    runs: tuple[RunShown, ...]
    history: tuple[RunShown, ...]
    unread: tuple[str, ...]
    clauses: tuple[ClauseRow, ...]

    @property
    def chapters(self) -> dict[str, list[ClauseRow]]:
        """The clauses by chapter, in the order in which the runs list them."""
        found: dict[str, list[ClauseRow]] = {}
        for one in self.clauses:
            found.setdefault(one.chapter, []).append(one)
        return found


def index_page(folder: Path, *, beside: Path) -> IndexPage:
    """The page over all runs below ``folder``, for a file in the directory ``beside``. Raises StreamError without a run.

    A stream that cannot be read is named, with the reason.
    """
    found: list[tuple[Run, Path]] = []
    unread = []
    directories = {path.parent for name in (FILE_NAME, COMPRESSED_NAME) for path in folder.rglob(name)}
    for path in sorted(map(stream_path, directories)):
        try:
            found.append((read_run(path), path.parent))
        except StreamError as fault:
            unread.append(str(fault))
    if not found:
        raise StreamError(f"There is no finished run below {folder}" + (f": {unread[0]}" if unread else "."))
    found.sort(
        key=lambda one: (one[0].header.engine, parse(one[0].header.version), named(one[0]), _date(one[0]), str(one[1]))
    )
    shown, last = [], dict[str, Run]()
    for run, directory in found:
        before, last[named(run)] = last.get(named(run)), run
        shown.append(_run(run, directory, beside, before))
    return IndexPage(
        title="DELETE and VACUUM, by version",
        runs=tuple({one.name: one for one in shown}.values()),
        history=tuple(sorted(shown, key=lambda one: one.date, reverse=True)) if len(last) < len(shown) else (),
        unread=tuple(unread),
        clauses=tuple(_clauses(tuple(last.values()))),
    )


def worst(page: IndexPage) -> Word:
    """The word of the whole folder, by the last run of each version: FAIL if one is, else INCONCLUSIVE if one does or
    cannot be read, else PASS."""
    words = {run.answer.word for run in page.runs}
    if Word.FAIL in words:
        return Word.FAIL
    return Word.INCONCLUSIVE if Word.INCONCLUSIVE in words or page.unread else Word.PASS


def _date(run: Run) -> str:
    return run.header.date or ""


def _run(run: Run, directory: Path, beside: Path, before: Run | None) -> RunShown:
    own = directory / "report.html"
    counts = run.footer.counts
    return RunShown(
        name=named(run),
        version=run.header.version,
        date=_date(run),
        changes=() if before is None else tuple(_changes(before, run)),
        answer=answer_of(run),
        link=Path(os.path.relpath(own, beside)).as_posix() if own.is_file() else "",
        passed=counts.get(Verdict.HOLDS, 0),
        known=counts.get(Verdict.KNOWN_FAULT, 0),
        cases=run.footer.cases,
        profile=run.header.profile,
    )


def _changes(before: Run, run: Run) -> Iterable[str]:
    old = before.footer.verdicts
    for id, result in run.footer.verdicts.items():
        if id in old and old[id].verdict is not result.verdict:
            yield f"{id}: {old[id].verdict.value}, now {result.verdict.value}"


def _clauses(runs: Sequence[Run]) -> Iterable[ClauseRow]:
    listed = {id: entry for run in runs for id, entry in run.clauses.items()}
    for id, entry in listed.items():
        verdicts = tuple(run.footer.verdicts[id].verdict.value if id in run.clauses else "" for run in runs)
        yield ClauseRow(id, entry.chapter, entry.sentence, verdicts)

"""The page over a folder of runs: every version with its answer, and every clause by version."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from model.vocabulary.versions import parse
from records.mistakes import StreamError
from records.run import Verdict
from reports.document import (
    Chapter,
    ClauseRow,
    Clauses,
    Code,
    Content,
    Document,
    Items,
    Link,
    Said,
    Section,
    Strong,
    Tone,
    line,
    table,
)
from reports.document.html import html
from reports.findings.answers import answer_of, named
from reports.render.run import verdict_said
from reports.stream.reading import COMPRESSED_NAME, FILE_NAME, Run, read_run, stream_path
from reports.text.ladder import Word
from reports.text.quantities import counted

#: How many changes since the run before are named.
_CHANGES = 8


@dataclass(frozen=True)
class FoundRun:
    """``before``: the run of this version before it, if there is one."""

    run: Run
    directory: Path
    before: Run | None


@dataclass(frozen=True)
class FoundRuns:
    """All runs below a folder, and what could not be read. ``last``: the last of each version, in the order of versions."""

    runs: tuple[FoundRun, ...]
    unread: tuple[str, ...]

    @property
    def last(self) -> tuple[FoundRun, ...]:
        return tuple({named(one.run): one for one in self.runs}.values())

    @property
    def worst(self) -> Word:
        """The word of the whole folder: FAIL if the last run of a version is, else INCONCLUSIVE if one is or cannot be read,
        else PASS."""
        words = {answer_of(one.run).word for one in self.last}
        if Word.FAIL in words:
            return Word.FAIL
        return Word.INCONCLUSIVE if Word.INCONCLUSIVE in words or self.unread else Word.PASS


def write_index(folder: Path, file: Path) -> FoundRuns:
    """Write the page over all runs below a folder; its directory is made if need be. Raises StreamError without a run."""
    file.parent.mkdir(parents=True, exist_ok=True)
    found = runs_below(folder)
    file.write_text(html(index_document(found, beside=file.parent)), encoding="utf-8", newline="\n")
    return found


def runs_below(folder: Path) -> FoundRuns:
    """Raises StreamError without a run. A stream that cannot be read is named, with the reason."""
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
    last = dict[str, Run]()
    runs = []
    for run, directory in found:
        runs.append(FoundRun(run, directory, last.get(named(run))))
        last[named(run)] = run
    return FoundRuns(tuple(runs), tuple(unread))


def index_document(found: FoundRuns, *, beside: Path) -> Document:
    """For a file in the directory ``beside``."""
    title = "DELETE and VACUUM, by version"
    heads = ("Version", "Date", "Answer", "Clauses hold", "Known faults break", "Cases", "Profile")
    history = (
        sorted(found.runs, key=lambda one: _date(one.run), reverse=True) if len(found.last) < len(found.runs) else []
    )
    return Document(
        title,
        (
            Section(f"Versions: {len(found.last)}", (table(heads, (_run(one, beside) for one in found.last)),)),
            Section("Not read", (Items(found.unread),)),
            Section(
                f"By date, the last first: {counted(len(history), 'run')}",
                (
                    table(
                        ("Date", "Version", "Answer", "Changed since the run before"),
                        (_dated(one, beside) for one in history),
                    ),
                ),
            ),
            Section("Clauses by version", (_clauses([one.run for one in found.last]),)),
        ),
        name=title,
        made=line(
            *(
                "Made from the run.jsonl of each version by Tombstone; ",
                Code("python -m reports index"),
                " makes it again.",
            ),
        ),
    )


def _date(run: Run) -> str:
    return run.header.date or ""


def _name(one: FoundRun, beside: Path) -> Content:
    """It leads to the run's own page, if there is one."""
    page = one.directory / "report.html"
    address = Path(os.path.relpath(page, beside)).as_posix()
    return Link(named(one.run), address) if page.is_file() else named(one.run)


def _run(one: FoundRun, beside: Path) -> Iterator[Content]:
    run, answer = one.run, answer_of(one.run)
    yield _name(one, beside)
    yield _date(run)
    yield line(Strong(answer.word.value), f": {answer.reason}")
    yield run.footer.counts.get(Verdict.HOLDS, 0)
    yield run.footer.counts.get(Verdict.KNOWN_FAULT, 0)
    yield run.footer.cases
    yield run.header.profile


def _dated(one: FoundRun, beside: Path) -> Iterator[Content]:
    changes = list(_changes(one))
    more = f"; and {len(changes) - _CHANGES} more" if len(changes) > _CHANGES else ""
    yield _date(one.run)
    yield _name(one, beside)
    yield Strong(answer_of(one.run).word.value)
    yield "; ".join(changes[:_CHANGES]) + more or "–"


def _changes(one: FoundRun) -> Iterator[str]:
    """The clauses with another verdict than in the run before."""
    old = one.before.footer.verdicts if one.before is not None else {}
    for id, result in one.run.footer.verdicts.items():
        if id in old and old[id].verdict is not result.verdict:
            yield f"{id}: {old[id].verdict.value}, now {result.verdict.value}"


def _clauses(runs: Sequence[Run]) -> Clauses:
    listed = {id: entry for run in runs for id, entry in run.clauses.items()}
    rows = {
        id: ClauseRow(
            id,
            tuple(
                verdict_said(run.footer.verdicts[id].verdict) if id in run.clauses else Said("not listed", Tone.QUIET)
                for run in runs
            ),
            (),
            entry.sentence,
        )
        for id, entry in listed.items()
    }
    chapters = groupby(listed.values(), key=lambda one: one.chapter)
    found = ((name, tuple(rows[one.id] for one in own)) for name, own in chapters)
    return Clauses(
        tuple(map(named, runs)), (), tuple(Chapter(name, counted(len(own), "clause"), own) for name, own in found)
    )

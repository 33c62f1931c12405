"""A rehearsal as Markdown, with the directories of the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from model.text.durations import duration
from rehearsal.lines import (
    VERBS,
    clean_up_words,
    concern_count,
    concern_lines,
    delete_trial_lines,
    deletion_lines,
    fault_line,
    lost_words,
    trial_lines,
)
from rehearsal.prediction import of_directory
from rehearsal.quantities import amount, files, size
from rehearsal.rehearsed import ByDirectory, ByReason, Rehearsal, ReleaseRehearsal

#: How many directories are shown; more are folded into those above them.
MOST = 40

#: How many files that a version needs are named.
_NAMED = 20


def markdown_of(rehearsal: Rehearsal) -> str:
    return "\n".join(_lines(rehearsal)) + "\n"


def _lines(rehearsal: Rehearsal) -> Iterator[str]:
    yield f"# {_plain(rehearsal.answer)}"
    yield ""
    yield f"- the table: {_plain(rehearsal.table)}, version {rehearsal.version}"
    yield f"- versions that have all their files now: {rehearsal.readable:,}"
    if rehearsal.delete is not None:
        yield f"- the DELETE: {_plain(rehearsal.delete)}, now"
    if rehearsal.statement:
        yield f"- the VACUUM: {rehearsal.statement}, at {rehearsal.at}"
    yield f"- the table's retention: {duration(rehearsal.retention_ms)}"
    yield f"- the log: {amount(rehearsal.log_files, 'file')}, which every VACUUM keeps"
    if rehearsal.missing:
        missing = amount(len(rehearsal.missing), "file")
        yield f"- {missing} of this version cannot be found even now, such as {_plain(rehearsal.missing[0])}"
    if rehearsal.deletions:
        yield from ("", "## What the DELETE removes", "")
        for deletion in rehearsal.deletions:
            yield from (f"- {_plain(line.strip())}" for line in deletion_lines(deletion))
        for delete_trial in rehearsal.delete_trials:
            yield from (f"- {_plain(line.strip())}" for line in delete_trial_lines(delete_trial, MOST))
    if rehearsal.difference is not None:
        first, second = (one.release for one in rehearsal.releases)
        yield ""
        yield "## What differs"
        yield ""
        yield f"- only {first} deletes: {files(rehearsal.difference.only_first)}"
        yield f"- only {second} deletes: {files(rehearsal.difference.only_second)}"
        yield from (f"- {cause}" for cause in (*rehearsal.difference.causes, *rehearsal.difference.remedies))
    if rehearsal.trials:
        yield ""
        yield "## What the engines did to copies"
        yield ""
        for trial in rehearsal.trials:
            yield from (f"- {_plain(line.strip())}" for line in trial_lines(trial, MOST))
            yield from (f"- {_plain(fault_line(trial, one))} ([source]({one.link}))" for one in trial.faults)
    for release in rehearsal.releases:
        yield from _section(release)


def _section(release: ReleaseRehearsal) -> Iterator[str]:
    yield ""
    yield f"## {release.release}"
    yield ""
    if release.refusal is not None:
        yield f"It refuses the statement and deletes nothing: {release.refusal}."
        yield from ("", f"At this time, {clean_up_words(release.clean_up)}.")
        yield from _faults(release)
        return
    yield f"It deletes {files(release.deleted)} and {release.directories_deleted:,} empty directories."
    yield f"Of the versions, {lost_words(release.lost)}."
    yield f"At this time, {clean_up_words(release.clean_up)}."
    if release.needed:
        yield ""
        yield f"It deletes {amount(len(release.needed), 'file')} that a version inside the retention needs:"
        yield ""
        yield from (f"- {_plain(path)}" for path in release.needed[:_NAMED])
    yield ""
    yield "| | files | bytes | why |"
    yield "| --- | ---: | ---: | --- |"
    for row in release.reasons:
        yield f"| {VERBS[row.fate]} | {row.files:,} | {size(row.bytes)} | {row.reason} |"
    yield ""
    yield "| directory | deletes | keeps | may delete | why it keeps |"
    yield "| --- | ---: | ---: | ---: | --- |"
    for found in folded(release.directories):
        kept = "; ".join(f"{one.files:,}: {one.reason}" for one in found.why if one.fate == "keep")
        cells = [_plain(found.path), files(found.deleted), files(found.kept), files(found.unspecified), kept or "–"]
        yield f"| {' | '.join(cells)} |"
    yield from _faults(release)


def _faults(release: ReleaseRehearsal) -> Iterator[str]:
    if release.faults:
        yield from ("", f"{concern_count(release.faults)}:", "")
        for line, one in zip(concern_lines(release.faults), release.faults, strict=True):
            yield f"- {_plain(line)} ([source]({one.link}))"


def folded(directories: Sequence[ByDirectory], most: int = MOST) -> list[ByDirectory]:
    """At most so many: as deep as that allows, each with all below it. If the first level has more: those that lose most."""
    deepest = max((one.path.count("/") + 1 for one in directories), default=1)
    for depth in range(deepest, 0, -1):
        rows = _at_depth(directories, depth)
        if len(rows) <= most:
            return rows
    rows = sorted(rows, key=lambda row: (-row.deleted.bytes, row.path))
    others = [why for row in rows[most - 1 :] for why in row.why]
    return [*rows[: most - 1], of_directory(f"{len(rows) - most + 1:,} other directories", others)]


def _at_depth(directories: Sequence[ByDirectory], depth: int) -> list[ByDirectory]:
    found: dict[str, list[ByReason]] = {}
    for one in directories:
        parts = one.path.split("/")
        name = one.path if len(parts) <= depth else "/".join(parts[:depth]) + "/…"
        found.setdefault(name, []).extend(one.why)
    return [of_directory(name, why) for name, why in found.items()]


def _plain(text: str) -> str:
    """A text in a line or a table, with what Markdown would take for a mark of its own escaped."""
    return "".join(f"\\{char}" if char in "\\`*_[]<>|" else char if char.isprintable() else "�" for char in text)

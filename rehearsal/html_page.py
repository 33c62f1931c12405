"""A rehearsal as a page: one file that needs no network, with the table's directories as a tree that folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

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
from rehearsal.quantities import amount, files
from rehearsal.rehearsed import ByDirectory, Rehearsal, ReleaseRehearsal, Sum, Trial
from rehearsal.tree import Node, tree_of
from reports.findings.answers import Answer
from reports.render.page.content import PageFact
from reports.render.page.html import template

#: A list of files stands in the page if it has no more than these; else the page has its first ones, and names the file.
LISTED = 200


@dataclass(frozen=True)
class Counts:
    """A row of the table of numbers: what, and its value for each release."""

    label: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Doing:
    """What a release does in a directory. ``who`` is empty where there is one release, or both do the same.

    ``deletes`` is empty if it surely deletes nothing. ``why``: ``keeps 3 files (1.2 kB): it is young``.
    """

    who: str
    deletes: str
    others: str
    why: tuple[str, ...]


@dataclass(frozen=True)
class Directory:
    """A directory of the tree. ``folded``: a sentence about those in it that are not shown, or nothing."""

    name: str
    differs: bool
    doing: tuple[Doing, ...]
    below: tuple[Directory, ...]
    folded: str


@dataclass(frozen=True)
class ListedFiles:
    """The files that a release deletes or removes, in the file ``link``; ``shown`` are the first of them."""

    title: str
    link: str
    total: str
    shown: tuple[str, ...]
    more: int


@dataclass(frozen=True)
class Sentence:
    """``link``: a page about it, or nothing."""

    text: str
    link: str = ""


@dataclass(frozen=True)
class Section:
    """A title, and sentences below it."""

    title: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True)
class RehearsalPage:
    """All that the page shows."""

    title: str
    answer: Answer
    facts: tuple[PageFact, ...]
    releases: tuple[str, ...]
    counts: tuple[Counts, ...]
    sections: tuple[Section, ...]
    tree: Directory | None
    lists: tuple[ListedFiles, ...]


def html_of(
    answer: Answer, rehearsal: Rehearsal, deleted: Sequence[Sequence[str]], removed: Sequence[Sequence[str]] = ()
) -> str:
    """The page's HTML. ``deleted``: the files that each release's VACUUM deletes by the model; ``removed``: those that its
    DELETE removes from the table."""
    return template("rehearsal", Path(__file__).parent).render(page=page_of(answer, rehearsal, deleted, removed))


def page_of(
    answer: Answer, rehearsal: Rehearsal, deleted: Sequence[Sequence[str]], removed: Sequence[Sequence[str]] = ()
) -> RehearsalPage:
    names = tuple(one.release for one in rehearsal.releases)
    return RehearsalPage(
        title=f"{' and '.join(filter(None, (rehearsal.delete, rehearsal.statement)))} of {rehearsal.table}",
        answer=answer,
        facts=tuple(_facts(rehearsal)),
        releases=names,
        counts=tuple(_counts(rehearsal)),
        sections=tuple(_sections(rehearsal)),
        tree=_tree(rehearsal.releases),
        lists=tuple(_lists(rehearsal, deleted, removed)),
    )


def _facts(rehearsal: Rehearsal) -> Iterator[PageFact]:
    yield PageFact("Table", f"{rehearsal.table}, version {rehearsal.version}")
    if rehearsal.delete is not None:
        yield PageFact("DELETE", f"{rehearsal.delete}, now")
    if rehearsal.statement:
        yield PageFact("VACUUM", f"{rehearsal.statement}, at {rehearsal.at}")
    yield PageFact("Retention", f"{duration(rehearsal.retention_ms)}, by the table's property or by default")
    yield PageFact("Versions", f"{amount(rehearsal.readable, 'version')} with all files now")
    yield PageFact("Log", f"{amount(rehearsal.log_files, 'file')}, which every VACUUM keeps")
    if rehearsal.missing:
        missing = amount(len(rehearsal.missing), "file")
        yield PageFact("Missing", f"{missing} of this version, such as {rehearsal.missing[0]}: not found even now")


def _counts(rehearsal: Rehearsal) -> Iterator[Counts]:
    releases = rehearsal.releases
    if not releases:
        return
    if any(one.refusal is not None for one in releases):
        yield Counts("refuses the statement", tuple(one.refusal or "no" for one in releases))
    yield Counts("deletes", tuple(files(one.deleted) for one in releases))
    yield Counts("may delete", tuple(files(one.unspecified) for one in releases))
    yield Counts("keeps", tuple(_kept(one) for one in releases))
    yield Counts("deletes empty directories", tuple(f"{one.directories_deleted:,}" for one in releases))
    lost = tuple(sum(found.last - found.first + 1 for found in one.lost) for one in releases)
    yield Counts("versions that miss a file afterwards", tuple(f"{one:,}" for one in lost))
    if rehearsal.trials:
        yield Counts("deleted on a copy", tuple(files(one.gone) for one in rehearsal.trials))


def _kept(release: ReleaseRehearsal) -> str:
    return "all files" if release.refusal is not None else files(release.kept)


def _sections(rehearsal: Rehearsal) -> Iterator[Section]:
    if rehearsal.deletions:
        told = [line.strip() for one in rehearsal.deletions for line in deletion_lines(one)]
        told += [line.strip() for one in rehearsal.delete_trials for line in delete_trial_lines(one, LISTED)]
        yield Section("What the DELETE removes", tuple(map(Sentence, told)))
    if rehearsal.difference is not None:
        found = rehearsal.difference
        pairs = zip(rehearsal.releases, (found.only_first, found.only_second))
        only = (f"Only {release.release} deletes: {files(total)}." for release, total in pairs)
        yield Section("What differs", tuple(map(Sentence, (*only, *found.causes, *found.remedies))))
    if rehearsal.trials:
        yield Section("What the engines did to copies", tuple(_trials(rehearsal.trials)))
    lines = (Sentence(line) for release in rehearsal.releases for line in _versions(release))
    yield Section("Versions", tuple(lines))
    for release in rehearsal.releases:
        if release.faults:
            concerns = zip(concern_lines(release.faults), release.faults, strict=True)
            sentences = tuple(Sentence(line, fault.link) for line, fault in concerns)
            yield Section(f"{release.release}: {concern_count(release.faults)}", sentences)


def _trials(trials: Sequence[Trial]) -> Iterator[Sentence]:
    for trial in trials:
        yield from (Sentence(line.strip()) for line in trial_lines(trial, LISTED))
        yield from (Sentence(fault_line(trial, one), one.link) for one in trial.faults)


def _versions(release: ReleaseRehearsal) -> Iterator[str]:
    yield f"{release.release}: {clean_up_words(release.clean_up)}."
    if release.refusal is not None:
        return
    yield f"{release.release}: {lost_words(release.lost)}."
    if needed := release.needed:
        named = f"{', '.join(needed[:LISTED])}{', …' if len(needed) > LISTED else ''}"
        count = amount(len(needed), "file")
        yield f"{release.release} deletes {count} that a version inside the retention needs: {named}"


def _tree(releases: Sequence[ReleaseRehearsal]) -> Directory | None:
    """None if the table has no file."""
    if not any(one.directories for one in releases):
        return None
    return _directory(tree_of(releases), [one.release for one in releases])


def _directory(node: Node, names: Sequence[str]) -> Directory:
    same = not node.differs
    doing = tuple(_doing("" if same else name, one) for name, one in zip(names, node.releases))
    folded = ""
    if node.folded:
        others = amount(node.folded, "directory")
        folded = f"{others} in it {'is' if node.folded == 1 else 'are'} not shown; the numbers above have them too."
    return Directory(
        name="its own files" if not node.name else "the table" if node.name == "." else f"{node.name}/",
        differs=node.differs,
        doing=doing[:1] if same else doing,
        below=tuple(_directory(child, names) for child in node.below),
        folded=folded,
    )


def _doing(who: str, found: ByDirectory) -> Doing:
    others = [f"{verb} {files(total)}" for verb, total in _others(found) if total.files]
    why = tuple(f"{VERBS[row.fate]} {files(Sum(row.files, row.bytes))}: {row.reason}" for row in found.why)
    deletes = f"deletes {files(found.deleted)}" if found.deleted.files else ""
    return Doing(who, deletes, ", ".join(others) if others or deletes else "deletes nothing", why)


def _others(found: ByDirectory) -> tuple[tuple[str, Sum], ...]:
    return ("may delete", found.unspecified), ("keeps", found.kept)


def _lists(
    rehearsal: Rehearsal, deleted: Sequence[Sequence[str]], removed: Sequence[Sequence[str]]
) -> Iterator[ListedFiles]:
    for deletion, letter, paths in zip(rehearsal.deletions, "AB", removed):
        yield _list(
            f"{deletion.release}: removed by the DELETE", f"remove-{letter}.txt", files(deletion.removed), paths
        )
    for release, letter, paths in zip(rehearsal.releases, "AB", deleted):
        yield _list(f"{release.release}: deleted by the VACUUM", f"delete-{letter}.txt", files(release.deleted), paths)


def _list(title: str, link: str, total: str, paths: Sequence[str]) -> ListedFiles:
    shown = tuple(paths[:LISTED])
    return ListedFiles(title, link, total, shown, len(paths) - len(shown))

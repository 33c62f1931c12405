"""A rehearsal as a document: the answer, the numbers of each release, and the directories of the table as a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from model.text.durations import duration
from rehearsal.quantities import files, size
from rehearsal.rehearsed import ByDirectory, Rehearsal, ReleaseRehearsal, Sum, Trial
from rehearsal.tree import Node, tree_of
from rehearsal.words import (
    VERBS,
    clean_up_words,
    concern_count,
    concern_lines,
    deletion_lines,
    lost_words,
    trial_lines,
)
from reports.document import (
    Block,
    Branch,
    Code,
    Content,
    Copied,
    Details,
    Document,
    Facts,
    Items,
    Line,
    Link,
    Section,
    Strong,
    Tree,
    joined,
    line,
    lines,
    table,
)
from reports.text.ladder import Answer
from reports.text.quantities import counted

#: A list of files stands in the page if it has no more than these; else the page has its first ones, and names the file.
LISTED = 200

#: How many directories a table of them has.
_DIRECTORIES = 40


def document_of(
    answer: Answer,
    rehearsal: Rehearsal,
    deleted: Sequence[Sequence[str]] = (),
    removed: Sequence[Sequence[str]] = (),
) -> Document:
    """``deleted``: the files that each release's VACUUM deletes by the model; ``removed``: those that its DELETE removes from the
    table."""
    statements = " and ".join(filter(None, (rehearsal.delete, rehearsal.statement)))
    return Document(
        str(answer),
        (
            Section("What goes, and what stays", tuple(_numbers(rehearsal))),
            Section("What the DELETE removes", (Items(tuple(_deletions(rehearsal))),)),
            Section("What differs", (Items(tuple(_differences(rehearsal))),)),
            Section("What the engines did to copies", tuple(_trials((*rehearsal.delete_trials, *rehearsal.trials)))),
            *(Section(release.release, tuple(_release(release))) for release in rehearsal.releases),
            *_tree(rehearsal.releases),
            Section("Lists to save", tuple(_lists(rehearsal, deleted, removed))),
        ),
        mark=answer.mark,
        name=f"{answer.word.value}: {statements} of {rehearsal.table}",
        facts=Facts(tuple(_facts(rehearsal))),
        made=line(
            *("Made by Tombstone: ", Code("tombstone rehearse"), ". The same for programs: "),
            *(
                Link("rehearsal.json", "rehearsal.json"),
                "; without folding: ",
                Link("rehearsal.md", "rehearsal.md"),
                ".",
            ),
        ),
    )


def _facts(rehearsal: Rehearsal) -> Iterator[tuple[str, Content]]:
    yield "Table", f"{rehearsal.table}, version {rehearsal.version}"
    if rehearsal.delete is not None:
        yield "DELETE", f"{rehearsal.delete}, now"
    if rehearsal.statement:
        yield "VACUUM", f"{rehearsal.statement}, at {rehearsal.at}"
    yield "Retention", f"{duration(rehearsal.retention_ms)}, by the table's property or by default"
    yield "Versions", f"{counted(rehearsal.readable, 'version')} with all files now"
    yield "Log", f"{counted(rehearsal.log_files, 'file')}, which every VACUUM keeps"
    if rehearsal.missing:
        missing = counted(len(rehearsal.missing), "file")
        yield "Missing", f"{missing} of this version, such as {rehearsal.missing[0]}: not found even now"


def _numbers(rehearsal: Rehearsal) -> Iterator[Block]:
    releases = rehearsal.releases
    rows: list[tuple[str, ...]] = []
    if any(one.refusal is not None for one in releases):
        rows.append(("refuses the statement", *(one.refusal or "no" for one in releases)))
    rows += [
        ("deletes", *(files(one.deleted) for one in releases)),
        ("may delete", *(files(one.unspecified) for one in releases)),
        ("keeps", *("all files" if one.refusal is not None else files(one.kept) for one in releases)),
        ("deletes empty directories", *(f"{one.directories_deleted:,}" for one in releases)),
    ]
    if rehearsal.trials:
        rows.append(("deleted on a copy", *(files(one.gone) for one in rehearsal.trials)))
    yield table(("By the model", *(one.release for one in releases)), rows if releases else ())


def _deletions(rehearsal: Rehearsal) -> Iterator[str]:
    for deletion in rehearsal.deletions:
        yield from deletion_lines(deletion)


def _differences(rehearsal: Rehearsal) -> Iterator[str]:
    found = rehearsal.difference
    if found is not None:
        for release, only in zip(rehearsal.releases, (found.only_first, found.only_second)):
            yield f"Only {release.release} deletes: {files(only)}"
        yield from (*found.causes, *found.remedies)


def _trials(trials: Sequence[Trial]) -> Iterator[Block]:
    items: list[Content] = []
    for trial in trials:
        first, *others = trial_lines(trial)
        faults = [one.fault for one in trial.broken]
        items += [first, *(_linked(text, one.link) if one else text for text, one in zip(others, faults, strict=True))]
    yield Items(tuple(items))
    for trial in trials:
        for one in trial.broken:
            if len(one.subjects) > 1:
                listed = f"{trial.release}, {', '.join(one.clauses)}: {len(one.subjects)} of {one.count:,}"
                yield Details(listed, (Items(one.subjects),))


def _linked(sentence: str, link: str) -> Line:
    return line(f"{sentence} (", Link("source", link), ")")


def _release(release: ReleaseRehearsal) -> Iterator[Block]:
    if release.refusal is not None:
        yield Items(
            (f"refuses the statement, and deletes nothing: {release.refusal}", clean_up_words(release.clean_up))
        )
    else:
        yield Items((lost_words(release.lost), clean_up_words(release.clean_up)))
    rows = [(VERBS[one.fate], one.files, size(one.bytes), one.reason) for one in release.reasons]
    yield table(("", "files", "bytes", "why"), rows)
    needed = f"deletes {counted(len(release.needed), 'file')} that a version inside the retention needs"
    yield Section(needed, (Items(release.needed[:LISTED]),))
    concerns = zip(concern_lines(release.faults), release.faults, strict=True)
    found = tuple(_linked(sentence, fault.link) for sentence, fault in concerns)
    yield Details(concern_count(release.faults), (Items(found),), on_screen=True)


def _tree(releases: Sequence[ReleaseRehearsal]) -> Iterator[Block]:
    if any(one.directories for one in releases):
        root = _branch(tree_of(releases), [one.release for one in releases])
        yield Section(
            "By directory", (Tree(root, ("directory", "files", "why"), _DIRECTORIES, "rehearsal.json has all"),)
        )


def _branch(node: Node, names: Sequence[str]) -> Branch:
    """A directory with its subdirectories; one line for both releases if they do the same."""
    doing = [_doing(one, name if node.differs else "") for name, one in zip(names, node.releases)]
    notes = [why for name, one in zip(names, node.releases) for why in _whys(one, name if node.differs else "")]
    left_out = ""
    if node.folded:
        others = counted(node.folded, "directory")
        left_out = f"{others} in it {'is' if node.folded == 1 else 'are'} not shown; the numbers above have them too."
    return Branch(
        name="its own files" if not node.name else node.name,
        content=lines(*(doing if node.differs else doing[:1])),
        notes=tuple(dict.fromkeys(notes)),
        below=tuple(_branch(child, names) for child in node.below),
        left_out=left_out,
    )


def _doing(found: ByDirectory, who: str) -> Line:
    done = (("deletes", found.deleted), ("may delete", found.unspecified), ("keeps", found.kept))
    said = [f"{verb} {files(total)}" for verb, total in done if total.files]
    parts = [Strong(one) if one.startswith("deletes ") else one for one in said or ["has no file"]]
    return line(f"{who}: " if who else "", joined(parts))


def _whys(found: ByDirectory, who: str) -> Iterator[str]:
    for one in found.why:
        yield f"{who + ' ' if who else ''}{VERBS[one.fate]} {files(Sum(one.files, one.bytes))}: {one.reason}"


def _lists(rehearsal: Rehearsal, deleted: Sequence[Sequence[str]], removed: Sequence[Sequence[str]]) -> Iterator[Block]:
    for deletion, letter, paths in zip(rehearsal.deletions, "AB", removed):
        title = f"{deletion.release}: removed by the DELETE"
        yield _list(title, f"remove-{letter}.txt", deletion.removed, paths)
    for release, letter, paths in zip(rehearsal.releases, "AB", deleted):
        title = f"{release.release}: deleted by the VACUUM"
        yield _list(title, f"delete-{letter}.txt", release.deleted, paths)


def _list(title: str, link: str, total: Sum, paths: Sequence[str]) -> Copied:
    shown = tuple(paths[:LISTED])
    noun = f"{'the first ' if len(paths) > len(shown) else ''}{counted(len(shown), 'path')}"
    return Copied(title, noun, shown, len(paths) - len(shown), link, f"{files(total)}, one path per line")

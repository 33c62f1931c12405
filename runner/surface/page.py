"""What the inventories and the lists say, as text for a terminal and as tables for ``docs/surface.md``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from runner.surface.comparison import ItemChange
from runner.surface.inventory import EngineSurface, SurfaceItem
from runner.surface.judgements import ItemVerdict, JudgedItem, SurfaceEntry


def counted(found: Sequence[JudgedItem]) -> str:
    """``1,234 items: 200 drawn, 31 left out, 1,003 open, 0 unlisted``."""
    counts = Counter(one.word for one in found)
    return f"{len(found):,} items: {', '.join(f'{counts[word]:,} {word.text}' for word in ItemVerdict)}"


def unlisted(found: Sequence[JudgedItem]) -> Iterator[str]:
    for one in found:
        if one.word is ItemVerdict.UNLISTED:
            would = f" (like what is {one.entry.word.text})" if one.entry is not None else ""
            yield f"  {one.item}{would}"


def by_kind(found: Sequence[JudgedItem]) -> Mapping[str, Counter[ItemVerdict]]:
    counts: dict[str, Counter[ItemVerdict]] = {}
    for one in found:
        counts.setdefault(one.item.kind, Counter())[one.word] += 1
    return counts


def table(found: Mapping[str, Sequence[JudgedItem]]) -> str:
    """Of each version its kinds, as Markdown."""
    lines = [
        "| | kind | items | drawn | left out, with an experiment | open |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for title, items in found.items():
        for kind, counts in by_kind(items).items():
            numbers = (
                sum(counts.values()),
                counts[ItemVerdict.DRAWN],
                counts[ItemVerdict.LEFT_OUT],
                counts[ItemVerdict.OPEN],
            )
            lines.append(f"| {' | '.join((title, kind, *(f'{number:,}' for number in numbers)))} |")
    return "\n".join(lines)


def totals(found: Mapping[str, Sequence[JudgedItem]]) -> str:
    """Of each version all kinds together, as Markdown."""
    lines = ["| | items | drawn | left out, with an experiment | open |", "| --- | --- | --- | --- | --- |"]
    for title, items in found.items():
        counts = Counter(one.word for one in items)
        numbers = (len(items), counts[ItemVerdict.DRAWN], counts[ItemVerdict.LEFT_OUT], counts[ItemVerdict.OPEN])
        lines.append(f"| {' | '.join((title, *(f'{number:,}' for number in numbers)))} |")
    return "\n".join(lines)


def experiments(entries: Sequence[SurfaceEntry]) -> str:
    """What is left out, with the reason and the experiment, as Markdown."""
    lines = ["| left out | reason | experiment |", "| --- | --- | --- |"]
    for entry in entries:
        if entry.word is ItemVerdict.LEFT_OUT:
            names = ", ".join(f"`{name}`" for name in (*entry.items, *entry.families))
            lines.append(f"| {entry.kind}: {names} | {entry.reason} | `{entry.experiment}` |")
    return "\n".join(lines)


def opened(found: Mapping[str, Sequence[JudgedItem]]) -> str:
    """What is open, with the reason, as Markdown."""
    lines = ["| | open | why |", "| --- | --- | --- |"]
    for title, items in found.items():
        names: dict[tuple[str, str], list[str]] = {}
        for one in items:
            if one.word is ItemVerdict.OPEN and one.entry is not None:
                names.setdefault((one.item.kind, one.entry.reason), []).append(f"`{one.item.name}`")
        lines += (f"| {title} | {kind}: {', '.join(some)} | {reason} |" for (kind, reason), some in names.items())
    return "\n".join(lines)


def compared(
    old: EngineSurface, new: EngineSurface, changes: Sequence[ItemChange], found: Mapping[SurfaceItem, JudgedItem]
) -> Iterator[str]:
    """What the second version has that the first has not, and what is said of it; then what is gone, and what changed."""
    counts = Counter(change.word for change in changes)
    words = Counter(found[change.item].word for change in changes if change.word == "new")
    said = ", ".join(f"{words[word]} {word.text}" for word in ItemVerdict)
    yield f"{old.title} to {new.title}: {counts['new']} new ({said}), {counts['gone']} gone, {counts['changed']} changed"
    for kind in ("new", "gone", "changed"):
        for change in changes:
            if change.word != kind:
                continue
            detail = {"new": change.after, "gone": "", "changed": f"{change.before} → {change.after}"}[kind]
            judgement = f"  [{found[change.item].word.text}]" if kind != "gone" else ""
            yield f"  {kind}: {change.item}{f': {detail}' if detail else ''}{judgement}"

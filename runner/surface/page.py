"""The inventories and the verdicts, as text for a terminal and as tables for ``docs/surface.md``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from reports.document import Code, Content, joined, line
from reports.document import table as table_of
from reports.document.markdown import table as markdown
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
    """The kinds of each version, as a Markdown table."""
    kinds = ((title, kind, counts) for title, items in found.items() for kind, counts in by_kind(items).items())
    rows: Iterator[tuple[Content, ...]] = ((title, kind, *_numbers(counts)) for title, kind, counts in kinds)
    return markdown(table_of(("", "kind", *_COUNTED), rows))


def totals(found: Mapping[str, Sequence[JudgedItem]]) -> str:
    """The sums of each version, as a Markdown table."""
    rows: Iterator[tuple[Content, ...]] = (
        (title, *_numbers(Counter(one.word for one in items))) for title, items in found.items()
    )
    return markdown(table_of(("", *_COUNTED), rows))


_COUNTED = ("items", "drawn", "left out, with an experiment", "open")


def _numbers(counts: Counter[ItemVerdict]) -> tuple[int, ...]:
    return (counts.total(), counts[ItemVerdict.DRAWN], counts[ItemVerdict.LEFT_OUT], counts[ItemVerdict.OPEN])


def left_out(found: Mapping[str, Sequence[JudgedItem]]) -> str:
    """How many items are left out for which reason, and the experiment that backs it, as Markdown."""
    rows = [
        (title, f"{kind}: {len(names)}", entry.reason, Code(entry.experiment) if entry.experiment else _tried(entry))
        for title, kind, entry, names in _grouped(found, ItemVerdict.LEFT_OUT)
    ]
    return markdown(table_of(("", "left out", "why", "experiment"), rows))


def _tried(entry: SurfaceEntry) -> Content:
    by = joined(map(Code, entry.noticed_by))
    return line("cases, which break ", by) if entry.noticed_by else "cases"


def opened(found: Mapping[str, Sequence[JudgedItem]]) -> str:
    """What is open, with the reason, as Markdown."""
    rows = [
        (title, line(f"{kind}: ", joined(map(Code, names))), entry.reason)
        for title, kind, entry, names in _grouped(found, ItemVerdict.OPEN)
    ]
    return markdown(table_of(("", "open", "why"), rows))


def _grouped(
    found: Mapping[str, Sequence[JudgedItem]], word: ItemVerdict
) -> Iterator[tuple[str, str, SurfaceEntry, list[str]]]:
    """The items of each version with this verdict: those of one kind, for one reason."""
    for title, items in found.items():
        groups: dict[tuple[str, str, str], tuple[SurfaceEntry, list[str]]] = {}
        for one in items:
            if one.word is word and one.entry is not None:
                key = one.item.kind, one.entry.reason, one.entry.experiment
                groups.setdefault(key, (one.entry, []))[1].append(one.item.name)
        for (kind, _, _), (entry, names) in groups.items():
            yield title, kind, entry, names


def compared(
    old: EngineSurface, new: EngineSurface, changes: Sequence[ItemChange], found: Mapping[SurfaceItem, JudgedItem]
) -> Iterator[str]:
    """What is new in the second version, with the verdicts; then what is gone, and what changed."""
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

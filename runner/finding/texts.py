"""Findings as a list, as a text for the tracker of the engine's own project, and as lines of the pages ``docs/findings*.md``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from reports.counterexamples.explanation import description
from reports.document import Content, Document, Items, Link, Section, plain, table
from reports.document.markdown import table as markdown
from runner.finding.entries import FOLDER, ROOT, Expected, Finding
from runner.finding.script import script_of

#: The page of each engine.
PAGES = {
    "spark": ROOT / "docs" / "findings.md",
    "deltalake": ROOT / "docs" / "findings-deltalake.md",
    "sail": ROOT / "examples" / "sail_engine" / "findings.md",
}

#: What stands around that part of a page which is written from the findings.
BEGIN, END = "<!-- findings: begin -->", "<!-- findings: end -->"


def issue(finding: Finding) -> str:
    """Markdown for the tracker of the engine's own project: what happens, on which releases, what must happen and why, the steps,
    and the script."""
    newest = finding.with_fault[-1]
    script = script_of(finding, newest)
    parts = [
        f"# {finding.title}",
        f"**Version:** {finding.version(newest).title}, on Linux, in a local file system. {_tried(finding)}",
        finding.text.strip(),
        f"**Expected:** {finding.promised}",
        f"**Actual:** {finding.actual}",
        *(
            [
                "**Steps** (“start” is the time at which the script starts):",
                *(f"- {plain(one)}" for one in description(finding.shown.case)),
            ]
            if finding.shown
            else []
        ),
        *([f"**Cause:** {finding.cause}"] if finding.cause else []),
        f"**To reproduce:** save this as `{finding.name}.py`. It needs only the packages in its first lines.",
        f"```python\n{script}```",
    ]
    return "\n\n".join(parts).replace("\n\n- ", "\n- ") + "\n"


def _tried(finding: Finding) -> str:
    """``Seen on 1.4.2 and 1.5.1; not on 1.3.3.``"""
    found = {word: [one for one, said in finding.expected.items() if said is word] for word in Expected}
    said = [f"Seen on {_and(found[Expected.FAULT])}"] if found[Expected.FAULT] else []
    said += [f"not on {_and(found[Expected.RIGHT])}"] if found[Expected.RIGHT] else []
    said += [f"could not be tried on {_and(found[Expected.UNKNOWN])}"] if found[Expected.UNKNOWN] else []
    return "; ".join(said) + "."


def _and(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def since(finding: Finding) -> str:
    """The releases with the fault, of those that were tried: ``1.4.2 to 1.6.6``."""
    tried, faulty = list(finding.expected), finding.with_fault
    first, last = faulty[0], faulty[-1]
    if tried[tried.index(first) : tried.index(last) + 1] != faulty:
        return ", ".join(faulty)
    return first if first == last else f"{first} to {last}"


def upstream(finding: Finding) -> Content:
    return Link(f"#{finding.upstream.rpartition('/')[2]}", finding.upstream) if finding.upstream else "not reported"


def page_of(found: Iterable[Finding]) -> str:
    """The part of a page: by harm a line for each finding."""
    parts = []
    for harm, of in groupby(found, key=lambda one: one.harm):
        rows: Iterator[tuple[Content, ...]] = (
            (
                Link(one.name, os.path.relpath(FOLDER / one.engine / f"{one.name}.toml", PAGES[one.engine].parent)),
                one.title,
                one.chapter,
                since(one),
                upstream(one),
            )
            for one in of
        )
        parts += [
            f"## {harm.value[0].upper()}{harm.value[1:]}",
            markdown(table(("", "", "of", "releases", "reported"), rows)),
        ]
    return "\n\n".join(parts)


def listing(found: Iterable[Finding]) -> Document:
    """By engine and harm a line for each finding."""
    sections = (
        Section(
            f"{engine}: {harm.value}",
            (Items(tuple(f"{one.name} ({since(one)}): {one.title}" for one in of), whole=True),),
        )
        for (engine, harm), of in groupby(found, key=lambda one: (one.engine, one.harm))
    )
    return Document("Findings", tuple(sections))


def write_pages(found: Sequence[Finding]) -> None:
    for engine, path in PAGES.items():
        before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
        text = page_of(one for one in found if one.engine == engine)
        path.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")

"""What is said of findings: a list, a text for the tracker of the engine's own project, and the pages ``docs/findings*.md``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engines.provider import kind_of
from reports.counterexamples.explanation import description
from reports.document import Code, Content, Link, plain, table
from reports.document.markdown import table as markdown
from runner.finding.entries import ROOT, Expected, Finding
from runner.finding.script import script_of

#: The page of each engine.
PAGES = {"spark": ROOT / "docs" / "findings.md", "deltalake": ROOT / "docs" / "findings-deltalake.md"}

#: What stands around that part of a page which is written from the findings.
BEGIN, END = "<!-- findings: begin -->", "<!-- findings: end -->"


def issue(finding: Finding) -> str:
    """Markdown for the tracker of the engine's own project: what happens, on which releases, what must happen and why, the steps,
    and the script."""
    newest = finding.with_fault[-1]
    script = script_of(finding, newest)
    title = kind_of(finding.engine).releases.version(newest).title  # type: ignore[union-attr]
    parts = [
        f"# {finding.title}",
        f"**Version:** {title}. {_tried(finding)}",
        finding.text.strip(),
        f"**Expected:** {finding.promised}",
        f"**Actual:** {finding.actual}",
        *(["**Steps:**", *(f"- {plain(one)}" for one in description(finding.shown.case))] if finding.shown else []),
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
    if not faulty:
        return ""
    first, last = faulty[0], faulty[-1]
    if tried[tried.index(first) : tried.index(last) + 1] != faulty:
        return ", ".join(faulty)
    return first if first == last else f"{first} to {last}"


def upstream(finding: Finding) -> Content:
    return Link(f"#{finding.upstream.rpartition('/')[2]}", finding.upstream) if finding.upstream else "not reported"


def page_of(found: Iterable[Finding]) -> str:
    """The part of a page: a line for each finding by harm, then a section for each, by chapter."""
    found = list(found)
    rows: Iterator[tuple[Content, ...]] = (
        (Link(one.title, f"#{anchor(one.title)}"), one.harm.value, since(one), upstream(one)) for one in found
    )
    parts = [markdown(table(("finding", "harm", "releases", "reported"), rows))]
    for chapter in dict.fromkeys(one.chapter for one in found):
        parts += [f"# {chapter}", *(_section(one) for one in found if one.chapter == chapter)]
    return "\n\n".join(parts)


def _section(one: Finding) -> str:
    facts = {
        "Promised": one.promised,
        "Cause": one.cause,
        "Releases": _tried(one) + (f" {one.note}" if one.note else ""),
        "Reported": f"<{one.upstream}>" if one.upstream else "",
        "Run": f"`tombstone finding {one.name}`" + (f"; by hand: {one.by_hand}" if one.by_hand else ""),
    }
    clauses = f" ({', '.join(one.clauses)})" if one.clauses else ""
    lines = "\n".join(f"- *{name}:* {text.strip()}" for name, text in facts.items() if text)
    return f"## {one.title}{clauses}\n\n{one.text.strip()}\n\n{lines}"


def anchor(heading: str) -> str:
    """As GitHub names a heading."""
    kept = "".join(sign for sign in heading.lower() if sign.isalnum() or sign in " -_")
    return kept.replace(" ", "-")


def listing(found: Iterable[Finding]) -> Iterator[tuple[Content, ...]]:
    """A row for each: its name, harm, releases and title."""
    for one in found:
        yield Code(one.name), one.harm.value, since(one), one.title


def write_pages(found: Sequence[Finding]) -> None:
    for engine, path in PAGES.items():
        before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
        text = page_of(one for one in found if one.engine == engine)
        path.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")

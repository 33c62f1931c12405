"""Every source that a clause cites resolves to a section or an address, and docs/ links lead somewhere."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from suites.catalogue import CATALOGUE
from suites.sources import ARTICLES, DELTA_RS_PAGES, DELTA_SECTIONS, PROTOCOL_SECTIONS, resolve

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
CITED = sorted({source for clause in CATALOGUE.values() for source in clause.sources})


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading: links become their text, punctuation goes, spaces become hyphens."""
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


@cache
def anchors(page: Path) -> set[str]:
    text = re.sub(r"(?ms)^```.*?^```", "", text_of(page))
    found = set(re.findall(r'<a id="([^"]+)">', text))
    for heading in re.findall(r"(?m)^#+ (.+)$", text):
        name, repeated = slug(heading), 0
        while name in found:
            repeated += 1
            name = f"{slug(heading)}-{repeated}"
        found.add(name)
    return found


def is_there(address: str) -> bool:
    """Whether docs/sources.md links to an address of the web, or to what it is a part of; else whether a page has this anchor."""
    if address.startswith("https://"):
        linked = re.findall(r"\]\((https://[^\s]*?)\)[ ,.:|]", text_of(ROOT / "docs" / "sources.md"))
        return any(address == link or address.startswith((f"{link}#", f"{link}/")) for link in linked)
    page, _, anchor = address.partition("#")
    return anchor in anchors(ROOT / page)


def test_a_cited_source_resolves() -> None:
    assert [source for source in CITED if not is_there(resolve(source).address)] == []


def test_sources_md_lists_exactly_the_articles() -> None:
    assert set(re.findall(r'<a id="(S\d)"></a>`\1`', text_of(ROOT / "docs" / "sources.md"))) == set(ARTICLES)


def test_delta_md_has_exactly_the_sections_that_can_be_cited() -> None:
    assert re.findall(r'<a id="([\d.]+)"></a>\n#+ \1\b', text_of(ROOT / "docs" / "delta.md")) == list(DELTA_SECTIONS)


def test_only_cited_sections_have_an_address() -> None:
    cited = {source[2:] for source in CITED if source.startswith("P ")}
    assert set(PROTOCOL_SECTIONS) == cited
    assert set(DELTA_RS_PAGES) == {source[2:] for source in CITED if source.startswith("R ")}


@pytest.mark.parametrize("source", ["", "S10", "C 1.9", "C", "P Vacuum", "X 1.1"])
def test_an_unknown_source_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="is not a source"):
        resolve(source)


def leads_somewhere(page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    linked = page.parent / path if path else page
    return linked.exists() and (not anchor or anchor in anchors(linked))


def test_links_between_pages_lead_somewhere() -> None:
    links = [(page, link) for page in PAGES for link in re.findall(r"\]\((?!https?://)([^)\s]+)\)", text_of(page))]
    assert [f"{page.name} links to {link}" for page, link in links if not leads_somewhere(page, link)] == []


def test_references_to_source_files_are_defined() -> None:
    for page in PAGES:
        text = text_of(page)
        used = set(re.findall(r"\[([\w/]+\.(?:scala|g4|md))\](?![(:])", text))
        assert used == set(re.findall(r"(?m)^\[([\w/.]+)\]: https://", text)), page

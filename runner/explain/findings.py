"""The sections of the pages of findings that name a clause."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

PAGES = ("docs/findings.md", "docs/findings-deltalake.md")


@dataclass(frozen=True)
class FoundSection:
    page: str
    heading: str
    text: str


@cache
def sections() -> tuple[FoundSection, ...]:
    """Of all pages."""
    found = []
    for page in PAGES:
        for one in re.split(r"(?m)^## ", (ROOT / page).read_text(encoding="utf-8"))[1:]:
            heading, _, text = one.partition("\n")
            found.append(FoundSection(page, heading, text))
    return tuple(found)


@cache
def about(clause: str) -> tuple[FoundSection, ...]:
    """Those that name the clause, in their heading or below it."""
    named = re.compile(rf"(?<![\w-]){re.escape(clause)}(?![\w-])")
    return tuple(one for one in sections() if named.search(one.heading) or named.search(one.text))

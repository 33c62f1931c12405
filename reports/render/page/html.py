"""Lays a page out: one file, without network, from the templates beside this module."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from reports.render.lines import visible
from reports.render.page.comparison import ComparisonPage
from reports.render.page.content import Page
from reports.render.page.index import SIGNS, IndexPage, index_page
from reports.render.page.together import TurnPage


def html_of(page: Page | ComparisonPage | IndexPage | TurnPage) -> str:
    """The page's HTML. Every text of a run is escaped, and its control characters are shown."""
    return template(_TEMPLATES[type(page)]).render(page=page, signs=SIGNS, few=FEW)


#: With no more clauses than these, the chapters of a page are open.
FEW = 30

_TEMPLATES: Mapping[type, str] = {Page: "report", ComparisonPage: "compare", IndexPage: "index", TurnPage: "together"}


@cache
def template(name: str, folder: Path | None = None) -> Template:
    """A template of a page: one beside this module, or of another folder, which may extend those beside this module.

    It escapes every text. ``shown`` shows control characters, ``lines`` those of a text of several lines.
    """
    environment = Environment(
        loader=FileSystemLoader([*([] if folder is None else [folder]), Path(__file__).parent]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["shown"] = visible
    environment.filters["lines"] = lambda text: "\n".join(visible(line) for line in text.split("\n"))
    return environment.get_template(f"{name}.html.j2")


def write_index(folder: Path, file: Path) -> IndexPage:
    """Write the page over all runs below a folder; its directory is made if need be. Raises StreamError without a run."""
    file.parent.mkdir(parents=True, exist_ok=True)
    page = index_page(folder, beside=file.parent)
    file.write_text(html_of(page), encoding="utf-8", newline="\n")
    return page

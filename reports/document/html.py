"""A document as a page: one file that needs no network."""

from __future__ import annotations

from functools import cache
from itertools import count
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from reports.document import Block, Clauses, Content, Document, Section, Table, is_empty, plain
from reports.document.printing import visible

#: What a verdict looks like on a tile. The word is its title, for those who cannot see it.
SIGNS = {
    "holds": "✓",
    "fails": "✗",
    "known fault": "~",
    "listed but gone": "!",
    "not applicable": "·",
    "disabled": "–",
    "not tested": "?",
    "error": "‼",
}

#: Of several blocks so many are shown in full; of the others the title.
IN_FULL = 50

#: With no more clauses than these, the chapters of a page are open.
FEW = 30

#: A column whose longest cell has more characters than this is a wide one.
_WIDE = 40


def html(document: Document) -> str:
    """The page. Every text is escaped, and its control characters are shown."""
    return template("document").render(
        document=document, next_id=count(1).__next__, signs=SIGNS, few=FEW, in_full=IN_FULL
    )


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
    environment.filters["plain"] = plain
    environment.filters["kind"] = lambda value: type(value).__name__
    environment.filters["classes"] = _classes
    environment.filters["clauses_in"] = _clauses_in
    environment.tests["empty"] = is_empty
    return environment.get_template(f"{name}.html.j2")


def _clauses_in(block: Block) -> tuple[Clauses, ...]:
    if isinstance(block, Section):
        return tuple(one for below in block.blocks for one in _clauses_in(below))
    return (block,) if isinstance(block, Clauses) else ()


def _classes(table: Table) -> list[str]:
    """The class of each column."""
    return [_class([row[number] for row in table.rows]) for number in range(len(table.columns))]


def _class(cells: list[Content]) -> str:
    if all(isinstance(cell, int) for cell in cells):
        return "number"
    return "wide" if max(len(plain(cell)) for cell in cells) > _WIDE else ""

"""A document on a terminal: plain text that wraps under itself; commands and paths stay in one piece, for copying."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text as Styled

from reports.document import (
    Block,
    Clauses,
    Command,
    Copied,
    Details,
    Diff,
    Document,
    Facts,
    Files,
    Finding,
    Items,
    Lines,
    Picture,
    Section,
    Several,
    Steps,
    Strong,
    Table,
    Text,
    Tone,
    Tree,
    is_empty,
    plain,
)
from reports.document.printing import show_clipped, show_command, show_fact, show_item, show_line, show_text, visible
from reports.text.quantities import counted

#: The style of an answer, by its mark.
STYLES = {"✅": "bold green", "❌": "bold red", "⚠️": "bold yellow"}

#: The width of a table without a terminal, as in a CI log: in a narrower one sentences wrap after a few words.
_LOG_WIDTH = 140

_TONES = {
    Tone.GOOD: "green",
    Tone.BAD: "bold red",
    Tone.WARN: "bold yellow",
    Tone.KNOWN: "yellow",
    Tone.QUIET: "dim",
}

#: How many items are shown, and how many of several blocks. A page has all.
_LINES, _FINDINGS = 5, 10


def show(document: Document, console: Console, *, whole: bool = False) -> None:
    """The document, its facts last, without what a page folds. ``whole``: all items, and what is folded too."""
    _answer(document, console)
    for block in document.blocks:
        _show(block, console, whole=whole)
    for label, content in document.facts.facts:
        show_text(console, f"{label}: {plain(content)}")


def _answer(document: Document, console: Console) -> None:
    style = STYLES.get(document.mark, "")
    if console.is_terminal:
        show_text(console, plain(document.title), style)
    else:  # a log is searched for the answer
        show_line(console, plain(document.title), style)


def _show(block: Block, console: Console, *, whole: bool) -> None:
    if is_empty(block) or not _is_shown(block, whole=whole):
        return
    if isinstance(block, Text):
        style = "bold yellow" if isinstance(block.content, Strong) else ""
        for line in block.content.lines if isinstance(block.content, Lines) else (block.content,):
            show_text(console, plain(line), style)
    elif isinstance(block, Facts):
        for label, content in block.facts:
            show_fact(console, label, plain(content))
    elif isinstance(block, Items):
        most = len(block.items) if whole or block.whole else _LINES
        for item in block.items[:most]:
            if block.whole:
                show_item(console, plain(item))
            else:
                show_clipped(console, f"  {plain(item)}")
        if len(block.items) > most:
            show_text(console, f"  and {len(block.items) - most} more")
    elif isinstance(block, Command):
        show_command(console, block.label or "command", block.text)
    elif isinstance(block, Table) and block.brief and not whole:
        lines = (": ".join(map(plain, row[: block.brief])) for row in block.rows)
        _show(Items(tuple(lines)), console, whole=False)
    elif isinstance(block, Table):
        console.print(_grid(block), crop=False, width=_width(console))
    elif isinstance(block, Finding):
        show_text(console)
        show_text(console, block.title, "bold red")
        _show(block.facts, console, whole=whole)
        for one in block.blocks:
            if isinstance(one, Command):
                _show(one, console, whole=whole)
    elif isinstance(block, Clauses):
        for chapter in block.chapters:
            show_text(console, f"{chapter.name}: {chapter.tally}")
        if whole:
            console.print(_clauses(block, console), crop=False)
    elif isinstance(block, Details):
        show_text(console, block.summary)
        for one in block.blocks if whole else ():
            _show(one, console, whole=True)
    elif isinstance(block, Section):
        title = plain(block.title)
        if whole:
            show_text(console)
        show_text(console, title if ":" in title else f"{title}:")
        for one in block.blocks:
            _show(one, console, whole=whole)
    elif isinstance(block, Several):
        for one in block.blocks if whole else block.blocks[:_FINDINGS]:
            _show(one, console, whole=whole)
        if not whole and len(block.blocks) > _FINDINGS:
            show_text(console, f"and {counted(len(block.blocks) - _FINDINGS, f'more {block.noun}')}: see {block.whole}")
        show_text(console)


def _is_shown(block: Block, *, whole: bool) -> bool:
    """Whether a terminal shows any of it."""
    if isinstance(block, (Section, Several)):
        return any(_is_shown(one, whole=whole) for one in block.blocks)
    if isinstance(block, Details):
        return block.on_screen or whole
    return not isinstance(block, (Tree, Copied, Steps, Diff, Files, Picture))


def _width(console: Console) -> int | None:
    """The width of a table; None for the terminal's."""
    return None if console.is_terminal else max(console.width, _LOG_WIDTH)


def _clauses(block: Clauses, console: Console) -> Grid:
    """The sentence gets the width that is left: it is cut on a terminal, and wraps in a log."""
    width = _width(console)
    # Texts, since rich takes brackets in a str for markup.
    grid = Grid(box=None, pad_edge=False, expand=True, width=width)
    *heads, promised = block.heads
    for name in heads:
        grid.add_column(Styled(visible(name)), no_wrap=True)
    grid.add_column(Styled(promised), overflow="ellipsis" if width is None else "fold", no_wrap=width is None, ratio=1)
    for row in (row for chapter in block.chapters for row in chapter.rows):
        verdicts = (Styled(one.text, style=_TONES[one.tone]) for one in row.verdicts)
        plain_cells = (Styled(visible(plain(cell))) for cell in (*row.cells, row.sentence))
        grid.add_row(Styled(row.id), *verdicts, *plain_cells)
    return grid


def _grid(block: Table) -> Grid:
    grid = Grid(box=None, pad_edge=False, show_header=any(map(plain, block.columns)))
    for number, column in enumerate(block.columns):
        numbers = all(isinstance(row[number], int) for row in block.rows)
        grid.add_column(Styled(visible(plain(column))), justify="right" if numbers else "left", overflow="fold")
    for row in block.rows[: block.most]:
        grid.add_row(*(Styled(visible(plain(cell))) for cell in row))
    return grid

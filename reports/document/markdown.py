"""A document as Markdown of a limited size. Every text is shown literally."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from reports.document import (
    Block,
    Branch,
    ClauseRow,
    Clauses,
    Code,
    Command,
    Content,
    Copied,
    Details,
    Diff,
    Document,
    Facts,
    Finding,
    Inline,
    Items,
    Line,
    Lines,
    Link,
    Said,
    Section,
    Several,
    Steps,
    Strong,
    Table,
    Text,
    Tone,
    Tree,
    is_empty,
    lines,
)
from reports.text.cut import cut
from reports.text.quantities import counted

#: GitHub refuses a step summary of more than 1 MiB (docs, "Workflow commands", job summaries). Bytes.
LIMIT = 1_000_000

#: What stands before a word of this tone. Those in bold need attention.
_MARKS = {Tone.GOOD: "✅", Tone.BAD: "❌", Tone.WARN: "⚠️", Tone.KNOWN: "➖", Tone.QUIET: "➖"}

#: Longer sentences and messages are cut, in characters. The stream has the full text.
_LONGEST = 400


def markdown(document: Document, *, limit: int = LIMIT) -> str:
    """The document in at most ``limit`` bytes of UTF-8, at least 8,000: a longer one has fewer rows in its tables, and the number
    of those left out."""
    most = max(_lengths(document.blocks), default=0)
    mark = f"{document.mark} " if document.mark else ""
    while True:
        whole = (
            "\n\n".join([f"# {mark}{shown(document.title)}", *_blocks((document.facts, *document.blocks), most, 2)])
            + "\n"
        )
        if len(whole.encode("utf-8", "surrogatepass")) <= limit or most == 0:
            return whole.encode("utf-8", "backslashreplace").decode("utf-8")
        most //= 2


def table(block: Table) -> str:
    return _table(block, len(block.rows))


def _lengths(blocks: Sequence[Block]) -> Iterator[int]:
    for block in blocks:
        if isinstance(block, Table):
            yield len(block.rows)
        elif isinstance(block, Clauses):
            yield from (len(one.rows) for one in block.chapters)
        elif isinstance(block, (Details, Section, Several)):
            yield len(block.blocks)
            yield from _lengths(block.blocks)


def _blocks(blocks: Iterable[Block], most: int, level: int) -> Iterator[str]:
    """The paragraphs of blocks below a title of this ``level``, with at most so many rows in a table."""
    for block in blocks:
        if not is_empty(block):
            yield from _block(block, most, level)


def _block(block: Block, most: int, level: int) -> Iterator[str]:
    if isinstance(block, Text):
        yield shown(block.content, "<br>\n")
    elif isinstance(block, Items):
        marks = (f"{number}." if block.numbered else "-" for number in range(1, len(block.items) + 1))
        yield "\n".join(f"{mark} {shown(item)}" for mark, item in zip(marks, block.items))
    elif isinstance(block, Facts):
        yield "<br>\n".join(f"{text(label)}: {shown(content)}" for label, content in block.facts)
    elif isinstance(block, Command):
        yield from ([f"{text(block.label)}:"] if block.label else [])
        yield f"    {_visible(block.text)}"
    elif isinstance(block, Table):
        yield _table(block, most)
    elif isinstance(block, Tree):
        yield _table(_branches(block), most)
    elif isinstance(block, Copied):
        if block.link:
            yield f"{text(block.title)}: {shown(Link(block.link, block.link))}, {text(block.told)}"
    elif isinstance(block, Steps):
        wrong = "(here it goes wrong)"
        yield "\n".join(
            f"{number + 1}. {code(one)}{f' {wrong}' if number == block.wrong else ''}"
            for number, one in enumerate(block.texts)
        )
    elif isinstance(block, Diff):
        rows = tuple((Code(one.sign), Code(one.text)) for one in block.lines)
        yield _table(Table(("", "- expected and not seen, + seen and not expected"), rows), most)
    elif isinstance(block, Finding):
        yield f"{'#' * level} {text(block.title, begins=False)}"
        yield from _block(block.facts, most, level)
        yield from _blocks((one for one in block.blocks if isinstance(one, Command)), most, level)
        case = tuple(one for one in block.blocks if isinstance(one, (Steps, Diff, Items)))
        yield from _blocks((Details("The steps, and what is to be checked", case),), most, level)
    elif isinstance(block, Clauses):
        yield from _blocks(
            (Details(f"{one.name}: {one.tally}", (_clauses(block, one.rows),)) for one in block.chapters), most, level
        )
    elif isinstance(block, Details):
        yield f"<details><summary>{_summary(block.summary)}</summary>"
        yield from _blocks(block.blocks, most, level)
        yield "</details>"
    elif isinstance(block, Section):
        yield f"{'#' * level} {shown(block.title)}"
        yield from _blocks(block.blocks, most, level + 1)
    elif isinstance(block, Several):
        yield from _blocks(block.blocks[:most], most, level)
        if len(block.blocks) > most:
            yield _left_out(len(block.blocks) - most, block.noun, block.whole)


def _clauses(block: Clauses, rows: Sequence[ClauseRow]) -> Table:
    found = ((one.id, *one.verdicts, *one.cells, lines(one.sentence, one.note)) for one in rows)
    return Table(block.heads, tuple(found))


def _branches(tree: Tree) -> Table:
    """In the order of the tree. Where not all have a row, as many levels as do; of the first ones some."""
    found = list(_walked(tree.root))
    levels = Counter(depth for _, depth, _ in found)
    whole = [depth for depth in levels if sum(levels[one] for one in range(depth + 1)) <= tree.most]
    shown = [one for one in found if one[1] <= max(whole, default=1)][: tree.most]
    rows = [(path, branch.content, Lines(branch.notes)) for path, _, branch in shown]
    return Table(tree.columns, (*rows, *([("…", tree.whole, "")] if len(found) > len(rows) else [])))


def _walked(branch: Branch, above: str = "", depth: int = 0) -> Iterator[tuple[str, int, Branch]]:
    """Each with its path and how deep it lies."""
    path = f"{above}{branch.name}"
    yield path, depth, branch
    for one in branch.below:
        yield from _walked(one, f"{path}/" if depth else "", depth + 1)


def _table(block: Table, most: int) -> str:
    first = block.rows[: most if block.most is None else min(block.most, most)]
    rows = [heads(block.columns), *map(row, first)]
    if len(block.rows) > len(first):
        rows += ["", _left_out(len(block.rows) - len(first), "row", block.whole)]
    return "\n".join(rows)


def _left_out(number: int, noun: str, whole: str) -> str:
    return f"… and {counted(number, f'more {noun}')}, left out for size: all are in {whole}."


def heads(columns: Sequence[Content]) -> str:
    """The first two lines of a table."""
    return f"{row(columns)}\n|{' --- |' * len(columns)}"


def row(cells: Iterable[Content]) -> str:
    # A pipe inside a cell does not end it.
    return "| " + " | ".join(shown(cell).replace("|", "\\|") for cell in cells) + " |"


def shown(content: Content, break_: str = "<br>") -> str:
    """The content alone, such as a cell."""
    if isinstance(content, Lines):
        return break_.join(map(shown, content.lines))
    if isinstance(content, Line):
        return "".join(_part(part, begins=number == 0) for number, part in enumerate(content.parts))
    return _inline(content)


def _part(part: Inline, *, begins: bool) -> str:
    """A part of a line, with the spaces at its ends."""
    if not isinstance(part, str):
        return _inline(part)
    return f"{' ' * part.startswith(' ')}{text(part, begins=begins)}{' ' * (part.endswith(' ') and part != ' ')}"


def _inline(part: Inline) -> str:
    if isinstance(part, Code):
        return code(part.text)
    if isinstance(part, Strong):
        return f"**{text(part.text)}**"
    if isinstance(part, Said):
        mark, said = _MARKS[part.tone], text(part.text)
        return f"{mark} **{said}**" if part.tone in (Tone.BAD, Tone.WARN) else f"{mark} {said}"
    if isinstance(part, Link):
        return text(part.text) if part.to.startswith("#") else f"[{text(part.text)}]({part.to})"
    return f"{part:,}" if isinstance(part, int) else text(part)


def _summary(summary: str) -> str:
    line = _cut(" ".join("".join(char if char.isprintable() else " " for char in summary).split()))
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def text(value: object, *, begins: bool = True) -> str:
    """``value`` as Markdown that shows it literally, on one line. White space is collapsed; long texts are cut.

    ``begins``: it is at a line's start.
    """
    line = " ".join(_visible(str(value)).split())
    line = _cut(line)
    line = re.sub(r"[\\`*_\[\]<~$]", r"\\\g<0>", line).replace("&", "&amp;")
    # Lists, headings and quotes begin at a line's start only; GitHub shows ``:name:`` as an emoji.
    if begins:
        line = re.sub(r"^([-+#>=]|\d+(?=[.)](?:\s|$)))", _leading, line)
    return re.sub(r":(?=[a-z0-9_+-]+:)", "&#58;", line)


def code(value: object) -> str:
    """``value`` as a code span on one line, with its spaces; long texts are cut. Empty for an empty text."""
    line = _cut(
        "".join(char if char == " " or not char.isspace() else ascii(char)[1:-1] for char in _visible(str(value)))
    )
    if not line:
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    # Markdown strips one space at both ends, unless the span has only spaces.
    pad = " " if line.strip() and (line[0] in "` " or line[-1] in "` ") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def _leading(match: re.Match[str]) -> str:
    return f"&#{ord(match[0][0])};{match[0][1:]}"


def _visible(value: str) -> str:
    return "".join(char if char.isprintable() or char.isspace() else ascii(char)[1:-1] for char in value)


def _cut(line: str) -> str:
    return cut(line, _LONGEST)

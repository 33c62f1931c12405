"""What a report says, as a value: a title, and blocks of a few kinds. A renderer lays it out (``reports.document.markdown``).

A text is shown as it is, whatever characters it has: no renderer takes any of them for a mark of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Union


@dataclass(frozen=True)
class Code:
    """A text in another type: a path, an id, a statement."""

    text: object


@dataclass(frozen=True)
class Strong:
    text: object


@dataclass(frozen=True)
class Link:
    text: object
    to: str  # an address, or a path from the report


class Tone(str, Enum):
    """What a word means for the reader, by the class of it on a page."""

    GOOD = "good"
    BAD = "bad"
    WARN = "warn"
    KNOWN = "known"
    QUIET = "quiet"


@dataclass(frozen=True)
class Said:
    """A word with its tone."""

    text: str
    tone: Tone


#: What stands in a line. A number is written with commas: 1,204.
Inline = Union[str, int, Code, Strong, Link, Said]


@dataclass(frozen=True)
class Line:
    """Parts on one line, with their spaces."""

    parts: tuple[Inline, ...]


@dataclass(frozen=True)
class Lines:
    """Parts below each other."""

    lines: tuple[Inline | Line, ...]


Content = Union[Inline, Line, Lines]


def line(*parts: Inline | Line) -> Line:
    """One line of all parts."""
    flat = (piece for part in parts for piece in (part.parts if isinstance(part, Line) else (part,)))
    return Line(tuple(part for part in flat if part != ""))


def lines(*parts: Inline | Line) -> Lines:
    """Those that are not empty."""
    return Lines(tuple(part for part in parts if part not in ("", Line(()))))


def joined(parts: Iterable[Inline | Line], by: str = ", ") -> Line:
    """The parts on one line, with ``by`` between them."""
    return line(*[piece for part in parts for piece in (by, part)][1:])


def plain(content: Content) -> str:
    """The content without any mark. Lines below each other get a space between them."""
    if isinstance(content, Lines):
        return " ".join(map(plain, content.lines))
    if isinstance(content, Line):
        return "".join(map(plain, content.parts))
    if isinstance(content, Link):
        return content.to if content.text == "source" else str(content.text)
    return f"{content:,}" if isinstance(content, int) else str(content if isinstance(content, str) else content.text)


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    content: Content


@dataclass(frozen=True)
class Items:
    """A list; nothing without an item. A terminal shows the first ones, each on one line, or all if they are to be read
    ``whole``."""

    items: tuple[Content, ...]
    numbered: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Facts:
    """Facts about one thing, each with a short label."""

    facts: tuple[tuple[str, Content], ...]


@dataclass(frozen=True)
class Command:
    """A command to copy, which is never cut."""

    text: str
    label: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of as many cells as there are ``columns``; nothing without a row.

    ``most``: how many rows are shown. ``whole`` names where all of them are. A terminal shows the first ``brief`` columns, as
    lines; with 0 the table.
    """

    columns: tuple[Content, ...]
    rows: tuple[tuple[Content, ...], ...]
    most: int | None = None
    whole: str = "the run stream"
    brief: int = 0


@dataclass(frozen=True)
class Branch:
    """A part of a tree. ``notes`` are hidden until someone opens it; ``left_out`` says what of ``below`` is not shown."""

    name: str
    content: Content
    notes: tuple[Inline | Line, ...] = ()
    below: tuple[Branch, ...] = ()
    left_out: str = ""


@dataclass(frozen=True)
class Tree:
    """A page lets one open each branch; Markdown has the first ``most`` ones as a table; a terminal has none."""

    root: Branch
    columns: tuple[str, str, str]  # of the name, the content and the notes
    most: int
    whole: str


@dataclass(frozen=True)
class Copied:
    """Lines to copy, which only a page shows. ``noun``: what they are. ``link``: a file with all of them, which ``told``
    describes.
    """

    title: str
    noun: str
    lines: tuple[str, ...]
    more: int = 0
    link: str = ""
    told: str = ""


@dataclass(frozen=True)
class Steps:
    """Commands one after another; that with the number ``wrong`` went wrong."""

    texts: tuple[str, ...]
    wrong: int | None = None


@dataclass(frozen=True)
class DiffLine:
    """``sign``: ``-`` expected and not seen, ``+`` seen and not expected, a space for both."""

    sign: str
    text: str


@dataclass(frozen=True)
class Diff:
    """What was expected and what was seen; nothing without a line."""

    lines: tuple[DiffLine, ...]


@dataclass(frozen=True)
class FileLine:
    """A file or a directory. ``before``: what it was before the step; ``after``: what the step did with it; ``wrong``: what it
    had to do, if it did something else."""

    depth: int
    name: str
    before: str
    after: str
    wrong: str


@dataclass(frozen=True)
class Files:
    """The files of a table after a step, of one engine or of two; nothing without a file."""

    sides: tuple[tuple[str, tuple[FileLine, ...]], ...]


@dataclass(frozen=True)
class Mark:
    """Something at an instant. ``kind``: ``written`` or ``removed`` of a data file, ``stray`` of a stray one."""

    x: int
    kind: str
    title: str


@dataclass(frozen=True)
class PictureRow:
    """A file: ``state`` is ``live``, ``removed`` or ``stray``."""

    y: int
    name: str
    state: str
    detail: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Tick:
    x: int
    label: str
    kind: str  # "cutoff", "clock" or empty


@dataclass(frozen=True)
class Picture:
    """A table on a line of time, which only a page shows. ``width`` and ``height`` in pixels. ``description``: the same for those
    who cannot see it."""

    width: int
    height: int
    rows: tuple[PictureRow, ...]
    ticks: tuple[Tick, ...]
    description: str


@dataclass(frozen=True)
class Finding:
    """Something that is wrong: a title, facts, and blocks that a terminal shows only commands of."""

    title: str
    facts: Facts
    blocks: tuple[Block, ...]
    anchor: str


@dataclass(frozen=True)
class ClauseRow:
    """``verdicts``: one of each side. ``cells`` stand between the id and the sentence. ``note`` stands below the sentence, and
    ``details`` is hidden. A page can be filtered by ``features``."""

    id: str
    verdicts: tuple[Said, ...]
    cells: tuple[Content, ...]
    sentence: str
    note: Inline | Line = ""
    details: str = ""
    features: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chapter:
    name: str
    tally: str
    rows: tuple[ClauseRow, ...]


@dataclass(frozen=True)
class Clauses:
    """Clauses by chapter. ``sides``: the subjects of the verdicts. ``columns``: the heads of the cells. A page draws a tile for
    each verdict, which leads to the clause's row.
    """

    sides: tuple[str, ...]
    columns: tuple[str, ...]
    chapters: tuple[Chapter, ...]

    @property
    def heads(self) -> tuple[str, ...]:
        """Of the id, the verdicts, the cells and the sentence."""
        return "Clause", *(self.sides if len(self.sides) > 1 else ("Verdict",)), *self.columns, "Promised"


@dataclass(frozen=True)
class Details:
    """Blocks that are hidden until someone opens them; nothing without a block. A terminal shows no more than the summary, and
    that only if it is ``on_screen``."""

    summary: str
    blocks: tuple[Block, ...]
    on_screen: bool = False


@dataclass(frozen=True)
class Section:
    """A title and blocks below it; nothing without a block."""

    title: Content
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Several:
    """Blocks of one kind; a short report has only the first. ``noun``: what each is about; ``whole``: as in a table."""

    blocks: tuple[Block, ...]
    noun: str
    whole: str


Block = Union[
    Text,
    Items,
    Facts,
    Command,
    Table,
    Tree,
    Copied,
    Steps,
    Diff,
    Files,
    Picture,
    Finding,
    Clauses,
    Details,
    Section,
    Several,
]


@dataclass(frozen=True)
class Document:
    """A report. Its ``title`` is the answer where it answers something, and then has a ``mark``: ✅, ❌ or ⚠️.

    ``name`` is what a browser shows for it. ``made``: how it was made, and where the same is for programs.
    """

    title: Content
    blocks: tuple[Block, ...]
    mark: str = ""
    name: str = ""
    facts: Facts = Facts(())
    made: Content = ""


def table(
    columns: Iterable[Content],
    rows: Iterable[Iterable[Content]],
    *,
    most: int | None = None,
    whole: str = "the run stream",
    brief: int = 0,
) -> Table:
    return Table(tuple(columns), tuple(map(tuple, rows)), most, whole, brief)


def is_empty(block: Block) -> bool:
    """Whether nothing of the block is shown."""
    if isinstance(block, Table):
        return not block.rows
    if isinstance(block, Items):
        return not block.items
    if isinstance(block, Facts):
        return not block.facts
    if isinstance(block, Diff):
        return not block.lines
    if isinstance(block, Files):
        return not any(lines for _, lines in block.sides)
    if isinstance(block, Clauses):
        return not block.chapters
    if isinstance(block, (Details, Section, Several)):
        return all(map(is_empty, block.blocks))
    return block == Text("") or block == Text(Lines(()))

"""What an engine brings for reproduction scripts: the lines and expressions of Python that differ between engines.

Every piece of code says which names it uses: those of functions, of imports, and the three below. ``ROOT`` (the table's path),
``T`` (the start of the case), and what ``start`` defines, are there in each script.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from model.vocabulary.steps import EngineStep, Moment
from model.vocabulary.table import Table

#: The rows that the judged command returned, the exception that it raised (None: none), and the names of the table's columns.
ANSWER, ERROR, COLUMNS = "answer", "error", "COLUMNS"


@dataclass(frozen=True)
class Code:
    """An expression, lines, or the definition of a function, and the names that it uses."""

    text: str = ""
    uses: frozenset[str] = frozenset()


def code(text: str, uses: str = "") -> Code:
    """``uses``: the names, with spaces between them."""
    return Code(text, frozenset(uses.split()))


@dataclass(frozen=True)
class Command:
    """An expression for a command, that of the rows that it returns (empty: it returns none), the lines before and after it.

    The modules os, shutil, sys and time are in each script.
    """

    text: str
    rows: str = ""
    setup: tuple[str, ...] = ()
    cleanup: tuple[str, ...] = ()
    uses: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Run:
    """A step that the engine runs. ``failed``: whether it ended in an error in the run that is reproduced."""

    index: int  # its place among the case's steps
    step: EngineStep
    clock: Moment
    failed: bool = False
    rows_file: bytes = b""  # of an Insert, or of another command that writes rows: a Parquet file with these


@dataclass(frozen=True)
class ScriptedCase:
    """What a script runs. ``table``: as it is before the first of ``runs``; ``root``: where the script makes it; ``processors``:
    how many were drawn for the case."""

    table: Table
    root: str
    runs: tuple[Run, ...]
    processors: int | None = None
    checkpoints: bool = False  # whether the table that the script writes has any

    def version_before(self, step: int) -> str:
        """The version before a step, as an expression; one below 0 is a commit of the initial table, counted from its end."""
        return f"before_{step}" if step >= 0 else str(self.table.version_before(step))


class Dialect(Protocol):
    """One for each script: it may keep track of what it has set."""

    pip: str  # the packages that the script needs
    imports: Mapping[str, str]  # lines by the name that code uses, in addition to those of the standard library
    errors: str  # the exceptions that a command may raise
    functions: Mapping[str, Code]  # by name, in addition to reports.counterexamples.functions
    local_times: bool  # whether it returns TIMESTAMPs in the machine's time zone

    def start(self) -> Code:
        """Lines of ``main`` that start the engine."""
        ...

    def now(self) -> str:
        """The expression of T, the start of the case, with the module time."""
        ...

    def clock(self, instant: Code, *, first: bool) -> Code:
        """Lines that set the engine's clock."""
        ...

    def command(self, run: Run) -> Command:
        """A step that is no read."""
        ...

    def rows(self, read: Code) -> Code:
        """The rows of a read."""
        ...

    def read(self, version: str) -> Code:
        """A read of a version of the table; of the current one for ``""``."""
        ...

    def changes(self, first: str, last: str) -> Code:
        """The change data feed of these versions: ``COLUMNS`` and _change_type."""
        ...

    def column(self, name: str) -> str:
        """A column's name as an element of ``COLUMNS``."""
        ...

    def count(self, path: str) -> Code:
        """The number of rows in a Parquet file."""
        ...

    def columns(self, path: str) -> Code:
        """The columns that a Parquet file stores."""
        ...

    def removes_in(self, path: str) -> Code:
        """The paths of the removes in a checkpoint file, URL-encoded."""
        ...

    def row_ids(self) -> Code | None:
        """The current rows, each with its row id and row commit version; None if the engine does not show them."""
        ...


#: How an engine makes its dialect for one script.
DialectFor = Callable[[ScriptedCase], Dialect]


def literal(text: str) -> str:
    """``text`` as a Python literal, with double quotes unless they need an escape."""
    found = repr(text)  # with double quotes already if the text has single ones alone
    return found if '"' in text or "'" in text else f'"{found[1:-1]}"'


def quoted(text: str, root: str) -> str:
    """``text`` as a literal in which the table's path is ``ROOT``. A long one takes several lines, in parentheses."""
    pieces = _pieces(text, root)
    prefix = "f" if pieces != list(text) else ""
    if sum(map(len, pieces)) <= 75:
        return prefix + literal("".join(pieces))
    parts = []
    while pieces:
        line = _line(pieces) if sum(map(len, pieces)) > 85 else len(pieces)
        parts.append("".join(pieces[:line]))
        pieces = pieces[line:]
    return "(\n" + "\n".join(f"    {prefix if set(part) & set('{}') else ''}{literal(part)}" for part in parts) + "\n)"


def _pieces(text: str, root: str) -> list[str]:
    """The characters of a literal, in which the table's path is one piece, and then each brace of the text another."""
    if root not in text:
        return list(text)
    first, *others = (
        [character * 2 if character in "{}" else character for character in part] for part in text.split(root)
    )
    return first + [piece for part in others for piece in ("{ROOT}", *part)]


def _line(pieces: list[str]) -> int:
    """How many pieces a line of a long literal has: up to a space, if there is one among its 85 characters."""
    room, space = 0, 0
    for number, piece in enumerate(pieces):
        if room + len(piece) > 85:
            return space or max(number, 1)
        room += len(piece)
        if piece == " " and number:
            space = number + 1
    return len(pieces)


def call(function: str, text: str) -> str:
    """A call with one argument, a literal of ``quoted``, which may have its own parentheses."""
    return f"{function}{text}" if text.startswith("(\n") else f"{function}({text})"

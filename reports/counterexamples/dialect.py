"""How an engine is used in a script: the lines and expressions that differ from engine to engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Op = Mapping[str, Any]
Plan = Mapping[str, Any]


@dataclass(frozen=True)
class Command:
    """An expression for a command, and the lines that must run before it and after it."""

    text: str
    answers: bool = True  # whether it has rows
    setup: tuple[str, ...] = ()
    cleanup: tuple[str, ...] = ()


class Dialect(Protocol):
    """Expressions are Python texts. They use the script's ``ROOT`` and what ``start`` defines."""

    imports: Sequence[str]
    errors: str  # the exceptions that a command may raise
    functions: Mapping[str, str]  # by name; those of reports.counterexamples.functions, for this engine

    def start(self) -> Sequence[str]:
        """Lines of ``main`` that start the engine."""
        ...

    def now(self) -> str:
        """The expression of T, the start of the case."""
        ...

    def clock(self, instant: str, *, first: bool) -> Sequence[str]:
        """Lines that put the engine's clock to an instant."""
        ...

    def command(self, op: Op) -> Command: ...

    def rows(self, text: str) -> str:
        """The rows that a command, or a read, answers."""
        ...

    def read(self, version: str) -> str:
        """A version of the table; the current one for ``""``."""
        ...

    def changes(self, first: str, last: str) -> str:
        """The change feed of these versions: ``COLUMNS`` and _change_type."""
        ...

    def column(self, name: str) -> str:
        """A column's name as an element of ``COLUMNS``."""
        ...

    def count(self, path: str) -> str:
        """The number of rows in a Parquet file."""
        ...

    def columns(self, path: str) -> str:
        """The columns that a Parquet file stores."""
        ...

    def removes_in(self, path: str) -> str:
        """The paths of the removes in a checkpoint file, as they are in the log."""
        ...

    def row_ids(self) -> str | None:
        """The current rows, each with its row id and row commit version."""
        ...


def literal(text: str) -> str:
    """``text`` as a Python literal, with double quotes where these need no escape."""
    found = repr(text)
    return found if '"' in text else '"' + found[1:-1].replace("\\'", "'") + '"'


def quoted(text: str, root: str) -> str:
    """``text`` as a literal in which the table's path is ``ROOT``. A long one takes several lines, in parentheses."""
    if root in text:
        text, prefix = text.replace("{", "{{").replace("}", "}}").replace(root, "{ROOT}"), "f"
    else:
        prefix = ""
    if len(text) <= 75:
        return prefix + literal(text)
    parts = [text]
    while len(parts[-1]) > 85:
        last = parts.pop()
        cut = last.rfind(" ", 1, 85) + 1 or 85
        while prefix and last[:cut].count("{") != last[:cut].count("}"):
            cut -= 1
        parts += [last[:cut], last[cut:]]
    return "(\n" + "\n".join(f"    {prefix if '{' in part else ''}{literal(part)}" for part in parts) + "\n)"


def call(function: str, text: str) -> str:
    """A call with a literal of ``quoted``, which may have its own parentheses."""
    return f"{function}{text}" if text.startswith("(\n") else f"{function}({text})"

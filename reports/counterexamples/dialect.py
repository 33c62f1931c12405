"""The lines and expressions of a script that differ between engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Op = Mapping[str, Any]
Plan = Mapping[str, Any]


@dataclass(frozen=True)
class Command:
    """An expression for a command, and the lines before it and after it."""

    text: str
    rows: str = ""  # the expression of the rows that it returns; empty if it returns none
    setup: tuple[str, ...] = ()
    cleanup: tuple[str, ...] = ()


class Dialect(Protocol):
    """Expressions are Python source. They use the script's ``ROOT`` and what ``start`` defines."""

    imports: Sequence[str]
    errors: str  # the exceptions that a command may raise
    functions: Mapping[str, str]  # by name, in addition to reports.counterexamples.functions

    def start(self) -> Sequence[str]:
        """Lines of ``main`` that start the engine."""
        ...

    def now(self) -> str:
        """The expression of T, the start of the case."""
        ...

    def clock(self, instant: str, *, first: bool) -> Sequence[str]:
        """Lines that set the engine's clock."""
        ...

    def command(self, op: Op) -> Command: ...

    def rows(self, text: str) -> str:
        """The rows of a read."""
        ...

    def read(self, version: str) -> str:
        """A read of a version of the table; of the current one for ``""``."""
        ...

    def changes(self, first: str, last: str) -> str:
        """The change data feed of these versions: ``COLUMNS`` and _change_type."""
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
        """The paths of the removes in a checkpoint file, URL-encoded."""
        ...

    def row_ids(self) -> str | None:
        """The current rows, each with its row id and row commit version; None if the engine does not show them."""
        ...


def literal(text: str) -> str:
    """``text`` as a Python literal, with double quotes unless they need an escape."""
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
    """A call with one argument, a literal of ``quoted``, which may have its own parentheses."""
    return f"{function}{text}" if text.startswith("(\n") else f"{function}({text})"

"""Lines on a terminal: plain text that wraps under itself; commands and paths stay in one piece, for copying."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from reports.text.cut import cut

#: The width of the labels of facts.
_LABEL = 13


def visible(text: str) -> str:
    """The text without control characters."""
    # Control characters could move the cursor or colour what follows.
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def show_text(console: Console, text: str = "", style: str = "") -> None:
    """A paragraph."""
    _print(console, _wrapped(text, console.width), style)


def show_clipped(console: Console, text: str) -> None:
    """One line, cut at the width of the terminal; whole where there is none, as a log is all that its readers have."""
    shown = visible(text)
    _print(console, [cut(shown, console.width) if console.is_terminal else shown])


def show_line(console: Console, text: str, style: str = "") -> None:
    """A line that stays one, however long it is: for the last of a run, which logs are searched for."""
    _print(console, [visible(text)], style)


def show_fact(console: Console, label: str, text: str) -> None:
    """``   label:    text``, which wraps beneath itself."""
    _hanging(console, f"{f'   {label}: ':{_LABEL}}", text)


def show_item(console: Console, text: str) -> None:
    """``  - text``, which wraps beneath itself."""
    _hanging(console, "  - ", text)


def _hanging(console: Console, label: str, text: str) -> None:
    first, *rest = _wrapped(text, console.width - len(label))
    _print(console, [f"{label}{first}", *(f"{'':{len(label)}}{line}" for line in rest)])


def show_command(console: Console, label: str, text: str) -> None:
    """A fact that is a command or a path."""
    _print(console, [f"{f'   {label}:':{_LABEL}}{visible(text)}"])


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of at most so many characters, except for a word that is longer, such as a path."""
    return wrap(visible(text), width, break_long_words=False, break_on_hyphens=False) or [""]


def _print(console: Console, lines: Iterable[str], style: str = "") -> None:
    for line in lines:
        # Text objects are not parsed as markup; with soft wrapping the console leaves a longer line to the terminal.
        console.print(Text(line, style=style), soft_wrap=True, highlight=False)

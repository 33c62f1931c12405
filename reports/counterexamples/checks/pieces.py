"""What the checks of expectations are made of.

A check sets ``expected`` and ``found``. ``before`` runs right before the judged step, ``after`` right after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engines.dialect import Code, quoted
from model.text.layout import ROOT


class CannotCheck(Exception):
    """A short script cannot check this. The text is a part of a sentence, such as ``the engine does not show row ids``."""


@dataclass(frozen=True)
class Check:
    """``uses``: the names of functions and imports, ANSWER and ERROR of the step (engines.dialect)."""

    what: str | None  # the subject of the verdict; None: the variable path
    after: tuple[str, ...]
    before: tuple[str, ...] = ()
    uses: frozenset[str] = frozenset()
    data: Mapping[str, Any] = field(default_factory=dict)  # constants that are long, by name
    local_times: bool = False  # whether it compares TIMESTAMPs with values of the case


def lines(text: str) -> tuple[str, ...]:
    return tuple(text.strip().split("\n")) if text.strip() else ()


def made(
    what: str | None, after: str, uses: str = "", *pieces: Code, before: str = "", data: Mapping[str, Any] | None = None
) -> Check:
    """``uses``: names with spaces between them; ``pieces``: of the dialect, in the text."""
    names = frozenset(uses.split()).union(*(piece.uses for piece in pieces))
    return Check(what, lines(after), lines(before), names, data or {})


#: The commits of the step. ``old`` has those before it.
OLD = "old = log()"
NEW = """new = {version: actions for version, actions in log().items() if version > max(old)}
wrote = [action for actions in new.values() for action in actions]
"""

#: What is there before the step.
LISTED = "before = listing()"

#: Adds of files that were not in the table before.
WRITTEN = """removed = {name(action["remove"]) for action in wrote if "remove" in action}
actions = [action["add"] for action in wrote if "add" in action and name(action["add"]) not in removed]
"""


def of_log(
    what: str, after: str, uses: str = "", *pieces: Code, before: str = "", data: Mapping[str, Any] | None = None
) -> Check:
    """A check of the step's commits: ``new`` by version, ``wrote`` all of their actions."""
    return made(what, NEW + after.strip("\n"), f"{uses} log", *pieces, before=f"{OLD}\n{before}", data=data)


def path_in_table(path: str) -> str:
    """The expression for a path of the table."""
    return quoted(f"{ROOT}/{path}", ROOT)

"""What the checks of expectations are made of: the lines of functions of ``reports.counterexamples.runtime.compared``.

A check sets ``expected`` and ``found``. ``before`` runs right before the judged step, ``after`` right after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engines.quoting import quoted
from engines.script_library import free_names
from model.text.layout import ROOT
from reports.counterexamples.runtime import LIBRARY, compared


class CannotCheck(Exception):
    """A short script cannot check this. The text is a part of a sentence, such as ``the engine does not show row ids``."""


@dataclass(frozen=True)
class Check:
    what: str | None  # the subject of the verdict; None: the variable path
    after: tuple[str, ...]
    before: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)  # constants that are long, by name
    local_times: bool = False  # whether it compares TIMESTAMPs with values of the case

    @property
    def uses(self) -> frozenset[str]:
        """The names that it uses, such as ANSWER and ERROR of the step (engines.dialect)."""
        return free_names("\n".join([*self.before, *self.after]))


def lines(result: str, function: Callable[..., object], **arguments: object) -> tuple[str, ...]:
    """The lines of a function, whose result is this variable, with literals of these arguments."""
    return tuple(LIBRARY.lines(function.__name__, result, **arguments))


#: What is there before the step, and its commits.
LISTED, OLD = ("before = listing()",), ("old = log()",)

#: The step's commits by version, and all of their actions.
NEW = lines("new", compared.commits_since)
WROTE = (*NEW, *lines("wrote", compared.all_actions))

#: The adds of files that were not in the table before.
NEW_ADDS = lines("actions", compared.new_adds)


def of_kind(kind: str) -> tuple[str, ...]:
    """The step's actions of a kind."""
    return lines("actions", compared.of_kind, kind=kind)


def values(result: str, name: str) -> tuple[str, ...]:
    """A field of each of the actions."""
    return lines(result, compared.values, field=name)


def none_of(*found: str) -> tuple[str, ...]:
    """The end of a check that lists what is wrong."""
    return ("expected = []", *found)


def of_log(what: str | None, *after: str, before: tuple[str, ...] = (), data: Mapping[str, Any] | None = None) -> Check:
    """A check of the step's commits: ``new`` by version, ``wrote`` all of their actions."""
    return Check(what, (*WROTE, *after), (*OLD, *before), data or {})


def path_in_table(path: str) -> str:
    """The line for a path of the table."""
    return f"path = {quoted(f'{ROOT}/{path}', ROOT)}"

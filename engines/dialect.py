"""An engine's part of reproduction scripts: its functions, and the calls in ``main`` that differ between engines.

A script has the functions of the engine's library, and of ``reports.counterexamples.runtime``, that its ``main`` calls. Every
script has ``ROOT`` (the table's path), ``T`` (the start of the case), and what ``start`` defines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from engines.script_library import Library
from model.vocabulary.readings import Reading
from model.vocabulary.steps import EngineStep, Moment
from model.vocabulary.table import Table

#: The variables of ``main`` with the rows that the judged command returned, and the exception that it raised (None: none).
ANSWER, ERROR = "answer", "error"

#: The constant with the names of the table's columns.
COLUMNS = "COLUMNS"


@dataclass(frozen=True)
class ScriptCommand:
    """An expression for a command, one for the rows that it returns (empty: it returns none), and the lines before and after
    it.
    """

    text: str
    rows: str = ""
    setup: tuple[str, ...] = ()
    cleanup: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScriptRun:
    """A step that the engine runs. ``failed``: whether it ended in an error in the run that is reproduced."""

    index: int  # its place among the case's steps
    step: EngineStep
    clock: Moment
    failed: bool = False
    rows_file: bytes = b""  # of an Insert, or of another command that writes rows: a Parquet file with these


@dataclass(frozen=True)
class ScriptedCase:
    """The content of a script. ``table``: as it is before the first of ``runs``; ``root``: where the script makes it;
    ``processors``: how many were drawn for the case.
    """

    table: Table
    root: str
    runs: tuple[ScriptRun, ...]
    processors: int | None = None
    checkpoints: bool = False  # whether the table that the script writes has any

    def version_before(self, step: int) -> str:
        """The version before a step, as an expression; one below 0 is a commit of the initial table, counted from its end."""
        return f"before_{step}" if step >= 0 else str(self.table.version_before(step))


class Dialect(Protocol):
    """One for each script: it may keep track of what it has set."""

    pip: str  # the packages that the script needs
    library: Library  # in addition to reports.counterexamples.runtime
    constants: Mapping[str, str]  # texts that its functions use, by name
    errors: str  # the exceptions that a command may raise
    local_times: bool  # whether it returns TIMESTAMPs in the machine's time zone
    own_clock: bool  # whether ``clock`` sets the engine's own; if not, it makes the table older

    def start(self) -> Sequence[str]:
        """Lines of ``main`` that start the engine."""
        ...

    def now(self) -> str:
        """The expression of T, the start of the case."""
        ...

    def clock(self, instant: str, *, first: bool) -> Sequence[str]:
        """Lines that set the engine's clock."""
        ...

    def command(self, run: ScriptRun) -> ScriptCommand:
        """A step that is no read."""
        ...

    def rows(self, read: str) -> str:
        """The rows of a read."""
        ...

    def read(self, version: str) -> str:
        """A read of a version of the table; of the current one for ``""``."""
        ...

    def asked(self, reading: Reading, sought: Mapping[str, str | int | None]) -> str | None:
        """The rows of another reading of the current version; ``sought`` as text or number, by column; None if the engine has
        no such reading."""
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


#: How an engine makes its dialect for one script.
DialectFor = Callable[[ScriptedCase], Dialect]

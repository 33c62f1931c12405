"""What a law sees, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

Row = list[Any]
Action = dict[str, Any]

#: What a listing says of a path: size in bytes, mtime in ns, digest. A directory is DIRECTORY, whatever its time; a
#: symbolic link has the size -2, its own mtime, and where it leads in place of a digest.
Entry = tuple[int, int, str]
Finding = tuple[bool, str]
#: What the engine answered: rows, or an error (exception, condition, message).
Answer = tuple["list[Row] | None", "Action | None"]
#: Gives a step of a plan, an engine and a root the trouble that the step asks for, for a while.
IOFault = Callable[["dict[str, Any]", Any, str], "AbstractContextManager[None]"]
DIRECTORY: Entry = (-1, 0, "directory")


class CannotJudge(Exception):
    """The law says nothing here. The text is one sentence that says why."""


class Unreadable(CannotJudge):
    """A file cannot be read as Parquet. The text is one sentence that says why."""


@dataclass(frozen=True)
class Evidence:
    """What was seen around one step of the engine."""

    text: str  # the step, as SQL
    root: str  # the table's directory
    before: dict[str, Entry]  # everything below the root, and beside it ("../…"), just before the step
    after: dict[str, Entry]  # and just after it
    live: dict[str, Action]  # path → its add action, in the version before the step
    live_after: dict[str, Action]  # and in the version after it
    live_at: Callable[[int], dict[str, Action]]  # and in any version that the log before the step knows; or CannotJudge
    commits: list[list[Action]]  # the actions of each version that the step wrote
    schema: list[Action]  # the columns, as the table's schema says them
    partition_by: list[str]  # physical names
    rows: list[Row] | None  # what the step answered
    error: Action | None  # exception, condition, message
    started: int  # ms since the epoch, by the wall clock
    ended: int
    read_file: Callable[[Action], list[Row]]  # all rows that an add's file stores, with the partition's; or Unreadable
    read_changes: Callable[[Action], list[Row]]  # all rows of a cdc's file, the _change_type behind; or Unreadable
    read_table: Callable[[], Answer]  # all rows of the current version, read now
    read_feed: Callable[[], Answer]  # the step's change feed: each row with its _change_type behind
    read_row_ids: Callable[[bool], Answer]  # before (or after): each row with its id and its commit version behind
    read_bytes: Callable[[str], bytes]  # of a file, by its path below the root or its absolute path
    # The names of a file's columns and nested fields, dotted; or Unreadable.
    stored_names: Callable[[Action], list[str]]
    read_removes: Callable[[], list[Action] | None]  # in the newest checkpoint that the step wrote, if it wrote one

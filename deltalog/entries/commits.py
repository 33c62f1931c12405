"""Commits: one JSON file per version, one action per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from deltalog.entries.actions import Action, Add, Cdc, CommitInfo, Remove
from deltalog.entries.codec import from_json, to_line
from deltalog.errors import MalformedAction, UnreadableCommit
from deltalog.storage.digests import digest
from deltalog.storage.files import write_new
from deltalog.storage.names import LOG_DIRECTORY, commit_name
from deltalog.storage.times import milliseconds, rounded_down


@dataclass(frozen=True)
class LoggedCommit:
    """A commit as read. ``modified`` is its file's modification time in ms since the epoch."""

    version: int
    actions: tuple[Action, ...]
    modified: int
    digest: str

    @cached_property
    def adds(self) -> tuple[Add, ...]:
        return tuple(action for action in self.actions if isinstance(action, Add))

    @cached_property
    def removes(self) -> tuple[Remove, ...]:
        return tuple(action for action in self.actions if isinstance(action, Remove))

    @cached_property
    def cdcs(self) -> tuple[Cdc, ...]:
        return tuple(action for action in self.actions if isinstance(action, Cdc))

    @property
    def info(self) -> CommitInfo | None:
        """The first commitInfo, or ``None``."""
        return next((action for action in self.actions if isinstance(action, CommitInfo)), None)


def commit_bytes(actions: Iterable[Action]) -> bytes:
    """The bytes of a commit file: one action per line. Source: PROTOCOL.md, "Delta Log Entries"."""
    return "".join(f"{to_line(action)}\n" for action in actions).encode("utf-8")


def read_lines(lines: Iterable[bytes], name: str) -> Iterator[Action]:
    """The actions in the lines of a commit file; empty lines are skipped. Raises UnreadableCommit with ``name`` and the line's
    number.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield from from_json(json.loads(line.decode("utf-8")))
        except (ValueError, RecursionError) as error:
            raise UnreadableCommit(f"{name}, line {number}, is not JSON: {error}") from None
        except MalformedAction as error:
            raise UnreadableCommit(f"{name}, line {number}, is not an action: {error}") from None


@lru_cache(maxsize=1024)
def parse_commit(data: bytes, name: str) -> tuple[Action, ...]:
    """The actions of a commit file. Raises UnreadableCommit. Cached, as the log of a table is read for every observation."""
    return tuple(read_lines(data.split(b"\n"), name))


def write_commit(root: Path, version: int, actions: Iterable[Action], *, modified: int | None = None) -> Path:
    """Write version ``version`` of the table at ``root``; return the file's path.

    ``modified`` is the file's modification time in ms since the epoch (``None``: now), which is the commit's time unless
    the table has in-commit timestamps. Raises AlreadyWritten if the version exists.
    Source: PROTOCOL.md, "Creation of New Log Entries".
    """
    path = root / LOG_DIRECTORY / commit_name(version)
    write_new(path, commit_bytes(actions), modified)
    return path


def read_commit(path: Path, version: int, modified_ns: int, *, unit: int = 1) -> LoggedCommit:
    """Read one commit file. Its time is in whole ``unit`` ms, rounded down. Raises UnreadableCommit and OSError."""
    data = path.read_bytes()
    modified = milliseconds(rounded_down(modified_ns, unit))
    return LoggedCommit(version, parse_commit(data, path.name), modified, digest(data))

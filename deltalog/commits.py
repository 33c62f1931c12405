"""Commits: one JSON file a version, one action a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from deltalog.actions import Action, Add, Cdc, CommitInfo, Remove
from deltalog.codec import from_json, to_line
from deltalog.digests import digest
from deltalog.errors import AlreadyWritten, MalformedAction, UnreadableCommit
from deltalog.names import LOG_DIRECTORY, commit_name
from deltalog.times import milliseconds, set_modified


@dataclass(frozen=True)
class Commit:
    """A commit as read. ``modified`` is its file's modification time in ms since the epoch."""

    version: int
    actions: tuple[Action, ...]
    modified: int
    digest: str

    @property
    def adds(self) -> tuple[Add, ...]:
        return tuple(action for action in self.actions if isinstance(action, Add))

    @property
    def removes(self) -> tuple[Remove, ...]:
        return tuple(action for action in self.actions if isinstance(action, Remove))

    @property
    def cdcs(self) -> tuple[Cdc, ...]:
        return tuple(action for action in self.actions if isinstance(action, Cdc))

    @property
    def info(self) -> CommitInfo | None:
        """The first commitInfo; ``None`` where there is none."""
        return next((action for action in self.actions if isinstance(action, CommitInfo)), None)


def commit_bytes(actions: Iterable[Action]) -> bytes:
    """The bytes of a commit file: each action on a line of its own. Source: PROTOCOL.md, "Delta Log Entries"."""
    return "".join(f"{to_line(action)}\n" for action in actions).encode("utf-8")


@lru_cache(maxsize=1024)
def parse_commit(data: bytes, name: str) -> tuple[Action, ...]:
    """The actions of a commit file's bytes; empty lines are passed over.

    Raises UnreadableCommit, which tells ``name`` and the line's number (from 1). A log is read at each look at a table, and
    most of it is as before: the same bytes are parsed once.
    """
    actions = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            actions.append(from_json(json.loads(line.decode("utf-8"))))
        except (ValueError, RecursionError) as error:
            raise UnreadableCommit(f"{name}, line {number}, is not JSON: {error}") from None
        except MalformedAction as error:
            raise UnreadableCommit(f"{name}, line {number}, is not an action: {error}") from None
    return tuple(actions)


def write_commit(root: Path, version: int, actions: Iterable[Action], *, modified: int | None = None) -> Path:
    """Write version ``version`` of the table at ``root``; return the file's path.

    ``modified`` is the file's modification time in ms since the epoch, which is the commit's time for an engine
    (without in-commit timestamps); ``None`` leaves the clock's. Raises AlreadyWritten when the version exists.
    Source: PROTOCOL.md, "Creation of New Log Entries".
    """
    data = commit_bytes(actions)
    path = root / LOG_DIRECTORY / commit_name(version)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(path, "xb") as file:
            file.write(data)
    except FileExistsError:
        raise AlreadyWritten(
            f"version {version} exists already in {path.parent}, and a log is never overwritten"
        ) from None
    if modified is not None:
        set_modified(path, modified)
    return path


def read_commit(path: Path, version: int) -> Commit:
    """Read one commit file. Raises UnreadableCommit and OSError."""
    with open(path, "rb") as file:
        data = file.read()
    return Commit(version, parse_commit(data, path.name), milliseconds(path.stat().st_mtime_ns), digest(data))

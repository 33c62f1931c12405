"""What the reference engine writes and deletes, effect by effect; it can be killed right after one of them, or held before."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from deltalog.entries.actions import Action
from deltalog.entries.commits import commit_bytes, write_commit
from deltalog.storage.files import write_new
from deltalog.storage.names import LAST_CHECKPOINT, LOG_DIRECTORY, commit_name
from deltalog.storage.times import set_modified
from engines.port import now
from model.vocabulary.accesses import Operation
from model.vocabulary.steps import Crash, CrashPoint, Written

T = TypeVar("T")


class Killed(Exception):
    """The engine was killed at the point of the step's crash."""


@dataclass
class Hold:
    """Right before the first effect ``point``, ``meanwhile`` happens: another session does its work."""

    point: CrashPoint
    meanwhile: Callable[[], None]
    reached: bool = False

    def begin(self) -> None:
        self.reached = True
        self.meanwhile()


class TableStorage:
    """The storage of one table during one step. ``at`` is when the step runs, ms since the epoch.

    ``effects`` are those of the step so far, one line each. After each effect the engine may be killed, which raises
    Killed: storage is then as a killed process leaves it, and nothing more may be written.
    """

    def __init__(self, root: Path, at: int, crash: Crash | None = None, hold: Hold | None = None) -> None:
        self._root = root
        self.at = at
        self._crash = crash
        self._hold = hold
        self._counts: Counter[CrashPoint] = Counter()
        self.effects: list[str] = []
        self.asked: list[tuple[Operation, str]] = []  # what the step must read, by paths from the root
        self.killed = False

    def write(self, path: Path, write: Callable[[], T]) -> T:
        """Write a data file, a change file or a file of deletion vectors."""
        self._before(CrashPoint.FILE_CREATED, CrashPoint.FILE_CLOSED)
        if self._ends(f"create {self._name(path)}", CrashPoint.FILE_CREATED):
            write_new(path, b"", self.at)
            raise Killed
        result = write()
        if self._ends(f"close {self._name(path)}", CrashPoint.FILE_CLOSED):
            self._cut(path)
            raise Killed
        return result

    def commit(self, version: int, actions: Iterable[Action], *points: CrashPoint) -> None:
        """Write the commit under a temporary name and rename it. The rename also counts as the effects in ``points``."""
        actions = tuple(actions)
        self._before(CrashPoint.COMMIT_WRITTEN)
        temporary = self._root / LOG_DIRECTORY / f".{commit_name(version)}.{uuid4()}.tmp"
        if self._ends(f"write {self._name(temporary)}", CrashPoint.COMMIT_WRITTEN):
            write_new(temporary, commit_bytes(actions), self.at)
            raise Killed
        self._before(CrashPoint.COMMITTED, *points)
        path = write_commit(self._root, version, actions, modified=self.at)
        if self._ends(f"rename {temporary.name} to {self._name(path)}", CrashPoint.COMMITTED, *points):
            raise Killed

    def checksum(self, write: Callable[[], Path]) -> None:
        """Write the checksum of a version. ``write`` returns its path."""
        self._before(CrashPoint.CHECKSUM)
        path = write()
        if self._ends(f"write {self._name(path)}", CrashPoint.CHECKSUM):
            raise Killed

    def checkpoint(self, write: Callable[[], Sequence[Path]]) -> None:
        """Write a checkpoint and then the pointer to it. ``write`` returns the checkpoint's files, its own first."""
        pointer = self._root / LOG_DIRECTORY / LAST_CHECKPOINT
        self._before(CrashPoint.CHECKPOINT, *([CrashPoint.POINTER_DELETED] if pointer.exists() else []))
        old = (pointer.read_bytes(), pointer.stat().st_mtime_ns) if pointer.exists() else None
        files = list(reversed(write()))
        for number, path in enumerate(files):
            if self._ends(f"write {self._name(path)}", CrashPoint.CHECKPOINT):
                for later in (*files[number + 1 :], pointer):
                    later.unlink()
                if old is not None:
                    pointer.write_bytes(old[0])
                    os.utime(pointer, ns=(old[1], old[1]))
                raise Killed
        if old is not None and self._ends(f"delete {self._name(pointer)}", CrashPoint.POINTER_DELETED):
            pointer.unlink()
            raise Killed

    def delete(self, path: Path, delete: Callable[[], None]) -> None:
        """Delete a file or directory."""
        self._before(CrashPoint.DELETION)
        delete()
        if self._ends(f"delete {self._name(path)}", CrashPoint.DELETION):
            raise Killed

    def ask(self, operation: Operation, paths: Iterable[str]) -> None:
        """Note that the step reads this. What it writes is among the effects."""
        self.asked += [(operation, path) for path in paths]

    def read(self) -> None:
        """The version to be read is chosen: a reader is held now."""
        if self._hold is not None:
            self._hold.begin()

    def _before(self, *points: CrashPoint) -> None:
        """Before an effect: another session does its work now, if the hold is at one of these points."""
        if self._hold is not None and not self._hold.reached and self._hold.point in points:
            self._hold.begin()
            self.at = max(self.at, now())

    def discard(self) -> None:
        """Delete the files that the step has written, as it begins again."""
        for line in self.effects:
            effect, _, name = line.partition(" ")
            if effect == "create":
                (self._root / name).unlink()
        self.effects.clear()

    def _ends(self, effect: str, *points: CrashPoint) -> bool:
        """Count an effect; whether the engine is killed right after it."""
        self.effects.append(effect)
        for point in points:
            if self._crash is not None and (point, self._counts[point]) == (self._crash.point, self._crash.nth):
                self.killed = True
            self._counts[point] += 1
        return self.killed

    def _cut(self, path: Path) -> None:
        """Leave as much of a file as reached storage."""
        assert self._crash is not None
        size = path.stat().st_size
        os.truncate(path, {Written.WHOLE: size, Written.HALF: size // 2, Written.EMPTY: 0}[self._crash.written])
        set_modified(path, self.at)

    def _name(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()

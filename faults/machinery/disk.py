"""The files of a table and beside it, before and after a step."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from deltalog.storage.times import NANOSECONDS
from model.prediction.paths import LOG_DIRECTORY


class Disk:
    """Paths are relative to the root of the table; those of files beside the root begin with ``../``.

    ``before`` is the root of the copy that was made before the step.
    """

    def __init__(self, root: Path, before: Path) -> None:
        self._root = root
        self._before = before

    @cached_property
    def kinds(self) -> dict[str, str]:
        """What the table's directory held before the step, sorted, without the log: "file", "directory" or "link"."""
        found: dict[str, str] = {}
        for directory, names, files in os.walk(self._before):
            for name in (*names, *files):
                path = Path(directory) / name
                kind = "link" if path.is_symlink() else "directory" if name in names else "file"
                found[path.relative_to(self._before).as_posix()] = kind
        return {path: kind for path, kind in sorted(found.items()) if path.split("/")[0] != LOG_DIRECTORY}

    @property
    def files(self) -> list[str]:
        """The files of the table's directory before the step, sorted, without the log."""
        return [path for path, kind in self.kinds.items() if kind == "file"]

    @property
    def directories(self) -> list[str]:
        return [path for path, kind in self.kinds.items() if kind == "directory"]

    @property
    def deleted(self) -> list[str]:
        """The files that the step deleted, sorted."""
        return [path for path in self.files if not (self._root / path).exists()]

    @property
    def beside(self) -> list[str]:
        """The files beside the root before the step, sorted."""
        found = []
        for directory, names, files in os.walk(self._before.parent):
            names[:] = [name for name in names if Path(directory) / name != self._before]
            found += [os.path.relpath(Path(directory) / name, self._before) for name in files]
        return sorted(path for path in found if not (self._before / path).is_symlink())

    def new(self, pattern: str, *, dots: bool = False) -> list[str]:
        """The files that the step wrote and the pattern finds, sorted; with ``dots`` those that a dot hides, too."""
        found = (path for path in self._root.glob(pattern) if path.is_file() and (dots or path.name[0] != "."))
        return [
            path for path in sorted(path.relative_to(self._root).as_posix() for path in found) if not self.existed(path)
        ]

    def existed(self, path: str) -> bool:
        return os.path.lexists(self._before / path)

    def modified(self, path: str) -> int:
        """The modification time before the step, ms since the epoch."""
        return (self._before / path).stat().st_mtime_ns // 1_000_000

    def is_filled(self, directory: str) -> bool:
        """Whether a directory still exists, and is not empty."""
        return (self._root / directory).is_dir() and any((self._root / directory).iterdir())

    def delete(self, path: str) -> bool:
        """Delete a file. Returns whether it existed."""
        if not (self._root / path).is_file():
            return False
        (self._root / path).unlink()
        return True

    def restore(self, path: str) -> bool:
        """Restore a file, link or directory that the step deleted. Returns whether the step had deleted it."""
        old, new = self._before / path, self._root / path
        if not self.existed(path) or os.path.lexists(new):
            return False
        if old.is_dir() and not old.is_symlink():
            new.mkdir(parents=True)
        else:
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(old, new, follow_symlinks=False)
        return True


def drop_checksum(path: Path) -> None:
    """Delete the checksum that Hadoop's local file system keeps of a file, which is about to change."""
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


@contextmanager
def kept_time(path: Path) -> Iterator[None]:
    """A file's modification time stays, whatever is done to it."""
    at = path.stat(follow_symlinks=False).st_mtime_ns
    yield
    os.utime(path, ns=(at, at), follow_symlinks=False)


def move_time(path: Path, by: int) -> None:
    """Move the modification time by this many ms."""
    at = path.stat(follow_symlinks=False).st_mtime_ns + by * NANOSECONDS
    os.utime(path, ns=(at, at), follow_symlinks=False)


@contextmanager
def copied(root: Path) -> Iterator[Path]:
    """The root of a copy of a table, with the files beside it: what was there before a step."""
    # Not beside the root: files there are observed too.
    with tempfile.TemporaryDirectory(dir=root.parent.parent) as scratch:
        around = Path(scratch) / "before"
        shutil.copytree(root.parent, around, symlinks=True)
        yield around / root.name

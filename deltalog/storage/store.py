"""Where a log lies: two requests, to list a directory and to read a file. There is no third, so nothing that reads can write."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

BUFFER = 1 << 20  # bytes of a large file that are read at once


@dataclass(frozen=True, slots=True)
class Stored:
    """A file or a directory, by its name in the listed directory; ``size`` is in bytes. ``target`` is the text of a symbolic
    link: its size and kind are those of the target, ``modified_ns`` is the link's.
    """

    name: str
    size: int
    is_directory: bool
    modified_ns: int = 0  # since the epoch; 0 where storage has no such time
    target: str | None = None


class Store(Protocol):
    """A table's storage. Paths are relative to the table's root, with ``/`` between their parts.

    Local files raise OSError. Storage that others own raises StoreError, so that it can be told from a damaged file.
    """

    def list(self, directory: str) -> Iterator[Stored]:
        """What is in a directory, not what is below its directories; nothing if it is not there."""

    def read(self, path: str) -> io.RawIOBase:
        """A file to read from any place."""


class LocalFiles:
    """What lies below a local directory, with its symbolic links."""

    def __init__(self, directory: str = "") -> None:
        self._directory = directory

    def list(self, directory: str) -> Iterator[Stored]:
        try:
            with os.scandir(self._at(directory)) as found:
                return iter([_stored(one) for one in found])
        except FileNotFoundError:
            return iter(())

    def read(self, path: str) -> io.RawIOBase:
        return open(self._at(path), "rb", buffering=0)

    def _at(self, path: str) -> str:
        return os.path.join(self._directory, path)


def lines_of(store: Store, path: str) -> Iterator[bytes]:
    """The lines of a file, one at a time. Raises what ``store`` raises."""
    with io.BufferedReader(store.read(path), BUFFER) as file:
        yield from file


#: Local files by their absolute paths.
LOCAL = LocalFiles()


def _stored(entry: os.DirEntry[str]) -> Stored:
    """Raises OSError."""
    status = entry.stat(follow_symlinks=False)
    if not entry.is_symlink():
        return Stored(entry.name, status.st_size, entry.is_dir(), status.st_mtime_ns)
    try:
        size, is_directory = entry.stat().st_size, entry.is_dir()
    except OSError:
        size, is_directory = 0, False  # it leads nowhere, or in a circle
    return Stored(entry.name, size, is_directory, status.st_mtime_ns, os.readlink(entry.path))


def walk(store: Store, directory: str = "", *, without: str | None = None) -> Iterator[tuple[str, Stored]]:
    """Everything below a directory except the directory ``without``, each by its path; links are not followed."""
    left = [directory]
    while left:
        above = left.pop()
        for found in store.list(above):
            path = f"{above}/{found.name}" if above else found.name
            if found.target is None and path == without:
                continue
            yield path, found
            if found.is_directory and found.target is None:
                left.append(path)

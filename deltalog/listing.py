"""Lists everything below a directory."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from deltalog.digests import digest
from deltalog.errors import DeltaLogError
from deltalog.times import milliseconds, rounded_down

#: How many links are followed in a row, as in Linux: more are a circle.
_MAX_LINKS = 40


class EntryKind(str, Enum):
    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"


@dataclass(frozen=True)
class Entry:
    """A file, directory or link. ``size`` is in bytes, 0 for directories; the time of a link is its own.

    ``digest`` is that of a file's bytes; ``None`` for directories and links. ``target`` is the text of a link.
    """

    kind: EntryKind
    size: int
    modified_ns: int
    digest: str | None
    target: str | None = None

    @property
    def modified(self) -> int:
        """The modification time in ms, rounded down."""
        return milliseconds(self.modified_ns)


def list_tree(root: Path, *, unit: int = 1) -> dict[str, Entry]:
    """Everything below ``root``, hidden files too, by relative POSIX path, sorted.

    Links are not followed. Times are in whole ``unit`` ms, rounded down, unless that is 1. Raises OSError if something cannot
    be read or vanishes, and DeltaLogError for anything that is neither file, directory nor link.
    """
    found: dict[str, Entry] = {}
    _collect(os.fspath(root), "", found)
    return _in_units(found, unit)


def list_beside(root: Path, *, unit: int = 1) -> dict[str, Entry]:
    """Everything in the directory of ``root`` except ``root``, by path from the root (``../name/…``), as ``list_tree``."""
    found: dict[str, Entry] = {}
    _collect(os.fspath(root.parent), "../", found, but=root.name)
    return _in_units(found, unit)


def _in_units(found: Mapping[str, Entry], unit: int) -> dict[str, Entry]:
    """Sorted; times in whole ``unit`` ms, for a storage that reports them so."""
    if unit == 1:
        return dict(sorted(found.items()))
    return {
        path: replace(entry, modified_ns=rounded_down(entry.modified_ns, unit)) for path, entry in sorted(found.items())
    }


def leads_to(path: str, entries: Mapping[str, Entry], root: str) -> str | None:
    """The final target of the link at ``path``, as a path from the root; ``None`` if there is nothing.

    ``entries`` are everything below and beside ``root``, by path from the root, which is ``"."``; ``".."`` is the directory
    that contains it. Outside of that directory, nothing exists.
    """
    base = posixpath.dirname(root)
    links = {
        posixpath.normpath(posixpath.join(root, at)): entry.target for at, entry in entries.items() if entry.target
    }
    at = posixpath.normpath(posixpath.join(root, path))
    for _ in range(_MAX_LINKS):
        parts = at.split("/")
        above = ("/".join(parts[:depth]) for depth in range(2, len(parts) + 1))
        link = next((part for part in above if part in links), None)
        if link is None:
            found = posixpath.relpath(at, root)
            return found if found in entries or at in (root, base) else None
        rest = at[len(link) :].lstrip("/")
        at = posixpath.normpath(posixpath.join(posixpath.dirname(link), str(links[link]), rest))
    return None


def _collect(directory: str, prefix: str, found: dict[str, Entry], but: str | None = None) -> None:
    with os.scandir(directory) as entries:
        for item in entries:
            if item.name == but:
                continue
            path = prefix + item.name
            status = item.stat(follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                found[path] = Entry(EntryKind.DIRECTORY, 0, status.st_mtime_ns, None)
                _collect(item.path, path + "/", found)
            elif stat.S_ISREG(status.st_mode):
                with open(item.path, "rb") as file:
                    data = file.read()
                found[path] = Entry(EntryKind.FILE, status.st_size, status.st_mtime_ns, digest(data))
            elif stat.S_ISLNK(status.st_mode):
                found[path] = Entry(EntryKind.LINK, 0, status.st_mtime_ns, None, os.readlink(item.path))
            else:
                raise DeltaLogError(f"{item.path} is neither a file, a directory nor a link")

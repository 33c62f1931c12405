"""Lists everything below a directory."""

from __future__ import annotations

import os
import posixpath
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from deltalog.errors import DeltaLogError
from deltalog.frozen import FrozenMap
from deltalog.storage.digests import digest
from deltalog.storage.times import milliseconds, rounded_down

#: How many links are followed in a row, as in Linux: more are a circle.
_MAX_LINKS = 40


class EntryKind(str, Enum):
    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"


@dataclass(frozen=True, slots=True)  # there may be 100,000
class Entry:
    """A file, directory or link. ``size`` is in bytes, 0 for directories; the time of a link is its own.

    ``digest`` is that of a file's bytes; ``None`` for directories, links and files that are not read. ``target`` is the text of a
    link.
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


def list_tree(
    root: Path, known: Mapping[str, Entry] = FrozenMap({}), *, unit: int = 1, digested: str = ""
) -> dict[str, Entry]:
    """Everything below ``root``, hidden files too, by relative POSIX path, sorted.

    Entries that are equal to those of an earlier listing, ``known``, are the same objects, to save space. Only files whose paths
    begin with ``digested`` are read, for their digests.

    Links are not followed. Times are in whole ``unit`` ms, rounded down, unless that is 1. Raises OSError if something cannot
    be read or vanishes, and DeltaLogError for anything that is neither file, directory nor link.
    """
    found: dict[str, Entry] = {}
    _collect(os.fspath(root), "", found, known, unit, digested=digested)
    return dict(sorted(found.items()))


def list_beside(root: Path, *, unit: int = 1) -> dict[str, Entry]:
    """Everything in the directory of ``root`` except ``root``, by path from the root (``../name/…``), as ``list_tree``."""
    found: dict[str, Entry] = {}
    _collect(os.fspath(root.parent), "../", found, {}, unit, but=root.name)
    return dict(sorted(found.items()))


def links_in(entries: Mapping[str, Entry], root: str) -> dict[str, str]:
    """The links among the entries by their absolute paths, each with its text."""
    return {posixpath.normpath(posixpath.join(root, at)): entry.target for at, entry in entries.items() if entry.target}


def leads_to(path: str, entries: Mapping[str, Entry], root: str, links: Mapping[str, str] | None = None) -> str | None:
    """The final target of the link at ``path``, as a path from the root; ``None`` if there is nothing.

    ``entries`` are everything below and beside ``root``, by path from the root, which is ``"."``; ``".."`` is the directory
    that contains it. Outside of that directory, nothing exists. ``links`` are those of the entries, if they are known already.
    """
    base = posixpath.dirname(root)
    links = links_in(entries, root) if links is None else links
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


def _collect(
    directory: str,
    prefix: str,
    found: dict[str, Entry],
    known: Mapping[str, Entry],
    unit: int,
    but: str | None = None,
    digested: str = "",
) -> None:
    with os.scandir(directory) as entries:
        for item in entries:
            if item.name == but:
                continue
            path = sys.intern(prefix + item.name)  # one text for all listings
            status = item.stat(follow_symlinks=False)
            modified = status.st_mtime_ns if unit == 1 else rounded_down(status.st_mtime_ns, unit)
            if stat.S_ISDIR(status.st_mode):
                entry = Entry(EntryKind.DIRECTORY, 0, modified, None)
                _collect(item.path, path + "/", found, known, unit, digested=digested)
            elif stat.S_ISREG(status.st_mode):
                read = digest(Path(item.path).read_bytes()) if path.startswith(digested) else None
                entry = Entry(EntryKind.FILE, status.st_size, modified, read)
            elif stat.S_ISLNK(status.st_mode):
                entry = Entry(EntryKind.LINK, 0, modified, None, os.readlink(item.path))
            else:
                raise DeltaLogError(f"{item.path} is neither a file, a directory nor a link")
            before = known.get(path)
            found[path] = before if before is not None and before == entry else entry

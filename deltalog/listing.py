"""Everything that lies below a directory, as it is on storage."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from deltalog.digests import digest
from deltalog.errors import DeltaLogError
from deltalog.times import milliseconds

#: How many links are followed one after the other, as Linux has it: after that they lead in a circle.
_MOST_LINKS = 40


class EntryKind(str, Enum):
    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"


@dataclass(frozen=True)
class Entry:
    """One thing on storage. ``size`` is in bytes, 0 for directories; times are since the epoch, a link's are its own.

    ``digest`` is that of a file's bytes; ``None`` for directories and links. ``target`` is what stands in a link.
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


def list_tree(root: Path) -> dict[str, Entry]:
    """All that lies below ``root``, hidden things too, by relative POSIX path, sorted; the root itself is left out.

    Links are not followed. Raises OSError when something cannot be read or goes away meanwhile, and DeltaLogError for
    a thing that is neither file, directory nor link.
    """
    found: dict[str, Entry] = {}
    _collect(os.fspath(root), "", found)
    return dict(sorted(found.items()))


def list_beside(root: Path) -> dict[str, Entry]:
    """All that lies beside ``root``, in the same directory as it and below, by path from the root: ``../name/…``; sorted.

    Links are not followed. Raises what ``list_tree`` raises.
    """
    found: dict[str, Entry] = {}
    _collect(os.fspath(root.parent), "../", found, but=root.name)
    return dict(sorted(found.items()))


def leads_to(path: str, entries: Mapping[str, Entry], root: str) -> str | None:
    """Where the link at ``path`` leads in the end, as a path from the root; ``None`` where nothing is there.

    ``entries`` are what lies below ``root`` and beside it, by path from the root, which is ``"."`` itself, and ``".."``
    the directory that it lies in. What is outside of that directory is not known here: nothing is there.
    """
    base = posixpath.dirname(root)
    links = {
        posixpath.normpath(posixpath.join(root, at)): entry.target for at, entry in entries.items() if entry.target
    }
    at = posixpath.normpath(posixpath.join(root, path))
    for _ in range(_MOST_LINKS):
        parts = at.split("/")
        above = ("/".join(parts[:depth]) for depth in range(2, len(parts) + 1))
        link = next((one for one in above if one in links), None)
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

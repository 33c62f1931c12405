"""Everything that lies below a directory, as it is on storage."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from deltalog.digests import digest
from deltalog.errors import DeltaLogError
from deltalog.times import milliseconds


class EntryKind(str, Enum):
    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"


@dataclass(frozen=True)
class Entry:
    """One thing below the root. ``size`` is in bytes, 0 for directories; times are since the epoch.

    ``digest`` is that of a file's bytes; ``None`` for directories and links.
    """

    kind: EntryKind
    size: int
    modified_ns: int
    digest: str | None

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


def _collect(directory: str, prefix: str, found: dict[str, Entry]) -> None:
    with os.scandir(directory) as entries:
        for item in entries:
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
                found[path] = Entry(EntryKind.LINK, status.st_size, status.st_mtime_ns, None)
            else:
                raise DeltaLogError(f"{item.path} is neither a file, a directory nor a link")

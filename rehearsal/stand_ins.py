"""Makes a copy of a read table in a directory of the run, with stand-ins for its data files: sparse, of the true size.

A VACUUM looks at names, kinds, sizes and times alone, so that it does to the copy what it would do to the table.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from deltalog.entries.actions import Add, Cdc, Remove
from deltalog.storage.listing import EntryKind
from deltalog.storage.names import LOG_DIRECTORY
from deltalog.storage.paths import is_absolute
from records.mistakes import UsageMistake
from rehearsal.reading import ReadTable


def require_copyable(read: ReadTable) -> None:
    """Raises UsageMistake for a log that names files by absolute paths: in a copy they would be outside."""
    stored = read.stored.commits.values()
    named = (action.file for commit in stored for action in commit.actions if isinstance(action, (Add, Remove, Cdc)))
    found = next(filter(is_absolute, named), None)
    if found is not None or read.state.by_uri:
        raise UsageMistake(
            f"The log names {found or min(read.state.by_uri)} by its absolute path, so that no engine can be run on a copy of "
            "the table: add --model-only."
        )


def make(read: ReadTable, root: Path) -> None:
    """Everything below ``root``, which does not exist yet. Raises OSError."""
    shutil.copytree(read.copy / LOG_DIRECTORY, root / LOG_DIRECTORY)  # with the times of its files
    listing = read.state.listing
    for path, entry in listing.items():  # sorted: a directory comes before what is in it
        place = root / path
        if entry.kind is EntryKind.DIRECTORY:
            place.mkdir()
        elif entry.kind is EntryKind.LINK:
            place.symlink_to(_target(str(entry.target), read.root.path, root))
        else:
            with open(place, "wb") as file:
                file.truncate(entry.size)
    for path in sorted(listing, key=lambda path: -path.count("/")):  # a new entry changes the time of its directory
        stamp = listing[path].modified_ns
        os.utime(root / path, ns=(stamp, stamp), follow_symlinks=False)


def _target(text: str, old: str, root: Path) -> str:
    """The text of a link; an absolute one leads to the same place in the copy. All lead into the table."""
    if not text.startswith("/"):
        return text
    return str(root / os.path.relpath(os.path.normpath(text), old))

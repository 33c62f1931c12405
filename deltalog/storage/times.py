"""Modification times of files and directories, in whole milliseconds."""

from __future__ import annotations

import os
from pathlib import Path

NANOSECONDS = 1_000_000  # in a millisecond


def set_modified(path: Path, modified: int, *, follow_links: bool = True) -> None:
    """Set the modification time of a file or directory to ``modified`` ms since the epoch, exactly (no float between).

    Without ``follow_links``, that of a link itself. Raises OSError. A directory's time changes again when an entry is
    created or deleted.
    """
    os.utime(path, ns=(modified * NANOSECONDS, modified * NANOSECONDS), follow_symlinks=follow_links)


def milliseconds(nanoseconds: int) -> int:
    """Whole milliseconds, rounded down, as Java's file systems report them."""
    return nanoseconds // NANOSECONDS


def rounded_down(nanoseconds: int, unit: int) -> int:
    """Whole ``unit`` ms, as storage reports them that knows no smaller unit. In nanoseconds, as is what is given."""
    return nanoseconds // (unit * NANOSECONDS) * (unit * NANOSECONDS)

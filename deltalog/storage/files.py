"""Writes the files of a table, which are never overwritten (PROTOCOL.md, "Data Files", "Delta Log Entries")."""

from __future__ import annotations

from pathlib import Path

from deltalog.errors import AlreadyWritten
from deltalog.storage.times import set_modified


def write_new(path: Path, data: bytes, modified: int | None = None) -> None:
    """Write a new file, with its directories. Raises AlreadyWritten.

    ``modified`` is its modification time in ms since the epoch (``None``: now).
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(path, "xb") as file:
            file.write(data)
    except FileExistsError:
        raise AlreadyWritten(f"{path} exists already, and is never overwritten") from None
    if modified is not None:
        set_modified(path, modified)

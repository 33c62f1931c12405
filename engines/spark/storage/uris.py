"""Paths of objects that are written as URIs, for a server whose default file system is another one."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import cast


def written_as_uri(path: Path, prefix: str) -> Path:
    """The path, whose text is ``prefix`` and the path: ``s3a://bucket/team/table``. What is made of it (``/``, ``with_name``) is
    written so too. It is no path of a file: what asks the file system for it finds none.
    """

    class UriPath(PurePosixPath):
        def __str__(self) -> str:
            return f"{prefix}{super().__str__()}"

    return cast(Path, UriPath(path))

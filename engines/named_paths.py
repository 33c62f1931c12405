"""The path by which a command names its table."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from model.vocabulary.spellings import Spelling, link_of, spelled


@contextmanager
def named_path(root: Path, spelling: Spelling, *, working_directory: str) -> Iterator[str]:
    """``root`` in this spelling, for an engine with this working directory. The link that one needs is removed afterwards."""
    if spelling is not Spelling.LINK:
        yield spelled(str(root), spelling, working_directory=working_directory)
        return
    link = link_of(str(root))
    os.symlink(root, link, target_is_directory=True)
    try:
        yield link
    finally:
        os.unlink(link)

"""The spellings of a table's path. What an engine does must not depend on them."""

from __future__ import annotations

import os
from enum import Enum


class Spelling(str, Enum):
    """How a command spells the path of its table."""

    PLAIN = "absolute path"
    TRAILING_SLASH = "slash at the end"
    DOUBLED_SLASH = "doubled slash"
    DOT = "part that is ."
    PARENT = "part that is .."
    RELATIVE = "relative path"
    FILE = "file:/ before the path"
    FILE_HOST = "file:// before the path"  # with an empty host: file:///tmp/t
    FILE_PARENT = "file:/ before a path with a part that is .."
    LINK = "symbolic link to the directory"


def spelled(root: str, spelling: Spelling, *, working_directory: str) -> str:
    """The absolute path ``root`` in this spelling.

    A relative one is relative to ``working_directory``. The link of ``LINK`` is beside the table.
    """
    above, name = os.path.split(root)
    return {
        Spelling.PLAIN: root,
        Spelling.TRAILING_SLASH: f"{root}/",
        Spelling.DOUBLED_SLASH: f"{above}//{name}",
        Spelling.DOT: f"{above}/./{name}",
        Spelling.PARENT: f"{root}/../{name}",
        Spelling.RELATIVE: os.path.relpath(root, working_directory),
        Spelling.FILE: f"file:{root}",
        Spelling.FILE_HOST: f"file://{root}",
        Spelling.FILE_PARENT: f"file:{root}/../{name}",
        Spelling.LINK: link_of(root),
    }[spelling]


def link_of(root: str) -> str:
    """The link of ``Spelling.LINK``."""
    return f"{root}-link"

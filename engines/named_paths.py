"""The path by which a command names its table, for an adapter and in a reproduction script."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from model.vocabulary.spellings import Spelling, link_of, spelled
from model.vocabulary.steps import Delete, EngineStep, Vacuum

#: Where the relative paths of a script begin, so that each script has the same.
WORKING_DIRECTORY = "/"


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


@dataclass(frozen=True)
class ScriptPath:
    """The path as text; with it, the lines before and after the command that make and remove a link."""

    path: str
    setup: tuple[str, ...] = ()
    cleanup: tuple[str, ...] = ()


def script_path(root: str, spelling: Spelling) -> ScriptPath:
    """``root`` in this spelling, for a script."""
    path = spelled(root, spelling, working_directory=WORKING_DIRECTORY)
    if spelling is Spelling.RELATIVE:
        return ScriptPath(path, (f'os.chdir("{WORKING_DIRECTORY}")',))
    if spelling is Spelling.LINK:
        return ScriptPath(path, ('os.symlink(ROOT, f"{ROOT}-link")',), ('os.unlink(f"{ROOT}-link")',))
    return ScriptPath(path)


def spelling_of(step: EngineStep) -> Spelling:
    """The spelling that a step wants."""
    return step.spelling if isinstance(step, (Delete, Vacuum)) else Spelling.PLAIN

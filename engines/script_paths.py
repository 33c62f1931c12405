"""The path by which a command of a script names its table."""

from __future__ import annotations

from dataclasses import dataclass

from engines.dialect import literal
from model.vocabulary.spellings import Spelling, spelled
from model.vocabulary.steps import Delete, EngineStep, Vacuum

#: Where relative paths begin, so that each script has the same.
WORKING_DIRECTORY = "/"


@dataclass(frozen=True)
class NamedPath:
    """The path as text; with it, the lines before and after the command that make and remove a link."""

    path: str
    setup: tuple[str, ...] = ()
    cleanup: tuple[str, ...] = ()


def named_path(spelling: Spelling, root: str) -> NamedPath:
    """The table's path in this spelling."""
    path = spelled(root, spelling, working_directory=WORKING_DIRECTORY)
    if spelling is Spelling.RELATIVE:
        return NamedPath(path, (f"os.chdir({literal(WORKING_DIRECTORY)})",))
    if spelling is Spelling.LINK:
        return NamedPath(path, ('os.symlink(ROOT, f"{ROOT}-link")',), ('os.unlink(f"{ROOT}-link")',))
    return NamedPath(path)


def spelling_of(step: EngineStep) -> Spelling:
    return step.spelling if isinstance(step, (Delete, Vacuum)) else Spelling.PLAIN

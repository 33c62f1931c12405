"""The path by which a command of a script names its table."""

from __future__ import annotations

from dataclasses import dataclass

from model.vocabulary.spellings import Spelling, spelled
from reports.counterexamples.dialect import Op, literal

#: Where relative paths begin, so that each script has the same.
WORKING_DIRECTORY = "/"


@dataclass(frozen=True)
class NamedPath:
    """The path as text; with it, the lines before and after the command that make and remove a link."""

    path: str
    setup: tuple[str, ...] = ()
    cleanup: tuple[str, ...] = ()


def named_path(op: Op, root: str) -> NamedPath:
    """The table's path as the step spells it."""
    spelling = _spelling(op)
    path = spelled(root, spelling, working_directory=WORKING_DIRECTORY)
    if spelling is Spelling.RELATIVE:
        return NamedPath(path, (f"os.chdir({literal(WORKING_DIRECTORY)})",))
    if spelling is Spelling.LINK:
        return NamedPath(path, ('os.symlink(ROOT, f"{ROOT}-link")',), ('os.unlink(f"{ROOT}-link")',))
    return NamedPath(path)


def is_link(op: Op) -> bool:
    return _spelling(op) is Spelling.LINK


def is_relative(op: Op) -> bool:
    return _spelling(op) is Spelling.RELATIVE


def _spelling(op: Op) -> Spelling:
    return Spelling(op.get("spelling", Spelling.PLAIN.value))

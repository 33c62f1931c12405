"""Paths below and beside a table's root: what stands where already, and which ones every mode of VACUUM can take."""

from __future__ import annotations

from collections.abc import Iterable

from model.layout import file_path
from model.table import Kind, StrayFile, Table
from model.vacuum import is_hidden, parents

#: Inventories and LITE: how many directories may lie above a file, at most (docs/coverage.md, "Vacuums").
FLAT_DEPTH = 3


def joined(*parts: str) -> str:
    """The parts that are not empty, as one path."""
    return "/".join(part for part in parts if part)


def is_flat(stray: StrayFile) -> bool:
    """Whether the stray is no deeper than an inventory may be, and its name one that an inventory can hold."""
    depth = stray.path.count("/") + (stray.kind is Kind.DIRECTORY)
    return depth <= FLAT_DEPTH and ":" not in stray.path


def is_hidden_deeper(path: str, partition_by: tuple[str, ...]) -> bool:
    """Whether a name on the way is hidden, but not the first: an inventory's rule does not see it (docs/delta.md 1.4)."""
    first, *deeper = path.split("/")
    return not is_hidden(first, partition_by) and any(is_hidden(name, partition_by) for name in deeper)


class Paths:
    """What stands where already."""

    def __init__(self, table: Table, taken: tuple[StrayFile, ...] = ()) -> None:
        files = [file_path(table, file) for file in table.files]
        self._named = set(files)
        self._directories = {directory for path in files for directory in parents(path)}
        self._note((*table.stray_files, *taken))

    def _note(self, stray_files: Iterable[StrayFile]) -> None:
        for stray in stray_files:
            self._named.add(stray.path)
            self._directories.update(parents(stray.path))

    def admit(self, stray: StrayFile) -> bool:
        """Take the stray's path, unless something is in its way. Nothing gets below an empty directory or a link."""
        if stray.path in self._named or stray.path in self._directories:
            return False
        if any(directory in self._named for directory in parents(stray.path)):
            return False
        self._note((stray,))
        return True

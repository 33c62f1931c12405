"""Paths below and beside a table's root: which are in use, and which every mode of VACUUM can handle."""

from __future__ import annotations

from collections.abc import Iterable

from model.prediction.paths import is_hidden, parents
from model.text.layout import file_path
from model.vocabulary.table import Kind, StrayFile, Table

#: The most directories above a file, for inventories and LITE (docs/coverage.md, "Vacuums").
FLAT_DEPTH = 3


def joined(*parts: str) -> str:
    """The non-empty parts, joined by slashes.

    >>> joined("", "dir", "a.parquet")
    'dir/a.parquet'
    """
    return "/".join(part for part in parts if part)


def is_flat(stray: StrayFile) -> bool:
    """Whether an inventory can hold the stray file: not too deep, and no colon in its path."""
    depth = stray.path.count("/") + (stray.kind is Kind.DIRECTORY)
    return depth <= FLAT_DEPTH and ":" not in stray.path


def is_hidden_deeper(path: str, partition_by: tuple[str, ...]) -> bool:
    """Whether a part of the path is hidden, but not the first: inventories do not check it (docs/delta.md 1.4)."""
    first, *deeper = path.split("/")
    return not is_hidden(first, partition_by) and any(is_hidden(name, partition_by) for name in deeper)


class UsedPaths:
    """The paths in use below and beside a table's root."""

    def __init__(self, table: Table, taken: tuple[StrayFile, ...] = ()) -> None:
        files = [file_path(table, file) for file in table.files]
        self._paths = set(files)
        self._directories = {directory for path in files for directory in parents(path)}
        self._add((*table.stray_files, *taken))

    def _add(self, stray_files: Iterable[StrayFile]) -> None:
        for stray in stray_files:
            self._paths.add(stray.path)
            self._directories.update(parents(stray.path))

    def admit(self, stray: StrayFile) -> bool:
        """Claim the path of a stray file, and return whether it was free. Empty directories and links stay empty."""
        if stray.path in self._paths or stray.path in self._directories:
            return False
        if any(directory in self._paths for directory in parents(stray.path)):
            return False
        self._add((stray,))
        return True

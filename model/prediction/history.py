"""The files and hidden rows of an initial table at each of its versions."""

from __future__ import annotations

from model.vocabulary.table import DataFile, Table
from model.vocabulary.values import Row


def hidden_rows(table: Table, version: int | None = None) -> dict[int, frozenset[int]]:
    """The row indexes that deletion vectors hide at a version (``None``: the latest), by file id.

    Files that are not live or have no deletion vector at that version are left out.
    """
    hidden: dict[int, frozenset[int]] = {}
    for commit in table.commits[: None if version is None else version + 1]:
        for removal in commit.removes:
            hidden.pop(removal.file, None)
        hidden.update({vector.file: frozenset(vector.rows) for vector in commit.deletion_vectors})
    return hidden


def live_ids(table: Table, version: int | None = None) -> tuple[int, ...]:
    """The ids of the files that are live at a version (``None``: the latest), ascending."""
    live: set[int] = set()
    for commit in table.commits[: None if version is None else version + 1]:
        live -= {removal.file for removal in commit.removes}
        live |= set(commit.adds)
    return tuple(sorted(live))


def visible_rows(file: DataFile, hidden: frozenset[int] = frozenset()) -> tuple[Row, ...]:
    """The stored rows of a file without the hidden ones."""
    return tuple(row for index, row in enumerate(file.rows) if index not in hidden)

"""What an initial table's own commits make of its files, version by version."""

from __future__ import annotations

from model.table import DataFile, Table
from model.values import Row


def hidden_rows(table: Table, version: int | None = None) -> dict[int, frozenset[int]]:
    """The row indexes that deletion vectors hide at a version (``None``: the latest), by the id of the file.

    Files that are not live at that version, or have no vector there, are left out.
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
    """The stored rows of a file without those that a deletion vector hides."""
    return tuple(row for index, row in enumerate(file.rows) if index not in hidden)

"""The files and hidden rows of an initial table at each of its versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

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


def changes(table: Table) -> Iterator[tuple[Counter[Row], Counter[Row]]]:
    """Of each version, in order, the rows that it no longer has of those of the version before, and its new ones.

    They are full rows, in schema order.
    """
    files = {file.id: file for file in table.files}
    live: dict[int, frozenset[int]] = {}  # by file, the row indexes that are hidden
    for commit in table.commits:
        vectors = {vector.file: frozenset(vector.rows) for vector in commit.deletion_vectors}
        gone = {removal.file for removal in commit.removes}
        touched = gone | vectors.keys() | set(commit.adds)
        before = _rows_of(table, files, {id: live[id] for id in touched if id in live})
        for id in gone:
            live.pop(id, None)
        live |= {id: frozenset() for id in commit.adds if id not in live}
        live |= {id: rows for id, rows in vectors.items() if id in live}
        after = _rows_of(table, files, {id: live[id] for id in touched if id in live})
        yield before - after, after - before


def _rows_of(table: Table, files: dict[int, DataFile], hidden: dict[int, frozenset[int]]) -> Counter[Row]:
    return Counter(
        table.row(files[id].partition, row) for id, rows in hidden.items() for row in visible_rows(files[id], rows)
    )

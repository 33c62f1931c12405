"""The rows of a table with row tracking, each with its identity."""

from __future__ import annotations

from collections import Counter

from harness.observing.table.table_state import RowId, TableState
from model.vocabulary.values import Row


def identified(state: TableState) -> Counter[tuple[Row, RowId]] | None:
    """The rows of the current version, each with its row id and commit version; None if a file cannot be read."""
    found: Counter[tuple[Row, RowId]] = Counter()
    for path in state.live:
        visible, ids = state.visible(path), state.row_ids.get(path, ())
        if visible is None or len(ids) != len(state.contents[path] or ()):
            return None
        found.update((row, ids[index]) for index, row in visible)
    return found

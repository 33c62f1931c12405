"""The shape of a case's table, read from its log as ``tombstone shape`` reads that of a user's table."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from harness.tables.plan import plan_table
from harness.tables.storage import write_log
from model.vocabulary.table import Table
from shapes.entries import entries_of
from shapes.reading import RefusedTable, Wanted, read_table
from shapes.store import root_of

#: The most files of a table whose shape is read, before any step: a case has a dozen, one on a large table thousands.
_MOST = 1_000

#: Any instant: no entry of a shape depends on it. Ms since the epoch.
_START = 1_700_000_000_000


@lru_cache(maxsize=4096)
def table_entries(table: Table) -> tuple[str, ...] | None:
    """What the table has at the start of a case (shapes.entries), in some 30 ms of a core.

    None for a large table, and for one whose log cannot be read, as a case may want it.
    """
    if len(table.files) > _MOST:
        return None
    with TemporaryDirectory(prefix="tombstone-shape-") as directory:
        root = Path(directory) / "table"
        write_log(plan_table(table, root, start=_START), root)
        found = read_table(str(root), root_of(str(root)), Wanted(history=0))
    return None if isinstance(found, RefusedTable) else entries_of(found.shape)

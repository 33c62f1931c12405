"""The shape of a case's table, read from its log as ``tombstone shape`` reads that of a user's table.

To read those of the whole corpus takes half a minute: ``corpus/tables.json`` keeps them. A table that is not in it is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from harness.tables.plan import plan_table
from harness.tables.storage import write_log
from model.codec import case_id
from model.vocabulary.case import Case
from model.vocabulary.table import Table
from shapes.entries import entries_of
from shapes.reading import RefusedTable, Wanted, read_table
from shapes.store import root_of

#: What the tables of the corpus have: ``entries``, and of each table the places of its own in them; null for none.
KEPT = Path(__file__).parents[2] / "corpus" / "tables.json"

#: The most files of a table whose shape is read, before any step: a case has a dozen, one on a large table thousands.
_MOST = 1_000

#: Any instant: no entry of a shape depends on it. Ms since the epoch.
_START = 1_700_000_000_000


@lru_cache(maxsize=4096)
def table_entries(table: Table) -> tuple[str, ...] | None:
    """What the table has at the start of a case (shapes.entries); in some 30 ms of a core, if it is not of the corpus.

    None for a large table, and for one whose log cannot be read, as a case may want it.
    """
    if len(table.files) > _MOST:
        return None
    kept, name = _kept(), _name(table)
    return kept[name] if name in kept else read_entries(table)


def read_entries(table: Table) -> tuple[str, ...] | None:
    """The same, from the table's log."""
    with TemporaryDirectory(prefix="tombstone-shape-") as directory:
        root = Path(directory) / "table"
        write_log(plan_table(table, root, start=_START), root)
        found = read_table(str(root), root_of(str(root)), Wanted(history=0))
    return None if isinstance(found, RefusedTable) else entries_of(found.shape)


def keep(tables: Iterable[Table], file: Path = KEPT) -> None:
    """Write what these tables have to the file that ``table_entries`` looks into."""
    found = {_name(table): read_entries(table) for table in tables}
    entries = sorted({entry for own in found.values() for entry in own or ()})
    places = {entry: place for place, entry in enumerate(entries)}
    lines = [
        f"{json.dumps(name)}: {json.dumps(None if own is None else [places[entry] for entry in own])}"
        for name, own in sorted(found.items())
    ]
    text = f'{{"entries": {json.dumps(entries)},\n"tables": {{\n' + ",\n".join(lines) + "\n}}\n"
    file.write_text(text, encoding="utf-8")


@cache
def _kept() -> Mapping[str, tuple[str, ...] | None]:
    document = json.loads(KEPT.read_bytes())
    entries = document["entries"]
    return {
        name: None if places is None else tuple(entries[place] for place in places)
        for name, places in document["tables"].items()
    }


def _name(table: Table) -> str:
    """The id of a case that has the table and no step."""
    return case_id(Case(table, ()))

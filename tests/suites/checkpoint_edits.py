"""Edits of the Parquet files of a new checkpoint, for tests of the clauses that judge it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from deltalog.checkpoints.checksums import json_checksum
from engines.port import Outcome
from tests.handmade.steps import Tamper

#: The newest checkpoint's own file, and its sidecar.
OWN = "*.checkpoint.*.parquet"
SIDECAR = "_sidecars/*.parquet"

Rows = list[dict[str, Any]]


def in_rows(pattern: str, change: Callable[[Rows], object], *more: pa.Field) -> Tamper:
    """Change the rows of the newest file of the log that the pattern finds; NULL columns are left out. ``more``: new columns."""

    def tamper(root: Path, outcome: Outcome) -> None:
        path = max((root / "_delta_log").glob(pattern))
        table = pq.ParquetFile(path).read()
        rows = [{key: value for key, value in row.items() if value is not None} for row in table.to_pylist()]
        change(rows)
        pq.write_table(pa.Table.from_pylist(rows, schema=pa.schema([*table.schema, *more])), path)

    return tamper


def in_action(pattern: str, kind: str, **values: Any) -> Tamper:
    """The first action of a kind has other values."""
    return in_rows(pattern, lambda rows: next(row[kind] for row in rows if kind in row).update(values))


def in_pointer(**values: Any) -> Tamper:
    """_last_checkpoint embeds other values, and its checksum is right."""

    def tamper(root: Path, outcome: Outcome) -> None:
        path = root / "_delta_log/_last_checkpoint"
        document = json.loads(path.read_text())
        document["v2Checkpoint"] |= values
        path.write_text(json.dumps({**document, "checksum": json_checksum(document)}))

    return tamper


def doubling(kind: str) -> Callable[[Rows], None]:
    return lambda rows: rows.extend([row for row in rows if kind in row])


#: An action with a column of its own.
DOMAIN: tuple[Callable[[Rows], None], pa.Field] = (
    lambda rows: rows.append({"domainMetadata": {"domain": "x", "configuration": "x", "removed": False}}),
    pa.field("domainMetadata", pa.struct({"domain": pa.string(), "configuration": pa.string(), "removed": pa.bool_()})),
)


def with_tags_of_removes(root: Path, outcome: Outcome) -> None:
    """The removes of the classic checkpoint have a column tags."""
    path = max((root / "_delta_log").glob("*.checkpoint.parquet"))
    table = pq.ParquetFile(path).read()
    place = table.schema.get_field_index("remove")
    field = table.schema.field(place)
    fields = pa.struct([*field.type, pa.field("tags", pa.map_(pa.string(), pa.string()))])
    rows = table.to_pylist()
    for row in rows:
        if row["remove"]:
            row["remove"]["tags"] = [("x", "x")]
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema.set(place, field.with_type(fields))), path)

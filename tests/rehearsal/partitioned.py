"""A partitioned table for the tests of DELETEs: dates, NULLs, numbers and texts as partition values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from deltalog.entries.actions import Add, Metadata, Protocol
from deltalog.entries.commits import write_commit
from deltalog.storage.times import set_modified
from deltalog.values.schemas import map_columns, schema_string
from model.vocabulary.table import DAY
from tests.rehearsal.tables import AT, info

COLUMNS = [("a", "long"), ("d", "date"), ("s", "string"), ("n", "decimal(5,2)"), ("t", "timestamp")]
PARTITIONS = ("d", "s", "n", "t")

#: By the name of the file, its partition values as the log has them.
VALUES: Mapping[str, tuple[str | None, ...]] = {
    "plain": ("2025-01-31", "a", "1.50", "2025-01-31 12:00:00"),
    "quoted": ("2025-02-01", "it's 100 %/é", "-0.25", "2025-01-31 12:00:00.5"),
    "null": (None, None, None, None),
    "mixed": ("2025-02-01", "b", None, None),
}
ROWS = 7


def write_partitioned(
    root: Path, *, stats: bool = True, mapped: bool = False, properties: Mapping[str, str] | None = None
) -> Path:
    """Each file has 10 bytes, and 7 rows by its statistics. ``mapped``: with column mapping by name."""
    schema = schema_string(COLUMNS)
    names = dict(zip(PARTITIONS, PARTITIONS))
    protocol, configuration = Protocol(1, 2), dict(properties or {})
    if mapped:
        names = {name: f"col-{name}" for name in PARTITIONS}
        fields, _ = map_columns(COLUMNS, [f"col-{name}" for name, _ in COLUMNS])
        schema, protocol = schema_string(fields), Protocol(2, 5)
        configuration |= {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": str(len(COLUMNS))}
    metadata = Metadata("a", schema, PARTITIONS, configuration)
    adds = [
        Add(
            f"x/{name}.parquet",
            {names[column]: value for column, value in zip(PARTITIONS, values)},
            10,
            AT,
            True,
            stats=f'{{"numRecords":{ROWS}}}' if stats else None,
        )
        for name, values in VALUES.items()
    ]
    write_commit(root, 0, [info("WRITE"), protocol, metadata, *adds], modified=AT - 40 * DAY)
    (root / "x").mkdir()
    for name in VALUES:
        (root / "x" / f"{name}.parquet").write_bytes(b"x" * 10)
        set_modified(root / "x" / f"{name}.parquet", AT - 40 * DAY)
    return root

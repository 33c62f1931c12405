"""Data files: a table to bytes, always the same for the same table, and rows back from a file."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from deltalog.errors import AlreadyWritten
from deltalog.times import set_modified

#: The values of one row, as pyarrow gives them to Python.
Values = tuple[object, ...]


def parquet_bytes(table: pa.Table) -> bytes:
    """``table`` as a Parquet file with Snappy compression.

    Equal tables give equal bytes with one version of pyarrow: the file holds no times and no schema but Parquet's own.
    """
    sink = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(None), sink, compression="snappy", store_schema=False)
    return sink.getvalue()


def write_data_file(path: Path, table: pa.Table, *, modified: int | None = None) -> int:
    """Write ``table`` to ``path``, a new file; make its directories; return its size in bytes.

    ``modified`` is its modification time in ms since the epoch; ``None`` leaves the clock's. Raises AlreadyWritten
    (PROTOCOL.md, "Data Files": names are unique and never overwritten).
    """
    data = parquet_bytes(table)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(path, "xb") as file:
            file.write(data)
    except FileExistsError:
        raise AlreadyWritten(f"{path} exists already, and a data file must not be overwritten") from None
    if modified is not None:
        set_modified(path, modified)
    return len(data)


def read_data_file(path: Path, columns: Sequence[str]) -> list[Values]:
    """All rows of the file, with the values of ``columns`` in this order; ``None`` for a column that the file lacks.

    Columns are top-level ones, by their names in the file. Raises OSError or pyarrow.ArrowException.
    """
    # One whole read: the files are small, and pyarrow takes dots in a selection of columns for nesting.
    with open(path, "rb") as file:
        table = pq.ParquetFile(io.BytesIO(file.read())).read()
    if not columns:
        return [()] * table.num_rows
    values: list[list[object]] = []
    for name in columns:
        index = table.schema.get_field_index(name)
        values.append([None] * table.num_rows if index < 0 else table.column(index).to_pylist())
    return list(zip(*values))

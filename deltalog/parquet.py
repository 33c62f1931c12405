"""Data files: a table to bytes, always the same for the same table, and rows back from a file."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deltalog.arrow_values import Values, from_column, from_table
from deltalog.errors import AlreadyWritten
from deltalog.schemas import Field
from deltalog.times import set_modified


def parquet_bytes(table: pa.Table, *, group_rows: int | None = None, compression: str = "snappy") -> bytes:
    """``table`` as a Parquet file, ``group_rows`` rows in a row group (``None``: all).

    Equal tables give equal bytes with one version of pyarrow: the file holds no times and no schema but Parquet's own.
    Columns whose Arrow fields carry ``PARQUET:field_id`` get that id.
    """
    sink = io.BytesIO()
    pq.write_table(
        table.replace_schema_metadata(None),
        sink,
        compression=compression,
        store_schema=False,
        row_group_size=group_rows,
        write_statistics=_columns_with_statistics(table),
    )
    return sink.getvalue()


def write_data_file(path: Path, table: pa.Table, *, modified: int | None = None, group_rows: int | None = None) -> int:
    """Write ``table`` to ``path``, a new file; make its directories; return its size in bytes.

    ``modified`` is its modification time in ms since the epoch; ``None`` leaves the clock's. ``group_rows``: see
    ``parquet_bytes``. Raises AlreadyWritten (PROTOCOL.md, "Data Files": names are unique and never overwritten).
    """
    data = parquet_bytes(table, group_rows=group_rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(path, "xb") as file:
            file.write(data)
    except FileExistsError:
        raise AlreadyWritten(f"{path} exists already, and a data file must not be overwritten") from None
    if modified is not None:
        set_modified(path, modified)
    return len(data)


def read_parquet(path: Path) -> pa.Table:
    """The whole file. Raises OSError or pyarrow.ArrowException.

    Timestamps of 96 bits, which Spark writes, are read in microseconds: in nanoseconds most years would not fit.
    """
    # One whole read: the files are small, and pyarrow takes dots in a selection of columns for nesting.
    with open(path, "rb") as file:
        return pq.ParquetFile(io.BytesIO(file.read()), coerce_int96_timestamp_unit="us").read()


def read_data_file(path: Path, columns: Sequence[str]) -> list[Values]:
    """All rows of the file, with the values of ``columns`` in this order; ``None`` for a column that the file lacks.

    Columns are top-level ones, by their names in the file; nested values are tuples in the file's order.
    Raises OSError or pyarrow.ArrowException.
    """
    table = read_parquet(path)
    if not columns:
        return [()] * table.num_rows
    values: list[list[object]] = []
    for name in columns:
        index = table.schema.get_field_index(name)
        values.append([None] * table.num_rows if index < 0 else from_column(table.column(index)))
    return list(zip(*values))


def read_columns(path: Path, fields: Sequence[Field], *, by_id: bool = False) -> list[Values]:
    """All rows of the file with the values of ``fields``: see ``deltalog.arrow_values.from_table`` for how they are found.

    Raises OSError, pyarrow.ArrowException and UnsupportedRows.
    """
    table = read_parquet(path)
    return list(zip(*from_table(table, fields, by_id=by_id))) if fields else [()] * table.num_rows


def _columns_with_statistics(table: pa.Table) -> bool | list[str]:
    """Which columns get bounds in the file's footer: all, or those without a NaN and without arrays and maps.

    pyarrow leaves NaN out of the bounds. To Spark it is the greatest value, so it would skip rows that match.
    """
    leaves = [leaf for one, column in zip(table.schema, table.columns) for leaf in _leaves(one.name, column)]
    if not any(has_nan for _, has_nan in leaves):
        return True
    return [path for path, has_nan in leaves if not has_nan]


def _leaves(path: str, column: pa.ChunkedArray) -> list[tuple[str, bool]]:
    """The leaves of a column, those below arrays and maps left out: path, and whether there is a NaN."""
    if pa.types.is_struct(column.type):
        children = zip(column.type, column.flatten())
        return [leaf for one, child in children for leaf in _leaves(f"{path}.{one.name}", child)]
    if pa.types.is_nested(column.type):
        return []
    return [(path, pa.types.is_floating(column.type) and pc.any(pc.is_nan(column)).as_py() is True)]

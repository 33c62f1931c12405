"""Writes and reads data files."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deltalog.storage.files import write_new

#: What each file begins and ends with (https://parquet.apache.org/docs/file-format/).
_MAGIC = b"PAR1"

#: Rows that every reader reads in one batch.
_BATCH = 8192

#: Bytes of a page of a file of more rows.
_PAGE = 32 * 1024


def page_rows(rows: int) -> int:
    """The most rows of a page in a file of this many rows: a quarter, and at least two.

    >>> page_rows(3), page_rows(40)
    (2, 10)
    """
    return max(rows // 4, 2)


def parquet_bytes(table: pa.Table, *, group_rows: int | None = None, compression: str = "snappy") -> bytes:
    """``table`` as a Parquet file, ``group_rows`` rows per row group (``None``: all).

    A file of more than two rows has a page index and pages of ``page_rows``; of more than ``_BATCH`` rows, pages of a few
    thousand. Equal tables have equal bytes with the same version of pyarrow: there are no times and no Arrow schema. Columns
    whose Arrow fields have ``PARQUET:field_id`` get that id.
    """
    large = table.num_rows > _BATCH
    sink = io.BytesIO()
    pq.write_table(
        table.replace_schema_metadata(None),
        sink,
        compression=compression,
        store_schema=False,
        row_group_size=group_rows,
        write_statistics=_columns_with_statistics(table),
        write_page_index=table.num_rows > 2,
        store_decimal_as_integer=True,  # up to 18 digits, as Spark stores them
        use_dictionary=not large,
        data_page_size=_PAGE if large else None,
        **({} if large else {"max_rows_per_page": page_rows(table.num_rows)}),
    )
    return sink.getvalue()


def without_last_group(data: bytes) -> bytes:
    """A Parquet file with zeros instead of the pages of its last row group. Raises ValueError if it has one only."""
    metadata = pq.ParquetFile(io.BytesIO(data)).metadata
    if metadata.num_row_groups < 2:
        raise ValueError(f"the file has {metadata.num_row_groups} row group, and must have several")
    group = metadata.row_group(metadata.num_row_groups - 1)
    spoilt = bytearray(data)
    for place in range(group.num_columns):
        chunk = group.column(place)
        first = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
        spoilt[first : first + chunk.total_compressed_size] = bytes(chunk.total_compressed_size)
    return bytes(spoilt)


def write_data_file(path: Path, table: pa.Table, *, modified: int | None = None, group_rows: int | None = None) -> int:
    """Write ``table`` to the new file ``path``, with its directories; return its size in bytes.

    ``modified`` is its modification time in ms since the epoch (``None``: now). ``group_rows``: see
    ``parquet_bytes``. Raises AlreadyWritten (PROTOCOL.md, "Data Files": names are unique and never overwritten).
    """
    data = parquet_bytes(table, group_rows=group_rows)
    write_new(path, data, modified)
    return len(data)


def read_parquet(path: Path) -> pa.Table:
    """The whole file, as ``parsed_parquet``. Raises OSError or pyarrow.ArrowException."""
    with open(path, "rb") as file:
        return parsed_parquet(file.read())


def parsed_parquet(data: bytes) -> pa.Table:
    """The whole file with these bytes. Raises pyarrow.ArrowException.

    INT96 timestamps, which Spark writes, are read in microseconds: most years do not fit nanoseconds.
    """
    if not data.startswith(_MAGIC):
        raise pa.ArrowInvalid("it does not begin with the magic bytes of Parquet")  # pyarrow looks at the end alone
    # All columns: the files are small, and pyarrow treats dots in selected names as nesting.
    return pq.ParquetFile(io.BytesIO(data), coerce_int96_timestamp_unit="us").read(use_threads=False)


def _columns_with_statistics(table: pa.Table) -> bool | list[str]:
    """Which columns get statistics in the footer: all, or if there is a NaN, those without one and not in arrays and maps.

    pyarrow ignores NaN in statistics. For Spark it is the greatest value, so it would skip matching rows.
    """
    leaves = [leaf for one, column in zip(table.schema, table.columns) for leaf in _leaves(one.name, column)]
    if not any(has_nan for _, has_nan in leaves):
        return True
    return [path for path, has_nan in leaves if not has_nan]


def _leaves(path: str, column: pa.ChunkedArray) -> list[tuple[str, bool]]:
    """The leaves of a column outside of arrays and maps: path, and whether there is a NaN."""
    if pa.types.is_struct(column.type):
        children = zip(column.type, column.flatten())
        return [leaf for one, child in children for leaf in _leaves(f"{path}.{one.name}", child)]
    if pa.types.is_nested(column.type):
        return []
    return [(path, pa.types.is_floating(column.type) and pc.any(pc.is_nan(column)).as_py() is True)]

"""Reads the rows of a table from its files by its log."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from deltalog.entries.actions import Add, Cdc, Metadata, Remove
from deltalog.entries.protocols import features_of
from deltalog.errors import UnsupportedRows
from deltalog.frozen import FrozenMap
from deltalog.snapshot import Snapshot
from deltalog.storage.parquet import read_parquet
from deltalog.storage.paths import is_absolute
from deltalog.values.arrow_values import Values, from_table
from deltalog.values.partition_values import parse_partition_value
from deltalog.values.schemas import Field, char_length, parse_schema, unmapped

_MODE = "delta.columnMapping.mode"
_ROW_ID = "delta.rowTracking.materializedRowIdColumnName"
_ROW_COMMIT_VERSION = "delta.rowTracking.materializedRowCommitVersionColumnName"
_CHANGE_TYPE = "_change_type"


def lacks_its_mapping(snapshot: Snapshot) -> bool:
    """Whether the metadata asks for column mapping, and the protocol does not have it: readers do not map columns then.

    Source: PROTOCOL.md, "Reader Requirements for Column Mapping".
    """
    wanted = snapshot.metadata.configuration.get(_MODE, "none") != "none"
    return wanted and "columnMapping" not in features_of(snapshot.protocol)


def metadata_to_read_by(snapshot: Snapshot) -> Metadata:
    """The metadata by which readers find the columns in files. Raises MalformedAction."""
    metadata = snapshot.metadata
    if not lacks_its_mapping(snapshot):
        return metadata
    configuration = {name: value for name, value in metadata.configuration.items() if name != _MODE}
    schema = None if metadata.schema_string is None else unmapped(metadata.schema_string)
    return replace(metadata, schema_string=schema, configuration=FrozenMap(configuration))


def read_stored_rows(root: Path, file: Add | Remove | Cdc, metadata: Metadata) -> list[Values]:
    """All rows stored in a file, in order, including those in its deletion vector, as values in schema order.

    Partition columns come from the log, the others from the file by the table's column mapping. A column that the file
    lacks is NULL, columns that are not in the schema are ignored; a value of a CHAR(n) has n characters, as Spark reads it.
    For the form of values see ``deltalog.values.arrow_values``. Raises OSError if the file is missing, pyarrow.ArrowException
    if it is not Parquet, UnsupportedRows for a file on another file system or with columns of other types, and
    UnsupportedType and MalformedAction for partition values.
    Source: PROTOCOL.md, "Data Files" and "Reader Requirements for Column Mapping".
    """
    return _rows(_open(root, file), file, metadata)


def read_change_file(root: Path, file: Cdc, metadata: Metadata) -> list[tuple[Values, str]]:
    """The rows of a change data file, in order, each with its ``_change_type``.

    Raises what ``read_stored_rows`` raises, and UnsupportedRows for a row without a change type.
    Source: PROTOCOL.md, "Add CDC File".
    """
    table = _open(root, file)
    changes = [change for change in _extra_column(table, _CHANGE_TYPE) if isinstance(change, str)]
    if len(changes) != table.num_rows:
        raise UnsupportedRows(f"{table.num_rows - len(changes)} rows of {file.file!r} have no {_CHANGE_TYPE}")
    return list(zip(_rows(table, file, metadata), changes))


def row_ids(root: Path, file: Add | Remove, metadata: Metadata) -> list[tuple[int | None, int | None]]:
    """The stable row id and the row commit version of every row stored in a file, in order.

    They are the materialised ones if the file has them, else derived from the action (``None`` if it lacks the field).
    Raises OSError, pyarrow.ArrowException and UnsupportedRows.
    Source: PROTOCOL.md, "Reader Requirements for Row Tracking".
    """
    table = _open(root, file)
    ids = _extra_column(table, metadata.configuration.get(_ROW_ID))
    versions = _extra_column(table, metadata.configuration.get(_ROW_COMMIT_VERSION))
    base, default = file.base_row_id, file.default_row_commit_version
    return [
        (
            int(str(id)) if id is not None else None if base is None else base + index,
            int(str(version)) if version is not None else default,
        )
        for index, (id, version) in enumerate(zip(ids, versions))
    ]


def _open(root: Path, file: Add | Remove | Cdc) -> pa.Table:
    if is_absolute(file.file) and not file.file.startswith("/"):
        raise UnsupportedRows(f"the rows of {file.file!r} cannot be read here: it is on another file system")
    return read_parquet(root / file.file)


def _rows(table: pa.Table, file: Add | Remove | Cdc, metadata: Metadata) -> list[Values]:
    fields = parse_schema(metadata.schema_string)
    partition = set(metadata.partition_columns)
    texts = file.partition_values or {}
    stored = [field for field in fields if field.name not in partition]
    values = from_table(table, stored, by_id=metadata.configuration.get(_MODE) == "id")
    columns = {field.name: _padded(column, field) for field, column in zip(stored, values)}
    for field in fields:
        if field.name in partition:
            value = parse_partition_value(texts.get(field.stored_name), field.type)
            columns[field.name] = [value] * table.num_rows
    return list(zip(*(columns[field.name] for field in fields))) if fields else [()] * table.num_rows


def _padded(values: list[object], field: Field) -> list[object]:
    """Spark's read-side padding (CharVarcharUtils)."""
    length = char_length(field)
    return values if length is None else [value.ljust(length) if isinstance(value, str) else value for value in values]


def _extra_column(table: pa.Table, name: str | None) -> list[object]:
    """The values of a column that is not in the schema; NULL if the file lacks it."""
    index = -1 if name is None else table.schema.get_field_index(name)
    return [None] * table.num_rows if index < 0 else table.column(index).to_pylist()

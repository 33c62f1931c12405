"""The rows of a table, read from its files as its log says."""

from __future__ import annotations

from pathlib import Path

from deltalog.actions import Add, Metadata
from deltalog.errors import UnsupportedRows
from deltalog.parquet import Values, read_data_file
from deltalog.paths import is_absolute
from deltalog.schemas import parse_partition_value, parse_schema
from deltalog.snapshot import Snapshot
from deltalog.vectors import read_vector


def read_rows(root: Path, snapshot: Snapshot) -> list[Values]:
    """All rows of the table at ``root`` as ``snapshot`` has it, in schema order, file by file by path.

    Raises what ``read_file_rows`` raises.
    """
    adds = sorted(snapshot.adds.values(), key=lambda add: (add.file, str(add.key[1])))
    return [row for add in adds for row in read_file_rows(root, add, snapshot.metadata)]


def read_file_rows(root: Path, add: Add, metadata: Metadata) -> list[Values]:
    """The rows of one live file, in schema order: partition columns from the log, the others from the file.

    Rows in its deletion vector are left out. Raises OSError when the file is gone, UnsupportedRows for a file on
    another file system, MalformedVector, and UnsupportedType and MalformedAction for partition values.
    Source: PROTOCOL.md, "Data Files" and "Reader Requirements for Deletion Vectors".
    """
    if is_absolute(add.file) and not add.file.startswith("/"):
        raise UnsupportedRows(f"the rows of {add.file!r} cannot be read here: it is on another file system")
    fields = parse_schema(metadata.schema_string)
    partition = set(metadata.partition_columns)
    stored = [field.stored_name for field in fields if field.name not in partition]
    constants = {
        field.name: parse_partition_value(add.partition_values.get(field.stored_name), field.type)
        for field in fields
        if field.name in partition
    }
    rows = read_data_file(root / add.file, stored)
    if add.deletion_vector is not None:
        gone = set(read_vector(root, add.deletion_vector))
        rows = [row for index, row in enumerate(rows) if index not in gone]
    if not constants:
        return rows
    positions = {name: index for index, name in enumerate(stored)}
    return [
        tuple(
            constants[field.name] if field.name in constants else values[positions[field.stored_name]]
            for field in fields
        )
        for values in rows
    ]

"""The actions in the files of a checkpoint, each in a row of Parquet; those of a V2 checkpoint may be JSON when read."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

import pyarrow as pa
import pyarrow.parquet as pq

from deltalog.checkpoints.parsed_columns import STATISTICS, ParsedColumns
from deltalog.entries.actions import Action, Add, DomainMetadata, Metadata, Protocol, Remove, Txn, Unknown
from deltalog.entries.codec import NAMES, from_json, to_json
from deltalog.entries.fields import TEXT_MAP, checkpoint_type
from deltalog.errors import MalformedAction, StoreError, UnreadableCheckpoint
from deltalog.storage.parquet import parquet_bytes
from deltalog.storage.store import BUFFER, LOCAL, Store

#: The columns of a V1 checkpoint (PROTOCOL.md, "Checkpoint Schema").
SCHEMA = pa.schema(
    [(NAMES[kind], checkpoint_type(kind)) for kind in (Txn, Add, Remove, Metadata, Protocol, DomainMetadata)]
)

#: The columns of a sidecar (PROTOCOL.md, "Sidecar Files").
SIDECAR_SCHEMA = pa.schema([SCHEMA.field("add"), SCHEMA.field("remove")])

_SIDECAR = {"path": pa.string(), "sizeInBytes": pa.int64(), "modificationTime": pa.int64(), "tags": TEXT_MAP.type}

#: The columns of a V2 checkpoint's own file.
V2_SCHEMA = pa.schema(
    [
        *SCHEMA,
        pa.field("checkpointMetadata", pa.struct({"version": pa.int64(), "tags": TEXT_MAP.type})),
        pa.field("sidecar", pa.struct(_SIDECAR)),
    ]
)

#: The first bytes of a Parquet file.
_MAGIC = b"PAR1"

#: The rows that are in memory at once: of more, Python looks for garbage in too many.
_ROWS = 1024

Read = Callable[[dict[str, Any]], Iterable[Action]]
Choose = Callable[[Sequence[str]], Sequence[str]]


def is_kind(action: Action, kind: str) -> TypeGuard[Unknown]:
    """Whether this is one of the actions that only V2 checkpoints have."""
    return isinstance(action, Unknown) and action.kind == kind


def file_bytes(
    actions: Iterable[Action], schema: pa.Schema, *, compression: str = "snappy", parsed: ParsedColumns | None = None
) -> bytes:
    """The bytes of a file with ``actions``, without fields that the schema lacks.

    ``parsed``: the columns with structs that adds have instead of their statistics, and beside their partition values.
    """
    if parsed is not None:
        place = schema.get_field_index("add")
        add = pa.struct([*(one for one in schema.field(place).type if one.name != "stats"), *parsed.fields])
        schema = schema.set(place, pa.field("add", add))
    rows: list[Any] = []
    for action in actions:
        row = _to_arrow(to_json(action), schema)
        if parsed is not None and isinstance(action, Add):
            row["add"] |= parsed.values(action)  # type: ignore[index]
        rows.append(row)
    return parquet_bytes(pa.Table.from_pylist(rows, schema=schema), compression=compression)


def actions_of(row: Mapping[str, Any]) -> tuple[Action, ...]:
    """The actions of a row; ``stats_parsed`` without ``stats`` is in ``extra``, without its other parsed columns."""
    add = row.get("add")
    if isinstance(add, Mapping):
        left_out = {name for name in add if name.endswith("_parsed")}
        if add.get("stats") is None:
            left_out.discard(STATISTICS)
        row = {**row, "add": {name: value for name, value in add.items() if name not in left_out}}
    return from_json(row)


def read_file(
    path: Path, store: Store = LOCAL, read: Read = actions_of, choose: Choose | None = None
) -> tuple[Action, ...]:
    """The actions that ``read`` finds in each row, a JSON object. What it keeps for itself of a large file is never in memory as
    a whole.

    ``choose`` gets the paths of the leaves of a Parquet file's columns, and returns those that are read. Raises
    UnreadableCheckpoint, also if the file is not there, and StoreError.
    """
    actions: list[Action] = []
    try:
        with store.read(path.as_posix()) as source:
            is_json = path.suffix == ".json"
            for number, row in enumerate(_json_rows(source) if is_json else _parquet_rows(source, choose), start=1):
                try:
                    if is_json and read is not actions_of:
                        from_json(row)  # nothing else says of which types its values are
                    actions += read(row)
                except MalformedAction as error:
                    raise UnreadableCheckpoint(f"{path.name}, row {number}, is not an action: {error}") from None
    except StoreError as error:
        if not error.missing:
            raise
        raise UnreadableCheckpoint(f"{path.name} is not there") from None
    except (OSError, ValueError, OverflowError, RecursionError, pa.ArrowException) as error:
        raise UnreadableCheckpoint(f"the checkpoint file {path.name} cannot be read: {error}") from error
    return tuple(actions)


def _json_rows(source: io.RawIOBase) -> Iterator[dict[str, Any]]:
    for line in io.BufferedReader(source, BUFFER):
        if line.strip():
            yield json.loads(line.decode("utf-8"))


def _parquet_rows(source: io.RawIOBase, choose: Choose | None) -> Iterator[dict[str, Any]]:
    if source.read(len(_MAGIC)) != _MAGIC:  # pyarrow looks at the end only
        raise ValueError("it does not begin as a Parquet file")
    file = pq.ParquetFile(source, buffer_size=BUFFER, pre_buffer=False, coerce_int96_timestamp_unit="us")
    wanted = None if choose is None else choose([file.schema.column(place).path for place in range(len(file.schema))])
    for batch in file.iter_batches(_ROWS, columns=wanted, use_threads=False):
        columns = {name: one for name, one in zip(batch.schema.names, batch.columns) if one.null_count < len(one)}
        for row in zip(*map(_values, columns.values())):
            yield {name: value for name, value in zip(columns, row) if value is not None}


def _values(column: pa.Array) -> list[Any]:
    """The JSON values of a column, by its parts: pyarrow itself makes an object of each value of a struct."""
    if column.null_count == len(column):
        return [None] * len(column)
    if pa.types.is_map(column.type):
        return [None if value is None else dict(value) for value in column.to_pylist()]
    if not pa.types.is_struct(column.type):
        return column.to_pylist()  # type: ignore[no-any-return]
    names = [one.name for one in column.type]
    values = [dict(zip(names, row)) for row in zip(*(_values(column.field(place)) for place in range(len(names))))]
    if column.null_count == 0:
        return values
    return [value if is_there else None for value, is_there in zip(values, column.is_valid().to_pylist())]


def _to_arrow(value: object, kind: pa.DataType | pa.Schema) -> object:
    """A JSON value for pyarrow: maps as pairs, objects with the fields of the type only."""
    if isinstance(value, Mapping):
        if isinstance(kind, pa.MapType):
            return list(value.items())
        return {one.name: _to_arrow(value.get(one.name), one.type) for one in kind}
    return value

"""The actions in the files of a checkpoint, each in a row of Parquet; those of a V2 checkpoint may be JSON when read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeGuard

import pyarrow as pa

from deltalog.checkpoints.parsed_columns import STATISTICS, ParsedColumns
from deltalog.entries.actions import Action, Add, DomainMetadata, Metadata, Protocol, Remove, Txn, Unknown
from deltalog.entries.codec import NAMES, from_json, to_json
from deltalog.entries.commits import parse_commit
from deltalog.entries.fields import TEXT_MAP, checkpoint_type
from deltalog.errors import MalformedAction, UnreadableCheckpoint
from deltalog.storage.parquet import parquet_bytes, parsed_parquet

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


def read_file(path: Path) -> tuple[Action, ...]:
    """The actions in a file of a checkpoint; ``stats_parsed`` without ``stats`` is in ``extra``. Raises UnreadableCheckpoint."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        if path.suffix == ".json":
            return parse_commit(data, path.name)
        if data[:4] != _MAGIC:  # pyarrow looks at the end only
            raise ValueError("it does not begin as a Parquet file")
        table = parsed_parquet(data)
        rows = table.to_pylist()
    except (OSError, ValueError, OverflowError, pa.ArrowException) as error:
        raise UnreadableCheckpoint(f"the checkpoint file {path.name} cannot be read: {error}") from error
    actions: list[Action] = []
    for number, row in enumerate(rows, start=1):
        document: dict[str, Any] = {one.name: _from_arrow(row[one.name], one.type) for one in table.schema}
        if document.get("add") and document["add"].get("stats") is None:
            document["add"][STATISTICS] = row["add"].get(STATISTICS)
        try:
            actions += from_json(document)
        except MalformedAction as error:
            raise UnreadableCheckpoint(f"{path.name}, row {number}, is not an action: {error}") from None
    return tuple(actions)


def _to_arrow(value: object, kind: pa.DataType | pa.Schema) -> object:
    """A JSON value for pyarrow: maps as pairs, objects with the fields of the type only."""
    if isinstance(value, Mapping):
        if isinstance(kind, pa.MapType):
            return list(value.items())
        return {one.name: _to_arrow(value.get(one.name), one.type) for one in kind}
    return value


def _from_arrow(value: object, kind: pa.DataType) -> object:
    """The JSON value of a value of pyarrow, without parsed columns."""
    if isinstance(kind, pa.MapType) and value is not None:
        return dict(value)  # type: ignore[call-overload]
    if isinstance(value, Mapping):
        return {one.name: _from_arrow(value[one.name], one.type) for one in kind if not one.name.endswith("_parsed")}
    return value

"""The rows of a checkpoint's Parquet file, some thousand at a time, with the columns that a shape asks for.

A checkpoint of a million files is never in memory as a whole: neither its bytes nor its actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deltalog.entries.actions import Action
from deltalog.entries.codec import from_json
from deltalog.errors import MalformedAction, StoreError, UnreadableCheckpoint
from deltalog.storage.store import Store
from shapes.logged_files import MEMBERS, NO_STATISTICS, LoggedFile, LoggedStatistics, Vector, pairs

_ROWS = 8192  # of a batch
_BUFFER = 1 << 20  # bytes of a column that are read at once
_MAGIC = b"PAR1"

#: The columns, by what the paths of their leaves begin with: actions that are read as they are, and parts of files.
_WHOLE = ("protocol", "metaData", "txn", "domainMetadata", "sidecar")
_OF_FILES = ("add.path", "add.size", "add.partitionValues", "add.deletionVector", "add.stats")
_OF_TOMBSTONES = ("remove.path", "remove.deletionVector")
_STRUCT = "add.stats_parsed"


def rows_of(store: Store, path: str) -> Iterator[Action | LoggedFile]:
    """Raises StoreError, and UnreadableCheckpoint."""
    name = path.rpartition("/")[2]
    try:
        with store.read(path) as source:
            if source.read(4) != _MAGIC:  # pyarrow looks at the end alone
                raise ValueError("it does not begin as a Parquet file")
            file = pq.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False)
            wanted = _wanted([file.schema.column(place).path for place in range(len(file.schema))])
            members = _members_of_struct(file.schema_arrow)
            for batch in file.iter_batches(_ROWS, columns=wanted, use_threads=False):
                yield from _rows(batch, members)
    except StoreError:
        raise
    except (OSError, ValueError, OverflowError, KeyError, TypeError, pa.ArrowException) as error:
        raise UnreadableCheckpoint(f"the checkpoint file {name} cannot be read: {error}") from error
    except MalformedAction as error:
        raise UnreadableCheckpoint(f"{name} has a row that is not an action: {error}") from None


def _wanted(leaves: Sequence[str]) -> list[str]:
    """One leaf of the statistics' struct is enough: it tells whether a row has one."""
    tops = (*_WHOLE, *_OF_FILES, *_OF_TOMBSTONES)
    found = [leaf for leaf in leaves if any(leaf == top or leaf.startswith(f"{top}.") for top in tops)]
    return found + [leaf for leaf in leaves if leaf.startswith(f"{_STRUCT}.")][:1]


def _members_of_struct(schema: pa.Schema) -> int:
    """The bits of ``MEMBERS``; 0 without the struct."""
    place = schema.get_field_index("add")
    if place < 0 or schema.field(place).type.get_field_index("stats_parsed") < 0:
        return 0
    names = {one.name for one in schema.field(place).type.field("stats_parsed").type}
    return sum(1 << place for place, member in enumerate(MEMBERS) if member in names)


def _rows(batch: pa.RecordBatch, members: int) -> Iterator[Action | LoggedFile]:
    columns = dict(zip(batch.schema.names, batch.columns))
    for kind in _WHOLE:
        if kind in columns:
            column = columns[kind].drop_null()
            for row in column.to_pylist():
                yield from from_json({kind: _from_arrow(row, column.type)})
    if "add" in columns:
        yield from _files(columns["add"].drop_null(), members)
    if "remove" in columns:
        column = columns["remove"].drop_null()
        for path, vector in zip(_texts(column, "path"), _vectors(column)):
            yield LoggedFile(path, True, 0, frozenset(), vector, None)


def _files(column: pa.StructArray, members: int) -> Iterator[LoggedFile]:
    rows = zip(
        _texts(column, "path"),
        column.field("size").to_pylist(),
        column.field("partitionValues").to_pylist(),
        _vectors(column),
        _forms(column, members),
    )
    nothing: frozenset[tuple[str, str | None]] = frozenset()
    for path, size, values, vector, form in rows:
        if not isinstance(size, int):
            raise MalformedAction("add lacks the field size")
        yield LoggedFile(path, False, size, pairs(dict(values)) if values else nothing, vector, form)


def _texts(column: pa.StructArray, name: str) -> list[str]:
    texts: list[str] = column.field(name).to_pylist()
    if not all(isinstance(text, str) for text in texts):
        raise MalformedAction(f"a file lacks the field {name}")
    return texts


def _vectors(column: pa.StructArray) -> list[Vector | None]:
    if column.type.get_field_index("deletionVector") < 0:
        return [None] * len(column)
    vectors = column.field("deletionVector")
    if vectors.null_count == len(vectors):
        return [None] * len(column)
    return [_vector(row) for row in vectors.to_pylist()]


def _vector(row: Mapping[str, Any] | None) -> Vector | None:
    """Some writers have an empty struct instead of NULL."""
    if row is None or row.get("storageType") is None:
        return None
    numbers = (row.get("sizeInBytes") or 0, row.get("cardinality") or 0)
    return Vector(row["storageType"], row.get("pathOrInlineDv") or "", row.get("offset"), *numbers)


def _forms(column: pa.StructArray, members: int) -> list[LoggedStatistics]:
    bits: list[int | None] = [None] * len(column)
    if column.type.get_field_index("stats") >= 0:
        texts = column.field("stats")
        bits = _json_members(texts)
    struct = [False] * len(column)
    if members and column.type.get_field_index("stats_parsed") >= 0:
        struct = column.field("stats_parsed").is_valid().to_pylist()
    known = {pair: _form(*pair, members) for pair in set(zip(bits, struct))}
    return [known[pair] for pair in zip(bits, struct)]


def _form(json: int | None, struct: bool, members: int) -> LoggedStatistics:
    """``members`` are those of the struct's type."""
    if json is None:
        return LoggedStatistics("struct", members) if struct else NO_STATISTICS
    return LoggedStatistics("struct-and-json" if struct else "json", json)


def _json_members(texts: pa.Array) -> list[int | None]:
    """As ``members_in``, of many at once."""
    total: Any = None
    for place, member in enumerate(MEMBERS):
        found = pc.multiply(pc.cast(pc.match_substring(texts, f'"{member}"'), pa.int8()), 1 << place)
        total = found if total is None else pc.add(total, found)
    return total.to_pylist()  # type: ignore[no-any-return]


def _from_arrow(value: object, kind: pa.DataType) -> object:
    """The JSON value of a value of pyarrow."""
    if isinstance(kind, pa.MapType) and value is not None:
        return dict(value)  # type: ignore[call-overload]
    if isinstance(value, Mapping):
        return {one.name: _from_arrow(value[one.name], one.type) for one in kind}
    return value

"""A table as its log and its listing show it: all that the suite's own engine knows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deltalog.actions import Add, Remove
from deltalog.listing import EntryKind, list_tree
from deltalog.log import read_log
from deltalog.rows import read_stored_rows
from deltalog.schemas import parse_schema, struct_fields
from deltalog.vectors import read_vector
from model.delete import LiveFile
from model.layout import partition_value, physical_name
from model.table import Column, Feature, Table
from model.vacuum import Cutoff, Judged, Thing, predict_vacuum
from model.values import AnyType, ArrayOf, DecimalOf, MapOf, Row, StructOf, Type, canonical

#: The features that a table property switches on, by that property.
_PROPERTIES = {
    "delta.enableDeletionVectors": Feature.DELETION_VECTORS,
    "delta.enableChangeDataFeed": Feature.CHANGE_DATA_FEED,
    "delta.enableRowTracking": Feature.ROW_TRACKING,
    "delta.enableInCommitTimestamps": Feature.IN_COMMIT_TIMESTAMPS,
    "delta.appendOnly": Feature.APPEND_ONLY,
}

_MAPPING = {"name": Feature.COLUMN_MAPPING_NAME, "id": Feature.COLUMN_MAPPING_ID}


class View:
    """A table at one moment. Columns and features are read out of the log."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.log = read_log(root)
        self.snapshot = self.log.snapshot()
        self.metadata = self.snapshot.metadata
        self.fields = parse_schema(self.metadata.schema_string)
        configuration = self.metadata.configuration
        text = configuration.get("delta.deletedFileRetentionDuration")
        features = [feature for key, feature in _PROPERTIES.items() if configuration.get(key) == "true"]
        features += [_MAPPING[mode] for mode in [configuration.get("delta.columnMapping.mode")] if mode in _MAPPING]
        self.table = Table(
            columns=tuple(Column(field.name, type_of(field.type)) for field in self.fields),
            partition_by=self.metadata.partition_columns,
            files=(),
            commits=(),
            retention_hours=None if text is None else int(text.split()[1]),
            features=tuple(feature.value for feature in features),
        )
        self.retention = self.table.retention
        self.live = {add.file: add for add in self.snapshot.adds.values()}

    def live_file(self, add: Add) -> LiveFile:
        counted = '"numRecords"' in (add.stats or "")
        return LiveFile(add.file, self.partition(add), self.stored(add), self.hidden(add), counted)

    def partition(self, add: Add) -> Row:
        values = add.partition_values
        return tuple(
            partition_value(values[physical_name(self.table, column.name)], column.type)
            for column in self.table.partition_columns
        )

    def stored(self, add: Add | Remove) -> tuple[Row, ...]:
        """All rows that a file stores, in schema order."""
        types = [column.type for column in self.table.columns]
        rows = read_stored_rows(self.root, add, self.metadata)
        return tuple(tuple(canonical(value, type) for value, type in zip(row, types)) for row in rows)

    def hidden(self, add: Add) -> frozenset[int]:
        return frozenset() if add.deletion_vector is None else frozenset(read_vector(self.root, add.deletion_vector))

    def visible(self, add: Add) -> tuple[Row, ...]:
        """The rows that the table has in a file."""
        hidden = self.hidden(add)
        return tuple(row for index, row in enumerate(self.stored(add)) if index not in hidden)

    def judged(self, cutoff: Cutoff) -> dict[str, Judged]:
        tombstones: dict[str, int] = {}
        for remove in self.snapshot.removes.values():
            tombstones[remove.file] = max(tombstones.get(remove.file, 0), remove.deletion_timestamp or 0)
        return predict_vacuum(
            {
                path: Thing(entry.kind is EntryKind.DIRECTORY, entry.modified, entry.size)
                for path, entry in list_tree(self.root).items()
            },
            live=self.live,
            tombstones=tombstones,
            partition_by=self.table.partition_by,
            cutoff=cutoff,
        )


def type_of(kind: Any) -> AnyType:
    """A type of a schema as the vocabulary has it."""
    if isinstance(kind, str):
        if not kind.startswith("decimal"):
            return Type(kind)
        precision, scale = kind[len("decimal(") : -1].split(",")
        return DecimalOf(int(precision), int(scale))
    assert isinstance(kind, Mapping)
    if kind["type"] == "array":
        return ArrayOf(type_of(kind["elementType"]))
    if kind["type"] == "map":
        return MapOf(type_of(kind["keyType"]), type_of(kind["valueType"]))
    return StructOf(tuple((field.name, type_of(field.type)) for field in struct_fields(kind)))

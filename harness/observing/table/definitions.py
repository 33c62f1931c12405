"""A table's definition as its log has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from deltalog.values.schemas import Field
from harness.tables.table_metadata import type_name
from model.semantics.definitions import table_after
from model.vocabulary.commands import Switch
from model.vocabulary.table import Feature, Table

#: The property of each feature that can be switched.
PROPERTIES: Mapping[Feature, str] = {
    Feature.DELETION_VECTORS: "delta.enableDeletionVectors",
    Feature.CHANGE_DATA_FEED: "delta.enableChangeDataFeed",
    Feature.ROW_TRACKING: "delta.enableRowTracking",
    Feature.IN_COMMIT_TIMESTAMPS: "delta.enableInCommitTimestamps",
}


def switched_as_logged(table: Table, configuration: Mapping[str, str]) -> Table:
    """The table with the features switched on that the properties of a log switch on, and no others."""
    for feature, name in PROPERTIES.items():
        on = configuration.get(name, "").lower() == "true"
        if on is not table.has(feature):
            table = table_after(Switch(feature, on), table)
    return table


def has_columns(table: Table, fields: Sequence[Field]) -> bool:
    """Whether the schema of a log has the names and types of the table's columns, in their order."""
    named = [(column.name, type_name(column.type)) for column in table.columns]
    return named == [(field.name, _plain(field.type)) for field in fields]


def _plain(kind: object) -> object:
    """A type as ``type_name`` gives it: without the metadata of fields, where column mapping has names."""
    if isinstance(kind, dict):
        return {key: {} if key == "metadata" else _plain(value) for key, value in kind.items()}
    return [_plain(part) for part in kind] if isinstance(kind, list) else kind


def with_stored_names(table: Table, fields: Sequence[Field]) -> Table:
    """The table with the names of its columns in files, as the log has them. ``fields`` are its columns."""
    if not table.maps_columns:
        return table
    columns = (replace(column, physical_name=field.stored_name) for column, field in zip(table.columns, fields))
    return replace(table, columns=tuple(columns))

"""A table as the reference engine reads it: from its log and a listing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from deltalog.data.deletion_vectors import read_vector
from deltalog.data.rows import read_stored_rows, row_ids
from deltalog.entries.actions import Add, Cdc, Metadata, Remove
from deltalog.log import read_log
from deltalog.storage.listing import EntryKind, list_tree
from deltalog.storage.names import LAST_VACUUM_INFO, LAST_VACUUM_KEY, LOG_DIRECTORY
from deltalog.values.schemas import Field, array_type, decimal_type, map_type, parse_schema, struct_fields, struct_type
from model.prediction.delete import ConditionScope, LiveFile, scope_of
from model.prediction.paths import StorageEntry
from model.prediction.scans import References
from model.text.layout import partition_value, physical_name
from model.vocabulary.predicate import Predicate
from model.vocabulary.table import HOUR, Column, Feature, Kind, Table, retention_of
from model.vocabulary.values import AnyType, ArrayOf, DecimalOf, MapOf, Row, StructOf, Type, canonical

#: Table properties and the features that they enable.
PROPERTIES = {
    "delta.enableDeletionVectors": Feature.DELETION_VECTORS,
    "delta.enableChangeDataFeed": Feature.CHANGE_DATA_FEED,
    "delta.enableRowTracking": Feature.ROW_TRACKING,
    "delta.enableInCommitTimestamps": Feature.IN_COMMIT_TIMESTAMPS,
    "delta.appendOnly": Feature.APPEND_ONLY,
}

#: The protocol's table features that the suite's tables may require.
KNOWN_FEATURES = frozenset(
    {
        "appendOnly",
        "invariants",
        "checkConstraints",
        "changeDataFeed",
        "generatedColumns",
        "columnMapping",
        "identityColumns",
        "deletionVectors",
        "rowTracking",
        "domainMetadata",
        "inCommitTimestamp",
        "v2Checkpoint",
        "allowColumnDefaults",
        "timestampNtz",
        "vacuumProtocolCheck",
        "typeWidening",
    }
)

_KINDS = {EntryKind.FILE: Kind.FILE, EntryKind.DIRECTORY: Kind.DIRECTORY, EntryKind.LINK: Kind.LINK}

_MAPPING = {"name": Feature.COLUMN_MAPPING_NAME, "id": Feature.COLUMN_MAPPING_ID}


class View:
    """A table at one moment, or at an earlier ``version``, by its columns then."""

    def __init__(self, root: Path, *, version: int | None = None, reads_struct_statistics: bool = True) -> None:
        self.root = root
        self.log = read_log(root)
        self.snapshot = self.log.snapshot(version)
        self._define(self.snapshot.metadata)
        self.live = {self.place(add): add for add in self.snapshot.adds.values()}
        self.passed_over: frozenset[str] = frozenset()  # live files that a DELETE of rows leaves unread
        structs_only = self.metadata.configuration.get("delta.checkpoint.writeStatsAsJson") == "false"
        self._forgets_checkpointed = structs_only and not reads_struct_statistics

    def defined(self, metadata: Metadata) -> View:
        """The same with another definition."""
        found = copy(self)
        found._define(metadata)
        return found

    def _define(self, metadata: Metadata) -> None:
        self.metadata = metadata
        self.fields = parse_schema(self.metadata.schema_string)
        configuration = self.metadata.configuration
        text = configuration.get("delta.deletedFileRetentionDuration")
        self.log_retention = retention_of(configuration.get("delta.logRetentionDuration", "interval 30 days"))
        features = [feature for key, feature in PROPERTIES.items() if configuration.get(key) == "true"]
        features += [_MAPPING[mode] for mode in [configuration.get("delta.columnMapping.mode")] if mode in _MAPPING]
        maps = configuration.get("delta.columnMapping.mode") in _MAPPING
        self.table = Table(
            columns=tuple(
                Column(field.name, type_of(field.type), physical_name=field.stored_name if maps else None)
                for field in self.fields
            ),
            partition_by=self.metadata.partition_columns,
            files=(),
            commits=(),
            retention_hours=None if text is None else retention_of(text) / HOUR,
            features=tuple(feature.value for feature in features),
        )
        self.retention = self.table.retention

    @property
    def unknown_features(self) -> frozenset[str]:
        """The features that the protocol requires and no engine has."""
        protocol = self.snapshot.protocol
        return frozenset([*(protocol.reader_features or ()), *(protocol.writer_features or ())]) - KNOWN_FEATURES

    @property
    def unreadable(self) -> bool:
        return not frozenset(self.snapshot.protocol.reader_features or ()) <= KNOWN_FEATURES

    @property
    def tracks_rows(self) -> bool:
        """Whether every add must have row ids: the protocol has the feature, whether or not its property is on."""
        return "rowTracking" in (self.snapshot.protocol.writer_features or ())

    def place(self, action: Add | Remove | Cdc) -> str:
        """The path of an action's file relative to the root, also where the action has a URI."""
        return self.relative(action.file)

    def relative(self, path: str) -> str:
        return os.path.relpath(path, self.root) if os.path.isabs(path) else path

    def live_file(self, add: Add) -> LiveFile:
        counted = self._count(add) is not None
        return LiveFile(self.place(add), self.partition(add), self.stored(add), self.hidden(add), counted)

    def _count(self, add: Add) -> int | None:
        """The rows of a file by its statistics; None if they are not read, or do not say."""
        if self._forgets_checkpointed and self.log.is_checkpointed(add):
            return None
        found: int | None = json.loads(add.stats or "{}").get("numRecords")
        return found

    def unread_file(self, add: Add) -> LiveFile:
        """The file by its add alone, with NULLs instead of its rows; without rows if it has no row count."""
        partition = self.partition(add)
        count = self._count(add)
        row = self.table.row(partition, (None,) * len(self.table.data_columns))
        return LiveFile(self.place(add), partition, (row,) * (count or 0), self.hidden(add), count is not None)

    def files_for(self, where: Predicate | None) -> list[LiveFile]:
        """The live files, with their rows where the condition is on rows."""
        read = self.live_file if scope_of(where, self.table.partition_by) is ConditionScope.ROWS else self.unread_file
        return [read(add) for path, add in self.live.items() if path not in self.passed_over]

    def damaged_for(self, where: Predicate | None) -> frozenset[str]:
        """The live files that the condition needs and that cannot be read whole."""
        if scope_of(where, self.table.partition_by) is not ConditionScope.ROWS:
            return frozenset()
        return frozenset(path for path, add in self.live.items() if not self._can_be_read(add))

    def _can_be_read(self, add: Add) -> bool:
        try:
            self.stored(add)
        except (OSError, pa.ArrowException):
            return False
        return True

    def rows_for(self, where: Predicate | None) -> list[Row]:
        """The rows for which the condition may be evaluated: those of the files, hidden ones too, and one with NULLs for each."""
        nulls = (None,) * len(self.table.data_columns)
        files = self.files_for(where)
        return [row for file in files for row in (*file.rows, self.table.row(file.partition, nulls))]

    def partition(self, add: Add) -> Row:
        values = add.partition_values
        return tuple(
            partition_value(values[physical_name(self.table, column.name)], column.type)
            for column in self.table.partition_columns
        )

    def stored(self, add: Add | Remove) -> tuple[Row, ...]:
        """All rows in a file, in schema order."""
        types = [column.type for column in self.table.columns]
        rows = read_stored_rows(self.root, add, self.metadata)
        return tuple(tuple(canonical(value, type) for value, type in zip(row, types)) for row in rows)

    def hidden(self, add: Add) -> frozenset[int]:
        return frozenset() if add.deletion_vector is None else frozenset(read_vector(self.root, add.deletion_vector))

    def visible(self, add: Add) -> tuple[Row, ...]:
        """The rows in a file without those that its deletion vector marks."""
        hidden = self.hidden(add)
        return tuple(row for index, row in enumerate(self.stored(add)) if index not in hidden)

    def visible_with_ids(self, add: Add) -> list[tuple[Row, tuple[int | None, int | None]]]:
        """The visible rows, each with its stable row id and row commit version; with None for both without row tracking."""
        rows, hidden = self.stored(add), self.hidden(add)
        ids = row_ids(self.root, add, self.metadata) if self.tracks_rows else [(None, None)] * len(rows)
        return [kept for index, kept in enumerate(zip(rows, ids)) if index not in hidden]

    def lacks(self, adds: Iterable[Add]) -> bool:
        """Whether a data file or the file of a deletion vector of these adds is gone."""
        files = [path for add in adds for path in (add.file, add.deletion_vector and add.deletion_vector.file) if path]
        return not all((self.root / path).is_file() for path in files)

    # For VACUUM -----------------------------------------------------------------------------------------------

    @cached_property
    def references(self) -> References:
        """The files below the root and the deletion vectors that the current state refers to."""
        adds = list(self.snapshot.adds.values())
        tombstones: dict[str, int] = {}
        vector_tombstones: dict[str, int] = {}
        absolute_tombstones: dict[str, int] = {}
        for remove in self.snapshot.removes.values():
            stamp, vector = remove.deletion_timestamp or 0, remove.deletion_vector
            _latest(tombstones, self.place(remove), stamp)
            if vector is not None and vector.file is not None:
                relative = vector.storage == "u"
                _latest(vector_tombstones if relative else absolute_tombstones, self.relative(vector.file), stamp)
        live = [add.deletion_vector for add in adds if add.deletion_vector and add.deletion_vector.file is not None]
        absolute: dict[str, int | None] = {**absolute_tombstones}
        absolute |= dict.fromkeys(self.relative(str(vector.file)) for vector in live if vector.storage != "u")
        inside = {self.place(add): add for add in adds if _is_inside(self.place(add))}
        return References(
            live=frozenset(inside),
            by_uri=frozenset(path for path, add in inside.items() if os.path.isabs(add.file)),
            tombstones={path: stamp for path, stamp in tombstones.items() if _is_inside(path)},
            live_vectors=frozenset(str(vector.file) for vector in live if vector.storage == "u"),
            vector_tombstones=vector_tombstones,
            absolute_vectors={path: stamp for path, stamp in absolute.items() if _is_inside(path)},
        )

    @cached_property
    def removals(self) -> dict[str, int]:
        """The removed files below the root by the time (ms) of the file of the last commit that removed them."""
        found: dict[str, int] = {}
        for version in sorted(self.log.commits):
            commit = self.log.commits[version]
            found |= {self.place(one): commit.modified for one in commit.actions if isinstance(one, Remove)}
        return {path: modified for path, modified in found.items() if _is_inside(path)}

    def references_and(self, versions: Iterable[int]) -> References:
        """The same, and the files of these versions, which VACUUM is asked to keep."""
        adds = [add for version in versions for add in View(self.root, version=version).snapshot.adds.values()]
        vectors = [add.deletion_vector for add in adds if add.deletion_vector and add.deletion_vector.file is not None]
        kept = {self.place(add) for add in adds}
        kept_vectors = {self.relative(str(vector.file)) for vector in vectors}
        return replace(
            self.references,
            kept=frozenset(filter(_is_inside, kept)),
            kept_vectors=frozenset(filter(_is_inside, kept_vectors)),
        )

    def listing(self) -> dict[str, StorageEntry]:
        """Everything below the root. Links are not followed."""
        return {
            path: StorageEntry(_KINDS[entry.kind], entry.modified, entry.size, *self._target(path, entry.kind))
            for path, entry in list_tree(self.root).items()
        }

    def _target(self, path: str, kind: EntryKind) -> tuple[str | None, int | None]:
        """Where a link leads, from the root, and the modification time of a file there."""
        link = self.root / path
        if kind is not EntryKind.LINK or not link.exists():
            return None, None
        modified = link.stat().st_mtime_ns // 1_000_000 if link.is_file() else None
        return os.path.relpath(os.path.realpath(link), os.path.realpath(self.root)), modified

    @cached_property
    def commit_times(self) -> dict[int, int]:
        """The commit time of each version whose commit exists, in ms since the epoch."""
        stamps = {
            version: commit.info.fields.get("inCommitTimestamp") if commit.info else None
            for version, commit in self.log.commits.items()
        }
        return {
            version: commit.modified if stamps[version] is None else int(str(stamps[version]))
            for version, commit in self.log.commits.items()
        }

    def next_commit_time(self, clock: int) -> int:
        """The in-commit timestamp of a commit now: later than that of the commit before, whatever the clock says."""
        return max(clock, self.commit_times[max(self.commit_times)] + 1) if self.commit_times else clock

    @property
    def bookmark(self) -> int | None:
        """The version up to which VACUUM LITE has processed the log, if it recorded one."""
        path = self.root / LOG_DIRECTORY / LAST_VACUUM_INFO
        found = json.loads(path.read_text(encoding="utf-8")).get(LAST_VACUUM_KEY) if path.is_file() else None
        return None if found is None else int(found)


def _latest(stamps: dict[str, int], path: str, stamp: int) -> None:
    stamps[path] = max(stamps.get(path, 0), stamp)


def _is_inside(path: str) -> bool:
    return not path.startswith("../")


def type_of(kind: Any) -> AnyType:
    """The model's type for a type in a schema."""
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


def name_of(type: AnyType) -> object:
    """The type in a schema for a type of the model: the inverse of ``type_of``."""
    if isinstance(type, DecimalOf):
        return decimal_type(type.precision, type.scale)
    if isinstance(type, ArrayOf):
        return array_type(name_of(type.element))
    if isinstance(type, MapOf):
        return map_type(name_of(type.key), name_of(type.value))
    if isinstance(type, StructOf):
        return struct_type([Field(name, name_of(kind), name not in type.required) for name, kind in type.fields])
    return type.value

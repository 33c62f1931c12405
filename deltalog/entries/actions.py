"""The actions of a log (PROTOCOL.md, "Actions"), with how each field is in the log, in the order in which Delta writes them.

An absent field is ``None`` and is not written; unknown fields are kept in ``extra``. ``path`` is URL-encoded as in the log,
``file`` is decoded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from deltalog.entries.descriptors import VECTOR, DeletionVectorDescriptor
from deltalog.entries.fields import FLAG, PATH, TAGS, TEXT, TEXT_MAP, TEXTS, WHOLE, WHOLE_32, Logged, log, nested
from deltalog.frozen import NOTHING, WithFrozenMaps
from deltalog.storage.paths import decode

#: Identifies a logical file: the decoded path, and the deletion vector's unique id if there is one
#: (PROTOCOL.md, "Add File and Remove File"). Different encodings of a path are one file.
FileKey = tuple[str, str | None]


F = TypeVar("F", bound="_OfLogicalFile")


class _OfFile(Logged):
    """An action with the path of a file."""

    path: str

    @property
    def file(self) -> str:
        """The decoded path: relative to the table's root, or absolute. Raises MalformedPath."""
        return decode(self.path)


class _OfLogicalFile(_OfFile):
    data_change: bool
    deletion_vector: DeletionVectorDescriptor | None
    _reconciled: object

    @property
    def key(self) -> FileKey:
        return self.file, None if self.deletion_vector is None else self.deletion_vector.unique_id

    @property
    def reconciled(self: F) -> F:
        """The action as in a snapshot, where dataChange is false: one object for all snapshots."""
        if not self.data_change:
            return self
        if self._reconciled is None:
            object.__setattr__(self, "_reconciled", replace(self, data_change=False))  # type: ignore[call-arg]
        return cast("F", self._reconciled)


@dataclass(frozen=True)
class Protocol(Logged):
    """PROTOCOL.md, "Protocol Evolution". Feature lists are present from reader 3 and writer 7 on."""

    min_reader: int = field(metadata=log("minReaderVersion", WHOLE_32))
    min_writer: int = field(metadata=log("minWriterVersion", WHOLE_32))
    reader_features: tuple[str, ...] | None = field(default=None, metadata=log("readerFeatures", TEXTS))
    writer_features: tuple[str, ...] | None = field(default=None, metadata=log("writerFeatures", TEXTS))


@dataclass(frozen=True)
class Format(Logged):
    """PROTOCOL.md, "Format Specification"."""

    provider: str = field(default="parquet", metadata=log("provider", TEXT))
    options: Mapping[str, str] = field(default=NOTHING, metadata=log("options", TEXT_MAP, absent=NOTHING))


@dataclass(frozen=True)
class Metadata(Logged):
    """PROTOCOL.md, "Change Metadata". ``created_time`` is in ms since the epoch.

    Without a schemaString, as in tables of services, the table has no columns (Delta's ``Metadata.schema``).
    """

    id: str = field(metadata=log("id", TEXT))
    name: str | None = field(default=None, kw_only=True, metadata=log("name", TEXT))
    description: str | None = field(default=None, kw_only=True, metadata=log("description", TEXT))
    format: Format = field(default=Format(), kw_only=True, metadata=log("format", nested(Format, "format", "a format")))
    schema_string: str | None = field(metadata=log("schemaString", TEXT))
    partition_columns: tuple[str, ...] = field(default=(), metadata=log("partitionColumns", TEXTS))
    configuration: Mapping[str, str] = field(default=NOTHING, metadata=log("configuration", TEXT_MAP))
    created_time: int | None = field(default=None, metadata=log("createdTime", WHOLE))


@dataclass(frozen=True)
class Add(_OfLogicalFile):
    """PROTOCOL.md, "Add File and Remove File". ``size`` in bytes, ``modification_time`` in ms since the epoch."""

    path: str = field(metadata=log("path", PATH))
    partition_values: Mapping[str, str | None] = field(metadata=log("partitionValues", TEXT_MAP))
    size: int = field(metadata=log("size", WHOLE))
    modification_time: int = field(metadata=log("modificationTime", WHOLE))
    data_change: bool = field(metadata=log("dataChange", FLAG))
    stats: str | None = field(default=None, metadata=log("stats", TEXT))
    tags: Mapping[str, str | None] | None = field(default=None, metadata=log("tags", TAGS))
    deletion_vector: DeletionVectorDescriptor | None = field(default=None, metadata=log("deletionVector", VECTOR))
    base_row_id: int | None = field(default=None, metadata=log("baseRowId", WHOLE))
    default_row_commit_version: int | None = field(default=None, metadata=log("defaultRowCommitVersion", WHOLE))
    clustering_provider: str | None = field(default=None, metadata=log("clusteringProvider", TEXT))
    _reconciled: object = field(default=None, init=False, repr=False, compare=False)  # see ``reconciled``


@dataclass(frozen=True)
class Remove(_OfLogicalFile):
    """A tombstone. PROTOCOL.md, "Add File and Remove File". ``size`` in bytes, ``deletion_timestamp`` in ms since the epoch.

    Checkpoints have it without ``tags`` and ``stats``.
    """

    path: str = field(metadata=log("path", PATH))
    deletion_timestamp: int | None = field(metadata=log("deletionTimestamp", WHOLE))
    data_change: bool = field(metadata=log("dataChange", FLAG))
    extended_file_metadata: bool | None = field(default=None, metadata=log("extendedFileMetadata", FLAG))
    partition_values: Mapping[str, str | None] | None = field(default=None, metadata=log("partitionValues", TEXT_MAP))
    size: int | None = field(default=None, metadata=log("size", WHOLE))
    tags: Mapping[str, str | None] | None = field(default=None, metadata=log("tags", TAGS, in_checkpoints=False))
    deletion_vector: DeletionVectorDescriptor | None = field(default=None, metadata=log("deletionVector", VECTOR))
    base_row_id: int | None = field(default=None, metadata=log("baseRowId", WHOLE))
    default_row_commit_version: int | None = field(default=None, metadata=log("defaultRowCommitVersion", WHOLE))
    stats: str | None = field(default=None, metadata=log("stats", TEXT, in_checkpoints=False))
    _reconciled: object = field(default=None, init=False, repr=False, compare=False)  # see ``reconciled``


@dataclass(frozen=True)
class Cdc(_OfFile):
    """PROTOCOL.md, "Add CDC File". ``size`` in bytes; ``data_change`` is always false by the protocol. Not in checkpoints."""

    path: str = field(metadata=log("path", PATH))
    partition_values: Mapping[str, str | None] = field(metadata=log("partitionValues", TEXT_MAP))
    size: int = field(metadata=log("size", WHOLE))
    data_change: bool = field(default=False, metadata=log("dataChange", FLAG))
    tags: Mapping[str, str | None] | None = field(default=None, metadata=log("tags", TAGS))


@dataclass(frozen=True)
class Txn(Logged):
    """PROTOCOL.md, "Transaction Identifiers". ``last_updated`` in ms since the epoch."""

    app_id: str = field(metadata=log("appId", TEXT))
    version: int = field(metadata=log("version", WHOLE))
    last_updated: int | None = field(default=None, metadata=log("lastUpdated", WHOLE))


@dataclass(frozen=True)
class DomainMetadata(Logged):
    """PROTOCOL.md, "Domain Metadata"."""

    domain: str = field(metadata=log("domain", TEXT))
    configuration: str = field(metadata=log("configuration", TEXT))
    removed: bool = field(default=False, metadata=log("removed", FLAG))


@dataclass(frozen=True)
class CommitInfo(WithFrozenMaps):
    """PROTOCOL.md, "Commit Provenance Information". ``fields`` is the JSON object, which has no schema."""

    fields: Mapping[str, object] = field(hash=False)


@dataclass(frozen=True)
class Unknown:
    """An action of an unknown kind, which readers ignore (PROTOCOL.md, "Protocol Evolution")."""

    kind: str
    value: object = field(hash=False)


Action = Protocol | Metadata | Add | Remove | Cdc | Txn | DomainMetadata | CommitInfo | Unknown

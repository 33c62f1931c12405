"""The actions of a log (PROTOCOL.md, "Actions").

An absent field is ``None`` and is not written; unknown fields are kept in ``extra``. ``path`` is URL-encoded as in the log,
``file`` is decoded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from deltalog.descriptors import DeletionVectorDescriptor
from deltalog.frozen import FrozenMap
from deltalog.paths import decode

#: Identifies a logical file: the decoded path, and the deletion vector's unique id if there is one
#: (PROTOCOL.md, "Add File and Remove File"). Different encodings of a path are one file.
FileKey = tuple[str, str | None]

_NO_EXTRA: Mapping[str, object] = FrozenMap({})


@dataclass(frozen=True)
class Protocol:
    """PROTOCOL.md, "Protocol Evolution". Feature lists are present from reader 3 and writer 7 on."""

    min_reader: int
    min_writer: int
    reader_features: tuple[str, ...] | None = None
    writer_features: tuple[str, ...] | None = None
    extra: Mapping[str, object] = field(default=_NO_EXTRA, hash=False)


@dataclass(frozen=True)
class Metadata:
    """PROTOCOL.md, "Change Metadata". ``created_time`` is in ms since the epoch.

    Without a schemaString, as in tables of services, the table has no columns (Delta's ``Metadata.schema``).
    """

    id: str
    schema_string: str | None
    partition_columns: tuple[str, ...] = ()
    configuration: Mapping[str, str] = FrozenMap({})
    created_time: int | None = None
    name: str | None = None
    description: str | None = None
    format_provider: str = "parquet"
    format_options: Mapping[str, str] = FrozenMap({})
    extra: Mapping[str, object] = field(default=_NO_EXTRA, hash=False)

    def __post_init__(self) -> None:
        _freeze(self, "configuration", "format_options")


@dataclass(frozen=True)
class Add:
    """PROTOCOL.md, "Add File and Remove File". ``size`` in bytes, ``modification_time`` in ms since the epoch."""

    path: str
    partition_values: Mapping[str, str | None]
    size: int
    modification_time: int
    data_change: bool
    stats: str | None = None
    tags: Mapping[str, str | None] | None = None
    deletion_vector: DeletionVectorDescriptor | None = None
    base_row_id: int | None = None
    default_row_commit_version: int | None = None
    clustering_provider: str | None = None
    extra: Mapping[str, object] = field(default=_NO_EXTRA, hash=False)

    def __post_init__(self) -> None:
        _freeze(self, "partition_values", "tags")

    @property
    def file(self) -> str:
        """The decoded path: relative to the table's root, or absolute. Raises MalformedPath."""
        return decode(self.path)

    @property
    def key(self) -> FileKey:
        return _key(self.path, self.deletion_vector)


@dataclass(frozen=True)
class Remove:
    """A tombstone. PROTOCOL.md, "Add File and Remove File". ``deletion_timestamp`` in ms since the epoch."""

    path: str
    deletion_timestamp: int | None
    data_change: bool
    extended_file_metadata: bool | None = None
    partition_values: Mapping[str, str | None] | None = None
    size: int | None = None  # bytes
    stats: str | None = None
    tags: Mapping[str, str | None] | None = None
    deletion_vector: DeletionVectorDescriptor | None = None
    base_row_id: int | None = None
    default_row_commit_version: int | None = None
    extra: Mapping[str, object] = field(default=_NO_EXTRA, hash=False)

    def __post_init__(self) -> None:
        _freeze(self, "partition_values", "tags")

    @property
    def file(self) -> str:
        """The decoded path: relative to the table's root, or absolute. Raises MalformedPath."""
        return decode(self.path)

    @property
    def key(self) -> FileKey:
        return _key(self.path, self.deletion_vector)


@dataclass(frozen=True)
class Cdc:
    """PROTOCOL.md, "Add CDC File". ``size`` in bytes; ``data_change`` is always false by the protocol."""

    path: str
    partition_values: Mapping[str, str | None]
    size: int
    data_change: bool = False
    tags: Mapping[str, str | None] | None = None
    extra: Mapping[str, object] = field(default=_NO_EXTRA, hash=False)

    def __post_init__(self) -> None:
        _freeze(self, "partition_values", "tags")

    @property
    def file(self) -> str:
        """The decoded path: relative to the table's root, or absolute. Raises MalformedPath."""
        return decode(self.path)


@dataclass(frozen=True)
class Txn:
    """PROTOCOL.md, "Transaction Identifiers". ``last_updated`` in ms since the epoch."""

    app_id: str
    version: int
    last_updated: int | None = None
    extra: Mapping[str, object] = field(default=_NO_EXTRA, hash=False)


@dataclass(frozen=True)
class DomainMetadata:
    """PROTOCOL.md, "Domain Metadata"."""

    domain: str
    configuration: str
    removed: bool = False
    extra: Mapping[str, object] = field(default=_NO_EXTRA, hash=False)


@dataclass(frozen=True)
class CommitInfo:
    """PROTOCOL.md, "Commit Provenance Information". ``fields`` is the JSON object, which has no schema."""

    fields: Mapping[str, object] = field(hash=False)

    def __post_init__(self) -> None:
        _freeze(self, "fields")

    @property
    def operation(self) -> object:
        """The value of ``operation``, such as ``"DELETE"``, or ``None``."""
        return self.fields.get("operation")


@dataclass(frozen=True)
class Unknown:
    """An action of an unknown kind, which readers ignore (PROTOCOL.md, "Protocol Evolution")."""

    kind: str
    value: object = field(hash=False)


Action = Protocol | Metadata | Add | Remove | Cdc | Txn | DomainMetadata | CommitInfo | Unknown


def _key(path: str, deletion_vector: DeletionVectorDescriptor | None) -> FileKey:
    return decode(path), None if deletion_vector is None else deletion_vector.unique_id


def _freeze(action: object, *names: str) -> None:
    """Replace the named mappings by frozen copies."""
    for name in names:
        value = getattr(action, name)
        if isinstance(value, Mapping) and not isinstance(value, FrozenMap):
            object.__setattr__(action, name, FrozenMap(value))

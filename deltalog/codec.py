"""Actions to JSON and back, by one list of fields per action in the order in which Delta writes them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from deltalog.actions import Action, Add, Cdc, CommitInfo, DomainMetadata, Metadata, Protocol, Remove, Txn, Unknown
from deltalog.descriptors import DeletionVectorDescriptor
from deltalog.errors import MalformedAction, MalformedPath
from deltalog.frozen import FrozenMap
from deltalog.paths import decode


class _Wrong(Exception):
    """A field has the wrong type; the text is the expected one."""


def _text(value: object) -> object:
    if not isinstance(value, str):
        raise _Wrong("a string")
    return value


def _path(value: object) -> object:
    if not isinstance(value, str):
        raise _Wrong("a string")
    try:
        decode(value)
    except MalformedPath as error:
        raise _Wrong(f"a URI of a file, but {error}") from None
    return value


def _whole(value: object) -> object:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _Wrong("a whole number")
    return value


def _flag(value: object) -> object:
    if not isinstance(value, bool):
        raise _Wrong("true or false")
    return value


def _texts(value: object) -> object:
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        raise _Wrong("a list of strings")
    return tuple(value)


def _text_map(value: object) -> object:
    if not isinstance(value, Mapping) or not all(
        isinstance(key, str) and (item is None or isinstance(item, str)) for key, item in value.items()
    ):
        raise _Wrong("an object of strings")
    return FrozenMap(value)


def _tags(value: object) -> object:
    """Empty tags count as none: a checkpoint may have one where its commits have the other."""
    return _text_map(value) or None


def _vector(value: object) -> object:
    if not isinstance(value, Mapping):
        raise _Wrong("an object")
    try:
        return DeletionVectorDescriptor(**_read_fields("deletionVector", _VECTOR, value))
    except MalformedAction as error:
        raise _Wrong(f"a deletion vector descriptor, but {error}") from None


def _plain(value: object) -> object:
    """A value of a dataclass in JSON."""
    if isinstance(value, DeletionVectorDescriptor):
        return _write_fields(_VECTOR, value)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    return value


@dataclass(frozen=True)
class _Field:
    attribute: str
    name: str
    read: Callable[[object], object]
    required: bool = False


_VECTOR = (
    _Field("storage", "storageType", _text, required=True),
    _Field("path_or_inline", "pathOrInlineDv", _text, required=True),
    _Field("offset", "offset", _whole),
    _Field("size", "sizeInBytes", _whole, required=True),
    _Field("cardinality", "cardinality", _whole, required=True),
)

_ROW_TRACKING = (
    _Field("base_row_id", "baseRowId", _whole),
    _Field("default_row_commit_version", "defaultRowCommitVersion", _whole),
)

_KINDS: dict[str, tuple[type[Any], tuple[_Field, ...]]] = {
    "protocol": (
        Protocol,
        (
            _Field("min_reader", "minReaderVersion", _whole, required=True),
            _Field("min_writer", "minWriterVersion", _whole, required=True),
            _Field("reader_features", "readerFeatures", _texts),
            _Field("writer_features", "writerFeatures", _texts),
        ),
    ),
    "metaData": (
        Metadata,
        (
            _Field("id", "id", _text, required=True),
            _Field("name", "name", _text),
            _Field("description", "description", _text),
            # "format" is two fields of Metadata and is handled separately.
            _Field("schema_string", "schemaString", _text),
            _Field("partition_columns", "partitionColumns", _texts, required=True),
            _Field("configuration", "configuration", _text_map, required=True),
            _Field("created_time", "createdTime", _whole),
        ),
    ),
    "add": (
        Add,
        (
            _Field("path", "path", _path, required=True),
            _Field("partition_values", "partitionValues", _text_map, required=True),
            _Field("size", "size", _whole, required=True),
            _Field("modification_time", "modificationTime", _whole, required=True),
            _Field("data_change", "dataChange", _flag, required=True),
            _Field("stats", "stats", _text),
            _Field("tags", "tags", _tags),
            _Field("deletion_vector", "deletionVector", _vector),
            *_ROW_TRACKING,
            _Field("clustering_provider", "clusteringProvider", _text),
        ),
    ),
    "remove": (
        Remove,
        (
            _Field("path", "path", _path, required=True),
            _Field("deletion_timestamp", "deletionTimestamp", _whole),
            _Field("data_change", "dataChange", _flag, required=True),
            _Field("extended_file_metadata", "extendedFileMetadata", _flag),
            _Field("partition_values", "partitionValues", _text_map),
            _Field("size", "size", _whole),
            _Field("tags", "tags", _tags),
            _Field("deletion_vector", "deletionVector", _vector),
            *_ROW_TRACKING,
            _Field("stats", "stats", _text),
        ),
    ),
    "cdc": (
        Cdc,
        (
            _Field("path", "path", _path, required=True),
            _Field("partition_values", "partitionValues", _text_map, required=True),
            _Field("size", "size", _whole, required=True),
            _Field("data_change", "dataChange", _flag, required=True),
            _Field("tags", "tags", _tags),
        ),
    ),
    "txn": (
        Txn,
        (
            _Field("app_id", "appId", _text, required=True),
            _Field("version", "version", _whole, required=True),
            _Field("last_updated", "lastUpdated", _whole),
        ),
    ),
    "domainMetadata": (
        DomainMetadata,
        (
            _Field("domain", "domain", _text, required=True),
            _Field("configuration", "configuration", _text, required=True),
            _Field("removed", "removed", _flag, required=True),
        ),
    ),
}
_NAMES = {kind: name for name, (kind, _) in _KINDS.items()}


def to_json(action: Action) -> dict[str, object]:
    """The action in JSON: an object with one key, its kind. Source: PROTOCOL.md, "Actions"."""
    if isinstance(action, CommitInfo):
        return {"commitInfo": dict(action.fields)}
    if isinstance(action, Unknown):
        return {action.kind: action.value}
    name = _NAMES[type(action)]
    written = _write_fields(_KINDS[name][1], action)
    if isinstance(action, Metadata):
        written["format"] = {"provider": action.format_provider, "options": dict(action.format_options)}
    return {name: written}


def to_line(action: Action) -> str:
    """The action as a line of a commit file, without the newline."""
    return json.dumps(to_json(action), ensure_ascii=False, separators=(",", ":"))


def from_json(value: object) -> tuple[Action, ...]:
    """The actions in the JSON object of a line: at most one that the protocol defines, and any number of unknown ones.

    Keys whose value is null count as absent. An unknown kind becomes ``Unknown``, unknown fields go to ``extra``. Raises
    MalformedAction for anything that the protocol does not allow.
    Source: PROTOCOL.md, "Protocol Evolution": readers ignore what they do not know.
    """
    if not isinstance(value, Mapping):
        raise MalformedAction(f"an action must be a JSON object, not {_shown(value)}")
    present = [name for name, item in value.items() if item is not None]
    known = [name for name in present if name == "commitInfo" or name in _KINDS]
    if len(known) > 1:
        raise MalformedAction(f"an action must have exactly one kind; found {', '.join(sorted(known))}")
    return tuple(_action(name, value[name]) if name in known else Unknown(name, value[name]) for name in present)


def _action(name: str, item: object) -> Action:
    """The action of a kind that the protocol defines."""
    if not isinstance(item, Mapping):
        raise MalformedAction(f"{name} must be an object, not {_shown(item)}")
    if name == "commitInfo":
        return CommitInfo(FrozenMap(item))
    kind, fields = _KINDS[name]
    arguments = _read_fields(name, fields, item)
    if kind is Metadata:
        arguments |= _read_format(arguments)
    action: Action = kind(**arguments)
    return action


def _read_fields(kind: str, fields: tuple[_Field, ...], value: Mapping[str, object]) -> dict[str, Any]:
    """The arguments of a dataclass. Absent optional fields are ``None``."""
    arguments: dict[str, Any] = {}
    for one in fields:
        item = value.get(one.name)
        if item is None:
            if one.required:
                raise MalformedAction(f"{kind} lacks the field {one.name}")
            arguments[one.attribute] = None
            continue
        try:
            arguments[one.attribute] = one.read(item)
        except _Wrong as wrong:
            raise MalformedAction(f"{kind}.{one.name} must be {wrong}; it is {_shown(item)}") from None
    known = {one.name for one in fields}
    arguments["extra"] = FrozenMap(
        {name: item for name, item in value.items() if name not in known and item is not None}
    )
    return arguments


def _read_format(arguments: dict[str, Any]) -> dict[str, Any]:
    """Metadata's two fields for ``format``, taken out of ``extra``."""
    extra = dict(arguments["extra"])
    found = extra.pop("format", None)
    if not isinstance(found, Mapping) or not isinstance(found.get("provider"), str):
        raise MalformedAction(f"metaData.format must be an object with a provider; it is {_shown(found)}")
    try:
        options = _text_map(found.get("options") or {})
    except _Wrong as wrong:
        raise MalformedAction(f"metaData.format.options must be {wrong}; it is {_shown(found['options'])}") from None
    return {"format_provider": found["provider"], "format_options": options, "extra": FrozenMap(extra)}


def _write_fields(fields: tuple[_Field, ...], value: Any) -> dict[str, object]:
    written = {}
    for one in fields:
        item = getattr(value, one.attribute)
        if item is not None:
            written[one.name] = _plain(item)
    extra: Mapping[str, object] = value.extra
    return {**written, **extra}


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."

"""How the fields of actions are in the log, told at their dataclasses: name, kind, and whether checkpoints have it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

import pyarrow as pa

from deltalog.errors import MalformedAction, MalformedPath
from deltalog.frozen import NOTHING, FrozenMap, WithFrozenMaps
from deltalog.storage.paths import decode


class _Wrong(Exception):
    """A field has the wrong type; the text is the expected one."""


def _as_is(value: object) -> object:
    return value


@dataclass(frozen=True)
class ValueKind:
    """A kind of value: how it is read from JSON, its type in the Parquet files of checkpoints, and how it is written to JSON."""

    read: Callable[[Any], object]
    type: pa.DataType
    write: Callable[[Any], object] = _as_is


@dataclass(frozen=True)
class LogField:
    """A field of an action. ``attribute`` is its name in the dataclass, ``name`` that in the log."""

    attribute: str
    name: str
    kind: ValueKind
    in_checkpoints: bool
    required: bool
    absent: object  # what an absent field stands for


def log(name: str, kind: ValueKind, *, in_checkpoints: bool = True, absent: object = None) -> dict[str, Any]:
    """The metadata of a dataclass's field that is in the log: required there unless it may be ``absent``, or ``None``."""
    return {"log": (name, kind, in_checkpoints, absent)}


@dataclass(frozen=True)
class Logged(WithFrozenMaps):
    """A dataclass whose fields are in the log as their metadata say. ``extra`` has the fields that it does not know."""

    extra: Mapping[str, object] = field(default=NOTHING, hash=False, kw_only=True)

    @classmethod
    @cache
    def log_fields(cls) -> tuple[LogField, ...]:
        """The fields that are known, in the order in which they are written."""
        hints = get_type_hints(cls)
        found = []
        for one in fields(cls):
            if "log" in one.metadata:
                name, kind, in_checkpoints, absent = one.metadata["log"]
                required = absent is None and type(None) not in get_args(hints[one.name])
                found.append(LogField(one.name, name, kind, in_checkpoints, required, absent))
        return tuple(found)


#: A kind of action, or of a part of one.
L = TypeVar("L", bound=Logged)


def read_fields(of: type[L], name: str, value: Mapping[str, object]) -> L:
    """The dataclass of a JSON object; unknown fields go to ``extra``. Raises MalformedAction, which calls the object ``name``."""
    arguments: dict[str, Any] = {}
    for one in of.log_fields():
        item = value.get(one.name)
        if item is not None:
            try:
                arguments[one.attribute] = one.kind.read(item)
            except _Wrong as wrong:
                raise MalformedAction(f"{name}.{one.name} must be {wrong}; it is {shown(item)}") from None
        elif one.required:
            raise MalformedAction(f"{name} lacks the field {one.name}")
        else:
            arguments[one.attribute] = one.absent
    known = {one.name for one in of.log_fields()}
    extra = {key: item for key, item in value.items() if key not in known and item is not None}
    return of(**arguments, extra=FrozenMap(extra) if extra else NOTHING)


def write_fields(value: Logged) -> dict[str, object]:
    """The JSON object of a dataclass, without its fields that are ``None``."""
    written = {}
    for one in value.log_fields():
        item = getattr(value, one.attribute)
        if item is not None:
            written[one.name] = one.kind.write(item)
    return {**written, **value.extra}


def checkpoint_type(of: type[Logged]) -> pa.StructType:
    """The type of a dataclass in checkpoints (PROTOCOL.md, "Checkpoint Schema"). Delta puts an add's ``stats`` last."""
    kept = [one for one in of.log_fields() if one.in_checkpoints]
    return pa.struct([(one.name, one.kind.type) for one in sorted(kept, key=lambda one: one.name == "stats")])


def shown(value: object) -> str:
    """The JSON of a value for a message, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


def _text(value: object) -> object:
    if not isinstance(value, str):
        raise _Wrong("a string")
    return value


def _path(value: object) -> object:
    try:
        decode(str(_text(value)))
    except MalformedPath as error:
        raise _Wrong(f"a URI of a file, but {error}") from None
    return sys.intern(str(value))  # one text for all that name the file


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


def nested(of: type[Logged], name: str, words: str) -> ValueKind:
    """An object that becomes another dataclass; ``words`` say what it must be."""

    def read(value: object) -> object:
        if not isinstance(value, Mapping):
            raise _Wrong("an object")
        try:
            return read_fields(of, name, value)
        except MalformedAction as error:
            raise _Wrong(f"{words}, but {error}") from None

    return ValueKind(read, checkpoint_type(of), write_fields)


_MAP = pa.map_(pa.string(), pa.string())

TEXT = ValueKind(_text, pa.string())
PATH = ValueKind(_path, pa.string())
WHOLE = ValueKind(_whole, pa.int64())
WHOLE_32 = ValueKind(_whole, pa.int32())
FLAG = ValueKind(_flag, pa.bool_())
TEXTS = ValueKind(_texts, pa.list_(pa.string()), list)
TEXT_MAP = ValueKind(_text_map, _MAP, dict)

#: Empty tags count as none: a checkpoint may have one where its commits have the other.
TAGS = ValueKind(lambda value: _text_map(value) or None, _MAP, dict)

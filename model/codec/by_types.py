"""Reads and writes JSON by types: a dataclass is an object, a tuple an array, an enumeration the value of its member.

What no type says is in the fields of a ``ByTypes``, one for each form: of cases (``model.codec.converter``), of the records of a
run (``records.json_form``), of a comparison. ``records.schema`` makes JSON schemas of the same types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from enum import Enum
from operator import attrgetter, ge
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from model.codec.plain import (
    InvalidCase,
    Reader,
    each,
    flag,
    integer,
    list_of,
    mapping,
    nullable,
    one_of,
    refuse,
    refuse_unknown,
    shown,
    text,
    within,
)
from model.vocabulary.limits import Limit

Writer = Callable[[Any], Any]

#: No value equals it.
_NEVER = object()


def as_it_is(value: Any) -> Any:
    """Reads or writes what is JSON already."""
    return value


#: Readers that check the types of JSON.
STRICT: Mapping[Any, Reader[Any]] = {str: text, bool: flag, int: integer}

#: Readers for a document that a schema admits.
TRUSTING: Mapping[Any, Reader[Any]] = dict.fromkeys((str, bool, int, float, Any), as_it_is)


@dataclass(frozen=True)
class ByTypes:
    """A JSON form. ``readers`` and ``writers``: of the types that have their own. ``tags``: a field that a class has besides its
    own, and its value. ``renamed``: fields with another name in the document, or without one (None): these are no part of it.
    ``left_out``: whether a field is left out where it has its default. ``first``: the fields that are written before others.
    ``strict``: unknown fields are refused, and values beyond a limit; else fields that are unknown are skipped.
    """

    readers: dict[Any, Reader[Any]]
    writers: dict[Any, Writer] = field(default_factory=dict)
    tags: Mapping[type, tuple[str, str]] = field(default_factory=dict)
    renamed: Mapping[type, Mapping[str, str | None]] = field(default_factory=dict)
    left_out: Callable[[type, str], bool] = lambda kind, name: True
    first: Collection[str] = ()
    strict: bool = True

    def read(self, document: Any, kind: Any) -> Any:
        """Raises InvalidCase."""
        return self.reader(kind)(document)

    def write(self, part: object) -> Any:
        return self.writer(type(part))(part)

    def reader(self, kind: Any) -> Reader[Any]:
        if kind not in self.readers:
            self.readers[kind] = self._reader(kind)
        return self.readers[kind]

    def writer(self, kind: Any) -> Writer:
        if kind not in self.writers:
            self.writers[kind] = self._writer(kind)
        return self.writers[kind]

    def union(self, name: str, kinds: Mapping[str, type]) -> Reader[Any]:
        """Reads an object whose class depends on its field ``name``."""
        kind_of = one_of(kinds)

        def read(value: object) -> Any:
            return self.reader(within(name, kind_of, mapping(value).get(name)))(value)

        return read

    def _reader(self, kind: Any) -> Reader[Any]:
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            limits = [one for one in arguments[1:] if isinstance(one, Limit)]
            return _limited(self.reader(arguments[0]), limits if self.strict else ())
        if origin in (Union, UnionType):
            return nullable(self.reader(Union[tuple(one for one in arguments if one is not NoneType)]))
        if origin is tuple and arguments[-1] is not Ellipsis:
            names = [str(place) for place in range(len(arguments))]
            return each("places", names, [self.reader(one) for one in arguments])
        if origin is frozenset:
            return frozenset
        if origin in (tuple, Sequence):
            read_item = self.reader(arguments[0])
            return tuple if read_item is as_it_is else list_of(read_item)
        if origin is Mapping:
            read_name, read_value = map(self.reader, arguments)
            if read_name is read_value is as_it_is:
                return as_it_is
            return lambda value: {
                read_name(name): within(name, read_value, part) for name, part in mapping(value).items()
            }
        if origin is Literal:
            return one_of({one: one for one in arguments})
        if issubclass(kind, Enum):
            return one_of({member.value: member for member in kind})
        return self._object_reader(kind)

    def _fields(self, kind: Any) -> list[tuple[str, str, Any, Any]]:
        """Of each field its name in the document, its own name, its type, and its default."""
        hints, renamed = get_type_hints(kind, include_extras=True), self.renamed.get(kind, {})
        return [
            (name, one.name, hints[one.name], _default(one))
            for one in fields(kind)
            if (name := renamed.get(one.name, one.name)) is not None
        ]

    def _object_reader(self, kind: Any) -> Reader[Any]:
        """Refuses an object with the path of its first problem."""
        known = {name: (own, self.reader(type)) for name, own, type, _ in self._fields(kind)}
        required = [name for name, _, _, default in self._fields(kind) if default is _NEVER]
        allowed, strict = [*known, *self.tags.get(kind, ())[:1]], self.strict

        def read(value: object) -> Any:
            document, found, name = mapping(value), {}, ""
            if strict:
                refuse_unknown(document, allowed)
            try:
                for name, part in document.items():
                    if name in known:
                        own, read_part = known[name]
                        found[own] = part if read_part is as_it_is else read_part(part)
            except InvalidCase as error:
                raise error.within(name) from None
            except RecursionError:
                refuse("is nested too deeply", name)
            for name in required:
                if name not in document:
                    refuse("is missing", name)
            return kind(**found)

        return read

    def _writer(self, kind: Any) -> Writer:
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self.writer(arguments[0])
        if origin in (Union, UnionType):
            *others, last = (one for one in arguments if one is not NoneType)
            if others:
                return self.write
            write_last = self.writer(last)
            return as_it_is if write_last is as_it_is else lambda part: None if part is None else write_last(part)
        if origin is frozenset:
            return sorted
        if kind in (tuple, list) or (origin is tuple and arguments[-1] is not Ellipsis):
            return lambda parts: [self.write(part) for part in parts]
        if origin in (tuple, Sequence):
            write_item = self.writer(arguments[0])
            return list if write_item is as_it_is else lambda parts: [write_item(part) for part in parts]
        if origin is Mapping:
            write_name, write_value = map(self.writer, arguments)
            if write_value is write_name is as_it_is:
                return as_it_is
            return lambda part: {write_name(name): write_value(value) for name, value in part.items()}
        if isinstance(kind, type) and issubclass(kind, Enum):
            return attrgetter("_value_")  # faster than ``value``
        return self._object_writer(kind) if is_dataclass(kind) else as_it_is

    def _object_writer(self, kind: Any) -> Writer:
        """Its tag comes first, and what is always there before what may be left out."""
        tag = dict([self.tags[kind]] if kind in self.tags else ())
        parts = [
            (name, own, default if self.left_out(kind, own) else _NEVER, self.writer(type))
            for name, own, type, default in self._fields(kind)
        ]
        parts.sort(key=lambda part: (part[1] not in self.first, part[2] is not _NEVER))

        def write(part: object) -> dict[str, Any]:
            document = dict(tag)
            for name, own, default, write_part in parts:
                value = getattr(part, own)
                if default is _NEVER or value != default:
                    document[name] = value if write_part is as_it_is else write_part(value)
            return document

        return write


def _default(one: Field[Any]) -> Any:
    if one.default_factory is not MISSING:
        return one.default_factory()
    return _NEVER if one.default is MISSING else one.default


def _limited(read: Reader[Any], limits: Collection[Limit]) -> Reader[Any]:
    """Reads a value, and refuses one that is beyond a limit."""
    if not limits:
        return read

    def read_within(value: object) -> Any:
        found = read(value)
        for limit in limits:
            holds, say = _LIMITS[limit.keyword]
            if not holds(found, limit.value):
                refuse(f"{limit.said or say(limit.value)}, but is {shown(value)}")
        return found

    return read_within


#: Of each keyword whether a value is within a limit, and what it must be.
_LIMITS: Mapping[str, tuple[Callable[[Any, Any], bool], Callable[[Any], str]]] = {
    "minimum": (ge, lambda least: f"must be at least {least}" if least else "must not be negative"),
    "minItems": (
        lambda found, least: len(found) >= least if isinstance(found, Sequence) else True,
        lambda _: "must not be empty",
    ),
    "uniqueItems": (lambda found, _: len({*found}) == len(found), lambda _: "must have nothing twice"),
    "enum": (lambda found, members: found in members, lambda members: f"must be one of {', '.join(members)}"),
    "pattern": (lambda found, pattern: bool(re.search(pattern, found)), lambda pattern: f"must match {pattern}"),
}

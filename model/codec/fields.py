"""Reading JSON with every fault named: objects and their fields, arrays, and the plain values in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

#: Reads a part of a document, given the part and its path there.
Reader = Callable[[Any, str], T]


class CorruptCase(ValueError):
    """A document that is no case. The text is one sentence: where it is wrong (``steps[2].where.op``), and what is."""


def corrupt(path: str, problem: str) -> NoReturn:
    """Refuse the document for what stands at ``path``; the empty path is the document itself. Raises CorruptCase."""
    raise CorruptCase(f"{path or 'the document'}: {problem}")


class Fields:
    """A JSON object under reading: knows its path and refuses fields that nobody asked for."""

    def __init__(self, document: object, path: str, known: set[str]) -> None:
        if not isinstance(document, Mapping):
            corrupt(path, f"must be an object, but is {shown(document)}")
        self._fields = document
        self._path = path
        for name in document:
            if name not in known:
                corrupt(self.path(name), f"is no known field, those are {', '.join(sorted(known))}")

    def path(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name

    def required(self, name: str, read: Reader[T]) -> T:
        if name not in self._fields:
            corrupt(self.path(name), "is missing")
        return read(self._fields[name], self.path(name))

    def optional(self, name: str, read: Reader[T], default: T) -> T:
        return read(self._fields[name], self.path(name)) if name in self._fields else default


def shown(value: object) -> str:
    """``value`` as a message shows it: as JSON, not too long."""
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."


def tag_of(value: object, path: str, name: str) -> object:
    """The tag that says which of several kinds of object this is; ``None`` where it has none. Raises CorruptCase."""
    if not isinstance(value, Mapping):
        corrupt(path, f"must be an object, but is {shown(value)}")
    return value.get(name)


def anything(value: object, path: str) -> object:
    return value


def listed(value: object, path: str, read: Reader[T]) -> tuple[T, ...]:
    if not isinstance(value, (list, tuple)):
        corrupt(path, f"must be an array, but is {shown(value)}")
    return tuple(read(item, f"{path}[{index}]") for index, item in enumerate(value))


def list_of(read: Reader[T]) -> Reader[tuple[T, ...]]:
    return lambda value, path: listed(value, path, read)


def text(value: object, path: str) -> str:
    if not isinstance(value, str):
        corrupt(path, f"must be a string, but is {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        corrupt(path, f"holds half of a surrogate pair: {shown(value)}")
    return value


def integer(value: object, path: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        corrupt(path, f"must be a whole number, but is {shown(value)}")
    return value


def natural(value: object, path: str) -> int:
    if (number := integer(value, path)) < 0:
        corrupt(path, f"must not be negative, but is {number}")
    return number


def positive(value: object, path: str) -> int:
    if (number := integer(value, path)) < 1:
        corrupt(path, f"must be at least 1, but is {number}")
    return number


def flag(value: object, path: str) -> bool:
    if not isinstance(value, bool):
        corrupt(path, f"must be true or false, but is {shown(value)}")
    return value


def member(kind: type[E]) -> Reader[E]:
    """Reads a member of an enumeration, by its value."""

    def read(value: object, path: str) -> E:
        for member in kind:
            if value == member.value:
                return member
        corrupt(path, f"must be one of {', '.join(str(member.value) for member in kind)}, but is {shown(value)}")

    return read


def nullable(read: Reader[T]) -> Reader[T | None]:
    return lambda value, path: None if value is None else read(value, path)

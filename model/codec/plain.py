"""Readers of JSON values. Each gets a part of a document, and raises InvalidCase if it is invalid."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")

#: Reads a part of a document. The path of an InvalidCase is relative to that part.
Reader = Callable[[Any], T]


class InvalidCase(ValueError):
    """A document is not a valid case. ``path`` is the place of the problem (``steps[2].where.op``)."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(path, problem)
        self.path = path
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.path or 'the document'}: {self.problem}"

    def within(self, name: str) -> InvalidCase:
        """The same problem, with its path relative to the parent, which has this part under ``name``."""
        dot = "." if self.path and not self.path.startswith("[") else ""
        return InvalidCase(f"{name}{dot}{self.path}", self.problem)


def refuse(problem: str, at: str = "") -> NoReturn:
    """Raises InvalidCase for the current part, or for its field ``at``."""
    raise InvalidCase(at, problem)


def shown(value: object) -> str:
    """``value`` in messages: as JSON, shortened.

    >>> shown([1, None])
    '[1, null]'
    """
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."


def within(name: str, read: Reader[T], value: object) -> T:
    """Reads the part under ``name``, which is prepended to the path of an InvalidCase."""
    try:
        return read(value)
    except InvalidCase as error:
        raise error.within(name) from None


def every(name: str, check: Callable[[T], object], parts: Iterable[T]) -> None:
    """Checks each part of the array under ``name``."""
    for index, part in enumerate(parts):
        within(f"{name}[{index}]", check, part)


def mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        refuse(f"must be an object, but is {shown(value)}")
    return value


def fields_of(value: object, *names: str) -> list[Any]:
    """The fields of an object that must have exactly these."""
    fields = mapping(value)
    refuse_unknown(fields, names)
    for name in names:
        if name not in fields:
            refuse("is missing", name)
    return [fields[name] for name in names]


def refuse_unknown(found: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in found:
        if name not in known:
            refuse(f"is not a known field; those are {', '.join(sorted(known))}", name)


def array(value: object) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        refuse(f"must be an array, but is {shown(value)}")
    return value


def list_of(read: Reader[T]) -> Reader[tuple[T, ...]]:
    return lambda value: _all_of(repeat(read), array(value))


#: So many whole numbers in turn are written by the first of them and their number.
_RUN = 100


def run_of(values: Sequence[object]) -> dict[str, int] | None:
    """The form of many whole numbers, each one more than the one before; None for other values."""
    first, count = values[0] if values else None, len(values)
    if count < _RUN or type(first) is not int or values != tuple(range(first, first + count)):
        return None
    return {"from": first, "count": count}


def successive(read: Reader[T]) -> Reader[tuple[T, ...]]:
    """Reads an array, or the form of ``run_of``."""

    def numbers(value: object) -> tuple[T, ...]:
        if not isinstance(value, Mapping):
            return list_of(read)(value)
        first, count = fields_of(value, "from", "count")
        first = within("from", integer, first)
        return tuple(read(number) for number in range(first, first + within("count", _count, count)))

    return numbers


def _count(value: object) -> int:
    if (number := integer(value)) < 1:
        refuse(f"must be at least 1, but is {number}")
    return number


def each(what: str, names: Sequence[str], readers: Sequence[Reader[T]]) -> Reader[tuple[T, ...]]:
    """Reads an array with one element per reader; ``what`` and ``names`` are for messages."""

    def read(value: object) -> tuple[T, ...]:
        items = array(value)
        if len(items) != len(readers):
            refuse(f"has {len(items)} values for {len(readers)} {what} ({', '.join(names) or 'none'})")
        return _all_of(readers, items)

    return read


def _all_of(readers: Iterable[Reader[T]], items: Sequence[Any]) -> tuple[T, ...]:
    found: list[T] = []
    try:
        for read, item in zip(readers, items):
            found.append(read(item))
    except InvalidCase as error:
        raise error.within(f"[{len(found)}]") from None
    return tuple(found)


def nullable(read: Reader[T]) -> Reader[T | None]:
    return lambda value: None if value is None else read(value)


def text(value: object) -> str:
    if not isinstance(value, str):
        refuse(f"must be a string, but is {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        refuse(f"has half of a surrogate pair: {shown(value)}")
    return value


def flag(value: object) -> bool:
    if not isinstance(value, bool):
        refuse(f"must be true or false, but is {shown(value)}")
    return value


def integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        refuse(f"must be a whole number, but is {shown(value)}")
    return value


def one_of(members: Mapping[Any, T]) -> Reader[T]:
    """Reads a name, and returns its member."""
    names = f"{'one of ' if len(members) > 1 else ''}{', '.join(map(str, members))}"

    def read(value: object) -> T:
        if not isinstance(value, (str, int)) or isinstance(value, bool) or value not in members:
            refuse(f"must be {names}, but is {shown(value)}")
        return members[value]

    return read

"""A file or a tombstone in a log, in the same form from a line of a commit and from a row of a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from deltalog.entries.actions import Action, Add, Remove
from deltalog.entries.codec import from_json
from deltalog.entries.descriptors import DeletionVectorDescriptor
from deltalog.errors import MalformedAction, MalformedPath
from deltalog.storage.paths import decode

#: The members of statistics (PROTOCOL.md, "Per-file Statistics").
MEMBERS = ("numRecords", "minValues", "maxValues", "nullCount", "tightBounds")
_QUOTED = tuple((1 << place, f'"{member}"') for place, member in enumerate(MEMBERS))

#: The columns of a checkpoint that a shape asks for, by what the paths of their leaves begin with.
_COLUMNS = (
    *("protocol", "metaData", "txn", "domainMetadata", "sidecar", "remove.path", "remove.deletionVector"),
    *("add.path", "add.size", "add.partitionValues", "add.deletionVector", "add.stats"),
)
_STRUCT = "add.stats_parsed."


class LoggedStatistics(NamedTuple):
    """A form of statistics, and the bits of ``MEMBERS`` that it has: those of the JSON, if there is one."""

    word: Literal["json", "none", "struct", "struct-and-json"]
    members: int


class LoggedFile(NamedTuple):  # there may be a million
    """A file, or its tombstone, of which only the paths and the vector count. ``path`` is as in the log, ``file`` decoded."""

    path: str
    file: str
    removed: bool
    size: int
    partitions: Mapping[str, str | None]
    vector: DeletionVectorDescriptor | None
    statistics: LoggedStatistics


def of_action(action: Add | Remove) -> LoggedFile:
    values = action.partition_values or {}
    form = _form(None if action.stats is None else _members(action.stats))
    removed = isinstance(action, Remove)
    return LoggedFile(action.path, action.file, removed, action.size or 0, values, action.deletion_vector, form)


class Rows:
    """The rows of a checkpoint's files, of whose columns only some are read. ``take`` gets the files."""

    def __init__(self, take: Callable[[LoggedFile], None]) -> None:
        self._take = take
        self._struct = 0  # the members of the struct's type in the file that is read

    def columns(self, leaves: Sequence[str]) -> Sequence[str]:
        """One leaf of the statistics' struct is enough: it tells whether a row has one."""
        struct = [leaf for leaf in leaves if leaf.startswith(_STRUCT)]
        self._struct = sum(bit for bit, name in _QUOTED if any(one.split(".")[2] == name[1:-1] for one in struct))
        wanted = [leaf for leaf in leaves if any(leaf == top or leaf.startswith(f"{top}.") for top in _COLUMNS)]
        return [*wanted, *struct[:1]]

    def read(self, row: Mapping[str, Any]) -> tuple[Action, ...]:
        """The actions that are about no file. Raises MalformedAction."""
        add = row.get("add")
        file = row.get("remove") if add is None else add
        if file is None:
            return from_json(row)
        self._take(self._file(file, removed=add is None))
        return ()

    def _file(self, value: Mapping[str, Any], *, removed: bool) -> LoggedFile:
        path, size = value.get("path"), 0 if removed else value.get("size")
        if not isinstance(path, str) or not isinstance(size, int):
            raise MalformedAction(f"a file lacks the field {'size' if isinstance(path, str) else 'path'}")
        try:
            file = decode(path)
        except MalformedPath as error:
            raise MalformedAction(str(error)) from None
        logged = value.get("deletionVector")
        vector = None if logged is None else _vector(logged)
        text, struct = value.get("stats"), value.get("stats_parsed")
        form = _form(None if text is None else _members(text), None if struct is None else self._struct)
        return LoggedFile(path, file, removed, size, value.get("partitionValues") or {}, vector, form)


def _vector(logged: Mapping[str, Any]) -> DeletionVectorDescriptor | None:
    """Some writers have an empty struct instead of NULL."""
    if logged.get("storageType") is None:
        return None
    return DeletionVectorDescriptor(
        logged["storageType"],
        logged.get("pathOrInlineDv") or "",
        offset=logged.get("offset"),
        size=logged.get("sizeInBytes") or 0,
        cardinality=logged.get("cardinality") or 0,
    )


def _members(text: str) -> int:
    """The bits of ``MEMBERS`` in the JSON of statistics.

    The text is searched, not parsed: bounds may be long, and a file whose statistics are about columns has all these members.
    """
    return sum([bit for bit, name in _QUOTED if name in text])


@cache
def _form(json: int | None, struct: int | None = None) -> LoggedStatistics:
    """By the members of the JSON, and those of the struct."""
    if json is None:
        return LoggedStatistics("none", 0) if struct is None else LoggedStatistics("struct", struct)
    return LoggedStatistics("json" if struct is None else "struct-and-json", json)

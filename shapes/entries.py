"""A shape as a set of entries, so that two shapes can be compared: words such as ``feature deletionVectors``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from shapes.shape import Properties, Shape


class EntryGroup(str, Enum):
    """What an entry is about: the first word of it."""

    FEATURE = "feature"
    PROPERTY = "property"
    PARTITION = "partition"
    COLUMN = "column"
    PATH = "path"
    STATISTICS = "statistics"
    VECTORS = "vectors"
    FILES = "files"


def entries_of(shape: Shape) -> tuple[str, ...]:
    """The entries of a shape, sorted, each once.

    Of a property with a number, a duration or a text there is the name alone: two retentions are alike here.
    """
    return tuple(sorted(set(_entries(shape))))


def group_of(entry: str) -> EntryGroup:
    return EntryGroup(entry.partition(" ")[0])


def name_of(entry: str) -> str:
    """An entry in words for readers: ``clustering``, ``partition by string``.

    >>> [name_of(one) for one in ("feature clustering", "partition string", "path uri", "files 1000")]
    ['clustering', 'partition by string', 'paths: uri', '1000 to 9999 files']
    """
    group, own = group_of(entry), entry.partition(" ")[2]
    if group is EntryGroup.FILES:
        return "no file" if own == "0" else f"{own} to {10 * int(own) - 1} files"
    return f"{_WORDS[group]}{own}"


_WORDS = {
    EntryGroup.FEATURE: "",
    EntryGroup.PROPERTY: "",
    EntryGroup.PARTITION: "partition by ",
    EntryGroup.COLUMN: "columns of ",
    EntryGroup.PATH: "paths: ",
    EntryGroup.STATISTICS: "statistics: ",
    EntryGroup.VECTORS: "deletion vectors: ",
}


def _entries(shape: Shape) -> Iterator[str]:
    for group, found in _groups(shape).items():
        yield from (f"{group.value} {one}" for one in found)


#: What nearly every table has: a legacy protocol has both.
OF_ALL = frozenset({"appendOnly", "invariants"})


def _groups(shape: Shape) -> dict[EntryGroup, list[str]]:
    inner = (*shape.columns.kinds, *shape.columns.nested)
    return {
        EntryGroup.FEATURE: [one for one in shape.protocol.features if one not in OF_ALL],
        EntryGroup.PROPERTY: list(_properties(shape.properties)),
        EntryGroup.PARTITION: [one.type for one in shape.columns.partition],
        EntryGroup.COLUMN: [one.type for one in inner],
        EntryGroup.PATH: list(shape.paths.forms),
        EntryGroup.STATISTICS: [one.form for one in shape.statistics],
        EntryGroup.VECTORS: list(shape.vectors.kinds),
        EntryGroup.FILES: [str(shape.sizes.files)],
    }


#: A flag, or a word of Delta such as ``name``.
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def _properties(properties: Properties) -> Iterator[str]:
    for name, value in properties.known.items():
        yield f"{name} = {value}" if _WORD.fullmatch(value) and value not in ("set", "other") else name
    if properties.constraints:
        yield "delta.constraints"

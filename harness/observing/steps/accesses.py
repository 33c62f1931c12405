"""What a step asked of storage, by operation and by kind of path."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from deltalog.storage.names import LAST_CHECKPOINT, LOG_DIRECTORY, SIDECARS, LogFileKind, parse_name
from engines.port import Access
from model.prediction.paths import is_vector_file
from model.vocabulary.accesses import Operation, PathKind
from records.run import Asked

#: A file that is written under a temporary name and renamed: Delta's LogStore, and Hadoop's AtomicReplacingFile.
_TEMPORARY = re.compile(r"\.(.+)\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp")

_OF_LOG_FILES: Mapping[LogFileKind, PathKind] = {
    **dict.fromkeys(LogFileKind, PathKind.CHECKPOINT),
    LogFileKind.COMMIT: PathKind.COMMIT,
    LogFileKind.COMPACTED: PathKind.COMMIT,
    LogFileKind.CHECKSUM: PathKind.CHECKSUM,
}


def is_change_file(path: str) -> bool:
    return path.startswith("_change_data/") or path.rpartition("/")[2].startswith("cdc-")


def kind_of_path(path: str, *, is_directory: bool) -> PathKind:
    """Of a path from the table's root, ``""`` for the root itself."""
    top, _, below = path.partition("/")
    if top != LOG_DIRECTORY:
        if is_directory or not path:
            return PathKind.DIRECTORY
        if is_change_file(path):
            return PathKind.CHANGE_FILE
        return PathKind.VECTOR if is_vector_file(path) else PathKind.DATA_FILE
    if is_directory or not below:
        return PathKind.LOG
    name = below.rpartition("/")[2]
    if temporary := _TEMPORARY.fullmatch(name):
        name = temporary[1]
    if below.startswith(f"{SIDECARS}/") or name == LAST_CHECKPOINT:
        return PathKind.CHECKPOINT
    parsed = parse_name(name)
    return PathKind.OTHER if parsed is None else _OF_LOG_FILES[parsed.kind]


def by_kind(accesses: Iterable[Access], directories: Collection[str]) -> dict[tuple[Operation, PathKind], list[Access]]:
    """The accesses in the order of operations and kinds. ``directories``: the paths that are known to be some."""
    found: dict[tuple[Operation, PathKind], list[Access]] = {}
    for one in accesses:
        is_directory = one.operation is Operation.LIST or one.path in directories
        found.setdefault((one.operation, kind_of_path(one.path, is_directory=is_directory)), []).append(one)
    order = list(Operation), list(PathKind)
    return dict(sorted(found.items(), key=lambda item: (order[0].index(item[0][0]), order[1].index(item[0][1]))))


def asked(accesses: Iterable[Access]) -> Asked:
    """The same without the paths."""
    every = tuple(accesses)
    return Asked(sum(one.calls for one in every), len(every), sum(one.size for one in every))

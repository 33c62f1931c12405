"""Ways to tamper with the files of ``_delta_log`` other than the step's commits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from deltalog.storage.names import (
    LAST_CHECKPOINT,
    LAST_VACUUM_INFO,
    LOG_DIRECTORY,
    SIDECARS,
    LogFileKind,
    commit_name,
    parse_name,
)
from faults.machinery import documents, files
from faults.machinery.tampering import Tampering
from selfcheck.tampering import checkpoint_fields
from selfcheck.tampering.values import changes
from selfcheck.tampering.way import Way, of_file, of_path, swap

_POINTERS = (LAST_CHECKPOINT, LAST_VACUUM_INFO)

#: Kinds of files that hold one JSON object.
_DOCUMENTS = (*_POINTERS, LogFileKind.CHECKSUM.value)

_JUNK = {
    "a file": "junk",
    "a hidden file": ".junk.tmp",
    "a file that looks like a commit": "00000000000000000000.json.tmp",
    "a checkpoint of a later version": "00000000000000000999.checkpoint.parquet",
    "a checksum of a later version": "00000000000000000999.crc",
    "a commit of a version far ahead": "00000000000000000999.json",
    "a file in a directory": "junk/junk",
    "a sidecar": f"{SIDECARS}/junk.parquet",
}


def ways(t: Tampering) -> Iterator[Way]:
    """The ways for the files that were there before, that the step wrote, and for files that nobody wrote."""
    old: dict[str, str] = {}
    new: dict[str, str] = {}
    written = {commit_name(version) for version in t.log.written}
    for path in _files(t.root):
        name = path.rpartition("/")[2]
        before = t.before / path
        if name in written or not before.exists():
            new.setdefault(kind_of(name, path), path)
        elif before.read_bytes() != (t.root / path).read_bytes():
            new.setdefault(kind_of(name, path), path)  # a pointer that the step moved
        else:
            old.setdefault(_with_place(t, name, kind_of(name, path)), path)
    for kind, path in old.items():
        yield from of_file(f"log before: {kind}", path, t.root)
    for kind, path in new.items():
        if kind == LogFileKind.COMMIT.value:
            continue  # selfcheck.tampering.commits
        yield from of_file(f"log after: {kind}", path, t.root)
        yield from _documents(f"log after: {kind}", kind, path, t)
        if path.endswith(".parquet"):
            yield from checkpoint_fields.ways(f"log after: {kind}", path, t)
    for kind, pair in _pairs(t, old.values()).items():
        yield Way(f"log before: {kind} swapped with another", swap(*pair))
    below = [
        f"{LOG_DIRECTORY}/{commit_name(version)}" for version in t.log.history if version < t.log.newest_checkpoint
    ]
    if below:
        yield Way("log before: all commits below the checkpoint removed", files.delete_all(files.these(*below)))
    gone = [path for path in _files(t.before) if not (t.root / path).exists()]
    if gone:
        yield Way("log before: a file that was cleaned up restored", files.restore_all(files.these(gone[0])))
    for what, name in _JUNK.items():
        yield Way(f"log junk: {what}", files.write(f"{LOG_DIRECTORY}/{name}", b"x"))
    yield of_path("log junk: an empty directory", f"{LOG_DIRECTORY}/junk", Path.mkdir)


def kind_of(name: str, path: str) -> str:
    """What kind of file of the log this is."""
    if f"/{SIDECARS}/" in path and not name.startswith("."):
        return "sidecar"
    if name in _POINTERS:
        return name
    if name.startswith(".") and name.endswith(".crc"):
        return "checksum of the file system"
    parsed = parse_name(name)
    return "other file" if parsed is None else parsed.kind.value


def _with_place(t: Tampering, name: str, kind: str) -> str:
    """A commit's kind with its place: the first, the last, or below a checkpoint."""
    parsed = parse_name(name)
    if parsed is None or parsed.kind is not LogFileKind.COMMIT:
        return kind
    if parsed.version < t.log.newest_checkpoint:
        return "commit below a checkpoint"
    return "last commit" if parsed.version == max(t.log.history) else "commit"


def _pairs(t: Tampering, known: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Two files of a kind that were there before and differ, by kind, for those of ``known`` that have such another."""
    files = [path for path in _files(t.before) if (t.root / path).exists()]
    found: dict[str, tuple[str, str]] = {}
    for path in known:
        kind = kind_of(path.rpartition("/")[2], path)
        for other in files:
            alike = other != path and kind_of(other.rpartition("/")[2], other) == kind
            if alike and (t.root / other).read_bytes() != (t.root / path).read_bytes():
                found.setdefault(kind, (path, other))
    return found


def _files(root: Path) -> list[str]:
    """The files of the log, from the root, sorted."""
    return sorted(path.relative_to(root).as_posix() for path in (root / LOG_DIRECTORY).rglob("*") if path.is_file())


def _documents(what: str, kind: str, path: str, t: Tampering) -> Iterator[Way]:
    if kind not in _DOCUMENTS:
        return
    try:
        document = json.loads((t.root / path).read_bytes())
    except ValueError:
        return
    if not isinstance(document, dict):
        return
    for name, change in changes(document):
        yield Way(f"{what}: {name}", documents.in_objects(files.these(path), change))

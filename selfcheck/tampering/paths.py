"""Ways to tamper with what is outside the log: every kind of path below the root and beside it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from deltalog.storage.names import LOG_DIRECTORY
from faults.machinery import files
from faults.machinery.disk import kept_time
from faults.machinery.tampering import Tampering
from selfcheck.tampering.way import Way, of_file, of_path, swap, touch

_JUNK = {
    "a file": "junk",
    "a data file": "part-00000-junk.c000.snappy.parquet",
    "a hidden file": "_junk",
    "a file with a dot": ".junk",
    "a file in a new directory": "junk/junk",
    "a change file": "_change_data/junk.parquet",
    "a file of a deletion vector": "deletion_vector_junk.bin",
    "a checksum of a file that does not exist": ".junk.crc",
    "a file beside the root": "../junk",
}


def ways(t: Tampering) -> Iterator[Way]:
    """The ways for one path of each kind that was there before, that is new, and that the step deleted."""
    old: dict[str, str] = {}
    gone: dict[str, str] = {}
    pairs: dict[str, tuple[str, str]] = {}
    for path, form in t.disk.kinds.items():
        there = os.path.lexists(t.root / path)
        kind = kind_of(t, path, form)
        if there and kind in old and form == "file" and kind not in pairs and _differ(t, old[kind], path):
            pairs[kind] = (old[kind], path)
        (old if there else gone).setdefault(kind, path)
    for kind, path in old.items():
        yield from _of_path(t, f"path before: {kind}", path)
    for kind, pair in pairs.items():
        yield Way(f"path before: {kind} swapped with another", swap(*pair))
    for kind, path in gone.items():
        yield Way(f"path deleted: {kind} restored", files.restore_all(files.these(path)))
    # An engine may have followed a link and deleted one.
    for path in [path for path in t.disk.beside if (t.root / path).is_file()][:1]:
        yield from of_file("path before: file beside the root", path, t.root)
    new: dict[str, str] = {}
    for path in t.disk.new("**/*", dots=True):
        if not path.startswith(f"{LOG_DIRECTORY}/"):
            new.setdefault(kind_of(t, path, "file"), path)
    for kind, path in new.items():
        yield from of_file(f"path after: {kind}", path, t.root)
        yield of_path(f"path after: {kind} doubled", path, lambda file: shutil.copy2(file, _copied(file)))
        yield of_path(f"path after: {kind} renamed", path, lambda file: file.rename(_renamed(file)))
    for what, name in _JUNK.items():
        yield Way(f"path junk: {what}", files.write(name, b"x"))
    yield of_path("path junk: an empty data file", "part-00000-empty.c000.snappy.parquet", _write_empty_data_file)
    yield of_path("path junk: an empty directory", "junk", Path.mkdir)
    yield of_path("path junk: a hidden directory", "_junk", Path.mkdir)
    yield of_path("path junk: a link", "junk", lambda path: path.symlink_to("nowhere"))


def kind_of(t: Tampering, path: str, form: str) -> str:
    """What kind of path this is to the log: a live file, an orphan, …"""
    if form != "file":
        filled = form == "directory" and any((t.before / path).iterdir())
        leads = "directory " if form == "link" and (t.root / path).is_dir() else ""  # the link is to a directory
        return f"{'hidden ' if t.hidden(path) else ''}{leads}{form}{' with something in it' if filled else ''}"
    if path in t.log.live:
        return "live file"
    if path in t.log.live_vectors:
        return "file of a live deletion vector"
    if path in t.log.tombstones or path in t.log.vector_tombstones:
        removed = max(t.log.tombstones.get(path, 0), t.log.vector_tombstones.get(path, 0))
        return f"removed file, {'inside' if removed >= t.cutoff else 'beyond'} retention"
    if path.endswith(".crc"):
        return "checksum of the file system"
    if t.hidden(path):
        return "hidden file"
    if path.startswith("_change_data/"):
        return "change file"
    if path.rpartition("/")[2].startswith("deletion_vector_"):
        return "file of a deletion vector"
    if not t.disk.existed(path):
        return "data file"
    return f"{'old' if t.old(path) else 'young'} orphan"


def _differ(t: Tampering, one: str, other: str) -> bool:
    return (t.root / one).read_bytes() != (t.root / other).read_bytes()


def _of_path(t: Tampering, what: str, path: str) -> Iterator[Way]:
    form = t.disk.kinds[path]
    if form == "file":
        yield from of_file(what, path, t.root)
        yield of_path(f"{what} renamed", path, lambda file: file.rename(_renamed(file)))
        yield of_path(f"{what} replaced by a directory", path, _replace_by_directory)
        return
    yield of_path(f"{what} removed", path, Path.unlink if form == "link" else shutil.rmtree)
    yield of_path(f"{what} touched", path, touch)
    if form == "link":
        yield of_path(f"{what} retargeted", path, _retarget)
        yield of_path(f"{what} replaced by a file", path, _replace_by_file)


def _copied(path: Path) -> Path:
    return path.with_name(f"copy-{path.name}")


def _renamed(path: Path) -> Path:
    return path.with_name(f"{path.name}-renamed")


def _replace_by_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _replace_by_file(path: Path) -> None:
    path.unlink()
    path.write_bytes(b"x")


def _retarget(path: Path) -> None:
    with kept_time(path):
        path.unlink()
        path.symlink_to("nowhere-else")


def _write_empty_data_file(path: Path) -> None:
    pq.write_table(pa.table({"x": pa.array([], pa.int64())}), path)

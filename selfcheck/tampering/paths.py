"""Ways to tamper with what is outside the log: every kind of path below the root and beside it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from faults.machinery.tampering import Tampering
from selfcheck.tampering.way import Way, junk, of_file, restore, swap, touch

_MINUTE = 60_000_000_000  # ns

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
        yield Way(f"path deleted: {kind} restored", restore(path))
    # An engine may have followed a link and deleted one.
    for path in [path for path in t.disk.beside if (t.root / path).is_file()][:1]:
        yield from of_file("path before: file beside the root", path, t.root)
    new: dict[str, str] = {}
    for path in _new(t):
        new.setdefault(kind_of(t, path, "file"), path)
    for kind, path in new.items():
        yield from of_file(f"path after: {kind}", path, t.root)
        yield Way(f"path after: {kind} doubled", _copy(path))
        yield Way(f"path after: {kind} renamed", _rename(path))
    for what, name in _JUNK.items():
        yield Way(f"path junk: {what}", junk(name))
    yield Way("path junk: an empty data file", _empty_data_file)
    yield Way("path junk: an empty directory", lambda t: (t.root / "junk").mkdir())
    yield Way("path junk: a hidden directory", lambda t: (t.root / "_junk").mkdir())
    yield Way("path junk: a link", lambda t: (t.root / "junk").symlink_to("nowhere"))


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
        yield Way(f"{what} renamed", _rename(path))
        yield Way(f"{what} replaced by a directory", _replace_by_directory(path))
    elif form == "link":
        yield Way(f"{what} removed", lambda t: (t.root / path).unlink())
        yield Way(f"{what} retargeted", _retarget(path))
        yield Way(f"{what} touched", lambda t: touch(t.root / path, _MINUTE))
        yield Way(f"{what} replaced by a file", _replace_by_file(path))
    else:
        yield Way(f"{what} removed", lambda t: shutil.rmtree(t.root / path))
        yield Way(f"{what} touched", lambda t: touch(t.root / path, _MINUTE))


def _new(t: Tampering) -> list[str]:
    """The files below the root and outside the log that the step wrote, sorted."""
    found = []
    for directory, names, files in os.walk(t.root):
        if directory == str(t.root):
            names[:] = [name for name in names if name != "_delta_log"]
        found += [os.path.relpath(os.path.join(directory, file), t.root) for file in files]
    return sorted(path for path in found if not t.disk.existed(path))


def _copy(path: str) -> Callable[[Tampering], None]:
    def tamper(t: Tampering) -> None:
        directory, _, name = path.rpartition("/")
        shutil.copy2(t.root / path, t.root / directory / f"copy-{name}")

    return tamper


def _rename(path: str) -> Callable[[Tampering], None]:
    def tamper(t: Tampering) -> None:
        directory, _, name = path.rpartition("/")
        (t.root / path).rename(t.root / directory / f"{name}-renamed")

    return tamper


def _replace_by_directory(path: str) -> Callable[[Tampering], None]:
    def tamper(t: Tampering) -> None:
        (t.root / path).unlink()
        (t.root / path).mkdir()

    return tamper


def _replace_by_file(path: str) -> Callable[[Tampering], None]:
    def tamper(t: Tampering) -> None:
        (t.root / path).unlink()
        (t.root / path).write_bytes(b"x")

    return tamper


def _retarget(path: str) -> Callable[[Tampering], None]:
    def tamper(t: Tampering) -> None:
        at = (t.root / path).stat(follow_symlinks=False).st_mtime_ns
        (t.root / path).unlink()
        (t.root / path).symlink_to("nowhere-else")
        os.utime(t.root / path, ns=(at, at), follow_symlinks=False)

    return tamper


def _empty_data_file(t: Tampering) -> None:
    pq.write_table(pa.table({"x": pa.array([], pa.int64())}), t.root / "part-00000-empty.c000.snappy.parquet")

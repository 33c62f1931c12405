"""Builds tamperings with files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from deltalog.storage.names import LAST_CHECKPOINT, LOG_DIRECTORY, checksum_name, commit_name
from faults.machinery.disk import drop_checksum
from faults.machinery.fault import Tamper
from faults.machinery.tampering import Tampering

ChosenPaths = Callable[[Tampering], Iterable[str]]

POINTER = f"{LOG_DIRECTORY}/{LAST_CHECKPOINT}"

# Which files ----------------------------------------------------------------------------------------------------------


def these(*paths: str) -> ChosenPaths:
    return lambda t: paths


def live(t: Tampering) -> list[str]:
    return sorted(t.log.live)


def untouched(t: Tampering) -> list[str]:
    """The live files that the step did not remove, if it committed."""
    removed = t.log.removed
    return [path for path in live(t) if t.log.written and path not in removed and (t.root / path).is_file()]


def tombstones(t: Tampering) -> list[str]:
    """The removed files."""
    return sorted(t.log.tombstones)


def removed_at(after_cutoff: Callable[[int], bool]) -> ChosenPaths:
    """The removed files for which the ms from the cutoff to the tombstone satisfy ``after_cutoff``."""
    return lambda t: [path for path in tombstones(t) if after_cutoff(t.log.tombstones[path] - t.cutoff)]


def unknown(t: Tampering) -> list[str]:
    """The files that no action refers to, including hidden ones."""
    known = {*t.log.live, *t.log.tombstones, *t.log.live_vectors, *t.log.vector_tombstones}
    return [path for path in t.disk.files if path not in known]


def unreferenced(t: Tampering) -> list[str]:
    """The visible files that no action refers to."""
    return [path for path in unknown(t) if not t.hidden(path)]


def unreferenced_at(after_cutoff: int) -> ChosenPaths:
    """The visible files that no action refers to and that were modified so many ms after the cutoff."""
    return lambda t: [path for path in unreferenced(t) if t.disk.modified(path) == t.cutoff + after_cutoff]


def protected(t: Tampering) -> list[str]:
    """The unreferenced, removed and live files: a VACUUM has to keep those of them that it has not deleted."""
    return [*unreferenced(t), *tombstones(t), *live(t)]


def hidden(t: Tampering) -> list[str]:
    return [path for path in t.disk.files if t.hidden(path)]


def everything(t: Tampering) -> Iterable[str]:
    """The files, directories and links."""
    return t.disk.kinds


def new(pattern: str) -> ChosenPaths:
    """The files that the step wrote and the pattern finds."""
    return lambda t: t.disk.new(pattern)


def commits(t: Tampering) -> list[str]:
    """The commits of the step."""
    return [f"{LOG_DIRECTORY}/{commit_name(version)}" for version in t.log.written]


def checksums(t: Tampering) -> list[str]:
    """The version checksums of the step."""
    found = (f"{LOG_DIRECTORY}/{checksum_name(version)}" for version in t.log.written)
    return [path for path in found if (t.root / path).is_file()]


#: The Parquet files of new checkpoints, sidecars too.
checkpoint_files = new(f"{LOG_DIRECTORY}/**/*.parquet")


def oldest_commit(t: Tampering) -> list[str]:
    return [f"{LOG_DIRECTORY}/{commit_name(min(t.log.history))}"] if t.log.history else []


# Changes of them ------------------------------------------------------------------------------------------------------


def delete_first(paths: ChosenPaths) -> Tamper:
    """Delete the first of these files that still exists."""

    def tamper(t: Tampering) -> None:
        any(t.disk.delete(path) for path in paths(t))

    return tamper


def delete_all(paths: ChosenPaths) -> Tamper:
    return in_each(paths, lambda path: path.unlink() if path.is_file() else None)


def delete_old(paths: ChosenPaths) -> Tamper:
    """Delete those of these files that are older than the cutoff."""
    return delete_all(lambda t: [path for path in paths(t) if t.old(path)])


def restore_first(paths: ChosenPaths) -> Tamper:
    """Restore the first of these files that the step deleted."""

    def tamper(t: Tampering) -> None:
        any(t.disk.restore(path) for path in paths(t))

    return tamper


def restore_all(paths: ChosenPaths) -> Tamper:
    """Restore those of these paths that the step deleted."""

    def tamper(t: Tampering) -> None:
        for path in paths(t):
            t.disk.restore(path)

    return tamper


def write(name: str, content: bytes = b"PAR1") -> Tamper:
    """Leave a file, perhaps in a new directory."""

    def tamper(t: Tampering) -> None:
        (t.root / name).parent.mkdir(parents=True, exist_ok=True)
        drop_checksum(t.root / name)
        (t.root / name).write_bytes(content)

    return tamper


def in_each(paths: ChosenPaths, change: Callable[[Path], object]) -> Tamper:
    """Do something to each of these files."""

    def tamper(t: Tampering) -> None:
        for path in paths(t):
            change(t.root / path)

    return tamper


def with_bytes(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    """The content of a file becomes another."""

    def rewrite(path: Path) -> None:
        drop_checksum(path)
        path.write_bytes(change(path.read_bytes()))

    return rewrite


cut_off = with_bytes(lambda data: data[:-20])
truncate = with_bytes(lambda _: b"")
add_a_line = with_bytes(lambda data: data + b"\n")


def use_cutoff(cutoff: Callable[[Tampering], int]) -> Tamper:
    """Restore what an earlier cutoff would have kept, delete what a later one would have deleted."""

    def tamper(t: Tampering) -> None:
        for path in t.disk.files:
            if t.hidden(path) or path in t.log.live or path in t.log.live_vectors:
                continue
            removed = max(t.log.tombstones.get(path, 0), t.log.vector_tombstones.get(path, 0))
            if t.disk.modified(path) < cutoff(t) and removed <= cutoff(t):
                t.disk.delete(path)
            else:
                t.disk.restore(path)

    return tamper

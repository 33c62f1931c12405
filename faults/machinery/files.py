"""Builds tamperings with files."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from faults.machinery.fault import Tamper
from faults.machinery.tampering import Tampering

ChosenPaths = Callable[[Tampering], Iterable[str]]

# Which files ----------------------------------------------------------------------------------------------------------


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


# Changes of them ------------------------------------------------------------------------------------------------------


def delete_first(paths: ChosenPaths) -> Tamper:
    """Delete the first of these files that still exists."""

    def tamper(t: Tampering) -> None:
        any(t.disk.delete(path) for path in paths(t))

    return tamper


def delete_all(paths: ChosenPaths) -> Tamper:
    def tamper(t: Tampering) -> None:
        for path in paths(t):
            t.disk.delete(path)

    return tamper


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


def write(name: str) -> Tamper:
    def tamper(t: Tampering) -> None:
        (t.root / name).write_bytes(b"PAR1")

    return tamper


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

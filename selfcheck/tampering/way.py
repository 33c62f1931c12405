"""A way to tamper with what a step left."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engines.port import Outcome
from faults.machinery.tampering import Tampering

_MINUTE = 60_000_000_000  # ns


@dataclass(frozen=True)
class Way:
    """``name`` says what is tampered with and how, without the names of files, so that it is the same in all cases."""

    name: str
    tamper: Callable[[Tampering], Outcome | None]  # None: the answer stays
    on_disk: bool = True  # whether it changes the table


def of_file(what: str, path: str, root: Path) -> Iterator[Way]:
    """The ways for an existing file at a path from the root."""
    yield Way(f"{what} removed", lambda t: (t.root / path).unlink())
    if (root / path).stat().st_size:
        yield Way(f"{what} emptied", lambda t: _write(t.root / path, b""))
        yield Way(f"{what} rewritten", lambda t: _write(t.root / path, _flipped((t.root / path).read_bytes())))
    yield Way(f"{what} touched", lambda t: touch(t.root / path, _MINUTE))
    yield Way(f"{what} made older", lambda t: touch(t.root / path, -_MINUTE))


def touch(path: Path, by: int) -> None:
    """Move the modification time by this many ns."""
    at = path.stat(follow_symlinks=False).st_mtime_ns + by
    os.utime(path, ns=(at, at), follow_symlinks=False)


def junk(path: str, data: bytes = b"x") -> Callable[[Tampering], None]:
    """Write a new file."""

    def tamper(t: Tampering) -> None:
        (t.root / path).parent.mkdir(parents=True, exist_ok=True)
        (t.root / path).write_bytes(data)

    return tamper


def restore(path: str) -> Callable[[Tampering], None]:
    """Restore a path that the step deleted."""

    def tamper(t: Tampering) -> None:
        t.disk.restore(path)

    return tamper


def swap(one: str, other: str) -> Callable[[Tampering], None]:
    """Exchange the bytes of two files, but not their modification times."""

    def tamper(t: Tampering) -> None:
        first, second = (t.root / one).read_bytes(), (t.root / other).read_bytes()
        _write(t.root / one, second)
        _write(t.root / other, first)

    return tamper


def _write(path: Path, data: bytes) -> None:
    """Replace the bytes, but not the modification time."""
    at = path.stat().st_mtime_ns
    path.write_bytes(data)
    os.utime(path, ns=(at, at))


def _flipped(data: bytes) -> bytes:
    """The same length, with another first byte and other bytes in the middle."""
    places = {0, *range(len(data) // 2, min(len(data) // 2 + 4, len(data)))}
    return bytes(byte ^ 1 if place in places else byte for place, byte in enumerate(data))

"""A way to tamper with what a step left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engines.port import Outcome
from faults.machinery.disk import kept_time, move_time
from faults.machinery.tampering import Tampering
from model.vocabulary.table import MINUTE


@dataclass(frozen=True)
class Way:
    """``name`` says what is tampered with and how, without the names of files, so that it is the same in all cases."""

    name: str
    tamper: Callable[[Tampering], Outcome | None]  # None: the answer stays
    on_disk: bool = True  # whether it changes the table


def of_path(name: str, path: str, change: Callable[[Path], object]) -> Way:
    """Something is done to what lies at a path from the root."""

    def tamper(t: Tampering) -> None:
        change(t.root / path)

    return Way(name, tamper)


def of_file(what: str, path: str, root: Path) -> Iterator[Way]:
    """The ways for an existing file at a path from the root."""
    yield of_path(f"{what} removed", path, Path.unlink)
    if (root / path).stat().st_size:
        yield of_path(f"{what} emptied", path, lambda file: _write(file, b""))
        yield of_path(f"{what} rewritten", path, lambda file: _write(file, _flipped(file.read_bytes())))
    yield of_path(f"{what} touched", path, touch)
    yield of_path(f"{what} made older", path, lambda file: move_time(file, -MINUTE))


def touch(path: Path) -> None:
    """Move the modification time by a minute."""
    move_time(path, MINUTE)


def swap(one: str, other: str) -> Callable[[Tampering], None]:
    """Exchange the bytes of two files, but not their modification times."""

    def tamper(t: Tampering) -> None:
        first, second = (t.root / one).read_bytes(), (t.root / other).read_bytes()
        _write(t.root / one, second)
        _write(t.root / other, first)

    return tamper


def _write(path: Path, data: bytes) -> None:
    """Replace the bytes, but not the modification time."""
    with kept_time(path):
        path.write_bytes(data)


def _flipped(data: bytes) -> bytes:
    """The same length, with another first byte and other bytes in the middle."""
    places = {0, *range(len(data) // 2, min(len(data) // 2 + 4, len(data)))}
    return bytes(byte ^ 1 if place in places else byte for place, byte in enumerate(data))

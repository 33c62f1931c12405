"""A way to tamper with what a step left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from faults.machinery.disk import kept_time, move_time
from faults.machinery.fault import Tamper
from faults.machinery.members import Edit, JsonAction
from faults.machinery.tampering import Tampering
from model.vocabulary.table import MINUTE


@dataclass(frozen=True)
class Way:
    """``name`` says what is tampered with and how, without the names of files, so that it is the same in all cases."""

    name: str
    tamper: Tamper
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


def of_actions(
    what: str,
    actions: list[JsonAction],
    save: Callable[[list[JsonAction]], Tamper],
    changes: Callable[[str, JsonAction], Iterable[tuple[str, Edit]]],
    *,
    alike: Callable[[str, JsonAction, JsonAction], bool] = lambda *_: False,
) -> Iterator[Way]:
    """An action of each kind dropped and doubled; each of its fields changed, and swapped with another action's.

    ``alike``: whether two actions may as well exchange a field.
    """
    for kind in dict.fromkeys(kind for action in actions for kind in action):
        places = [place for place, action in enumerate(actions) if kind in action]
        at, named, first = places[0], f"{what}: {kind}", actions[places[0]][kind]
        for name, change in changes(kind, first):
            edited = deepcopy(actions)
            change(edited[at][kind])
            yield Way(f"{named}.{name}", save(edited))
        for field in first:
            differing = (place for place in places[1:] if actions[place][kind].get(field) != first[field])
            other = next((place for place in differing if not alike(field, first, actions[place][kind])), None)
            if other is not None:
                edited = deepcopy(actions)
                edited[at][kind][field], edited[other][kind][field] = actions[other][kind].get(field), first[field]
                yield Way(f"{named}.{field} swapped with another's", save(edited))
        yield Way(f"{named} dropped", save(actions[:at] + actions[at + 1 :]))
        yield Way(f"{named} doubled", save([*actions, actions[at]]))


def swap(one: str, other: str) -> Tamper:
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

"""Finds and reads checkpoints: V1 in one or several files, and V2 with sidecars."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from deltalog.checkpoints.files import Choose, Read, actions_of, is_kind, read_file
from deltalog.checkpoints.parsed_columns import STATISTICS
from deltalog.entries.actions import Action, Add, Metadata, Unknown
from deltalog.errors import MalformedPath, UnreadableCheckpoint
from deltalog.frozen import FrozenMap
from deltalog.storage.names import SIDECARS, LogFileKind, parse_name
from deltalog.storage.paths import decode
from deltalog.storage.store import LOCAL, Store
from deltalog.values.schemas import parse_schema, timestamp_ntz_paths
from deltalog.values.statistics import struct_statistics


@dataclass(frozen=True)
class LoggedCheckpoint:
    """A complete checkpoint: its version and its files, in order."""

    version: int
    files: tuple[Path, ...]


@dataclass(frozen=True)
class Sidecar:
    """A sidecar of a V2 checkpoint: the fields of the action that names it, its file, and the actions in it."""

    fields: Mapping[str, object]
    file: Path
    actions: tuple[Action, ...]


@dataclass(frozen=True)
class CheckpointParts:
    """The actions of a checkpoint by where they are: in its own files, those that name sidecars too, and in its sidecars."""

    own: tuple[Action, ...]
    sidecars: tuple[Sidecar, ...]

    @property
    def metadata(self) -> tuple[object, ...]:
        """The values of the ``checkpointMetadata`` actions."""
        return tuple(action.value for action in self.own if is_kind(action, "checkpointMetadata"))

    @property
    def actions(self) -> tuple[Action, ...]:
        """All actions but those that name sidecars."""
        own = (action for action in self.own if not is_kind(action, "sidecar"))
        return (*own, *(action for sidecar in self.sidecars for action in sidecar.actions))


def find_checkpoints(files: Iterable[Path]) -> tuple[LoggedCheckpoint, ...]:
    """The complete checkpoints among the files of a log, by version.

    One with missing parts is ignored. Source: PROTOCOL.md, "Checkpoints".
    """
    found: list[LoggedCheckpoint] = []
    parts: dict[tuple[int, int], dict[int, Path]] = {}
    for path in sorted(files):
        name = parse_name(path.name)
        if name is None:
            continue
        if name.kind in (LogFileKind.CHECKPOINT, LogFileKind.CHECKPOINT_UUID):
            found.append(LoggedCheckpoint(name.version, (path,)))
        elif name.kind is LogFileKind.CHECKPOINT_PART:
            parts.setdefault((name.version, name.parts), {})[name.part] = path
    for (version, count), by_part in parts.items():
        if sorted(by_part) == list(range(1, count + 1)):
            found.append(LoggedCheckpoint(version, tuple(by_part[part] for part in range(1, count + 1))))
    return tuple(sorted(found, key=lambda checkpoint: (checkpoint.version, checkpoint.files)))


def read_checkpoint(checkpoint: LoggedCheckpoint) -> tuple[Action, ...]:
    """All actions of a checkpoint, including its sidecars.

    Statistics that are only a struct become JSON; other parsed columns are skipped. Raises UnreadableCheckpoint, and
    MalformedAction for statistics that are only a struct under an invalid schema.
    Source: PROTOCOL.md, "Checkpoints" and "V2 Spec".
    """
    actions = read_parts(checkpoint).actions
    if not any(isinstance(action, Add) and STATISTICS in action.extra for action in actions):
        return actions
    schema = next((action.schema_string for action in actions if isinstance(action, Metadata)), None)
    local = timestamp_ntz_paths(parse_schema(schema))
    return tuple(_with_statistics(action, local) if isinstance(action, Add) else action for action in actions)


def read_parts(
    checkpoint: LoggedCheckpoint, store: Store = LOCAL, read: Read = actions_of, choose: Choose | None = None
) -> CheckpointParts:
    """The actions of a checkpoint as they are, by where they are: see ``read_file``. Each file is read once.

    Raises UnreadableCheckpoint and StoreError. Source: PROTOCOL.md, "V2 Spec" and "Sidecar Files".
    """
    own: list[Action] = []
    sidecars: list[Sidecar] = []
    for path in checkpoint.files:
        actions = read_file(path, store, read, choose)
        own += actions
        for action in actions:
            if is_kind(action, "sidecar"):
                file = sidecar_file(path, action)
                fields = action.value if isinstance(action.value, Mapping) else {}
                sidecars.append(Sidecar(fields, file, read_file(file, store, read, choose)))
    return CheckpointParts(tuple(own), tuple(sidecars))


def sidecars_of(checkpoint: LoggedCheckpoint, store: Store) -> list[Path]:
    """The files of its sidecars; a checkpoint in parts has none, and is not read. Raises UnreadableCheckpoint."""
    files = checkpoint.files if len(checkpoint.files) == 1 else ()
    return [
        sidecar_file(path, action) for path in files for action in read_file(path, store) if is_kind(action, "sidecar")
    ]


def _with_statistics(add: Add, local: Container[tuple[str, ...]]) -> Add:
    """The action with its statistics as JSON."""
    parsed = add.extra.get(STATISTICS)
    if not isinstance(parsed, Mapping):
        return add
    extra = {name: value for name, value in add.extra.items() if name != STATISTICS}
    return replace(add, stats=struct_statistics(parsed, local), extra=FrozenMap(extra))


def sidecar_file(checkpoint: Path, action: Unknown) -> Path:
    """The sidecar that an action of a checkpoint names, by its name or its whole path, of which only the name counts in a table
    that may lie anywhere: one whose checkpoint has a relative path. Raises UnreadableCheckpoint.
    """
    try:
        name = decode(str(action.value["path"])) if isinstance(action.value, Mapping) else ""
    except (KeyError, MalformedPath):
        name = ""
    if not name:
        raise UnreadableCheckpoint(f"{checkpoint.name} has a sidecar action without a usable path: {action.value!r}")
    return checkpoint.parent / SIDECARS / (name if checkpoint.is_absolute() else name.rpartition("/")[2])

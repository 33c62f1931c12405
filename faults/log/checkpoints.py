"""Faults of DELETE and of VACUUM in what a checkpoint holds and says of itself, in its own file, its sidecars and the pointer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from deltalog.checkpoints.checksums import json_checksum
from deltalog.storage.lines import json_lines
from deltalog.storage.names import LAST_CHECKPOINT, LOG_DIRECTORY, SIDECARS, LogFileKind, parse_name
from faults.machinery.disk import drop_checksum
from faults.machinery.fault import Tamper, delete_fault, vacuum_fault, when
from faults.machinery.rows import read_rows, write_rows
from faults.machinery.runs import completed
from faults.machinery.table_log import JsonAction
from faults.machinery.tampering import Tampering
from model.vocabulary.table import Feature

_WHOLE = (LogFileKind.CHECKPOINT, LogFileKind.CHECKPOINT_UUID)

#: Fields that no checkpoint has, by the kind of action.
_COMMIT_INFO = pa.field("commitInfo", pa.struct({"operation": pa.string()}))
_PROTOCOL = pa.field("protocol", pa.struct({"minReaderVersion": pa.int32(), "minWriterVersion": pa.int32()}))


# Which files ----------------------------------------------------------------------------------------------------------


def _new(t: Tampering, directory: Path) -> list[Path]:
    """The files in a directory of the log that the step wrote, sorted."""
    found = sorted(path for path in directory.glob("*") if path.is_file() and not path.name.startswith("."))
    return [path for path in found if not t.disk.existed(path.relative_to(t.root).as_posix())]


def _checkpoints(t: Tampering) -> list[Path]:
    """The checkpoints of the step in one file, without sidecars."""
    names = [(path, parse_name(path.name)) for path in _new(t, t.root / LOG_DIRECTORY)]
    return [path for path, name in names if name is not None and name.kind in _WHOLE]


def _sidecars(t: Tampering) -> list[Path]:
    return _new(t, t.root / LOG_DIRECTORY / SIDECARS)


def _with_files(t: Tampering) -> list[Path]:
    """The files that hold the adds and removes of the step's checkpoints."""
    return _sidecars(t) or _checkpoints(t)


# Edits of their actions -----------------------------------------------------------------------------------------------


def _edit(path: Path, change: Callable[[list[JsonAction]], object], *more: pa.Field) -> None:
    """Change the actions of a checkpoint's file, in JSON or in Parquet with ``more`` columns. Maps are lists in Parquet."""
    if path.suffix == ".json":
        actions = json_lines(path.read_bytes())
        change(actions)
        drop_checksum(path)
        path.write_text("".join(f"{json.dumps(action)}\n" for action in actions), encoding="utf-8")
        return
    table = read_rows(path)
    rows = [{kind: value for kind, value in row.items() if value is not None} for row in table.to_pylist()]
    change(rows)
    schema = table.schema
    for column in more:
        schema = schema if column.name in schema.names else schema.append(column)
    write_rows(path, pa.Table.from_pylist(rows, schema=schema))


def _change_each(kind: str, change: Callable[[JsonAction], object]) -> Tamper:
    """Change each action of a kind in the step's checkpoints."""

    def edit(actions: list[JsonAction]) -> None:
        for action in actions:
            if kind in action:
                change(action[kind])

    def tamper(t: Tampering) -> None:
        for path in _checkpoints(t):
            _edit(path, edit)

    return tamper


def _append(action: JsonAction, column: pa.Field, files: Callable[[Tampering], list[Path]]) -> Tamper:
    def tamper(t: Tampering) -> None:
        for path in files(t):
            _edit(path, lambda actions: actions.append(action), column)

    return tamper


def _change_data(t: Tampering) -> None:
    """Set dataChange in every add and remove."""

    def edit(actions: list[JsonAction]) -> None:
        for action in actions:
            for kind in action.keys() & {"add", "remove"}:
                action[kind]["dataChange"] = True

    for path in _with_files(t):
        _edit(path, edit)


def _bare_removes(t: Tampering) -> None:
    """Leave out of every remove what a checkpoint may leave out."""
    optional = ("extendedFileMetadata", "partitionValues", "size")

    def edit(actions: list[JsonAction]) -> None:
        for action in actions:
            if "remove" in action:
                action["remove"].update(dict.fromkeys(action["remove"].keys() & set(optional)))

    for path in _with_files(t):
        _edit(path, edit)


def _drop_metadata(t: Tampering) -> None:
    def edit(actions: list[JsonAction]) -> None:
        actions[:] = [action for action in actions if "checkpointMetadata" not in action]

    for path in _checkpoints(t):
        _edit(path, edit)


def _miscount(metadata: JsonAction) -> None:
    tags = metadata.get("tags") or {}
    counts = {key: "999" if key == "sidecarNumActions" else value for key, value in dict(tags).items()}
    metadata["tags"] = type(tags)(counts.items())


def _move_to_own_file(t: Tampering) -> None:
    """Move the first action of a sidecar into the checkpoint's own file."""
    for sidecar, path in zip(_sidecars(t), _checkpoints(t)):
        rows = read_rows(sidecar)
        moved = {kind: value for kind, value in rows.slice(0, 1).to_pylist()[0].items() if value is not None}
        write_rows(sidecar, rows.slice(1))
        if path.suffix == ".json":
            for fields in moved.values():
                fields["partitionValues"] = dict(fields["partitionValues"])
                fields.update(
                    {name: None for name in ("tags", "stats_parsed", "partitionValues_parsed") if name in fields}
                )
        _edit(path, lambda actions, moved=moved: actions.append(moved))  # type: ignore[misc]


def _in_pointer(change: Callable[[JsonAction], object]) -> Tamper:
    """Change what _last_checkpoint embeds of a new V2 checkpoint, and give it the checksum that goes with it."""

    def tamper(t: Tampering) -> None:
        path = t.root / LOG_DIRECTORY / LAST_CHECKPOINT
        if not _checkpoints(t) or not path.is_file():
            return
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if "v2Checkpoint" in document:
            change(document["v2Checkpoint"])
            document["checksum"] = json_checksum(document)
            drop_checksum(path)
            path.write_text(json.dumps(document), encoding="utf-8")

    return tamper


def _lose_definition(embedded: JsonAction) -> None:
    actions = embedded.get("nonFileActions") or []
    embedded["nonFileActions"] = [action for action in actions if "metaData" not in action]


_INFO = {"commitInfo": {"operation": "DELETE"}}
_OLD_PROTOCOL = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
_NEEDS = [Feature.FREQUENT_CHECKPOINTS]

# fmt: off
FAULTS = (
    delete_fault("delete-checkpoint-keeps-its-commit-info", "DEL-CKPT-4", _append(_INFO, _COMMIT_INFO, _checkpoints),
        "A checkpoint that DELETE writes has the commitInfo of its commit.", needs=_NEEDS),
    delete_fault("delete-checkpoint-bares-its-removes", "DEL-CKPT-10", _bare_removes,
        "In a checkpoint that DELETE writes, removes have no size and no partition values.", needs=_NEEDS),
    delete_fault("delete-checkpoint-changes-data", "DEL-CKPT-5", _change_data,
        "In a checkpoint that DELETE writes, all files have dataChange=true.", needs=_NEEDS),
    delete_fault("delete-checkpoint-without-its-metadata", "DEL-CKPT-6", _drop_metadata,
        "A V2 checkpoint that DELETE writes has no checkpointMetadata.", needs=_NEEDS),
    delete_fault("delete-checkpoint-of-another-version", "DEL-CKPT-6",
        _change_each("checkpointMetadata", lambda metadata: metadata.update(version=metadata["version"] + 1)),
        "The checkpointMetadata of a V2 checkpoint that DELETE writes names the next version.", needs=_NEEDS),
    delete_fault("delete-checkpoint-miscounts-its-sidecars", "DEL-CKPT-6", _change_each("checkpointMetadata", _miscount),
        "A V2 checkpoint that DELETE writes counts other actions in its sidecars than there are.", needs=_NEEDS),
    delete_fault("delete-names-a-smaller-sidecar", "DEL-CKPT-7",
        _change_each("sidecar", lambda sidecar: sidecar.update(sizeInBytes=sidecar["sizeInBytes"] - 1)),
        "A V2 checkpoint that DELETE writes names a sidecar with one byte less than it has.", needs=_NEEDS),
    delete_fault("delete-names-an-ageless-sidecar", "DEL-CKPT-7",
        _change_each("sidecar", lambda sidecar: sidecar.update(modificationTime=0)),
        "A V2 checkpoint that DELETE writes names a sidecar with the modification time 0.", needs=_NEEDS),
    delete_fault("delete-divides-a-checkpoint", "DEL-CKPT-8", _move_to_own_file,
        "A V2 checkpoint that DELETE writes has one file action in its own file, the others in a sidecar.",
        needs=_NEEDS),
    delete_fault("delete-embeds-no-sidecar", "DEL-CKPT-9", _in_pointer(lambda embedded: embedded.update(sidecarFiles=[])),
        "_last_checkpoint says of a V2 checkpoint that DELETE writes that it has no sidecar.", needs=_NEEDS),
    delete_fault("delete-embeds-another-time", "DEL-CKPT-9",
        _in_pointer(lambda embedded: embedded.update(modificationTime=1)),
        "_last_checkpoint has another modification time than the V2 checkpoint that DELETE writes.", needs=_NEEDS),
    vacuum_fault("vacuum-checkpoint-keeps-its-commit-info", "VAC-CKPT-6",
        when(completed, _append(_INFO, _COMMIT_INFO, _checkpoints)),
        "A checkpoint that VACUUM writes has the commitInfo of its commit.", needs=_NEEDS),
    vacuum_fault("vacuum-checkpoint-bares-its-removes", "VAC-CKPT-12", when(completed, _bare_removes),
        "In a checkpoint that VACUUM writes, removes have no size and no partition values.", needs=_NEEDS),
    vacuum_fault("vacuum-checkpoint-changes-data", "VAC-CKPT-7", when(completed, _change_data),
        "In a checkpoint that VACUUM writes, all files have dataChange=true.", needs=_NEEDS),
    vacuum_fault("vacuum-checkpoint-without-its-metadata", "VAC-CKPT-8", when(completed, _drop_metadata),
        "A V2 checkpoint that VACUUM writes has no checkpointMetadata.", needs=_NEEDS),
    vacuum_fault("vacuum-names-a-smaller-sidecar", "VAC-CKPT-9",
        when(completed, _change_each("sidecar", lambda sidecar: sidecar.update(sizeInBytes=sidecar["sizeInBytes"] - 1))),
        "A V2 checkpoint that VACUUM writes names a sidecar with one byte less than it has.", needs=_NEEDS),
    vacuum_fault("vacuum-writes-a-protocol-into-a-sidecar", "VAC-CKPT-10",
        when(completed, _append(_OLD_PROTOCOL, _PROTOCOL, _sidecars)),
        "A sidecar that VACUUM writes has a protocol.", needs=_NEEDS),
    vacuum_fault("vacuum-embeds-no-definition", "VAC-CKPT-11", when(completed, _in_pointer(_lose_definition)),
        "_last_checkpoint leaves out the metaData of a V2 checkpoint that VACUUM writes.", needs=_NEEDS),
)
# fmt: on

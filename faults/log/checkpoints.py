"""Faults of DELETE and of VACUUM in what a checkpoint holds and says of itself, in its own file, its sidecars and the pointer."""

from __future__ import annotations

import pyarrow as pa

from deltalog.checkpoints.checksums import json_checksum
from deltalog.storage.names import LOG_DIRECTORY, SIDECARS, LogFileKind, parse_name
from faults.machinery import files
from faults.machinery.documents import each, edit_file, in_files, whole, without
from faults.machinery.fault import Tamper, delete_fault, vacuum_fault, when
from faults.machinery.files import ChosenPaths
from faults.machinery.members import Edit, JsonAction, becomes, put, put_present, raised, within
from faults.machinery.rows import read_rows, write_rows
from faults.machinery.runs import completed
from faults.machinery.tampering import Tampering
from model.vocabulary.table import Feature

_WHOLE = (LogFileKind.CHECKPOINT, LogFileKind.CHECKPOINT_UUID)

#: Fields that no checkpoint has, by the kind of action.
_COMMIT_INFO = pa.field("commitInfo", pa.struct({"operation": pa.string()}))
_PROTOCOL = pa.field("protocol", pa.struct({"minReaderVersion": pa.int32(), "minWriterVersion": pa.int32()}))


# Which files ----------------------------------------------------------------------------------------------------------


def _checkpoints(t: Tampering) -> list[str]:
    """The checkpoints of the step in one file, without sidecars."""
    names = [(path, parse_name(path.rpartition("/")[2])) for path in t.disk.new(f"{LOG_DIRECTORY}/*")]
    return [path for path, name in names if name is not None and name.kind in _WHOLE]


_sidecars = files.new(f"{LOG_DIRECTORY}/{SIDECARS}/*")


def _with_files(t: Tampering) -> list[str]:
    """The files that hold the adds and removes of the step's checkpoints."""
    return [*_sidecars(t)] or _checkpoints(t)


# Edits of their actions -----------------------------------------------------------------------------------------------


def _in_sidecars(edit: Edit) -> Tamper:
    return in_files(_checkpoints, each("sidecar", edit))


def _in_metadata(edit: Edit) -> Tamper:
    return in_files(_checkpoints, each("checkpointMetadata", edit))


def _append(action: JsonAction, column: pa.Field, files: ChosenPaths) -> Tamper:
    return in_files(files, lambda actions: actions.append(action), column)


def _change_data(actions: list[JsonAction]) -> None:
    for kind in ("add", "remove"):
        each(kind, put(dataChange=True))(actions)


#: Leave out of every remove what a checkpoint may leave out.
_BARE = each(
    "remove", put_present(extendedFileMetadata=None), put_present(partitionValues=None), put_present(size=None)
)


def _miscount(metadata: JsonAction) -> None:
    tags = metadata.get("tags") or {}
    counts = {key: "999" if key == "sidecarNumActions" else value for key, value in dict(tags).items()}
    metadata["tags"] = type(tags)(counts.items())


def _move_to_own_file(t: Tampering) -> None:
    """Move the first action of a sidecar into the checkpoint's own file."""
    for of_files, own in zip(_sidecars(t), _checkpoints(t)):
        sidecar, path = t.root / of_files, t.root / own
        rows = read_rows(sidecar)
        moved = {kind: value for kind, value in rows.slice(0, 1).to_pylist()[0].items() if value is not None}
        write_rows(sidecar, rows.slice(1))
        if path.suffix == ".json":
            for fields in moved.values():
                fields["partitionValues"] = dict(fields["partitionValues"])
                fields.update(
                    {name: None for name in ("tags", "stats_parsed", "partitionValues_parsed") if name in fields}
                )
        edit_file(path, lambda actions, moved=moved: actions.append(moved))  # type: ignore[misc]


def in_pointer(*edits: Edit) -> Tamper:
    """Change what _last_checkpoint embeds of a new V2 checkpoint, and give it the checksum that goes with it."""

    def edit(document: JsonAction) -> None:
        if "v2Checkpoint" in document:
            within("v2Checkpoint", *edits)(document)
            document["checksum"] = json_checksum(document)

    return in_files(
        lambda t: [files.POINTER] if _checkpoints(t) and (t.root / files.POINTER).is_file() else [], whole(edit)
    )


def _without_definition(actions: list[JsonAction]) -> list[JsonAction]:
    return [action for action in actions if "metaData" not in action]


_WITHOUT_METADATA = without(lambda action: "checkpointMetadata" in action)
_INFO = {"commitInfo": {"operation": "DELETE"}}
_OLD_PROTOCOL = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
_NEEDS = [Feature.FREQUENT_CHECKPOINTS]

# fmt: off
FAULTS = (
    delete_fault("delete-checkpoint-keeps-its-commit-info", "DEL-CKPT-4", _append(_INFO, _COMMIT_INFO, _checkpoints),
        "A checkpoint that DELETE writes has the commitInfo of its commit.", needs=_NEEDS),
    delete_fault("delete-checkpoint-bares-its-removes", "DEL-CKPT-10", in_files(_with_files, _BARE),
        "In a checkpoint that DELETE writes, removes have no size and no partition values.", needs=_NEEDS),
    delete_fault("delete-checkpoint-changes-data", "DEL-CKPT-5", in_files(_with_files, _change_data),
        "In a checkpoint that DELETE writes, all files have dataChange=true.", needs=_NEEDS),
    delete_fault("delete-checkpoint-without-its-metadata", "DEL-CKPT-6", in_files(_checkpoints, _WITHOUT_METADATA),
        "A V2 checkpoint that DELETE writes has no checkpointMetadata.", needs=_NEEDS),
    delete_fault("delete-checkpoint-of-another-version", "DEL-CKPT-6", _in_metadata(raised("version")),
        "The checkpointMetadata of a V2 checkpoint that DELETE writes names the next version.", needs=_NEEDS),
    delete_fault("delete-checkpoint-miscounts-its-sidecars", "DEL-CKPT-6", _in_metadata(_miscount),
        "A V2 checkpoint that DELETE writes counts other actions in its sidecars than there are.", needs=_NEEDS),
    delete_fault("delete-names-a-smaller-sidecar", "DEL-CKPT-7", _in_sidecars(raised("sizeInBytes", by=-1)),
        "A V2 checkpoint that DELETE writes names a sidecar with one byte less than it has.", needs=_NEEDS),
    delete_fault("delete-names-an-ageless-sidecar", "DEL-CKPT-7", _in_sidecars(put(modificationTime=0)),
        "A V2 checkpoint that DELETE writes names a sidecar with the modification time 0.", needs=_NEEDS),
    delete_fault("delete-divides-a-checkpoint", "DEL-CKPT-8", _move_to_own_file,
        "A V2 checkpoint that DELETE writes has one file action in its own file, the others in a sidecar.", needs=_NEEDS),
    delete_fault("delete-embeds-no-sidecar", "DEL-CKPT-9", in_pointer(put(sidecarFiles=[])),
        "_last_checkpoint says of a V2 checkpoint that DELETE writes that it has no sidecar.", needs=_NEEDS),
    delete_fault("delete-embeds-another-time", "DEL-CKPT-9", in_pointer(put(modificationTime=1)),
        "_last_checkpoint has another modification time than the V2 checkpoint that DELETE writes.", needs=_NEEDS),
    vacuum_fault("vacuum-checkpoint-keeps-its-commit-info", "VAC-CKPT-6",
        when(completed, _append(_INFO, _COMMIT_INFO, _checkpoints)),
        "A checkpoint that VACUUM writes has the commitInfo of its commit.", needs=_NEEDS),
    vacuum_fault("vacuum-checkpoint-bares-its-removes", "VAC-CKPT-12", when(completed, in_files(_with_files, _BARE)),
        "In a checkpoint that VACUUM writes, removes have no size and no partition values.", needs=_NEEDS),
    vacuum_fault("vacuum-checkpoint-changes-data", "VAC-CKPT-7", when(completed, in_files(_with_files, _change_data)),
        "In a checkpoint that VACUUM writes, all files have dataChange=true.", needs=_NEEDS),
    vacuum_fault("vacuum-checkpoint-without-its-metadata", "VAC-CKPT-8", when(completed, in_files(_checkpoints, _WITHOUT_METADATA)),
        "A V2 checkpoint that VACUUM writes has no checkpointMetadata.", needs=_NEEDS),
    vacuum_fault("vacuum-names-a-smaller-sidecar", "VAC-CKPT-9", when(completed, _in_sidecars(raised("sizeInBytes", by=-1))),
        "A V2 checkpoint that VACUUM writes names a sidecar with one byte less than it has.", needs=_NEEDS),
    vacuum_fault("vacuum-writes-a-protocol-into-a-sidecar", "VAC-CKPT-10",
        when(completed, _append(_OLD_PROTOCOL, _PROTOCOL, _sidecars)),
        "A sidecar that VACUUM writes has a protocol.", needs=_NEEDS),
    vacuum_fault("vacuum-embeds-no-definition", "VAC-CKPT-11", when(completed, in_pointer(becomes("nonFileActions", _without_definition))),
        "_last_checkpoint leaves out the metaData of a V2 checkpoint that VACUUM writes.", needs=_NEEDS),
)
# fmt: on

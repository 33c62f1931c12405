"""The log of a table before a step, and what the step committed, to be edited."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import cast

from deltalog.entries.actions import Add, Metadata, Remove
from deltalog.entries.codec import to_json
from deltalog.entries.commits import LoggedCommit
from deltalog.errors import MalformedPath
from deltalog.log import Log, read_log
from deltalog.snapshot import Snapshot
from deltalog.storage.lines import json_lines
from deltalog.storage.names import LOG_DIRECTORY, LogFileKind, checksum_name, commit_name, parse_name
from deltalog.storage.paths import decode, from_root
from deltalog.storage.times import set_modified
from deltalog.values.schemas import Field, parse_schema
from engines.port import now
from faults.machinery.disk import drop_checksum
from faults.machinery.members import JsonAction


class TableLog:
    """Paths of files are relative to ``root``. ``before`` is the root of the copy that was made before the step."""

    def __init__(self, root: Path, before: Path) -> None:
        self._root = root
        self._before = before

    # ---- before the step

    @cached_property
    def _log(self) -> Log:
        return read_log(self._before)

    @property
    def history(self) -> Mapping[int, LoggedCommit]:
        """The commits by version."""
        return self._log.commits

    @cached_property
    def first_definition(self) -> Metadata | None:
        """The metadata of the first commit that is left, if it has any."""
        first = self.history[min(self.history)] if self.history else None
        return next((action for action in first.actions if isinstance(action, Metadata)), None) if first else None

    @property
    def newest_checkpoint(self) -> int:
        """The version of the newest checkpoint, -1 without one."""
        return max((checkpoint.version for checkpoint in self._log.checkpoints), default=-1)

    @property
    def half_checkpoint(self) -> bool:
        """Whether the newest checkpoint cannot be read."""
        return self._log.half_checkpoint

    @cached_property
    def state(self) -> Snapshot:
        return self._log.snapshot()

    @cached_property
    def live(self) -> dict[str, JsonAction]:
        """The adds of the live files below the root, by path."""
        adds = {self.file(add): replace(add, data_change=True) for add in self.state.adds.values()}
        return {path: _fields(add) for path, add in adds.items() if not path.startswith("../")}

    @cached_property
    def tombstones(self) -> dict[str, int]:
        """The latest deletionTimestamp of each removed file below the root."""
        found = _latest((self.file(remove), remove) for remove in self.state.removes.values())
        return {path: at for path, at in found.items() if path not in self.live and not path.startswith("../")}

    @cached_property
    def references(self) -> list[Add | Remove]:
        """The actions of live and of removed files."""
        return [*self.state.adds.values(), *self.state.removes.values()]

    @cached_property
    def outside(self) -> list[str]:
        """The referenced files outside the root, sorted."""
        return sorted({path for path in map(self.file, self.references) if path.startswith("../")})

    @cached_property
    def live_vectors(self) -> set[str]:
        """The deletion-vector files of live files."""
        return {path for path in map(self.vector_file, self.state.adds.values()) if path}

    @cached_property
    def vector_tombstones(self) -> dict[str, int]:
        """The latest deletionTimestamp of each deletion-vector file that only removed files refer to."""
        found = _latest((self.vector_file(remove), remove) for remove in self.state.removes.values())
        return {path: at for path, at in found.items() if path and path not in self.live_vectors}

    def file(self, action: Add | Remove) -> str:
        return from_root(action.file, str(self._root))

    def vector_file(self, action: Add | Remove) -> str | None:
        """The path of the file with the action's deletion vector; None without one, and for an inline one."""
        file = action.deletion_vector.file if action.deletion_vector else None
        return None if file is None else from_root(file, str(self._root))

    # ---- the table's metadata

    @property
    def configuration(self) -> Mapping[str, str]:
        """The table properties."""
        return self.state.metadata.configuration

    def has(self, key: str) -> bool:
        """Whether a table property is "true"."""
        return self.configuration.get(key) == "true"

    @property
    def partition_by(self) -> tuple[str, ...]:
        return self.state.metadata.partition_columns

    @property
    def fields(self) -> tuple[Field, ...]:
        return tuple(parse_schema(self.state.metadata.schema_string))

    @property
    def types(self) -> dict[str, str]:
        """The types of the columns, as strings."""
        return {field.name: str(field.type) for field in self.fields}

    @property
    def maps_columns(self) -> bool:
        return self.configuration.get("delta.columnMapping.mode") in ("name", "id")

    @property
    def physical_names(self) -> dict[str, str]:
        """The physical names of the columns by their logical names."""
        return {field.name: field.stored_name for field in self.fields}

    # ---- what the step committed

    @cached_property
    def written(self) -> dict[int, list[JsonAction]]:
        """The commits of the step, by version."""
        return {
            version: json_lines(path.read_bytes())
            for version, path in self._commit_files()
            if version not in self.history
        }

    def actions(self, kind: str) -> list[JsonAction]:
        """The actions of one kind that the step committed."""
        return [action[kind] for _, actions in sorted(self.written.items()) for action in actions if kind in action]

    @property
    def removed(self) -> list[str]:
        """The files that the step removed."""
        return [self.path(remove) for remove in self.actions("remove")]

    @property
    def removed_adds(self) -> dict[str, JsonAction]:
        """The adds, before the step, of the files that it removed, by path: some engines also remove paths that are not live."""
        return {path: self.live[path] for path in self.removed if path in self.live}

    def path(self, action: JsonAction) -> str:
        """The path of an action's file; as it is written where that is no path: delta-rs does not encode a column's name."""
        written: str = action["path"]
        with suppress(MalformedPath):
            written = decode(written)
        return from_root(written, str(self._root))

    def commit_file(self, version: int) -> Path:
        return self._root / LOG_DIRECTORY / commit_name(version)

    def _commit_files(self) -> list[tuple[int, Path]]:
        named = [(parse_name(path.name), path) for path in (self._root / LOG_DIRECTORY).iterdir()]
        return sorted((name.version, path) for name, path in named if name and name.kind is LogFileKind.COMMIT)

    # ---- edits of it

    def save(self) -> None:
        """Write the step's commits after changes of their actions."""
        for version, actions in self.written.items():
            self.rewrite(version, actions)

    def append(self, *actions: JsonAction) -> None:
        """Append actions to the last commit of the step."""
        if self.written:
            version, found = max(self.written.items())
            self.rewrite(version, [*found, *actions])

    def rewrite(self, version: int, actions: Iterable[JsonAction]) -> None:
        """Write a commit, or replace it without a change of its modification time.

        Its version checksum goes: it would contradict the commit, so that every fault would be one of checksums too.
        """
        path = self.commit_file(version)
        checksum = path.with_name(checksum_name(version))
        drop_checksum(checksum)
        checksum.unlink(missing_ok=True)
        # Not the file system's time for a new one: that may be some milliseconds behind the clock.
        modified = path.stat().st_mtime_ns // 1_000_000 if path.exists() else now()
        drop_checksum(path)
        path.write_text("".join(json.dumps(action) + "\n" for action in actions), encoding="utf-8")
        set_modified(path, modified)

    def commit(self, timestamp: int, *actions: JsonAction, **info: object) -> None:
        """Commit one more version, of a DELETE unless ``info`` says another operation."""
        fields = {"timestamp": timestamp, "operation": "DELETE", "operationParameters": {"predicate": "[]"}, **info}
        self.rewrite(max(version for version, _ in self._commit_files()) + 1, [{"commitInfo": fields}, *actions])

    def undo(self) -> None:
        """Delete the commits of the step."""
        for version in self.written:
            self.uncommit(version)

    def uncommit(self, version: int) -> None:
        """Delete a commit, with its checksums."""
        path = self.commit_file(version)
        drop_checksum(path)
        for file in (path, path.with_name(checksum_name(version))):
            file.unlink(missing_ok=True)


def _fields(add: Add) -> JsonAction:
    return cast(JsonAction, to_json(add)["add"])


def _latest(removes: Iterable[tuple[str | None, Remove]]) -> dict[str, int]:
    """The latest deletionTimestamp by path."""
    found: dict[str, int] = {}
    for path, remove in removes:
        if path is not None:
            found[path] = max(found.get(path, 0), remove.deletion_timestamp or 0)
    return found

"""The log of a table before and after a step, and edits of what the step committed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from model.vacuum import LOG_DIRECTORY
from selfcheck.faults.logs import Action, State, place, read_commits, state_of
from selfcheck.faults.vectors import vector_place


class TableLog:
    """Paths of files are relative to ``root``. ``before`` is the root of the copy that was made before the step."""

    def __init__(self, root: Path, before: Path) -> None:
        self._root = root
        self._before = before

    # ---- before the step

    @cached_property
    def history(self) -> dict[int, list[Action]]:
        """The commits before the step, by version."""
        return read_commits(self._before)

    @cached_property
    def state(self) -> State:
        """The latest version before the step."""
        return state_of(self._before, self._root)

    @cached_property
    def live(self) -> dict[str, Action]:
        """The adds of the version before the step, of files below the root, by path."""
        return {path: add for (path, _), add in self.state.adds.items() if not path.startswith("../")}

    @cached_property
    def tombstones(self) -> dict[str, int]:
        """The latest deletionTimestamp of each removed file below the root."""
        found: dict[str, int] = {}
        for (path, _), remove in self.state.removes.items():
            found[path] = max(found.get(path, 0), remove.get("deletionTimestamp") or 0)
        return {path: at for path, at in found.items() if path not in self.live and not path.startswith("../")}

    @cached_property
    def outside(self) -> list[str]:
        """The referenced files outside the root, sorted."""
        return sorted({path for path, _ in (*self.state.adds, *self.state.removes) if path.startswith("../")})

    @cached_property
    def vectors(self) -> list[Action]:
        """The deletion vectors of live and of removed files."""
        actions = (*self.state.adds.values(), *self.state.removes.values())
        return [action["deletionVector"] for action in actions if action.get("deletionVector") is not None]

    @cached_property
    def live_vectors(self) -> set[str]:
        """The deletion-vector files of live files."""
        vectors = [add["deletionVector"] for add in self.state.adds.values() if "deletionVector" in add]
        return {path for path in map(self.vector_file, vectors) if path}

    @cached_property
    def vector_tombstones(self) -> dict[str, int]:
        """The latest deletionTimestamp of each deletion-vector file that only removed files refer to."""
        found: dict[str, int] = {}
        for remove in self.state.removes.values():
            path = self.vector_file(remove["deletionVector"]) if "deletionVector" in remove else None
            if path and path not in self.live_vectors:
                found[path] = max(found.get(path, 0), remove.get("deletionTimestamp") or 0)
        return found

    def path(self, action: Action) -> str:
        """The path of an action's file."""
        return place(action["path"], self._root)

    def vector_file(self, vector: Action) -> str | None:
        """The path of a deletion vector's file; None for an inline one."""
        return vector_place(vector, self._root)

    # ---- the table's metadata

    @property
    def configuration(self) -> dict[str, str]:
        """The table properties."""
        return dict(self.state.metadata["configuration"])

    def has(self, key: str) -> bool:
        """Whether a table property is "true"."""
        return self.configuration.get(key) == "true"

    @property
    def partition_by(self) -> list[str]:
        return list(self.state.metadata["partitionColumns"])

    @property
    def fields(self) -> list[Action]:
        """The columns, as in the schema."""
        return list(json.loads(self.state.metadata["schemaString"])["fields"])

    @property
    def types(self) -> dict[str, str]:
        return {field["name"]: field["type"] for field in self.fields}

    @property
    def maps_columns(self) -> bool:
        return self.configuration.get("delta.columnMapping.mode") in ("name", "id")

    @property
    def physical_names(self) -> dict[str, str]:
        """The physical names of the columns by their logical names."""
        return {field["name"]: physical_name(field) for field in self.fields}

    # ---- what the step committed

    @cached_property
    def written(self) -> dict[int, list[Action]]:
        """The commits of the step, by version."""
        return {
            version: actions for version, actions in read_commits(self._root).items() if version not in self.history
        }

    def actions(self, kind: str) -> list[Action]:
        """The actions of one kind that the step committed."""
        return [action[kind] for _, actions in sorted(self.written.items()) for action in actions if kind in action]

    @property
    def removed(self) -> list[str]:
        """The files that the step removed."""
        return [self.path(remove) for remove in self.actions("remove")]

    # ---- edits of it

    def save(self) -> None:
        """Write the step's commits after changes of their actions."""
        for version, actions in self.written.items():
            self.rewrite(version, actions)

    def append(self, *actions: Action) -> None:
        """Append actions to the last commit of the step."""
        if self.written:
            version, found = max(self.written.items())
            self.rewrite(version, [*found, *actions])

    def rewrite(self, version: int, actions: Iterable[Action]) -> None:
        """Write a commit, or replace it without a change of its modification time."""
        path = self.commit_file(version)
        time = path.stat() if path.exists() else None
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        path.write_text("".join(json.dumps(action) + "\n" for action in actions), encoding="utf-8")
        if time is not None:
            os.utime(path, ns=(time.st_atime_ns, time.st_mtime_ns))

    def commit_empty(self, timestamp: int) -> None:
        """Commit one more version, a DELETE without removes."""
        info = {"timestamp": timestamp, "operation": "DELETE", "operationParameters": {"predicate": "[]"}}
        self.rewrite(max(read_commits(self._root)) + 1, [{"commitInfo": info}])

    def uncommit(self, version: int) -> None:
        """Delete a commit, with its checksums."""
        path = self.commit_file(version)
        for file in (path, path.with_name(f".{path.name}.crc"), path.with_suffix(".crc")):
            file.unlink(missing_ok=True)

    def commit_file(self, version: int) -> Path:
        return self._root / LOG_DIRECTORY / f"{version:020d}.json"


def physical_name(field: Action) -> str:
    """The name of a column in data files."""
    return str(field["metadata"].get("delta.columnMapping.physicalName", field["name"]))

"""What a fault has to work with: the table before and after a step of the real engine, and hands to change it."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from selfcheck.faults.logs import Action, State, place, read_commits, read_parquet, state_of
from selfcheck.faults.vectors import vector_place
from engines.port import EngineError, Outcome
from model.steps import EngineStep
from model.table import DEFAULT_RETENTION, retention_of
from model.vacuum import LOG_DIRECTORY, is_visible


@dataclass
class Tampering:
    """One step of the real engine, done.

    ``before`` is a copy of the table as it was; what was beside the root is beside the copy. Paths are relative to the
    root, as on storage; beside it they begin with ``../``.
    """

    root: Path
    before: Path
    step: EngineStep
    outcome: Outcome
    clock: int  # ms since the epoch
    runs: int  # real VACUUMs of this table before the step
    settled: bool  # whether the last of them deleted nothing
    dry_runs: int  # DRY RUNs of this table before the step

    # ---- the log

    @cached_property
    def history(self) -> dict[int, list[Action]]:
        """The commits before the step."""
        return read_commits(self.before)

    @cached_property
    def written(self) -> dict[int, list[Action]]:
        """The commits of the step."""
        return {version: actions for version, actions in read_commits(self.root).items() if version not in self.history}

    @cached_property
    def state(self) -> State:
        """What the log said before the step."""
        return state_of(self.before, self.root)

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
        """The files that actions name and that lie outside the root, sorted."""
        return sorted({path for path, _ in (*self.state.adds, *self.state.removes) if path.startswith("../")})

    @cached_property
    def live_vectors(self) -> set[str]:
        """The files of the live files' vectors."""
        vectors = [add["deletionVector"] for add in self.state.adds.values() if "deletionVector" in add]
        return {path for path in (self.vector(vector) for vector in vectors) if path}

    @cached_property
    def vector_tombstones(self) -> dict[str, int]:
        """The files of the removed files' vectors that no live file has, by their latest deletionTimestamp."""
        found: dict[str, int] = {}
        for remove in self.state.removes.values():
            path = self.vector(remove["deletionVector"]) if "deletionVector" in remove else None
            if path and path not in self.live_vectors:
                found[path] = max(found.get(path, 0), remove.get("deletionTimestamp") or 0)
        return found

    def vector(self, descriptor: Action) -> str | None:
        """Where the file of a deletion vector lies; None for an inline one."""
        return vector_place(descriptor, self.root)

    @property
    def metadata(self) -> Action:
        return self.state.metadata

    @property
    def partition_by(self) -> list[str]:
        return list(self.metadata["partitionColumns"])

    @property
    def types(self) -> dict[str, str]:
        return {field["name"]: field["type"] for field in json.loads(self.metadata["schemaString"])["fields"]}

    @property
    def cutoff(self) -> int:
        """Where a VACUUM without RETAIN draws the line, ms since the epoch."""
        text = self.metadata["configuration"].get("delta.deletedFileRetentionDuration")
        return self.clock - (retention_of(text) if text else DEFAULT_RETENTION)

    @property
    def fields(self) -> list[Action]:
        """The columns as the schema has them."""
        return list(json.loads(self.metadata["schemaString"])["fields"])

    def table_property(self, key: str) -> str | None:
        """A table property."""
        found = self.metadata["configuration"].get(key)
        return None if found is None else str(found)

    @property
    def maps_columns(self) -> bool:
        return self.table_property("delta.columnMapping.mode") in ("name", "id")

    def physical_names(self) -> dict[str, str]:
        """How files name the columns, by their names in the schema."""
        return {
            field["name"]: field["metadata"].get("delta.columnMapping.physicalName", field["name"])
            for field in self.fields
        }

    @property
    def is_plain(self) -> bool:
        """Whether files hold rows as the schema has them: no mapping, no vectors, types that JSON and Python share."""
        simple = {"string", "integer", "long", "boolean", "date"}
        vectors = any("deletionVector" in add for add in (*self.live.values(), *self.actions("add")))
        return not self.maps_columns and not vectors and all(str(kind) in simple for kind in self.types.values())

    @cached_property
    def new_adds(self) -> list[Action]:
        """The adds of files that the step wrote."""
        return [add for add in self.actions("add") if self.path(add) not in self.live]

    @cached_property
    def masked_adds(self) -> list[Action]:
        """The adds of files that were live before, under a new deletion vector."""
        return [add for add in self.actions("add") if self.path(add) in self.live and "deletionVector" in add]

    def new_vector_files(self) -> list[str]:
        """The deletion-vector files that the step wrote and its adds name, sorted."""
        files = sorted(path.relative_to(self.root).as_posix() for path in self.root.rglob("deletion_vector_*.bin"))
        return [path for path in files if not self.ever(path)] if self.masked_adds else []

    def untouched(self) -> list[str]:
        """The live files that the step did not remove, sorted."""
        removed = {self.path(remove) for remove in self.actions("remove")}
        return [path for path in sorted(self.live) if path not in removed and (self.root / path).is_file()]

    def change_first(self, actions: list[Action], change: Callable[[Action], object]) -> None:
        """Change the first of these actions that the step wrote."""
        if actions:
            change(actions[0])
            self.rewrite_all()

    def rewrite_all(self) -> None:
        """Write the step's commits as they are now."""
        for version, actions in self.written.items():
            self.rewrite(version, actions)

    def append_actions(self, *actions: Action) -> None:
        """Put actions into the last commit of the step."""
        if self.written:
            version, found = max(self.written.items())
            self.rewrite(version, [*found, *actions])

    def actions(self, kind: str) -> list[Action]:
        """The actions of one kind that the step wrote."""
        return [action[kind] for _, actions in sorted(self.written.items()) for action in actions if kind in action]

    def edit(self, change: Callable[[Action], None], kind: str) -> None:
        """Change every action of this kind that the step wrote."""
        for action in self.actions(kind):
            change(action)
        self.rewrite_all()

    def rewrite(self, version: int, actions: Iterable[Action]) -> None:
        """Write a commit, over what is there."""
        path = self.root / LOG_DIRECTORY / f"{version:020d}.json"
        time = path.stat() if path.exists() else None
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        path.write_text("".join(json.dumps(action) + "\n" for action in actions), encoding="utf-8")
        if time is not None:
            os.utime(path, ns=(time.st_atime_ns, time.st_mtime_ns))

    def commit(self, actions: Iterable[Action]) -> None:
        """Commit one more version."""
        version = max(read_commits(self.root)) + 1
        info = {
            "commitInfo": {"timestamp": self.clock, "operation": "DELETE", "operationParameters": {"predicate": "[]"}}
        }
        self.rewrite(version, [info, *actions])

    def uncommit(self, version: int) -> None:
        """Take a commit back, with its checksums."""
        path = self.root / LOG_DIRECTORY / f"{version:020d}.json"
        for gone in (path, path.with_name(f".{path.name}.crc"), path.with_suffix(".crc")):
            gone.unlink(missing_ok=True)

    def change_metadata(self) -> None:
        """Put a table property into the last commit of the step."""
        if self.written:
            version, actions = max(self.written.items())
            configuration = {**self.metadata["configuration"], "delta.appendOnly": "true"}
            self.rewrite(version, [*actions, {"metaData": {**self.metadata, "configuration": configuration}}])

    # ---- storage

    def path(self, action: Action) -> str:
        """Where an action's file lies, relative to the root."""
        return place(action["path"], self.root)

    def ever(self, path: str) -> bool:
        return os.path.lexists(self.before / path)

    @cached_property
    def things(self) -> dict[str, str]:
        """What was there before the step, outside the log, sorted: "file", "directory" or "link". Links are not followed."""
        found: dict[str, str] = {}
        for directory, names, files in os.walk(self.before):
            for name in (*names, *files):
                path = Path(directory) / name
                kind = "link" if path.is_symlink() else "directory" if name in names else "file"
                found[path.relative_to(self.before).as_posix()] = kind
        return {path: kind for path, kind in sorted(found.items()) if path.split("/")[0] != LOG_DIRECTORY}

    def files(self) -> list[str]:
        """The files that were there before the step, outside the log, sorted."""
        return [path for path, kind in self.things.items() if kind == "file"]

    def directories(self) -> list[str]:
        return [path for path, kind in self.things.items() if kind == "directory"]

    def deleted(self) -> list[str]:
        """The files that the step deleted, sorted."""
        return [path for path in self.files() if not (self.root / path).exists()]

    def beside(self) -> list[str]:
        """The files that were beside the root before the step, sorted."""
        found = []
        for directory, names, files in os.walk(self.before.parent):
            names[:] = [name for name in names if Path(directory) / name != self.before]
            found += [os.path.relpath(Path(directory) / name, self.before) for name in files]
        return sorted(path for path in found if not (self.before / path).is_symlink())

    def hidden(self, path: str) -> bool:
        return not is_visible(path, self.partition_by)

    def modified(self, path: str) -> int:
        return (self.before / path).stat().st_mtime_ns // 1_000_000

    def strangers(self) -> list[str]:
        """Visible files that no action refers to."""
        return [
            path
            for path in self.files()
            if path not in self.live and path not in self.tombstones and not self.hidden(path)
            if path not in self.live_vectors and path not in self.vector_tombstones
        ]

    def delete(self, path: str) -> bool:
        """Delete a file; whether it was there."""
        if not (self.root / path).is_file():
            return False
        (self.root / path).unlink()
        return True

    def delete_first(self, paths: Iterable[str]) -> None:
        """Delete the first of these that is there."""
        for path in paths:
            if self.delete(path):
                return

    def restore_first(self, paths: Iterable[str]) -> None:
        """Bring back the first of these that the step deleted."""
        for path in paths:
            if self.ever(path) and not (self.root / path).exists():
                self.restore(path)
                return

    def restore(self, path: str) -> None:
        """Bring back what the step deleted."""
        old, new = self.before / path, self.root / path
        if old.is_dir() and not old.is_symlink():
            new.mkdir(parents=True, exist_ok=True)
            return
        new.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(old, new, follow_symlinks=False)

    def restore_all(self, paths: Iterable[str]) -> None:
        """Bring back all of these that the step deleted."""
        for path in paths:
            if self.ever(path) and not os.path.lexists(self.root / path):
                self.restore(path)

    # ---- rows

    def rows(self, path: str, *, before: bool = False) -> pa.Table:
        return read_parquet((self.before if before else self.root) / path)

    def replace_rows(self, add: Action, table: pa.Table) -> None:
        """Give an added file other rows; its add stays true of its size and row count."""
        path = self.root / self.path(add)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        pq.write_table(table, path)
        add.update(size=path.stat().st_size, modificationTime=path.stat().st_mtime_ns // 1_000_000)
        add["stats"] = json.dumps({"numRecords": table.num_rows})
        self.rewrite_all()

    def forget(self, columns: Collection[str]) -> None:
        """Make NULL of the first of these columns (by physical names) that holds anything in a rewritten file."""
        for add in self.new_adds:
            rows = self.rows(self.path(add))
            for index, field in enumerate(rows.schema):
                if field.name in columns and rows.column(index).null_count < rows.num_rows:
                    nothing = pa.nulls(rows.num_rows, field.type)
                    self.replace_rows(add, rows.set_column(index, field.with_nullable(True), nothing))
                    return

    # ---- answers

    def answer(self, rows: Iterable[tuple[Any, ...]]) -> Outcome:
        return dataclasses.replace(self.outcome, rows=tuple(rows), error=None)

    def succeed(self) -> Outcome:
        """The answer of a VACUUM that is done."""
        return self.answer([(f"file:{self.root}",)])

    def refuse(self, condition: str | None) -> Outcome:
        error = EngineError("AnalysisException", condition, "22003", f"[{condition}] made up")
        return dataclasses.replace(self.outcome, rows=(), error=error)


def removal(add: Action, *, deleted: int) -> Action:
    """The remove of an add, stamped ``deleted`` (ms since the epoch)."""
    fields = without(add, "modificationTime", "stats")
    return {"remove": {**fields, "deletionTimestamp": deleted, "dataChange": True, "extendedFileMetadata": True}}


def encoded(path: str) -> str:
    """A path as in an action. Plain percent-encoding reads back the same."""
    return quote(path)


def without(mapping: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in keys}

"""Reads a table's log as plain JSON actions, from commits and, where these are deleted, from a checkpoint."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from model.vacuum import LOG_DIRECTORY

Action = dict[str, Any]

_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint(?:\.\d{10}\.\d{10}|\.[0-9a-f-]{36})?\.(?:parquet|json)")
_FILE_URI = re.compile(r"file:(?://)?(?=/)")
_MAPS = ("partitionValues", "tags", "configuration", "options")


@dataclass
class State:
    """A version of a table: the latest ``adds`` and ``removes`` by path (relative to the root) and deletion vector."""

    adds: dict[tuple[str, str], Action] = field(default_factory=dict)
    removes: dict[tuple[str, str], Action] = field(default_factory=dict)
    metadata: Action = field(default_factory=dict)
    protocol: Action = field(default_factory=dict)


def read_commits(root: Path) -> dict[int, list[Action]]:
    """The commits of a table by version."""
    return {
        int(path.stem): [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
        for path in sorted((root / LOG_DIRECTORY).glob("*.json"))
        if path.stem.isdigit()
    }


def checkpoint_files(root: Path) -> dict[int, list[Path]]:
    """The files of all checkpoints, by version."""
    found: dict[int, list[Path]] = {}
    for path in sorted((root / LOG_DIRECTORY).glob("*.checkpoint*")):
        named = _CHECKPOINT.fullmatch(path.name)
        if named:
            found.setdefault(int(named[1]), []).append(path)
    return found


def with_sidecars(files: Iterable[Path]) -> list[Path]:
    """These files of checkpoints, and the sidecars that they refer to."""
    found = list(files)
    for path in tuple(found):
        sidecars = [action["sidecar"]["path"] for action in _checkpointed(path) if "sidecar" in action]
        found += [path.parent / "_sidecars" / unquote(sidecar) for sidecar in sidecars]
    return found


def _checkpointed(path: Path) -> list[Action]:
    if path.suffix == ".json":
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    rows = pq.ParquetFile(path).read().to_pylist()
    return [{kind: _plain(value) for kind, value in row.items() if value is not None} for row in rows]


def _plain(value: Any, name: str = "") -> Any:
    if name in _MAPS and isinstance(value, list):
        return dict(value)
    if isinstance(value, dict):
        return {key: _plain(item, key) for key, item in value.items() if item is not None}
    return value


def read_parquet(path: Path) -> pa.Table:
    """The rows of a Parquet file. Views of strings and bytes, as delta-rs writes them, are cast to be filtered."""
    table = pq.ParquetFile(path).read()
    return table.cast(pa.schema([field.with_type(_without_views(field.type)) for field in table.schema]))


def _without_views(kind: pa.DataType) -> pa.DataType:
    if kind in (pa.string_view(), pa.binary_view()):
        return pa.string() if kind == pa.string_view() else pa.binary()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_without_views(field.type)) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(_without_views(kind.key_type), _without_views(kind.item_type))
    return pa.list_(_without_views(kind.value_type)) if pa.types.is_list(kind) else kind


def drop_removes(path: Path) -> None:
    """Rewrite a file of a checkpoint without its tombstones."""
    if path.suffix == ".json":
        kept = [line for line in path.read_text(encoding="utf-8").splitlines() if "remove" not in json.loads(line)]
        path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    else:
        table = read_parquet(path)
        if "remove" in table.column_names:
            pq.write_table(table.filter(table["remove"].is_null()), path)
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def state_of(log: Path, root: Path, *, without: Iterable[str] = ()) -> State:
    """The latest version of the table at ``root``, by the log of its copy at ``log``.

    Actions of the kinds ``without`` are ignored in the newest checkpoint and before it.
    """
    commits, checkpoints = read_commits(log), checkpoint_files(log)
    lost, state, base = frozenset(without), State(), -1
    if checkpoints and (lost or 0 not in commits):
        base = max(checkpoints)
        for path in with_sidecars(checkpoints[base]):
            _replay(state, [action for action in _checkpointed(path) if not lost & set(action)], root)
    for version, actions in sorted(commits.items()):
        if version > base:
            _replay(state, actions, root)
    return state


def _replay(state: State, actions: Iterable[Action], root: Path) -> None:
    for action in actions:
        if "add" in action:
            key = _key(action["add"], root)
            state.removes.pop(key, None)
            state.adds[key] = action["add"]
        elif "remove" in action:
            key = _key(action["remove"], root)
            state.adds.pop(key, None)
            state.removes[key] = action["remove"]
        state.metadata = action.get("metaData", state.metadata)
        state.protocol = action.get("protocol", state.protocol)


def _key(action: Action, root: Path) -> tuple[str, str]:
    vector = action.get("deletionVector")
    named = "" if vector is None else f"{vector['storageType']}{vector['pathOrInlineDv']}@{vector.get('offset')}"
    return place(action["path"], root), named


def place(path: str, root: Path) -> str:
    """The path, relative to the root, of the file that an action refers to by ``path``."""
    plain = unquote(_FILE_URI.sub("", path))
    return os.path.relpath(plain, root) if plain.startswith("/") else plain

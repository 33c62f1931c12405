"""What a reproduction script sees, whatever the engine: files and directories, the log, the rows of a file.

``reports.reproduction`` copies what a script needs of this module into it, so it uses the standard library only; how a
Parquet file is read is the engine's part, which has the names that are imported from ``reports.spark`` here.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from typing import Any

from reports.laws.actions import actions_of, file_of, names_in, physical_name
from reports.laws.evidence import DIRECTORY, Action, CannotJudge, Entry, Row
from reports.spark.reading import paths_in_checkpoint, stored_fields, stored_rows
from reports.values import partition_value, plain


def listing(root: str) -> dict[str, Entry]:
    """Everything below the root, and what lies beside it. Links are not followed."""
    home, own = os.path.split(root)
    found = {}
    for folder, directories, files in os.walk(home):
        if folder == home:
            directories[:] = [name for name in directories if name != f"{own}-inventory"]
        for name in (*directories, *files):
            place = os.path.join(folder, name)
            found[os.path.relpath(place, root)] = entry_of(place)
    return found


def entry_of(place: str) -> Entry:
    if os.path.islink(place):
        return -2, os.lstat(place).st_mtime_ns, f"a link to {os.readlink(place)}"
    if os.path.isdir(place):
        return DIRECTORY
    with open(place, "rb") as stream:
        digest = hashlib.sha256(stream.read()).hexdigest()
    state = os.stat(place)
    return state.st_size, state.st_mtime_ns, digest


def read_log(root: str) -> dict[int, list[Action]]:
    log = {}
    for name in os.listdir(os.path.join(root, "_delta_log")):
        if name[:20].isdigit() and name[20:] == ".json":
            log[int(name[:20])] = read_actions(os.path.join(root, "_delta_log", name))
    return log


def read_actions(place: str) -> list[Action]:
    """The actions of a commit, or of a checkpoint that is JSON."""
    with open(place, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def live_in(log: dict[int, list[Action]], root: str, version: int | None = None) -> dict[str, Action]:
    """The add of each live file in a version, the log's last one by default."""
    last = max(log) if version is None else version
    if last not in log:
        raise CannotJudge(f"There is no version {last}.")
    live: dict[str, Action] = {}
    for commit in (log[one] for one in sorted(log) if one <= last):
        # Removes first: a new deletion vector is a remove and an add of one path in one commit.
        for remove in actions_of(commit, "remove"):
            live.pop(file_of(remove, root), None)
        for add in actions_of(commit, "add"):
            live[file_of(add, root)] = add
    return live


def schema_of(log: dict[int, list[Action]]) -> tuple[list[Action], list[str]]:
    # The columns as the schema says them, and the physical names of the partition columns.
    metadata = [action for _, commit in sorted(log.items()) for action in actions_of(commit, "metaData")][-1]
    schema = json.loads(metadata["schemaString"])["fields"]
    names = {field["name"]: physical_name(field) for field in schema}
    return schema, [names[name] for name in metadata["partitionColumns"]]


def physical_kind(kind: Any) -> Any:
    """A kind with the names of its fields as the files have them."""
    if not isinstance(kind, dict):
        return kind
    if kind["type"] == "struct":
        fields = [{"name": physical_name(field), "type": physical_kind(field["type"])} for field in kind["fields"]]
        return {"type": "struct", "fields": fields}
    return {
        key: physical_kind(part) if isinstance(part, dict) and key.endswith("Type") else part
        for key, part in kind.items()
    }


def read_file(engine: Any, root: str, action: Action, schema: list[Action]) -> list[Row]:
    """All rows that the file of an action stores, deleted ones too, with these columns."""
    kinds = {physical_name(field): physical_kind(field["type"]) for field in schema}
    values = action["partitionValues"]
    return [
        [
            partition_value(values[name], kind) if name in values else plain(stored.get(name), kind)
            for name, kind in kinds.items()
        ]
        for stored in stored_rows(engine, root, action)
    ]


def stored_names(engine: Any, root: str, action: Action) -> list[str]:
    """The names of a file's columns and of their nested fields, dotted."""
    return names_in(stored_fields(engine, root, action))


def checkpoint_removes(engine: Any, root: str, written: Iterable[str]) -> list[Action] | None:
    """The removes in the newest checkpoint among the files that a step wrote, in its sidecars too; None: no checkpoint."""
    names = sorted(path.rsplit("/", 1)[-1] for path in written if path.startswith("_delta_log/"))
    files = [name for name in names if name[:20].isdigit() and ".checkpoint." in name]
    if not files:
        return None
    removes = []
    waiting = [name for name in files if name[:20] == files[-1][:20]]
    while waiting:
        place = os.path.join(root, "_delta_log", waiting.pop())
        removes += [{"path": path} for path in paths_in_checkpoint(engine, place, "remove")]
        waiting += [f"_sidecars/{path}" for path in paths_in_checkpoint(engine, place, "sidecar")]
    return removes

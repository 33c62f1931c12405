"""Edits of what the files of a log say: commits, checkpoints and sidecars in JSON or Parquet, version checksums, pointers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from deltalog.storage.lines import json_lines
from faults.machinery.disk import drop_checksum, kept_time
from faults.machinery.fault import Tamper
from faults.machinery.files import ChosenPaths, in_each
from faults.machinery.members import Edit, JsonAction
from faults.machinery.rows import read_rows, write_rows

#: Changes the actions of a file of the log in place; of another file, the one object in it. Maps are lists in Parquet.
Change = Callable[[list[JsonAction]], object]


def edit_file(path: Path, change: Change, *more: pa.Field) -> None:
    """Change the actions in a file; in Parquet with ``more`` columns, and without members that are NULL."""
    if path.suffix != ".parquet":
        actions = json_lines(path.read_bytes())
        change(actions)
        drop_checksum(path)
        path.write_text("".join(f"{json.dumps(action)}\n" for action in actions), encoding="utf-8")
        return
    table = read_rows(path)
    rows = rows_in(table)
    change(rows)
    new = [column for column in more if column.name not in table.column_names]
    write_rows(path, pa.Table.from_pylist(rows, schema=pa.schema([*table.schema, *new])))


def rows_in(table: pa.Table) -> list[JsonAction]:
    """The rows of a checkpoint as actions: without the columns that are NULL."""
    return [{kind: value for kind, value in row.items() if value is not None} for row in table.to_pylist()]


def each(kind: str, *edits: Edit) -> Change:
    """Edit each action of a kind."""
    return lambda actions: [edit(action[kind]) for action in actions if kind in action for edit in edits]


def whole(*edits: Edit) -> Change:
    """Edit the one object."""
    return lambda objects: [edit(one) for one in objects for edit in edits]


def without(lost: Callable[[JsonAction], bool]) -> Change:
    def change(actions: list[JsonAction]) -> None:
        actions[:] = [action for action in actions if not lost(action)]

    return change


def without_first(kind: str) -> Change:
    def change(actions: list[JsonAction]) -> None:
        place = next((place for place, action in enumerate(actions) if kind in action), None)
        if place is not None:
            del actions[place]

    return change


def in_objects(paths: ChosenPaths, *edits: Edit) -> Tamper:
    """Edit the one JSON object in each of these files, but not the files' modification times."""

    def edit(path: Path) -> None:
        with kept_time(path):
            edit_file(path, whole(*edits))

    return in_each(paths, edit)


def in_files(paths: ChosenPaths, change: Change, *more: pa.Field) -> Tamper:
    return in_each(paths, lambda path: edit_file(path, change, *more))

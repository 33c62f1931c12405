"""The functions of reproduction scripts of delta-rs. A script has the source of those that it calls (script_library)."""

from __future__ import annotations

import base64
import io
import json
import os
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import deltalake
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from deltalake import DeltaTable, Field, QueryBuilder, write_deltalake  # noqa: F401  # the last for the calls of main

from engines.script_names import COLUMNS, ROOT, T


def as_written(table: DeltaTable, root: str, text: str) -> None:
    """Runs Python, in which ``table`` is the table, ROOT its path, and all that the package has is there by name."""
    exec(text, {**vars(deltalake), "table": table, "ROOT": root, "pa": pa})


def parameters(**given: str) -> dict[str, Any]:
    """The values of parameters, which are Python."""
    return {name: eval(text, {**vars(deltalake)}) for name, text in given.items()}


def make_older(ms: int) -> None:
    """Lets time pass: moves every timestamp in the log, and every modification time, this many ms into the past."""
    global T
    T -= ms
    for path in Path(ROOT, "_delta_log").glob("[0-9]" * 20 + "*.json"):
        lines = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
        texts = [json.dumps(older(line, ms), ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines]
        modified = path.stat().st_mtime_ns
        path.write_bytes("".join(texts).encode())
        os.utime(path, ns=(modified, modified))
    for folder, directories, files in os.walk(os.path.dirname(ROOT)):
        for place in (os.path.join(folder, name) for name in directories + files):
            time_ns = os.lstat(place).st_mtime_ns - ms * 10**6
            os.utime(place, ns=(time_ns, time_ns), follow_symlinks=False)


def make_checkpoints_older(ms: int) -> None:
    """The same in the checkpoints. The sizes and the checksum in _last_checkpoint are wrong afterwards."""
    for path in Path(ROOT, "_delta_log").glob("[0-9]" * 20 + "*.parquet"):
        table, modified = pq.read_table(path), path.stat().st_mtime_ns
        actions = [older(action, ms) for action in table.to_pylist()]
        pq.write_table(pa.Table.from_pylist(actions, table.schema), path)
        os.utime(path, ns=(modified, modified))


def older(action: Any, ms: int) -> Any:
    """An action with its timestamps this many ms earlier."""
    instants = ("modificationTime", "deletionTimestamp", "timestamp", "inCommitTimestamp", "createdTime", "lastUpdated")
    for fields in [fields for fields in action.values() if isinstance(fields, dict)]:
        fields.update({key: fields[key] - ms for key in instants if isinstance(fields.get(key), int)})
    return action


def as_of(table: str, version: int) -> Any:
    """The time of a version, in ms; the version, if the times of the log's files, by which deltalake goes, do not tell it."""
    files = sorted(Path(table, "_delta_log").glob("[0-9]" * 20 + ".json"))
    times = {int(file.stem): file.stat().st_mtime_ns // 10**6 for file in files}
    told = version in times and list(times.values()) == sorted(set(times.values()))
    return datetime.fromtimestamp(times[version] / 1000, timezone.utc) if told else version


def use_processors(number: int) -> None:
    """Uses so many processors: DataFusion plans a query for as many as the thread may use."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:number])


def rows(batches: Any, *others: str) -> Any:
    """The rows of a query, in the order of the table's columns."""
    table = pa.table(batches.read_all() if hasattr(batches, "read_all") else batches)
    return zip(*(map(fields, table.column(name).to_pylist()) for name in [*COLUMNS, *others]))


def fields(value: Any) -> Any:
    """A value in which each struct is the tuple of its fields."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(fields, value))
    return tuple(map(fields, value.values())) if isinstance(value, dict) else value


def read(version: int | None = None) -> Any:
    """The rows of the table, as it is or as it was in a version."""
    query = QueryBuilder().register("t", DeltaTable(ROOT, version=version))
    return rows(query.execute("SELECT * FROM t"))


def numbers(query: str) -> Any:
    """The rows of a query of the table t, whose columns are its own."""
    batches: Any = QueryBuilder().register("t", DeltaTable(ROOT)).execute(query)
    table = pa.table(batches.read_all() if hasattr(batches, "read_all") else batches)
    return zip(*(column.to_pylist() for column in table.columns))


def filtered(sought: dict[str, Any]) -> list[list[int]]:
    """By filters of a dataset, the numbers of rows that have in a column the value sought, a greater one, and NULL."""
    dataset, counts = DeltaTable(ROOT).to_pyarrow_dataset(), []
    for name, text in sought.items():
        column, value = pc.field(name), pa.scalar(text).cast(dataset.schema.field(name).type)
        counts += [dataset.count_rows(filter=one) for one in (column == value, column > value, column.is_null())]
    return [counts]


def removes_in(path: str) -> list[str]:
    """The paths of the removes in a checkpoint file."""
    table = pq.read_table(path)
    removes = table.column("remove").to_pylist() if "remove" in table.column_names else []
    return [remove["path"] for remove in removes if remove and remove["path"] is not None]


def no_table() -> str:
    """A directory that is no table."""
    folders = [entry.path for entry in os.scandir(ROOT) if entry.is_dir() and entry.name != "_delta_log"]
    return min(folders, default=os.path.dirname(ROOT))


def counts(answer: dict[str, Any]) -> list[list[Any]]:
    """The counts that a DELETE answers, as a row."""
    names = ("num_deleted_rows", "num_added_files", "num_removed_files", "num_copied_rows")
    return [[answer.get(name) for name in names]]


def in_table(paths: list[str]) -> list[list[str]]:
    """The paths that a VACUUM answers, each as a row."""
    return [[os.path.join(ROOT, path)] for path in paths]


def rows_from(content: str) -> pa.Table:
    """The rows of a Parquet file, which is given as base64."""
    return pq.read_table(io.BytesIO(base64.b64decode(content)))

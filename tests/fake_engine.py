"""An engine of the suite's own, without a JVM: it does to a table what the model says that it must.

It proves the judge: on it every clause must hold, and with one fault built in, that fault must be noticed. What an engine
may do in more than one way (the order in which directories are deleted, whether checksum files go along with their files,
how survivors are packed into files) is open here too, so that the judge is seen not to ask for more than is promised.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deltalog.actions import Add, CommitInfo, Remove
from deltalog.commits import write_commit
from deltalog.listing import EntryKind, list_tree
from deltalog.log import read_log
from deltalog.names import LOG_DIRECTORY
from deltalog.parquet import read_data_file, write_data_file
from deltalog.paths import encode
from deltalog.statistics import full_statistics
from engines.port import EngineError, Outcome
from model.delete import DeletePrediction, LiveFile, Scope, predict_delete
from model.layout import partition_directory, partition_string, partition_value
from model.sql import delete_sql
from model.steps import Delete, EngineStep, Read, Vacuum
from model.table import Column, DataFile, Table
from model.vacuum import Cutoff, Judged, Thing, cutoff_for, predict_vacuum, whole_hours
from model.values import Row, Type
from suites.materialise import arrow_table

TOO_SHORT = "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"


@dataclass(frozen=True)
class Habits:
    """What an engine may do either way."""

    top_down: bool = False  # directories are deleted before those that they lie in, or after
    takes_checksums: bool = True  # a file's checksum goes along with it, as on Hadoop's local file system
    one_file: bool = False  # the survivors of a partition are written as one file, or file by file


class FakeEngine:
    """Runs steps as the model predicts them. It knows of a table what its log says, as any engine does."""

    name = "fake"
    versions: Mapping[str, str] = {"delta": "4.4.0", "fake": "1"}

    def __init__(self, habits: Habits = Habits()) -> None:
        self._habits = habits
        self._written = 0

    def run(self, root: Path, step: EngineStep, *, clock: int, version: int | None) -> Outcome:
        started = _now()
        view = _View(root)
        try:
            if isinstance(step, Read):
                rows = self._read(view, version, clock)
            elif isinstance(step, Delete):
                rows = self._delete(view, step, clock)
            else:
                rows = self._vacuum(view, step, clock)
        except _Refused as refusal:
            return Outcome((), refusal.error, started, _now())
        return Outcome(rows, None, started, _now())

    def close(self) -> None:
        """There is nothing to close."""

    # Read -----------------------------------------------------------------------------------------------------------

    def _read(self, view: _View, version: int | None, clock: int) -> tuple[Row, ...]:
        wanted = view.snapshot.version if version is None else version
        commit = view.log.commits[wanted]
        if wanted != view.snapshot.version and commit.modified < clock - view.retention:
            raise _Refused("DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION")
        adds = view.log.snapshot(wanted).adds.values()
        if not all((view.root / add.file).is_file() for add in adds):
            raise _Refused("FAILED_READ_FILE.FILE_NOT_EXIST")
        return tuple(row for add in adds for row in view.rows(add))

    # DELETE ---------------------------------------------------------------------------------------------------------

    def _delete(self, view: _View, step: Delete, clock: int) -> tuple[Row, ...]:
        live = tuple(view.live_file(add) for add in view.live.values())
        columns = tuple(column.name for column in view.table.columns)
        predicted = predict_delete(live, step.where, columns=columns, partition_by=view.table.partition_by)
        if predicted.commits:
            adds = [self._write(view, partition, rows) for partition, rows in self._packed(predicted)]
            stamp = _now()
            removes = [_removal(view.live[file.path], stamp) for file in predicted.removed]
            write_commit(view.root, view.snapshot.version + 1, [_delete_info(view, step, clock), *removes, *adds])
        return ((_affected(view, predicted),),)

    def _packed(self, predicted: DeletePrediction) -> list[tuple[Row, list[Row]]]:
        """The rows of each new file, with their partition."""
        survivors: Counter[tuple[Row, Row]] = Counter(predicted.survivors)
        if self._habits.one_file:
            partitions = dict.fromkeys(partition for partition, _ in survivors)
            return [(one, [row for (place, row) in survivors.elements() if place == one]) for one in partitions]
        packed = []
        for file in predicted.removed:
            rows = []
            for row in file.rows:
                if survivors[file.partition, row] > 0:
                    survivors[file.partition, row] -= 1
                    rows.append(row)
            if rows:
                packed.append((file.partition, rows))
        return packed

    def _write(self, view: _View, partition: Row, rows: list[Row]) -> Add:
        self._written += 1
        name = f"part-00000-{self._written:08x}-1111-4111-8111-111111111111.c000.snappy.parquet"
        directory = partition_directory(view.table, partition)
        path = f"{directory}/{name}" if directory else name
        positions = [
            position for position, column in enumerate(view.table.columns) if column in view.table.data_columns
        ]
        stored = tuple(tuple(row[position] for position in positions) for row in rows)
        data = arrow_table(view.table, DataFile(0, partition, stored, 0))
        size = write_data_file(view.root / path, data)
        modified = (view.root / path).stat().st_mtime_ns // 1_000_000
        values = {column: partition_string(value) for column, value in zip(view.table.partition_by, partition)}
        return Add(encode(path), values, size, modified, True, stats=full_statistics(data))

    # VACUUM ---------------------------------------------------------------------------------------------------------

    def _vacuum(self, view: _View, step: Vacuum, clock: int) -> tuple[Row, ...]:
        retain = None if step.retain_hours is None else whole_hours(step.retain_hours)
        retain = 0 if retain == 0 else None  # since Delta 4.1 any other RETAIN is ignored (facts 1.2, step 4)
        if retain is not None and step.safety_check and retain < view.retention:
            raise _Refused(TOO_SHORT)
        now = _now()
        judged = view.judged(cutoff_for(clock=clock, retention=view.retention, retain=retain, wall=(now, now)))
        listed = [path for path, fate in judged.items() if fate.listed]
        if step.dry_run:
            return tuple((f"file:{view.root / path}",) for path in listed)
        version = view.snapshot.version
        if step.logging:
            size = sum((view.root / path).stat().st_size for path in listed if (view.root / path).is_file())
            write_commit(view.root, version + 1, [_start_info(view, step, clock, retain, len(listed), size)])
        deleted = sum(self._remove(view.root, path) for path in self._in_order(listed))
        if step.logging:
            write_commit(view.root, version + 2, [_end_info(clock, deleted)])
        (view.root / LOG_DIRECTORY / "_last_vacuum_info").write_text("{}\n")
        return ((f"file:{view.root}",),)

    def _in_order(self, paths: list[str]) -> list[str]:
        return sorted(paths, key=lambda path: path.count("/"), reverse=not self._habits.top_down)

    def _remove(self, root: Path, path: str) -> bool:
        """Delete one file, or a directory if it is empty; whether it went."""
        if (root / path).is_dir():
            if any((root / path).iterdir()):
                return False
            (root / path).rmdir()
            return True
        (root / path).unlink()
        checksum = (root / path).with_name(f".{Path(path).name}.crc")
        if self._habits.takes_checksums and checksum.is_file():
            checksum.unlink()
        return True


class _Refused(Exception):
    def __init__(self, condition: str) -> None:
        self.error = EngineError("AnalysisException", condition, "22003", f"[{condition}] as Delta words it")


class _View:
    """A table as its log and its listing show it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.log = read_log(root)
        self.snapshot = self.log.snapshot()
        metadata = self.snapshot.metadata
        fields: list[dict[str, Any]] = json.loads(metadata.schema_string)["fields"]
        text = metadata.configuration.get("delta.deletedFileRetentionDuration")
        self.table = Table(
            columns=tuple(Column(field["name"], Type(field["type"])) for field in fields),
            partition_by=metadata.partition_columns,
            files=(),
            commits=(),
            retention_hours=None if text is None else int(text.split()[1]),
        )
        self.retention = self.table.retention
        self.live = {add.file: add for add in self.snapshot.adds.values()}

    def live_file(self, add: Add) -> LiveFile:
        return LiveFile(add.file, self._partition(add), self.rows(add))

    def _partition(self, add: Add) -> Row:
        return tuple(
            partition_value(add.partition_values[column.name], column.type) for column in self.table.partition_columns
        )

    def rows(self, add: Add) -> tuple[Row, ...]:
        """The rows of a file, in schema order."""
        names = [column.name for column in self.table.data_columns]
        stored: list[Any] = read_data_file(self.root / add.file, names)
        partition = self._partition(add)
        return tuple(self.table.row(partition, row) for row in stored)

    def judged(self, cutoff: Cutoff) -> dict[str, Judged]:
        tombstones: dict[str, int] = {}
        for remove in self.snapshot.removes.values():
            tombstones[remove.file] = max(tombstones.get(remove.file, 0), remove.deletion_timestamp or 0)
        return predict_vacuum(
            {
                path: Thing(entry.kind is EntryKind.DIRECTORY, entry.modified, entry.size)
                for path, entry in list_tree(self.root).items()
            },
            live=self.live,
            tombstones=tombstones,
            partition_by=self.table.partition_by,
            cutoff=cutoff,
        )


def _removal(add: Add, stamp: int) -> Remove:
    return Remove(
        add.path,
        stamp,
        data_change=True,
        extended_file_metadata=True,
        partition_values=add.partition_values,
        size=add.size,
    )


def _delete_info(view: _View, step: Delete, clock: int) -> CommitInfo:
    return CommitInfo(
        {
            "timestamp": clock,
            "operation": "DELETE",
            "operationParameters": {"predicate": json.dumps([delete_sql(step, "t")])},
            "readVersion": view.snapshot.version,
            "isolationLevel": "Serializable",
            "isBlindAppend": False,
            "operationMetrics": {},
        }
    )


def _start_info(view: _View, step: Vacuum, clock: int, retain: int | None, count: int, size: int) -> CommitInfo:
    specified = {} if retain is None else {"specifiedRetentionMillis": retain}
    return CommitInfo(
        {
            "timestamp": clock,
            "operation": "VACUUM START",
            "operationParameters": {
                "retentionCheckEnabled": step.safety_check,
                "defaultRetentionMillis": view.retention,
                **specified,
            },
            "operationMetrics": {"numFilesToDelete": str(count), "sizeOfDataToDelete": str(size)},
        }
    )


def _end_info(clock: int, deleted: int) -> CommitInfo:
    return CommitInfo(
        {
            "timestamp": clock,
            "operation": "VACUUM END",
            "operationParameters": {"status": "COMPLETED"},
            "operationMetrics": {"numDeletedFiles": str(deleted)},
        }
    )


def _affected(view: _View, predicted: DeletePrediction) -> int:
    """The rows deleted; -1 where whole files went and how many rows that were cannot be told (facts 2.2)."""
    total = predicted.deleted.total()
    if predicted.scope is Scope.ROWS or not predicted.commits:
        return total
    stats = [view.live[file.path].stats for file in predicted.removed]
    return total if total and all(text and "numRecords" in text for text in stats) else -1


def _now() -> int:
    return time.time_ns() // 1_000_000

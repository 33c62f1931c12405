"""DELETE of the reference engine: what the model predicts, written with ``deltalog``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import compress
from uuid import UUID, uuid4

import pyarrow as pa

from deltalog.actions import Action, Add, Cdc, CommitInfo, DomainMetadata, Remove
from deltalog.arrow_values import to_table
from deltalog.deletion_vectors import write_vector_file
from deltalog.parquet import write_data_file
from deltalog.paths import encode
from deltalog.rows import row_ids
from deltalog.schemas import Field
from deltalog.statistics import full_statistics
from model.prediction.delete import (
    ConditionScope,
    DeleteMethod,
    DeletePrediction,
    LiveFile,
    matches,
    may_fail,
    predict_delete,
    scope_of,
)
from model.text.layout import partition_directory, partition_string, physical_name, spark_text
from model.vocabulary.rules import DELTA_RS, DELTA_RS_COUNTS, SPARK, Rules
from model.vocabulary.steps import Delete, Form
from model.vocabulary.table import Feature
from model.vocabulary.values import AnyType, Row, Value
from reference_engine.recorded_predicate import recorded
from reference_engine.storage import Storage
from reference_engine.view import View

_ROW_ID = "delta.rowTracking.materializedRowIdColumnName"
_ROW_VERSION = "delta.rowTracking.materializedRowCommitVersionColumnName"


class FailingCondition(Exception):
    """The condition raises an error for some row."""


#: A surviving row, with its stable row id and row commit version.
Kept = tuple[Row, tuple[int | None, int | None]]


@dataclass
class Deletion:
    """One DELETE. ``number`` makes its file names unique; with ``one_file`` the survivors of a partition go into one file."""

    view: View
    storage: Storage
    step: Delete
    clock: int  # the engine's clock, ms since the epoch
    at: int  # when it runs, by the wall clock, ms since the epoch
    number: int
    one_file: bool = False
    rules: Rules = SPARK

    def __post_init__(self) -> None:
        whole = scope_of(self.step.where, self.view.table.partition_by) is not ConditionScope.ROWS
        live = [self.view.unread_file(add) if whole else self.view.live_file(add) for add in self.view.live.values()]
        self.predicted: DeletePrediction = predict_delete(
            live,
            self.step,
            self.view.table,
            writes_vectors=self.rules.writes_vectors,
            keeps_emptied_files=self.rules.keeps_emptied_files,
        )
        self.files = {file.path: file for file in live}
        #: As delta-rs returns them; None for what it does not know.
        self.counts: dict[str, int | None] = dict.fromkeys(DELTA_RS_COUNTS, 0)

    def commit(self) -> None:
        """Execute it. Raises FailingCondition."""
        rows = [row for file in self.files.values() for row in (*file.rows, self._null_row(file))]
        if may_fail(self.step, self.view.table, rows):
            raise FailingCondition
        if not self.predicted.commits:
            return
        view, predicted = self.view, self.predicted
        adds = self._rewrite() if predicted.method is DeleteMethod.REWRITE else self._write_vectors()
        changes = (
            self._changes()
            if predicted.method is DeleteMethod.REWRITE and view.table.has(Feature.CHANGE_DATA_FEED)
            else []
        )
        removes = [_removal(view.live[path], self.at) for path in sorted(predicted.touched)]
        actions: list[Action] = [self._info(removes, adds, changes), *removes, *adds, *changes]
        if view.table.has(Feature.ROW_TRACKING) and predicted.method is DeleteMethod.REWRITE:
            actions.append(self._row_id_mark(sum(self._count(add) for add in adds)))
        self.storage.commit(view.snapshot.version + 1, actions)

    def _null_row(self, file: LiveFile) -> Row:
        """A row with the file's partition values and otherwise NULL."""
        table = self.view.table
        return table.row(file.partition, (None,) * len(table.data_columns))

    def answer(self) -> tuple[Row, ...]:
        """num_affected_rows, for the forms that return it: -1 where whole files were removed without being counted.

        Or the counts of delta-rs.
        """
        if self.rules.implementation == DELTA_RS.implementation:
            return (tuple(self.counts.values()),)
        if self.step.form in (Form.API_PATH, Form.API_PATH_COLUMN, Form.API_NAME, Form.TRUNCATE):
            return ()
        total = self.predicted.deleted.total()
        if self.predicted.scope is not ConditionScope.ROWS and self.predicted.commits:
            total = total if total and self._counted() else -1
        return ((total,),)

    def _counted(self) -> bool:
        return all(file.counted for file in self.predicted.removed)

    # The files --------------------------------------------------------------------------------------------------------

    def _rewrite(self) -> list[Add]:
        packs: dict[object, tuple[Row, list[Kept]]] = {}
        for file in self.predicted.removed:
            kept = self._kept(file)
            if kept:
                packs.setdefault(file.partition if self.one_file else file.path, (file.partition, []))[1].extend(kept)
        adds: list[Add] = []
        for partition, rows in packs.values():
            adds.append(self._write(len(adds), partition, rows, base=sum(self._count(add) for add in adds)))
        return adds

    def _kept(self, file: LiveFile) -> list[Kept]:
        """The surviving rows of a removed file."""
        add = self.view.live[file.path]
        tracked = self.view.table.has(Feature.ROW_TRACKING)
        ids = row_ids(self.view.root, add, self.view.metadata) if tracked else [(None, None)] * len(file.rows)
        return [
            (row, id)
            for index, (row, id) in enumerate(zip(file.rows, ids))
            if index not in file.hidden and matches(self.step, self.view.table, row) is not True
        ]

    def _write(self, place: int, partition: Row, rows: list[Kept], *, base: int) -> Add:
        view = self.view
        path = self._path(partition, self._file_name("part", place))
        fields, stored = self._stored([row for row, _ in rows])
        tracking = view.table.has(Feature.ROW_TRACKING)
        hidden = (
            [Field(view.metadata.configuration[key], "long") for key in (_ROW_ID, _ROW_VERSION)] if tracking else []
        )
        values = [(*row, *(id if tracking else ())) for row, (_, id) in zip(stored, rows)]
        size = self._write_file(path, to_table([*fields, *hidden], values))
        add = Add(
            encode(path),
            self._partition_values(partition),
            size,
            self.at,
            data_change=True,
            stats=full_statistics(to_table(fields, stored)),
        )
        if not tracking:
            return add
        return replace(
            add, base_row_id=self._next_row_id() + base, default_row_commit_version=view.snapshot.version + 1
        )

    def _write_file(self, path: str, rows: pa.Table) -> int:
        """Write a new Parquet file; return its size in bytes."""
        file = self.view.root / path
        return self.storage.write(file, lambda: write_data_file(file, rows, modified=self.at))

    @property
    def _uuid(self) -> str:
        return f"{self.number:08x}-1111-4111-8111-111111111111"

    def _file_name(self, kind: str, place: int) -> str:
        return f"{kind}-{place:05d}-{self._uuid}.c000.snappy.parquet"

    def _stored(self, rows: list[Row]) -> tuple[list[Field], list[Row]]:
        """The fields that data files store, all but the partition columns, and the rows' values in them."""
        stores = [field.name not in self.view.table.partition_by for field in self.view.fields]
        return list(compress(self.view.fields, stores)), [tuple(compress(row, stores)) for row in rows]

    def _path(self, partition: Row, name: str) -> str:
        random = self.view.table.maps_columns and self.rules.random_directories
        directory = "ab" if random else partition_directory(self.view.table, partition)
        return f"{directory}/{name}" if directory else name

    def _partition_values(self, partition: Row) -> dict[str, str | None]:
        table = self.view.table
        return {
            physical_name(table, column.name): self._partition_text(value, column.type)
            for column, value in zip(table.partition_columns, partition)
        }

    def _partition_text(self, value: Value, type: AnyType) -> str | None:
        if isinstance(value, datetime) and not self.rules.utc_partition_values:
            return spark_text(value, self.step.zone)
        return partition_string(value, type)

    def _count(self, add: Add) -> int:
        return int(json.loads(add.stats or "{}")["numRecords"])

    def _next_row_id(self) -> int:
        """The first unused row id."""
        domain = self.view.snapshot.domains["delta.rowTracking"]
        return int(json.loads(domain.configuration)["rowIdHighWaterMark"]) + 1

    def _write_vectors(self) -> list[Add]:
        paths = sorted(self.predicted.hidden_rows)
        if not paths:
            return []
        hidden = [self.predicted.hidden_rows[path] for path in paths]
        root, uuid = self.view.root, UUID(self._uuid)
        vectors = self.storage.write(
            root / f"deletion_vector_{uuid}.bin", lambda: write_vector_file(root, uuid, hidden, modified=self.at)
        )
        return [
            replace(self.view.live[path], deletion_vector=vector, data_change=True, stats=self._wide_statistics(path))
            for path, vector in zip(paths, vectors)
        ]

    def _wide_statistics(self, path: str) -> str:
        """The statistics of the columns that the table has: Delta drops those of dropped columns."""
        table = self.view.table
        names = {physical_name(table, column.name) for column in table.columns}
        stats = {
            key: {name: one for name, one in value.items() if name in names} if isinstance(value, dict) else value
            for key, value in json.loads(self.view.live[path].stats or "{}").items()
        }
        return json.dumps({**stats, "numRecords": len(self.files[path].rows), "tightBounds": False})

    def _changes(self) -> list[Cdc]:
        """Change files, one for each partition that lost rows."""
        view = self.view
        lost: dict[Row, list[Row]] = {}
        for file in self.predicted.removed:
            for row in file.visible:
                if matches(self.step, view.table, row) is True:
                    lost.setdefault(file.partition, []).append(row)
        found = []
        for place, (partition, rows) in enumerate(lost.items()):
            directory = partition_directory(view.table, partition)
            path = "/".join(part for part in ("_change_data", directory, self._file_name("cdc", place)) if part)
            fields, stored = self._stored(rows)
            values = [(*row, "delete") for row in stored]
            changes = to_table([*fields, Field("_change_type", "string")], values)
            size = self._write_file(path, changes)
            found.append(Cdc(encode(path), self._partition_values(partition), size))
        return found

    # The commit ---------------------------------------------------------------------------------------------

    def _info(self, removes: list[Remove], adds: list[Add], changes: list[Cdc]) -> CommitInfo:
        truncates = self.step.form is Form.TRUNCATE
        tags = {"tags": {"delta.rowTracking.preserved": "true"}} if self.view.table.has(Feature.ROW_TRACKING) else {}
        return CommitInfo(
            {
                **self._transaction(),
                "operation": "TRUNCATE" if truncates else "DELETE",
                "operationParameters": {}
                if truncates
                else {"predicate": json.dumps([recorded(self.step.where, self.step.zone)])},
                "isBlindAppend": False,
                "operationMetrics": self._metrics(removes, adds, changes),
                **tags,
            }
        )

    def _transaction(self) -> dict[str, object]:
        """The members of commitInfo that do not depend on the operation."""
        has_times = self.view.table.has(Feature.IN_COMMIT_TIMESTAMPS)
        stamped = {"inCommitTimestamp": self.view.next_commit_time(self.clock)} if has_times else {}
        read = {"readVersion": self.view.snapshot.version, "isolationLevel": "Serializable"}
        return {**stamped, "timestamp": self.clock, **read, **origin()}

    def _row_id_mark(self, rows: int) -> DomainMetadata:
        """The domain of row tracking after so many new rows."""
        mark = {"rowIdHighWaterMark": self._next_row_id() + rows - 1}
        return DomainMetadata("delta.rowTracking", json.dumps(mark))

    def _metrics(self, removes: list[Remove], adds: list[Add], changes: list[Cdc]) -> Mapping[str, object]:
        """operationMetrics, counted as Delta or delta-rs does."""
        if self.rules.implementation == DELTA_RS.implementation:
            copied = sum(self._count(add) for add in adds)
            counts = (self.predicted.deleted.total(), len(adds) + len(changes), len(removes), copied)
            self.counts = dict(zip(DELTA_RS_COUNTS, counts))
            if self.predicted.method is DeleteMethod.METADATA_ONLY and not self._counted():
                self.counts[DELTA_RS_COUNTS[0]] = None
            return {name: count for name, count in self.counts.items() if count is not None}
        predicted, live = self.predicted, self.view.live
        removed = [live[path] for path in predicted.removed_paths]
        if self.step.form is Form.TRUNCATE:
            return {"numRemovedFiles": str(len(removed)), "executionTimeMs": "1"}
        updated = sum(1 for path in predicted.hidden_rows if live[path].deletion_vector)
        written = [add for add in adds if self.view.place(add) not in live]
        rewrites = predicted.method is DeleteMethod.REWRITE
        metrics = {
            "numRemovedFiles": len(removes) - len(predicted.hidden_rows),
            "numAddedFiles": len(written),
            "numAddedChangeFiles": len(changes),
            "numDeletedRows": predicted.deleted.total(),
            "numCopiedRows": sum(self._count(add) for add in written) if rewrites else 0,
            "numRemovedBytes": 0
            if predicted.method is DeleteMethod.DELETION_VECTORS
            else sum(add.size for add in removed),
            "numAddedBytes": sum(add.size for add in written),
            "numDeletionVectorsAdded": len(predicted.hidden_rows),
            "numDeletionVectorsRemoved": updated + sum(1 for add in removed if add.deletion_vector),
            "numDeletionVectorsUpdated": updated,
            "executionTimeMs": 1,
            "scanTimeMs": 0,
            "rewriteTimeMs": 0,
        }
        if not self.rules.counts_vectors:
            for part in ("Added", "Removed", "Updated"):
                del metrics[f"numDeletionVectors{part}"]
        if predicted.method is DeleteMethod.METADATA_ONLY and not (self._counted() and predicted.deleted):
            for name in ("numDeletedRows", "numCopiedRows", "numAddedFiles"):
                del metrics[name]
        return {name: str(value) for name, value in metrics.items()}


def origin() -> dict[str, str]:
    """The members of commitInfo that name the transaction and the engine."""
    return {"engineInfo": "Apache-Spark/0.0 Delta-Lake/0.0", "txnId": str(uuid4())}


def _removal(add: Add, stamp: int) -> Remove:
    return Remove(
        add.path,
        stamp,
        data_change=True,
        extended_file_metadata=True,
        partition_values=add.partition_values,
        size=add.size,
        tags=add.tags,
        deletion_vector=add.deletion_vector,
        base_row_id=add.base_row_id,
        default_row_commit_version=add.default_row_commit_version,
    )

"""Faults of DELETE with deletion vectors, change data feed, column mapping and row tracking; of its metrics."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import cast
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq

from deltalog.data.deletion_vectors import inline_vector, read_vector
from deltalog.entries.actions import Add
from deltalog.entries.codec import from_json
from deltalog.storage.parquet import page_rows
from faults.delete.deletes import copy_first
from faults.machinery import actions, files
from faults.machinery.actions import add_fault, edited, first, info_fault, remove_fault, vector_fault
from faults.machinery.fault import Tamper, delete_fault, fault, has, when
from faults.machinery.members import JsonAction, drop, put, raised, within
from faults.machinery.rows import change_feed, lose_values, replace_rows, rows_before, rows_of
from faults.machinery.tampering import Tampering
from model.vocabulary.steps import ReadChanges
from model.vocabulary.table import Feature

# Deletion vectors -----------------------------------------------------------------------------------------------------


def inline(rows: Iterable[int]) -> JsonAction:
    """An inline deletion vector of these rows (indexes from 0)."""
    vector = inline_vector(rows)
    return {
        "storageType": vector.storage,
        "pathOrInlineDv": vector.path_or_inline,
        "sizeInBytes": vector.size,
        "cardinality": vector.cardinality,
    }


def _hide_whole_file(t: Tampering) -> None:
    for add in actions.vector_adds(t)[:1]:
        add["deletionVector"] = inline(range(rows_of(t, add).num_rows))
        t.log.save()


def hidden_rows(root: Path, action: JsonAction) -> list[int]:
    """The rows that the deletion vector of an add hides, sorted."""
    (add,) = from_json({"add": action})
    return sorted(read_vector(root, add.deletion_vector)) if isinstance(add, Add) and add.deletion_vector else []


def _keep_one_array(t: Tampering) -> None:
    """The first vector of more rows than an array container holds keeps as many."""
    for action in actions.vector_adds(t):
        rows = hidden_rows(t.root, action)
        if len(rows) > _ARRAY_LIMIT:
            action["deletionVector"] = inline(rows[:_ARRAY_LIMIT])
            t.log.save()
            return


def _count_after_skipped_pages(t: Tampering) -> None:
    """A new vector's rows are counted from the first page that has one: the pages before it were skipped by the page index."""
    for action in actions.vector_adds(t):
        old = hidden_rows(t.before, t.log.live[t.log.path(action)])
        new = {*hidden_rows(t.root, action)}.difference(old)
        page = page_rows(rows_of(t, action).num_rows)
        skipped = min(new) // page * page if new else 0
        hidden = sorted({*old, *(row - skipped for row in new)})
        if skipped:
            action["deletionVector"] = inline(hidden)
            t.log.save()
            return


#: The most rows in an array container of a Roaring bitmap.
_ARRAY_LIMIT = 4096


def _subtract_hidden_rows(add: JsonAction) -> None:
    within("stats", raised("numRecords", by=-add["deletionVector"]["cardinality"]))(add)


_flip_last_byte = files.with_bytes(lambda data: data[:-1] + bytes([data[-1] ^ 0xFF]))


def _new_vector_files(t: Tampering) -> list[str]:
    """The deletion-vector files that the step wrote and its adds refer to, sorted."""
    return t.disk.new("**/deletion_vector_*.bin") if actions.vector_adds(t) else []


def _keep_emptied_file(t: Tampering) -> None:
    kept = {t.log.path(add) for add in actions.vector_adds(t)}
    for path, old in t.log.removed_adds.items():
        count = rows_before(t, path).num_rows
        if path not in kept and count:
            stats = json.dumps({"numRecords": count, "tightBounds": False})
            add = {**old, "deletionVector": inline(range(count)), "stats": stats}
            t.log.append({"add": add})
            return


def _add_empty_vector(t: Tampering) -> None:
    for path in files.untouched(t)[:1] if actions.vector_adds(t) else []:
        add = t.log.live[path]
        t.log.append(actions.removal(add, at=t.outcome.ended), {"add": {**add, "deletionVector": inline(())}})


# The change data feed -------------------------------------------------------------------------------------------------


def _rename_to_insert(rows: pa.Table) -> pa.Table:
    kinds = pa.array(["insert"] * rows.num_rows)
    return rows.set_column(rows.schema.get_field_index("_change_type"), "_change_type", kinds)


def _writes_no_change_file(t: Tampering) -> bool:
    return t.log.has("delta.enableChangeDataFeed") and bool(t.log.removed) and not t.log.actions("cdc")


def _reads_commits(t: Tampering) -> bool:
    assert isinstance(t.step, ReadChanges)
    return t.step.commits


def _change_commits(change: Callable[[int, datetime], tuple[int, datetime]]) -> Tamper:
    """Change the version and the time in each row."""
    return lambda t: t.answer(change(*cast("tuple[int, datetime]", row)) for row in t.outcome.rows)


def _local(t: Tampering, at: datetime) -> datetime:
    assert isinstance(t.step, ReadChanges)
    return at.replace(tzinfo=ZoneInfo(t.step.zone)).astimezone(timezone.utc)


def _write_change_file(t: Tampering) -> None:
    path = t.root / "_change_data" / "cdc-00000-extra.snappy.parquet"
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table({"_change_type": ["delete"]}), path)
    cdc = {
        "path": actions.encoded(f"_change_data/{path.name}"),
        "partitionValues": actions.removes(t)[0]["partitionValues"],
        "dataChange": False,
        "size": path.stat().st_size,
    }
    t.log.append({"cdc": cdc})


# Column mapping and row tracking --------------------------------------------------------------------------------------


def _maps_columns(t: Tampering) -> bool:
    return t.log.maps_columns


def _logical_names(t: Tampering, names: list[str]) -> list[str]:
    logical = {physical: name for name, physical in t.log.physical_names.items()}
    return [logical.get(name, name) for name in names]


def _use_logical_partition_names(t: Tampering) -> None:
    for remove in actions.removes(t)[:1]:
        values = remove["partitionValues"]
        remove["partitionValues"] = dict(zip(_logical_names(t, list(values)), values.values(), strict=True))
        t.log.save()


def _use_logical_column_names(t: Tampering) -> None:
    for add in actions.new_adds(t)[:1]:
        rows = rows_of(t, add)
        replace_rows(t, add, rows.rename_columns(_logical_names(t, rows.column_names)))


def drop_row_ids(t: Tampering) -> None:
    name = t.log.configuration.get("delta.rowTracking.materializedRowIdColumnName")
    for add in actions.new_adds(t)[:1]:
        rows = rows_of(t, add)
        if name in rows.column_names:
            replace_rows(t, add, rows.drop_columns([name]))


def _share_row_ids(t: Tampering) -> None:
    adds = actions.new_adds(t)
    for add in adds[1:]:
        add["baseRowId"] = adds[0].get("baseRowId")
    t.log.save()


_VECTORS = has("delta.enableDeletionVectors")
_STRUCTS = has("delta.checkpoint.writeStatsAsStruct")

# fmt: off
FAULTS = (
    vector_fault("vector-is-not-added", "DEL-DV-1A", drop("deletionVector"), "A partly matched file is added again without its new deletion vector."),
    delete_fault("vector-hides-the-whole-file", "DEL-DV-1A", _hide_whole_file,
        "A new deletion vector hides all rows of the file, those that do not match too."),
    vector_fault("vector-with-tight-bounds", "DEL-DV-1B", within("stats", put(tightBounds=True)),
        "A file with a new deletion vector has tightBounds=true."),
    vector_fault("vector-with-logical-row-count", "DEL-DV-1B", _subtract_hidden_rows,
        "numRecords of a file with a new deletion vector leaves out the hidden rows."),
    vector_fault("vector-with-wrong-cardinality", "DEL-DV-3 DEL-DV-1B", within("deletionVector", raised("cardinality")),
        "A new deletion vector's cardinality is one too high."),
    vector_fault("vector-with-wrong-bounds", "DEL-DV-1D", within("stats", drop("minValues", "maxValues")),
        "The statistics of a file with a new deletion vector have no bounds any more."),
    vector_fault("vector-with-wrong-size", "DEL-DV-1E", within("deletionVector", raised("sizeInBytes")),
        "A new deletion vector's sizeInBytes is one too high."),
    vector_fault("loses-statistics-of-a-checkpoint", "DEL-DV-1B", drop("stats"),
        "Statistics that a checkpoint has as a struct are lost when a file gets a new deletion vector.", run=_STRUCTS),
    delete_fault("vector-file-is-spoilt", "DEL-DV-3", files.in_each(_new_vector_files, _flip_last_byte),
        "A byte of a deletion-vector file is wrong."),
    delete_fault("vector-file-is-not-written", "DEL-DV-3", files.delete_first(_new_vector_files),
        "A commit refers to a deletion-vector file that was never written."),
    delete_fault("vectors-and-a-data-file", "DEL-DV-1C",
        copy_first(actions.vector_adds, lambda _: "part-00000-copy.snappy.parquet"),
        "A DELETE that writes deletion vectors writes a data file too."),
    delete_fault("emptied-file-stays", "DEL-DV-2A",
        when(lambda t: _VECTORS(t) and not actions.new_adds(t), _keep_emptied_file),
        "A file without remaining rows is kept, with a deletion vector that hides all of it."),
    delete_fault("names-an-untouched-file", "DEL-DV-2B", _add_empty_vector,
        "A file without a matching row gets a new, empty deletion vector."),
    add_fault("writes-vectors-where-they-are-off", "DEL-DV-4", put(deletionVector=inline([0])),
        "A rewritten file gets a deletion vector though the table property is off.", run=lambda t: not _VECTORS(t)),
    delete_fault("vector-holds-one-array", "DEL-DV-1A", _keep_one_array,
        "Of a new deletion vector, the rows beyond the 4096 of an array container are lost."),
    delete_fault("counts-rows-after-skipped-pages", "DEL-DV-1A", _count_after_skipped_pages,
        "Row numbers are counted after pages were skipped by the page index, so a new deletion vector hides other rows."),
    remove_fault("remove-forgets-its-vector", "DEL-REM-1D DEL-META-2B", drop("deletionVector"), "A remove lacks the deletion vector of its add."),
    remove_fault("remove-forgets-its-row-ids", "DEL-REM-1D", drop("baseRowId"), "A remove lacks its add's baseRowId.", needs=[Feature.ROW_TRACKING]),
    delete_fault("change-file-loses-a-row", "DEL-CDF-1A", change_feed(lambda rows: rows.slice(1)),
        "A deleted row is missing from the change files."),
    edited(actions.of("cdc"), "change-file-with-wrong-size", "DEL-CDF-1D", raised("size"), "The size in a cdc action is one too high."),
    delete_fault("change-type-is-insert", "DEL-CDF-1A", change_feed(_rename_to_insert),
        "The rows of a change file have the change type insert."),
    delete_fault("change-file-for-whole-files", "DEL-CDF-1B", when(_writes_no_change_file, _write_change_file),
        "A DELETE of whole files, or with deletion vectors, writes a change file."),
    fault("feed-loses-a-row", "DEL-CDF-1C", Tampering.lose_first_row,
        "Reading the change data feed misses a row.", on=ReadChanges),
    fault("feed-of-commits-loses-a-row", "DEL-CDF-1C", when(_reads_commits, Tampering.lose_first_row),
        "Of the change data feed, the versions and times are read of one row less.", on=ReadChanges),
    fault("feed-names-the-version-before", "DEL-CDF-2A",
        when(_reads_commits, _change_commits(lambda version, at: (version - 1, at))),
        "The change data feed names the version before the one that the DELETE committed.", on=ReadChanges),
    fault("feed-names-the-local-time", "DEL-CDF-2B",
        when(_reads_commits, lambda t: _change_commits(lambda version, at: (version, _local(t, at)))(t)),
        "The change data feed reads the time of a commit in UTC as one of the session's time zone.", on=ReadChanges),
    delete_fault("partition-values-by-logical-names", "DEL-MAP-1A", when(_maps_columns, _use_logical_partition_names),
        "An action's partition values are keyed by the columns' logical names."),
    delete_fault("columns-by-logical-names", "DEL-MAP-1B", when(_maps_columns, _use_logical_column_names),
        "A rewritten file stores its columns under logical names."),
    delete_fault("mapped-column-is-lost", "DEL-MAP-1C",
        when(_maps_columns, lose_values(lambda t: list(t.log.physical_names.values()))),
        "A renamed column is NULL after a rewrite."),
    delete_fault("row-ids-are-given-anew", "DEL-ROWID-1A", drop_row_ids,
        "Rewritten rows get new row ids."),
    edited(actions.of("add"), "adds-without-base-row-id", "DEL-ROWID-1B", drop("baseRowId"), "An add has no baseRowId."),
    add_fault("adds-with-a-taken-row-id", "DEL-ROWID-1B", raised("baseRowId", by=-1),
        "The first row id of a new file is the last one that was assigned before."),
    edited(actions.of("domainMetadata"), "high-water-mark-is-set-back", "DEL-ROWID-1D", put(configuration='{"rowIdHighWaterMark":0}'),
        "The high-water mark of the row ids is 0 after a DELETE that assigns some."),
    delete_fault("new-files-share-a-row-id", "DEL-ROWID-1E", _share_row_ids,
        "All new files of a DELETE have the same first row id."),
    info_fault("says-row-ids-are-lost", "DEL-ROWID-1C", put(tags={"delta.rowTracking.preserved": "false"}),
        "The commit's tag says that row ids were not preserved.", edit=first, run=has("delta.enableRowTracking")),
    delete_fault("metrics-count-a-file-too-many", "DEL-MET-1A", actions.metrics("DELETE", raised("numRemovedFiles")),
        "operationMetrics count one removed file too many."),
    delete_fault("metrics-without-struct-statistics", "DEL-MET-1A",
        when(_STRUCTS, actions.metrics("DELETE", raised("numDeletedRows"))),
        "Where a checkpoint has statistics as a struct, one deleted row too many is counted."),
    delete_fault("metrics-with-a-negative-time", "DEL-MET-1B", actions.metrics("DELETE", put(executionTimeMs="-1")),
        "A time among the metrics is negative."),
)
# fmt: on

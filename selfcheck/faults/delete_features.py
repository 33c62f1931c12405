"""Faults of DELETE on tables with features: deletion vectors, change feed, column mapping, row tracking; and of its metrics."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq

from selfcheck.faults.fault import fault
from selfcheck.faults.logs import Action, read_parquet
from selfcheck.faults.tampering import Tampering, encoded, removal
from selfcheck.faults.vectors import inline_vector
from engines.port import Outcome
from model.steps import Delete, ReadChanges
from model.table import Feature

# Deletion vectors -----------------------------------------------------------------------------------------------------


@fault(
    "vector-is-not-added",
    "A partly matched file is added again without its new deletion vector.",
    on=Delete,
    caught_by="DEL-DV-1A",
)
def vector_is_not_added(t: Tampering) -> Outcome | None:
    t.change_first(t.masked_adds, lambda add: add.pop("deletionVector"))
    return None


@fault(
    "vector-hides-the-whole-file",
    "A new deletion vector hides rows that do not match, all of the file's.",
    on=Delete,
    caught_by="DEL-DV-1A",
)
def vector_hides_the_whole_file(t: Tampering) -> Outcome | None:
    def hide(add: Action) -> None:
        add["deletionVector"] = inline_vector(range(t.rows(t.path(add)).num_rows))

    t.change_first(t.masked_adds, hide)
    return None


def _statistics(change: Callable[[Action, Action], None]) -> Callable[[Action], None]:
    def edit(add: Action) -> None:
        stats = json.loads(add["stats"])
        change(stats, add)
        add["stats"] = json.dumps(stats)

    return edit


@fault(
    "vector-with-tight-bounds",
    "A file under a new deletion vector says that its bounds are tight.",
    on=Delete,
    caught_by="DEL-DV-1B",
)
def vector_with_tight_bounds(t: Tampering) -> Outcome | None:
    t.change_first(t.masked_adds, _statistics(lambda stats, _: stats.update(tightBounds=True)))
    return None


@fault(
    "vector-with-logical-row-count",
    "numRecords of a file under a new deletion vector leaves out the hidden rows.",
    on=Delete,
    caught_by="DEL-DV-1B",
)
def vector_with_logical_row_count(t: Tampering) -> Outcome | None:
    def count(stats: Action, add: Action) -> None:
        stats["numRecords"] -= add["deletionVector"]["cardinality"]

    t.change_first(t.masked_adds, _statistics(count))
    return None


@fault(
    "vector-with-wrong-cardinality",
    "A new deletion vector's cardinality is one too high.",
    on=Delete,
    caught_by="DEL-DV-3 DEL-DV-1B",
)
def vector_with_wrong_cardinality(t: Tampering) -> Outcome | None:
    def raise_it(add: Action) -> None:
        add["deletionVector"]["cardinality"] += 1

    t.change_first(t.masked_adds, raise_it)
    return None


@fault("vector-file-is-spoilt", "A byte of a deletion-vector file is not what it was.", on=Delete, caught_by="DEL-DV-3")
def vector_file_is_spoilt(t: Tampering) -> Outcome | None:
    for path in t.new_vector_files():
        content = (t.root / path).read_bytes()
        (t.root / path).write_bytes(content[:-1] + bytes([content[-1] ^ 0xFF]))
    return None


@fault(
    "vector-file-is-not-written",
    "A commit names a deletion-vector file that was never written.",
    on=Delete,
    caught_by="DEL-DV-3",
)
def vector_file_is_not_written(t: Tampering) -> Outcome | None:
    t.delete_first(t.new_vector_files())
    return None


@fault(
    "vectors-and-a-data-file",
    "A DELETE that writes deletion vectors writes a data file too.",
    on=Delete,
    caught_by="DEL-DV-1C",
)
def vectors_and_a_data_file(t: Tampering) -> Outcome | None:
    for add in t.masked_adds[:1]:
        path = t.root / t.path(add)
        shutil.copy2(path, path.with_name("part-00000-copy.snappy.parquet"))
    return None


@fault(
    "emptied-file-stays",
    "A file of which no row is left stays, under a deletion vector that hides all of it.",
    on=Delete,
    caught_by="DEL-DV-2A",
)
def emptied_file_stays(t: Tampering) -> Outcome | None:
    if t.table_property("delta.enableDeletionVectors") != "true" or t.new_adds:
        return None
    hidden_rows = {add["path"] for add in t.masked_adds}
    for remove in t.actions("remove"):
        path = t.path(remove)
        count = t.rows(path, before=True).num_rows
        if remove["path"] not in hidden_rows and count:
            stats = json.dumps({"numRecords": count, "tightBounds": False})
            add = {**t.live[path], "deletionVector": inline_vector(range(count)), "stats": stats}
            t.append_actions({"add": add})
            return None
    return None


@fault(
    "names-an-untouched-file",
    "A file without a matching row gets a new, empty deletion vector.",
    on=Delete,
    caught_by="DEL-DV-2B",
)
def names_an_untouched_file(t: Tampering) -> Outcome | None:
    if t.masked_adds:
        for path in t.untouched()[:1]:
            add = {**t.live[path], "deletionVector": inline_vector(())}
            t.append_actions(removal(t.live[path], deleted=t.outcome.ended), {"add": add})
    return None


@fault(
    "writes-vectors-where-they-are-off",
    "A rewritten file gets a deletion vector though the table's property is off.",
    on=Delete,
    caught_by="DEL-DV-4",
)
def writes_vectors_where_they_are_off(t: Tampering) -> Outcome | None:
    if t.table_property("delta.enableDeletionVectors") != "true":
        t.change_first(t.new_adds, lambda add: add.update(deletionVector=inline_vector([0])))
    return None


@fault(
    "remove-forgets-its-vector",
    "A remove does not carry the deletion vector of its add.",
    on=Delete,
    caught_by="DEL-REM-1D DEL-META-2B",
)
def remove_forgets_its_vector(t: Tampering) -> Outcome | None:
    t.change_first(
        [remove for remove in t.actions("remove") if "deletionVector" in remove],
        lambda remove: remove.pop("deletionVector"),
    )
    return None


@fault(
    "remove-forgets-its-row-ids",
    "A remove does not carry its add's baseRowId.",
    on=Delete,
    caught_by="DEL-REM-1D",
    needs=[Feature.ROW_TRACKING],
)
def remove_forgets_its_row_ids(t: Tampering) -> Outcome | None:
    t.change_first(
        [remove for remove in t.actions("remove") if "baseRowId" in remove], lambda remove: remove.pop("baseRowId")
    )
    return None


# The change data feed -------------------------------------------------------------------------------------------------


def _rewrite_changes(t: Tampering, change: Callable[[pa.Table], pa.Table]) -> None:
    """Give the first change file other rows."""
    for cdc in t.actions("cdc")[:1]:
        path = t.root / t.path(cdc)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        pq.write_table(change(read_parquet(path)), path)
        cdc["size"] = path.stat().st_size
        t.rewrite_all()


@fault("change-file-loses-a-row", "A deleted row is missing in the change files.", on=Delete, caught_by="DEL-CDF-1A")
def change_file_loses_a_row(t: Tampering) -> Outcome | None:
    _rewrite_changes(t, lambda rows: rows.slice(1))
    return None


@fault("change-type-is-insert", "The rows of a change file are called inserts.", on=Delete, caught_by="DEL-CDF-1A")
def change_type_is_insert(t: Tampering) -> Outcome | None:
    def rename(rows: pa.Table) -> pa.Table:
        kinds = pa.array(["insert"] * rows.num_rows)
        return rows.set_column(rows.schema.get_field_index("_change_type"), "_change_type", kinds)

    _rewrite_changes(t, rename)
    return None


@fault(
    "change-file-for-whole-files",
    "A DELETE of whole files, or by vectors, writes a change file.",
    on=Delete,
    caught_by="DEL-CDF-1B",
)
def change_file_for_whole_files(t: Tampering) -> Outcome | None:
    if t.table_property("delta.enableChangeDataFeed") == "true" and t.actions("remove") and not t.actions("cdc"):
        values = t.actions("remove")[0]["partitionValues"]
        path = t.root / "_change_data" / "cdc-00000-extra.snappy.parquet"
        path.parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"_change_type": ["delete"]}), path)
        cdc = {"path": encoded(f"_change_data/{path.name}"), "partitionValues": values, "dataChange": False}
        t.append_actions({"cdc": {**cdc, "size": path.stat().st_size}})
    return None


@fault("feed-loses-a-row", "The change data feed, read back, lacks a row.", on=ReadChanges, caught_by="DEL-CDF-1C")
def feed_loses_a_row(t: Tampering) -> Outcome | None:
    return t.answer(t.outcome.rows[1:]) if t.outcome.rows else None


# Column mapping -------------------------------------------------------------------------------------------------------


@fault(
    "partition-values-by-logical-names",
    "An action's partition values are keyed by the columns' logical names.",
    on=Delete,
    caught_by="DEL-MAP-1A",
)
def partition_values_by_logical_names(t: Tampering) -> Outcome | None:
    logical = {physical: name for name, physical in t.physical_names().items()}
    if t.maps_columns:
        t.change_first(
            t.actions("remove"),
            lambda remove: remove.update(
                partitionValues={logical.get(name, name): value for name, value in remove["partitionValues"].items()}
            ),
        )
    return None


@fault(
    "columns-by-logical-names",
    "A rewritten file stores its columns under logical names.",
    on=Delete,
    caught_by="DEL-MAP-1B",
)
def columns_by_logical_names(t: Tampering) -> Outcome | None:
    logical = {physical: name for name, physical in t.physical_names().items()}
    for add in t.new_adds[:1] if t.maps_columns else []:
        rows = t.rows(t.path(add))
        t.replace_rows(add, rows.rename_columns([logical.get(name, name) for name in rows.column_names]))
    return None


@fault("mapped-column-is-lost", "A renamed column reads NULL after a rewrite.", on=Delete, caught_by="DEL-MAP-1C")
def mapped_column_is_lost(t: Tampering) -> Outcome | None:
    if t.maps_columns:
        t.forget(list(t.physical_names().values()))
    return None


# Row tracking ---------------------------------------------------------------------------------------------------------


@fault("row-ids-are-given-anew", "Rewritten rows get new row ids.", on=Delete, caught_by="DEL-ROWID-1A")
def row_ids_are_given_anew(t: Tampering) -> Outcome | None:
    name = t.table_property("delta.rowTracking.materializedRowIdColumnName")
    for add in t.new_adds[:1] if name else []:
        rows = t.rows(t.path(add))
        if name in rows.column_names:
            t.replace_rows(add, rows.drop_columns([name]))
    return None


@fault("adds-without-base-row-id", "An add has no baseRowId.", on=Delete, caught_by="DEL-ROWID-1B")
def adds_without_base_row_id(t: Tampering) -> Outcome | None:
    t.change_first([add for add in t.actions("add") if "baseRowId" in add], lambda add: add.pop("baseRowId"))
    return None


@fault(
    "adds-with-a-taken-row-id",
    "The first row id of a new file is the last that was given away before.",
    on=Delete,
    caught_by="DEL-ROWID-1B",
)
def adds_with_a_taken_row_id(t: Tampering) -> Outcome | None:
    numbered = [add for add in t.new_adds if add.get("baseRowId")]
    t.change_first(numbered, lambda add: add.update(baseRowId=add["baseRowId"] - 1))
    return None


@fault(
    "says-row-ids-are-lost",
    "The commit's tag says that row ids were not preserved.",
    on=Delete,
    caught_by="DEL-ROWID-1C",
)
def says_row_ids_are_lost(t: Tampering) -> Outcome | None:
    if t.table_property("delta.enableRowTracking") == "true":
        t.change_first(t.actions("commitInfo"), lambda info: info.update(tags={"delta.rowTracking.preserved": "false"}))
    return None


# Metrics --------------------------------------------------------------------------------------------------------------


@fault(
    "metrics-count-a-file-too-many",
    "operationMetrics count one removed file too many.",
    on=Delete,
    caught_by="DEL-MET-1A",
)
def metrics_count_a_file_too_many(t: Tampering) -> Outcome | None:
    def count(info: Action) -> None:
        metrics = info["operationMetrics"]
        metrics["numRemovedFiles"] = str(int(metrics["numRemovedFiles"]) + 1)

    t.change_first(t.actions("commitInfo"), count)
    return None


@fault("metrics-with-a-negative-time", "A time among the metrics is negative.", on=Delete, caught_by="DEL-MET-1B")
def metrics_with_a_negative_time(t: Tampering) -> Outcome | None:
    t.change_first(t.actions("commitInfo"), lambda info: info["operationMetrics"].update(executionTimeMs="-1"))
    return None

"""Each law on made-up evidence: one situation in which it holds, and those that break it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from deltalog.deletion_vectors import vector_file
from deltalog.descriptors import DeletionVectorDescriptor
from reports import laws
from reports.laws import LAWS
from reports.laws.actions import file_of, values_in
from reports.laws.evidence import DIRECTORY, CannotJudge, Entry, Evidence, Unreadable
from reports.laws.words import listed

NS = 1_000_000
OLD: Entry = (10, 5 * NS, "old bytes")
NEW: Entry = (20, 1_500 * NS + 7, "new bytes")
ADD = {
    "path": "p=a%2520b/new.parquet",
    "partitionValues": {"p": "a b"},
    "size": 20,
    "modificationTime": 1_500,
    "dataChange": True,
    "stats": json.dumps({"numRecords": 2}),
}
REMOVE = {
    "path": "p=a/old.parquet",
    "deletionTimestamp": 1_600,
    "dataChange": True,
    "extendedFileMetadata": True,
    "partitionValues": {"p": "a"},
    "size": 10,
}
INFO = {"operation": "DELETE", "operationMetrics": {"numRemovedFiles": "1"}}
LIVE = {"path": "p=a/old.parquet", "partitionValues": {"p": "a"}, "size": 10, "modificationTime": 5}
BEFORE: dict[str, Entry] = {
    ".": DIRECTORY,
    "_delta_log": DIRECTORY,
    "_delta_log/00000000000000000000.json": (5, 1, "log"),
    "_delta_log/_last_checkpoint": (5, 1, "pointer"),
    "p=a": DIRECTORY,
    "p=a/old.parquet": OLD,
}
AFTER: dict[str, Entry] = {
    **BEFORE,
    "_delta_log/00000000000000000001.json": (6, 2, "log"),
    "_delta_log/.00000000000000000001.json.crc": (6, 2, "log"),
    "p=a%20b": DIRECTORY,
    "p=a%20b/new.parquet": NEW,
    "p=a%20b/.new.parquet.crc": (1, 1, "checksum"),
}
SCHEMA: list[dict[str, Any]] = [
    {"name": "id", "type": "integer"},
    {"name": "point", "type": {"type": "struct", "fields": [{"name": "x", "type": "double"}]}},
    {"name": "p", "type": "string"},
]
#: A file with two vectors: of the rows 0 and 2, and of the row 1.
VECTOR_BYTES, (FIRST_VECTOR, SECOND_VECTOR) = vector_file(UUID(int=1), [[0, 2], [1]])
VECTOR_FILE = str(FIRST_VECTOR.file)
#: A DELETE that rewrote one file.
DELETE = Evidence(
    text="DELETE FROM t",
    root="/tmp/table",
    before=BEFORE,
    after=AFTER,
    live={"p=a/old.parquet": LIVE},
    live_after={"p=a%20b/new.parquet": ADD},
    commits=[[{"commitInfo": INFO}, {"remove": REMOVE}, {"add": ADD}]],
    schema=SCHEMA,
    partition_by=["p"],
    rows=[[1]],
    error=None,
    started=1_400,
    ended=1_700,
    read_file=lambda add: [[1, "a b"], [2, "a b"]],
    read_changes=lambda cdc: [],
    read_table=lambda: ([[1, "a b"]], None),
    read_feed=lambda: ([[1, "a b", "delete"]], None),
    read_row_ids=lambda before: ([[1, "a b", 7, 0], [2, "a b", 8, 0]][: 2 if before else 1], None),
    read_bytes=lambda path: {VECTOR_FILE: VECTOR_BYTES}[path],
    stored_names=lambda add: ["id", "point", "point.x"],
    live_at=lambda version: [{}, {"p=a/old.parquet": LIVE}][version],
    read_removes=lambda: None,
)
VECTOR = {"storageType": "u", "pathOrInlineDv": "abc", "offset": 1}
FILE = "p=a/old.parquet"
#: A step that did nothing.
NOTHING = replace(DELETE, after=BEFORE, commits=[], rows=[])
ERROR = {"exception": "DeltaError", "condition": "DELTA_REFUSED", "message": "No.\nDetails."}
REFUSED = replace(NOTHING, rows=None, error=ERROR)
DRY = replace(NOTHING, text="VACUUM t DRY RUN", rows=[["file:/tmp/table/p=a/x y.parquet"], ["file:///tmp/table/d"]])
VACUUM = replace(
    NOTHING,
    text="VACUUM t",
    commits=[
        [{"commitInfo": {"operation": "VACUUM START", "operationMetrics": {"numFilesToDelete": "1"}}}],
        [{"commitInfo": {"operation": "VACUUM END", "operationParameters": {"status": "COMPLETED"}}}],
    ],
)


def versions(*adds: dict[str, Any]) -> Evidence:
    """A VACUUM of a table whose version 0 has these adds. Beside the table lie two things."""
    beside: dict[str, Entry] = {"../other": DIRECTORY, "../other/file": OLD, "../link": (-2, 7, "a link to other/file")}
    there = {**BEFORE, **beside, VECTOR_FILE: OLD}
    live = {file_of(add, "/tmp/table"): add for add in adds}
    return replace(VACUUM, before=there, after=there, live_at=lambda version: [live][version])


def lost(seen: Evidence, path: str, entry: Entry | None = None) -> Evidence:
    """The same, but the path is gone, or is another thing."""
    after = {name: one for name, one in seen.after.items() if name != path}
    return replace(seen, after=after if entry is None else {**after, path: entry})


def answering(*rows: list[Any]) -> Evidence:
    return replace(DRY, rows=list(rows))


COUNTS = ["operationMetrics.numDeletedFiles", "operationMetrics.sizeOfDataToDelete"]


def counting(files: int, size: int, *, link: bool = False) -> Evidence:
    """A VACUUM that deletes a file of 10 bytes and its checksum, and says that it was so many files and bytes."""
    there = {**BEFORE, "p=a/.old.parquet.crc": OLD, **({"link": (-2, 7, "a link to x")} if link else {})}
    left = {path: entry for path, entry in there.items() if "old.parquet" not in path}
    start = {"operation": "VACUUM START", "operationMetrics": {"sizeOfDataToDelete": str(size)}}
    end = {"operation": "VACUUM END", "operationMetrics": {"numDeletedFiles": str(files)}}
    return replace(VACUUM, before=there, after=left, commits=[[{"commitInfo": start}], [{"commitInfo": end}]])


def informed(text: str) -> Evidence:
    """A VACUUM after which _last_vacuum_info holds this text."""
    after = {**BEFORE, "_delta_log/_last_vacuum_info": OLD}
    return replace(VACUUM, after=after, read_bytes=lambda path: {"_delta_log/_last_vacuum_info": text.encode()}[path])


def checkpointed(*paths: str) -> Evidence:
    return replace(VACUUM, read_removes=lambda: [{"path": path} for path in paths])


def add(**changes: Any) -> Evidence:
    return replace(DELETE, commits=[[{"add": {**ADD, **changes}}]])


def remove(**changes: Any) -> Evidence:
    return replace(DELETE, commits=[[{"remove": {**REMOVE, **changes}}]])


def without(path: str) -> Evidence:
    return replace(DELETE, after={name: entry for name, entry in AFTER.items() if name != path})


def changed(path: str) -> Evidence:
    return replace(DELETE, after={**AFTER, path: (99, 99, "changed")})


def null_partition(**values: Any) -> Evidence:
    """A remove of a file in the partition p = NULL, with these partition values."""
    live = {FILE: {**LIVE, "partitionValues": {"p": None}}}
    return replace(remove(partitionValues=values), live=live)


def reading(rows: list[Any]) -> Evidence:
    """A DELETE that names none of its new files; in each of those are these rows."""
    return replace(remove(), read_file=lambda add: rows)


def unreadable(add: dict[str, Any]) -> list[Any]:
    raise Unreadable(f"{add['path']} cannot be read.")


def descriptor(vector: DeletionVectorDescriptor) -> dict[str, Any]:
    """A vector as an action has it."""
    return {
        "storageType": vector.storage,
        "pathOrInlineDv": vector.path_or_inline,
        "offset": vector.offset,
        "sizeInBytes": vector.size,
        "cardinality": vector.cardinality,
    }


FIRST, SECOND = descriptor(FIRST_VECTOR), descriptor(SECOND_VECTOR)
ABSOLUTE_VECTOR = {**FIRST, "storageType": "p", "pathOrInlineDv": f"file:///tmp/table/{VECTOR_FILE}"}
#: The live file, named by its URI; and one beside the root.
URI_ADD = {**LIVE, "path": "file:///tmp/table/p%3Da/old.parquet"}
OUTSIDE_ADD = {**LIVE, "path": "file:/tmp/other/file"}
STATS = json.dumps({"numRecords": 3, "tightBounds": False})
TIGHT = json.dumps({"numRecords": 3, "tightBounds": True})
MASKED_ADD = {**LIVE, "dataChange": True, "deletionVector": FIRST, "stats": STATS}


def hidden_rows(vector: dict[str, Any]) -> Evidence:
    """A DELETE that gave a file of three rows this vector."""
    new = {**MASKED_ADD, "deletionVector": vector}
    return replace(
        DELETE,
        commits=[[{"remove": REMOVE}, {"add": new}]],
        live_after={FILE: new},
        read_file=lambda add: [[number, None, "a"] for number in (1, 2, 3)],
    )


MASKED = hidden_rows(FIRST)


def masked_remove(vector: dict[str, Any]) -> Evidence:
    """A DELETE that removed a file with this vector; the live add has the vector FIRST."""
    return replace(remove(deletionVector=vector), live={FILE: {**LIVE, "deletionVector": FIRST}})


def missing(path: str) -> bytes:
    raise FileNotFoundError(2, "gone")


def changing(kind: str) -> Evidence:
    """A DELETE that rewrote a file and wrote a change file, with a row of this change type."""
    cdc = {"path": "_change_data/p=a/cdc.parquet", "partitionValues": {"p": "a"}, "size": 20, "dataChange": False}
    return replace(
        DELETE, commits=[[{"remove": REMOVE}, {"cdc": cdc}]], read_changes=lambda cdc: [[1, None, "a", kind]]
    )


CHANGED = changing("delete")
TAGGED = replace(DELETE, commits=[[{"commitInfo": {**INFO, "tags": {"delta.rowTracking.preserved": "true"}}}]])
DELETE_WITH_IDS = replace(
    remove(baseRowId=3, defaultRowCommitVersion=0),
    live={FILE: {**LIVE, "baseRowId": 3, "defaultRowCommitVersion": 0}},
)


def with_ids(rows: list[Any]) -> Evidence:
    """A DELETE after which these rows are left, each with its id and its commit version."""
    before = [[1, "a b", 7, 0], [2, "a b", 8, 0]]
    return replace(DELETE, read_row_ids=lambda asked: (before if asked else rows, None))


def timed(value: str) -> Evidence:
    return replace(DELETE, commits=[[{"commitInfo": {**INFO, "operationMetrics": {"scanTimeMs": value}}}]])


#: What counts the files that a DELETE wrote; and a DELETE that says this of them, after the given actions.
WRITTEN = {
    "metrics": {},
    "of_what_was_written": ["numAddedFiles", "numAddedBytes", "numAddedChangeFiles"],
}


def metered(files: int, size: int, changes: int | None, *actions: dict[str, Any]) -> Evidence:
    metrics = {"numAddedFiles": str(files), "numAddedBytes": str(size)}
    metrics |= {} if changes is None else {"numAddedChangeFiles": str(changes)}
    return replace(
        DELETE, commits=[[{"commitInfo": {**INFO, "operationMetrics": metrics}}, *(actions or [{"add": ADD}])]]
    )


def refused_with(condition: str | None) -> Evidence:
    return replace(REFUSED, error={**ERROR, "condition": condition})


def physical(name: str) -> dict[str, Any]:
    return {"metadata": {"delta.columnMapping.physicalName": name}}


#: The partition's time is in the session's zone in the directory's name, in UTC in the log.
TIMED = replace(
    add(path="p=2020-01-31%252000%253A00%253A00/new.parquet", partitionValues={"p": "2020-01-30T23:00:00.000000Z"}),
    after={**AFTER, "p=2020-01-31%2000%3A00%3A00/new.parquet": NEW},
    schema=[{"name": "p", "type": "timestamp"}],
)

#: A DELETE on a table with column mapping.
MAPPED = replace(
    add(partitionValues={"f3": "a b"}, path="new.parquet"),
    schema=[
        {"name": "id", "type": "integer", **physical("id")},
        {
            "name": "point",
            "type": {"type": "struct", "fields": [{"name": "x", "type": "double", **physical("f2")}]},
            **physical("f1"),
        },
        {"name": "p", "type": "string", **physical("f3")},
    ],
    partition_by=["f3"],
    stored_names=lambda add: ["id", "f1", "f1.f2", "_row-id-col", "_change_type", "__is_cdc", "f3"],
)

HOLD: list[tuple[str, Evidence, dict[str, Any]]] = [
    ("stays", DELETE, {"path": FILE}),
    ("stays", DELETE, {"path": "p=a"}),
    ("live_files_stay", DELETE, {}),
    ("goes", without(FILE), {"path": FILE}),
    ("no_file_went", DELETE, {}),
    ("no_file_went", without("p=a"), {}),
    ("no_file_went", without("_delta_log/00000000000000000000.json"), {}),
    ("nothing_went", DELETE, {}),
    ("nothing_went", without("_delta_log/00000000000000000000.json"), {}),
    ("rows_are", DELETE, {"rows": [[1]]}),
    (
        "rows_are",
        replace(DELETE, rows=[[1, None], [2, {"date": "2020-01-31"}]]),
        {"rows": [[2, {"date": "2020-01-31"}], [1, None]]},
    ),
    ("reads", DELETE, {"rows": [[1, "a b"]]}),
    ("removed_exactly", DELETE, {"paths": [FILE]}),
    ("no_commit", NOTHING, {}),
    ("definition_stays", DELETE, {}),
    ("one_commit", DELETE, {}),
    ("untouched", DELETE, {}),
    ("untouched", changed("p=a%20b/new.parquet"), {"paths": [FILE]}),
    ("nothing_changed", NOTHING, {}),
    ("adds_true", DELETE, {}),
    ("adds_true", MASKED, {}),
    ("adds_true", TIMED, {}),
    ("adds_true", add(size=21), {"facts": ["modificationTime", "numRecords"]}),
    ("removes_true", DELETE, {}),
    ("removes_true", remove(size=1), {"facts": ["path", "deletionTimestamp"]}),
    ("removes_true", remove(deletionTimestamp=None), {"facts": ["path", "size"]}),
    ("removes_true", null_partition(), {}),
    ("removes_true", null_partition(p=None), {}),
    ("removes_name_all_partitions", DELETE, {}),
    ("removes_name_all_partitions", NOTHING, {}),
    ("removes_name_all_partitions", null_partition(p=None), {}),
    ("removes_name_all_partitions", replace(remove(partitionValues=None), partition_by=[]), {}),
    ("one_deletion_timestamp", DELETE, {}),
    ("one_deletion_timestamp", NOTHING, {}),
    ("no_conflicting_actions", DELETE, {}),
    (
        "no_conflicting_actions",
        replace(DELETE, commits=[[{"remove": REMOVE}, {"add": {**LIVE, "deletionVector": VECTOR}}]]),
        {},
    ),
    ("no_adds", remove(), {}),
    ("no_new_files", replace(DELETE, after={**BEFORE, "_delta_log/1.json": OLD, "new": DIRECTORY}), {}),
    ("all_new_files_referenced", DELETE, {}),
    ("all_new_files_referenced", reading([]), {}),
    ("all_new_files_referenced", replace(DELETE, after={**AFTER, "deletion_vector_1.bin": NEW}), {}),
    ("added_rows_are", DELETE, {"rows": [[2, "a b"], [1, "a b"]]}),
    (
        "commit_info",
        DELETE,
        {"expected": {"operation": "DELETE", "operationMetrics.numRemovedFiles": "1"}, "present": ["operation"]},
    ),
    ("refused", REFUSED, {"condition": "DELTA_REFUSED"}),
    ("refused", REFUSED, {"condition": None}),
    ("succeeded", DELETE, {}),
    ("lists", DRY, {"path": "p=a/x y.parquet"}),
    ("lists", DRY, {"path": "d"}),
    ("lists_not", DRY, {"path": FILE}),
    (
        "vacuum_log",
        VACUUM,
        {
            "expected": {
                "START": {"operationMetrics.numFilesToDelete": "1"},
                "END": {"operationParameters.status": "COMPLETED"},
            }
        },
    ),
    ("vacuum_log", counting(1, 10), {"expected": {}, "of_what_went": COUNTS}),
    ("vacuum_log", counting(1, 99, link=True), {"expected": {}, "of_what_went": COUNTS}),
    ("vacuum_log", counting(0, 0), {"expected": {}, "of_what_went": COUNTS, "by_another": [FILE]}),
    ("vacuum_log", counting(9, 9), {"expected": {}, "of_what_went": []}),
    ("log_unchanged", DELETE, {}),
    ("log_unchanged", changed("_delta_log/_last_checkpoint"), {}),
    ("table_is_there", DELETE, {}),
    ("rows_are", replace(DELETE, rows=[[{"float": "NaN"}, -0.0]]), {"rows": [[{"float": "NaN"}, 0.0]]}),
    (
        "rows_are",
        replace(DELETE, rows=[[[{"decimal": "1.20"}], {"timestamp": "2020-01-31T00:00:00.000000Z"}]]),
        {"rows": [[[{"decimal": "1.2"}], {"timestamp": "2020-01-31T00:00:00Z"}]]},
    ),
    ("definition_stays", replace(DELETE, commits=[[{"domainMetadata": {"domain": "delta.rowTracking"}}]]), {}),
    ("removes_true", masked_remove(FIRST), {}),
    ("added_rows_are", MASKED, {"rows": [[2, None, "a"]]}),
    ("refused", REFUSED, {"conditions": ["DELTA_OTHER", "DELTA_REFUSED"]}),
    ("refused", refused_with("DELTA_REFUSED.AND_MORE"), {"conditions": ["DELTA_REFUSED"]}),
    ("refused", refused_with(None), {"conditions": [None]}),
    ("vectors_are", MASKED, {"files": {FILE: [2, 0]}}),
    ("vectors_are", DELETE, {"files": {}}),
    ("vectors_are", DELETE, {"files": {FILE: []}}),
    ("vectors_valid", MASKED, {}),
    ("vectors_valid", DELETE, {}),
    ("no_vector_written", DELETE, {}),
    ("no_vector_written", replace(MASKED, live={FILE: {**LIVE, "deletionVector": FIRST}}), {}),
    ("change_rows_are", CHANGED, {"rows": [[1, None, "a"]]}),
    ("change_rows_are", DELETE, {"rows": []}),
    ("no_change_files", DELETE, {}),
    ("no_new_data_files", replace(DELETE, after={**BEFORE, "deletion_vector_1.bin": NEW}), {}),
    ("changes_are", DELETE, {"rows": [[1, "a b", "delete"]]}),
    ("metrics_are", DELETE, {"metrics": {"numRemovedFiles": 1}, "absent": ["numAddedFiles"]}),
    ("metrics_are", metered(1, 20, 0), WRITTEN),
    ("metrics_are", metered(0, 0, 0, {"add": LIVE}), WRITTEN),
    ("metrics_are", metered(1, 20, 1, {"add": ADD}, {"cdc": {"path": "_change_data/x"}}), WRITTEN),
    ("commit_tag", TAGGED, {"tag": "delta.rowTracking.preserved", "value": "true"}),
    ("commit_tag", DELETE, {"tag": "delta.rowTracking.preserved", "value": None}),
    ("row_ids_kept", DELETE, {}),
    ("times_are_numbers", DELETE, {"names": ["numRemovedFiles"]}),
    ("row_ids_set", add(baseRowId=5, defaultRowCommitVersion=1), {"taken": 4}),
    ("row_ids_set", DELETE_WITH_IDS, {"taken": 3}),
    ("physical_names", DELETE, {}),
    ("physical_names", CHANGED, {}),
    ("physical_names", null_partition(), {}),
    ("physical_names", MAPPED, {}),
    ("beside_stays", versions(), {}),
    ("beside_stays", versions(), {"path": "../other/file"}),
    ("beside_stays", lost(versions(), FILE), {}),
    ("stays", versions(), {"path": "../link"}),
    ("version_files_stay", versions(URI_ADD), {"version": 0}),
    ("version_files_stay", lost(versions(LIVE), VECTOR_FILE), {"version": 0}),
    ("version_files_stay", lost(versions(LIVE), FILE), {"version": 0, "but": [FILE]}),
    ("version_files_stay", versions({**LIVE, "deletionVector": FIRST}), {"version": 0}),
    ("version_files_stay", lost(versions({**LIVE, "path": "never-there"}), FILE), {"version": 0}),
    ("version_files_stay", lost(versions(OUTSIDE_ADD), "../other/file"), {"version": 0}),
    ("lists_exactly", DRY, {"paths": ["p=a/x y.parquet", "d"]}),
    ("lists_exactly", DRY, {"paths": ["d"], "either": ["p=a/x y.parquet", "never"]}),
    ("answers_root", answering(["file:/tmp/table"]), {}),
    ("answers_root", answering(["/tmp/table"]), {}),
    ("answers_nothing", NOTHING, {}),
    ("answers_paths", DRY, {}),
    ("answers_paths", NOTHING, {}),
    ("last_vacuum_info_is", informed('{"latestCommitVersionOutsideOfRetentionWindow":3}'), {"version": 3}),
    ("last_vacuum_info_is", informed("{}"), {"version": None}),
    ("last_vacuum_info_is", VACUUM, {"version": None}),
    ("checkpoint_keeps", checkpointed("p%3Da/old.parquet", "x"), {"paths": [FILE]}),
    ("log_unchanged", replace(VACUUM, after={**BEFORE, "_delta_log/_sidecars/x.parquet": OLD}), {}),
]

BREAK: list[tuple[str, Evidence, dict[str, Any], str]] = [
    ("live_files_stay", without(FILE), {}, "refers to"),
    ("definition_stays", replace(DELETE, commits=[[{"metaData": {"id": "other"}}]]), {}, "metaData"),
    ("stays", without(FILE), {"path": FILE}, "is gone"),
    ("stays", changed(FILE), {"path": FILE}, "other bytes"),
    ("goes", DELETE, {"path": FILE}, "still there"),
    ("no_file_went", without(FILE), {}, "p=a/old.parquet is gone"),
    ("no_file_went", replace(DELETE, after={**AFTER, FILE: DIRECTORY}), {}, "p=a/old.parquet is gone"),
    ("nothing_went", without(FILE), {}, "p=a/old.parquet is gone"),
    ("nothing_went", without("p=a"), {}, "p=a is gone"),
    ("nothing_went", replace(DELETE, after={**AFTER, "p=a": NEW}), {}, "p=a is gone"),
    ("rows_are", DELETE, {"rows": [[1], [1]]}, "1 missing"),
    ("rows_are", DELETE, {"rows": [["1"]]}, "1 too many"),
    ("rows_are", REFUSED, {"rows": []}, "DELTA_REFUSED: No."),
    ("reads", DELETE, {"rows": []}, "1 too many"),
    ("reads", DELETE, {"rows": [[1, "a b"], [2, "a b"]]}, "1 missing"),
    ("reads", replace(DELETE, read_table=lambda: (None, ERROR)), {"rows": []}, "cannot be read after DELETE"),
    ("removed_exactly", DELETE, {"paths": []}, "1 too many"),
    ("removed_exactly", DELETE, {"paths": [FILE, "x"]}, "1 missing"),
    ("removed_exactly", NOTHING, {"paths": []}, "0 versions"),
    ("no_commit", DELETE, {}, "1 version"),
    ("one_commit", REFUSED, {}, "DELTA_REFUSED"),
    ("untouched", changed(FILE), {}, "touched"),
    ("untouched", replace(DELETE, after={**AFTER, FILE: (10, 6 * NS, "old bytes")}), {}, "touched"),
    ("nothing_changed", DELETE, {}, "changed"),
    ("nothing_changed", replace(NOTHING, after={**BEFORE, "new": DIRECTORY}), {}, "changed new"),
    ("adds_true", add(size=21), {}, "size 21, but found 20"),
    ("adds_true", add(size=21), {"facts": ["a file of size"]}, "size 21, but found 20"),
    ("adds_true", add(dataChange=False), {}, "dataChange"),
    ("adds_true", add(partitionValues={"q": "a b"}), {}, "partition columns"),
    ("adds_true", add(partitionValues={"p": "a"}), {}, "directory's name"),
    ("adds_true", add(modificationTime=1_501), {}, "modificationTime"),
    ("adds_true", add(stats=json.dumps({"numRecords": 3})), {}, "numRecords 3, but found 2"),
    ("adds_true", add(path="p=a/old.parquet"), {}, "there before"),
    ("adds_true", add(path="p=a%2520b/none.parquet"), {}, "a file of size"),
    ("adds_true", replace(DELETE, commits=[[{"add": ADD}, {"add": ADD}]]), {}, "uses"),
    ("removes_true", remove(path="never"), {}, "was not live"),
    ("removes_true", remove(dataChange=False), {}, "dataChange"),
    ("removes_true", remove(extendedFileMetadata=None), {}, "extendedFileMetadata"),
    ("removes_true", remove(partitionValues={}), {}, "partitionValues"),
    ("removes_true", remove(partitionValues=None), {}, "partitionValues"),
    ("removes_true", remove(partitionValues={"p": None}), {}, "partitionValues"),
    ("removes_true", null_partition(p="a"), {}, "partitionValues"),
    ("removes_true", remove(size=1), {}, "size"),
    ("removes_true", remove(baseRowId=3), {"facts": ["baseRowId"]}, "baseRowId 3, but it must be None"),
    ("removes_true", remove(deletionTimestamp=None), {"facts": ["deletionTimestamp"]}, "deletionTimestamp None"),
    ("removes_true", remove(deletionTimestamp=1_399), {}, "deletionTimestamp 1399"),
    ("removes_true", remove(deletionTimestamp=1_701), {}, "deletionTimestamp 1701"),
    ("removes_true", remove(deletionTimestamp=None), {}, "deletionTimestamp None"),
    ("removes_name_all_partitions", null_partition(), {}, "values for nothing, but they must be for p"),
    ("removes_name_all_partitions", remove(partitionValues=None), {}, "values for nothing"),
    ("removes_name_all_partitions", remove(partitionValues={"p": "a", "q": "b"}), {}, "values for p, q"),
    (
        "one_deletion_timestamp",
        replace(DELETE, commits=[[{"remove": REMOVE}, {"remove": {**REMOVE, "deletionTimestamp": 1}}]]),
        {},
        "1, 1600",
    ),
    (
        "no_conflicting_actions",
        replace(DELETE, commits=[[{"remove": REMOVE}, {"add": LIVE}]]),
        {},
        "as add and as remove",
    ),
    ("no_conflicting_actions", replace(DELETE, commits=[[{"remove": REMOVE}] * 2]), {}, "2 times as remove"),
    ("no_adds", DELETE, {}, "new.parquet"),
    ("no_new_files", DELETE, {}, "new.parquet"),
    ("all_new_files_referenced", remove(), {}, "new.parquet (2 rows), which its commit does not name"),
    ("all_new_files_referenced", replace(remove(), read_file=unreadable), {}, "new.parquet (which cannot be read)"),
    ("all_new_files_referenced", replace(reading([]), after={**AFTER, "x": NEW}), {}, "x (no Parquet file)"),
    ("added_rows_are", DELETE, {"rows": [[1, "a b"]]}, "1 too many"),
    ("commit_info", DELETE, {"expected": {"operation": "WRITE"}, "present": []}, "instead of 'WRITE'"),
    ("commit_info", DELETE, {"expected": {}, "present": ["operationMetrics.x"]}, "operationMetrics.x absent"),
    ("commit_info", NOTHING, {"expected": {}, "present": []}, "wrote no version"),
    ("refused", DELETE, {"condition": None}, "was not refused"),
    ("refused", REFUSED, {"condition": "DELTA_OTHER"}, "DELTA_REFUSED"),
    ("succeeded", REFUSED, {}, "DELTA_REFUSED"),
    ("lists", DRY, {"path": FILE}, "does not list"),
    ("lists", REFUSED, {"path": FILE}, "listed nothing"),
    ("lists_not", DRY, {"path": "d"}, "lists d"),
    ("lists_not", REFUSED, {"path": "d"}, "listed nothing"),
    ("vacuum_log", DELETE, {"expected": {}}, "not a VACUUM START"),
    ("vacuum_log", VACUUM, {"expected": {"END": {"operationParameters.status": "FAILED"}}}, "END with"),
    (
        "vacuum_log",
        replace(VACUUM, commits=[[*VACUUM.commits[0], {"remove": REMOVE}], VACUUM.commits[1]]),
        {"expected": {}},
        "a remove action",
    ),
    ("vacuum_log", counting(2, 10), {"expected": {}, "of_what_went": COUNTS}, "numDeletedFiles = '2' instead of '1'"),
    ("vacuum_log", counting(1, 20), {"expected": {}, "of_what_went": COUNTS}, "sizeOfDataToDelete = '20' instead of"),
    ("vacuum_log", counting(2, 99, link=True), {"expected": {}, "of_what_went": COUNTS}, "END with"),
    ("log_unchanged", changed("_delta_log/00000000000000000000.json"), {}, "changed"),
    ("log_unchanged", without("_delta_log/00000000000000000000.json"), {}, "changed"),
    ("log_unchanged", changed("_delta_log/strange"), {}, "strange"),
    ("table_is_there", without("_delta_log"), {}, "_delta_log is gone"),
    ("table_is_there", replace(DELETE, read_table=lambda: (None, ERROR)), {}, "cannot be read"),
    ("rows_are", replace(DELETE, rows=[[{"binary": "00"}]]), {"rows": [["00"]]}, "1 too many"),
    (
        "definition_stays",
        replace(DELETE, commits=[[{"domainMetadata": {"domain": "mine"}}]]),
        {},
        "domainMetadata of mine",
    ),
    (
        "adds_true",
        replace(MASKED, commits=[[{"add": {**MASKED_ADD, "stats": None}}]]),
        {},
        "statistics with numRecords",
    ),
    ("adds_true", replace(MASKED, commits=[[{"add": {**MASKED_ADD, "stats": TIGHT}}]]), {}, "tightBounds"),
    ("adds_true", replace(MASKED, live={FILE: {**LIVE, "size": 11}}), {}, "the live add's size"),
    ("removes_true", masked_remove(SECOND), {}, "deletion vector"),
    ("added_rows_are", MASKED, {"rows": [[1, None, "a"], [2, None, "a"], [3, None, "a"]]}, "2 missing"),
    ("refused", DELETE, {"conditions": ["DELTA_REFUSED"]}, "was not refused"),
    ("refused", refused_with("DELTA_OTHER"), {"conditions": ["DELTA_REFUSED", None]}, "not with DELTA_REFUSED or None"),
    ("refused", refused_with("DELTA_REFUSEDX"), {"conditions": ["DELTA_REFUSED"]}, "not with DELTA_REFUSED"),
    ("refused", replace(REFUSED, after=AFTER), {"conditions": ["DELTA_REFUSED"]}, "; DELETE FROM t changed"),
    ("vectors_are", MASKED, {"files": {}}, "p=a/old.parquet the rows [0, 2] instead of []"),
    ("vectors_are", DELETE, {"files": {FILE: [1]}}, "p=a/old.parquet the rows [] instead of [1]"),
    ("vectors_are", hidden_rows({**FIRST, "offset": 9}), {"files": {FILE: [0, 2]}}, "whose vector has"),
    ("vectors_valid", hidden_rows({**FIRST, "cardinality": 3}), {}, "hides 2 rows where its cardinality is 3"),
    ("vectors_valid", masked_remove({**FIRST, "sizeInBytes": 3}), {}, "the remove of p=a/old.parquet"),
    ("vectors_valid", replace(MASKED, read_bytes=missing), {}, "which cannot be read (gone)"),
    ("no_vector_written", MASKED, {}, "a vector of p=a/old.parquet"),
    ("no_vector_written", replace(DELETE, after={**AFTER, "deletion_vector_1.bin": NEW}), {}, "deletion_vector_1.bin"),
    ("change_rows_are", CHANGED, {"rows": []}, "1 too many"),
    ("change_rows_are", changing("update_preimage"), {"rows": [[1, None, "a"]]}, "['update_preimage']"),
    ("no_change_files", CHANGED, {}, "_change_data/p=a/cdc.parquet"),
    ("no_new_data_files", replace(DELETE, after={**AFTER, "part-x.parquet": NEW}), {}, "part-x.parquet"),
    ("no_change_files", replace(DELETE, after={**AFTER, "_change_data/x": NEW}), {}, "_change_data/x"),
    ("changes_are", DELETE, {"rows": [[1, "a b", "insert"]]}, "1 too many"),
    ("changes_are", replace(DELETE, read_feed=lambda: (None, ERROR)), {"rows": []}, "DELTA_REFUSED: No."),
    ("metrics_are", DELETE, {"metrics": {"numRemovedFiles": 2}}, "numRemovedFiles = 1 instead of 2"),
    ("metrics_are", DELETE, {"metrics": {"numDeletedRows": 2}}, "numDeletedRows = nothing instead of 2"),
    ("metrics_are", DELETE, {"metrics": {}, "absent": ["numRemovedFiles"]}, "which must be absent"),
    ("metrics_are", NOTHING, {"metrics": {}}, "wrote no version"),
    ("metrics_are", metered(2, 20, 0), WRITTEN, "numAddedFiles = 2 instead of 1"),
    ("metrics_are", metered(1, 21, 0), WRITTEN, "numAddedBytes = 21 instead of 20"),
    ("metrics_are", metered(1, 20, 1), WRITTEN, "numAddedChangeFiles = 1 instead of 0"),
    ("metrics_are", metered(1, 20, None), WRITTEN, "numAddedChangeFiles = nothing instead of 0"),
    ("commit_tag", TAGGED, {"tag": "delta.rowTracking.preserved", "value": "false"}, "'true'; 'false' is promised"),
    ("commit_tag", NOTHING, {"tag": "x", "value": None}, "wrote no version"),
    ("row_ids_kept", with_ids([[1, "a b", 8, 0]]), {}, '[1, "a b", 8, 0]'),
    ("row_ids_kept", with_ids([[1, "a b", 7, 1]]), {}, "was not there before"),
    ("row_ids_kept", replace(DELETE, read_row_ids=lambda before: ([[1, 7, 0]] * 2, None)), {}, "the id 7 2 times"),
    ("row_ids_kept", replace(DELETE, read_row_ids=lambda before: (None, ERROR)), {}, "cannot be read"),
    ("times_are_numbers", DELETE, {"names": ["scanTimeMs"]}, "scanTimeMs = nothing"),
    ("times_are_numbers", timed("-1"), {"names": ["scanTimeMs"]}, "scanTimeMs = -1"),
    ("times_are_numbers", NOTHING, {"names": []}, "wrote no version"),
    ("row_ids_set", DELETE, {"taken": 3}, "the add of p=a%20b/new.parquet with [None, None]"),
    (
        "row_ids_set",
        replace(add(baseRowId=4, defaultRowCommitVersion=1), live=DELETE_WITH_IDS.live),
        {"taken": 4},
        "[4, 1] where [4, 0] are the last that were taken",
    ),
    (
        "row_ids_set",
        replace(DELETE_WITH_IDS, live={FILE: {**LIVE, "baseRowId": 1}}),
        {"taken": 1},
        "the remove of p=a/old.parquet",
    ),
    ("physical_names", add(partitionValues={"q": "a b"}), {}, "with values for q; the partition columns are p"),
    ("physical_names", remove(partitionValues={"q": "a b"}), {}, "the remove of p=a/old.parquet with values for q"),
    ("physical_names", replace(MAPPED, stored_names=lambda add: ["id", "f1", "f1.f2", "x"]), {}, "with the columns x"),
    ("physical_names", replace(MAPPED, stored_names=lambda add: ["id", "point"]), {}, "without the columns f1, f1.f2"),
    ("beside_stays", lost(versions(), "../other/file"), {}, "deleted or changed ../other/file, beside the table"),
    ("beside_stays", lost(versions(), "../other", OLD), {}, "../other"),
    ("beside_stays", lost(versions(), "../link", (-2, 7, "a link to nowhere")), {}, "../link"),
    ("beside_stays", lost(versions(), "../link"), {"path": "../link"}, "../link is gone"),
    ("stays", lost(versions(), "../other/file", NEW), {"path": "../other/file"}, "other bytes"),
    ("nothing_went", lost(versions(), "../link", OLD), {}, "../link is gone"),
    ("version_files_stay", lost(versions(URI_ADD), FILE), {"version": 0}, f"{FILE}, which version 0 refers to"),
    (
        "version_files_stay",
        lost(versions({**LIVE, "deletionVector": FIRST}), VECTOR_FILE),
        {"version": 0},
        f"deleted {VECTOR_FILE}",
    ),
    (
        "version_files_stay",
        lost(versions({**LIVE, "deletionVector": ABSOLUTE_VECTOR}), VECTOR_FILE),
        {"version": 0},
        f"deleted {VECTOR_FILE}",
    ),
    ("lists_exactly", DRY, {"paths": ["d"]}, "1 too many (p=a/x y.parquet)"),
    ("lists_exactly", DRY, {"paths": ["d", "e"], "either": ["p=a/x y.parquet"]}, "1 missing (e)"),
    ("lists_exactly", answering(["/tmp/table/d"], ["/tmp/table/d"]), {"paths": ["d"]}, "1 too many (d)"),
    ("lists_exactly", REFUSED, {"paths": []}, "listed nothing"),
    ("answers_root", NOTHING, {}, "answered no rows; the root's path is /tmp/table"),
    ("answers_root", answering(["/tmp/table", 1]), {}, "answered 1 row"),
    ("answers_root", answering(["/tmp/table"], ["/tmp/table"]), {}, "answered 2 rows"),
    ("answers_root", DRY, {}, "answered 2 rows"),
    ("answers_root", REFUSED, {}, "DELTA_REFUSED"),
    ("answers_nothing", DELETE, {}, "answered 1 row: [1]"),
    ("answers_nothing", REFUSED, {}, "DELTA_REFUSED"),
    ("answers_paths", answering(["/tmp/table/d"], ["file:/tmp/table/d"]), {}, "d 2 times"),
    ("answers_paths", answering(["/tmp/table2/d"]), {}, "../table2/d, which is not below the root"),
    ("answers_paths", answering(["/tmp/table"]), {}, "., which is not below the root"),
    ("answers_paths", answering(["/tmp/table/d", 1]), {}, "['/tmp/table/d', 1]"),
    ("answers_paths", REFUSED, {}, "listed nothing"),
    ("last_vacuum_info_is", informed("{}"), {"version": 3}, "says {} after VACUUM t"),
    ("last_vacuum_info_is", VACUUM, {"version": 3}, "is not there"),
    (
        "last_vacuum_info_is",
        informed('{"latestCommitVersionOutsideOfRetentionWindow":3}'),
        {"version": None},
        "must be None",
    ),
    ("checkpoint_keeps", checkpointed("x"), {"paths": [FILE]}, f"has no remove of {FILE}"),
]


@pytest.mark.parametrize(("law", "seen", "params"), HOLD)
def test_a_law_holds(law: str, seen: Evidence, params: dict[str, Any]) -> None:
    holds, finding = LAWS[law](seen, **params)
    assert holds, finding


@pytest.mark.parametrize(("law", "seen", "params", "said"), BREAK)
def test_a_law_is_violated_and_says_how(law: str, seen: Evidence, params: dict[str, Any], said: str) -> None:
    holds, finding = LAWS[law](seen, **params)
    assert not holds
    assert said in finding


@pytest.mark.parametrize(
    ("law", "params"), [("stays", {"path": "x"}), ("goes", {"path": "x"}), ("untouched", {"paths": ["x"]})]
)
def test_what_was_never_there_cannot_be_judged(law: str, params: dict[str, Any]) -> None:
    with pytest.raises(CannotJudge, match="was not there before"):
        LAWS[law](DELETE, **params)


def test_without_a_checkpoint_or_anything_beside_there_is_nothing_to_judge() -> None:
    with pytest.raises(CannotJudge, match="VACUUM t wrote no checkpoint"):
        LAWS["checkpoint_keeps"](VACUUM, paths=[])
    with pytest.raises(CannotJudge, match="nothing beside the table"):
        LAWS["beside_stays"](VACUUM)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("p%3Da/x%2520y", "p=a/x%20y"),
        ("file:///tmp/table/p%3Da/x%2520y", "p=a/x%20y"),
        ("file:/tmp/table/f", "f"),
        ("/tmp/table/f", "f"),
        ("file:///tmp/table2/f", "../table2/f"),
    ],
)
def test_a_file_is_named_by_its_path_from_the_root(path: str, found: str) -> None:
    assert file_of({"path": path}, "/tmp/table") == found


def test_an_unnamed_file_is_read_by_its_encoded_path() -> None:
    asked: list[dict[str, Any]] = []
    seen = replace(remove(), read_file=lambda add: asked.append(add) or [])
    assert LAWS["all_new_files_referenced"](seen)[0]
    assert asked == [{"path": "p%3Da%2520b/new.parquet", "partitionValues": {}}]
    assert file_of(asked[0], "/tmp/table") == "p=a%20b/new.parquet"


def test_each_law_is_seen_to_hold_and_to_be_violated() -> None:
    assert {law for law, *_ in HOLD} == {law for law, *_ in BREAK} == set(LAWS)


def test_the_docstring_names_each_law() -> None:
    assert laws.__doc__ is not None
    assert [name for name in LAWS if f"``{name}(" not in laws.__doc__] == []


def test_values_in_a_directory_name_follow_hive() -> None:
    assert values_in("a=x%2Fy/b=__HIVE_DEFAULT_PARTITION__/c=1=2/f") == {"a": "x/y", "b": None, "c": "1=2"}


def test_long_lists_are_cut() -> None:
    assert listed([str(number) for number in range(12)]).endswith("9, and 2 more")


@pytest.mark.parametrize("law", ["adds_true", "removes_true"])
def test_a_fact_that_no_law_knows_is_not_passed_over(law: str) -> None:
    with pytest.raises(CannotJudge, match="Of these facts there is none such: colour"):
        LAWS[law](DELETE, facts=["size", "dataChange", "colour"])

"""Reproduction scripts on Spark itself, on tables with features: forms, vectors, change feed, mapping, row ids, types."""

from __future__ import annotations

import base64
import io
import json
import math
import time
from collections.abc import Iterator
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltalog.deletion_vectors import vector_file
from model.codec import value_to_json
from model.steps import Form
from reports import script
from reports.building import build
from reports.laws import LAWS
from reports.laws.evidence import Evidence

HOUR = 3_600_000
DAY = 24 * HOUR
NOW = {"offset": 0, "removed_by_step": None}
PHYSICAL = {"id": "col-1", "day": "col-2", "p": "col-3"}
ROW_IDS = {
    "delta.enableRowTracking": "true",
    "delta.rowTracking.materializedRowIdColumnName": "_row-id-col",
    "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-commit-version-col",
}


def stored(table: pa.Table) -> str:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return base64.b64encode(sink.getvalue()).decode()


def day(number: int) -> date:
    return date(2020, 1, number)


def metadata(fields: list[dict[str, Any]], partition_by: list[str], configuration: dict[str, str]) -> dict[str, Any]:
    return {
        "metaData": {
            "id": "00000000-0000-4000-8000-000000000000",
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps({"type": "struct", "fields": fields}),
            "partitionColumns": partition_by,
            "configuration": configuration,
            "createdTime": {"$ms": -30 * DAY},
        }
    }


def field(name: str, type: Any, **properties: Any) -> dict[str, Any]:
    return {"name": name, "type": type, "nullable": True, "metadata": properties}


def table(*, vectors: bool, mapped: bool = True) -> dict[str, Any]:
    """A plan's table of two files, with change feed, row tracking, in-commit timestamps and, of choice, column mapping and
    deletion vectors. Its rows are (1, …, "a"), (2, …, "a"), (3, …, "a"), (4, …, NULL); a vector hides the first."""
    names = PHYSICAL if mapped else {name: name for name in PHYSICAL}
    kinds = {"id": "integer", "day": "date", "p": "string"}
    fields = [
        field(
            name,
            kind,
            **({"delta.columnMapping.id": number, "delta.columnMapping.physicalName": names[name]} if mapped else {}),
        )
        for number, (name, kind) in enumerate(kinds.items(), start=1)
    ]
    configuration = {**ROW_IDS, "delta.enableChangeDataFeed": "true", "delta.enableInCommitTimestamps": "true"}
    if mapped:
        configuration |= {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "3"}
    if vectors:
        configuration |= {"delta.enableDeletionVectors": "true"}
    reader = ["deletionVectors", *(["columnMapping"] if mapped else [])]
    writer = ["changeDataFeed", "rowTracking", "domainMetadata", "inCommitTimestamp", "appendOnly", "invariants"]
    protocol = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": reader,
        "writerFeatures": [*reader, *writer],
    }

    def file(path: str, ids: list[int]) -> dict[str, Any]:
        columns = {names["id"]: pa.array(ids, pa.int32()), names["day"]: pa.array([day(id) for id in ids])}
        return {"path": path, "content": stored(pa.table(columns)), "modified": -20 * DAY}

    files = [file(f"{names['p']}=a/one.parquet", [1, 2, 3]), file("two.parquet", [4])]

    def add(number: int, value: str | None, first: int, records: int) -> dict[str, Any]:
        return {
            "path": files[number]["path"],
            "partitionValues": {names["p"]: value},
            "size": len(base64.b64decode(files[number]["content"])),
            "modificationTime": {"$ms": -20 * DAY},
            "dataChange": True,
            "stats": json.dumps({"numRecords": records}),
            "baseRowId": first,
            "defaultRowCommitVersion": 0,
        }

    def info(at: int) -> dict[str, Any]:
        return {"commitInfo": {"timestamp": {"$ms": at}, "inCommitTimestamp": {"$ms": at}, "operation": "WRITE"}}

    domain = {
        "domain": "delta.rowTracking",
        "configuration": json.dumps({"rowIdHighWaterMark": 3}),
        "removed": False,
    }
    content, (vector,) = vector_file(UUID(int=1), [[0]])
    one = add(0, "a", 0, 3)
    by_path = {"storageType": "p", "pathOrInlineDv": {"$root": str(vector.file)}, "offset": vector.offset}
    hidden_rows = {
        **one,
        "deletionVector": {**by_path, "sizeInBytes": vector.size, "cardinality": 1},
        "stats": json.dumps({"numRecords": 3, "tightBounds": False}),
    }
    hidden = {
        **{key: one[key] for key in ("path", "partitionValues", "size", "dataChange", "baseRowId")},
        "defaultRowCommitVersion": 0,
        "deletionTimestamp": {"$ms": -DAY},
        "extendedFileMetadata": True,
    }
    start = [
        info(-20 * DAY),
        {"protocol": protocol},
        metadata(fields, ["p"], configuration),
        {"domainMetadata": domain},
        {"add": one},
        {"add": add(1, None, 3, 1)},
    ]
    return {
        "files": [
            *files,
            {"path": str(vector.file), "content": base64.b64encode(content).decode(), "modified": -DAY},
        ],
        "directories": [],
        "commits": [
            {"version": 0, "modified": -20 * DAY, "lines": start, "checkpoint": False},
            {
                "version": 1,
                "modified": -DAY,
                "lines": [info(-DAY), {"remove": hidden}, {"add": hidden_rows}],
                "checkpoint": True,
            },
        ],
    }


def seen(spark: Any, root: Path, made: dict[str, Any], *ops: dict[str, Any]) -> Evidence:
    """What is seen around the last of the ops."""
    contents = {one["path"]: one["content"] for one in made["files"]}
    plan = {**made, "at_step": len(ops) - 1, "ops": [{"clock": NOW, "conf": {}, **op} for op in ops]}
    start = time.time_ns() // 1_000_000
    log = build(plan, contents, spark, str(root), start)
    return script.run(plan, contents, spark, str(root), start, log)


def judge(found: Evidence, laws: list[tuple[str, dict[str, Any], bool]]) -> None:
    """Each law must hold, or must not."""
    for law, params, promised in laws:
        holds, finding = LAWS[law](found, **params)
        assert holds is promised, f"{law}({params}): {finding}"


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a script: PySpark gives timestamps in the local zone."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


def row(number: int, value: str | None = "a") -> list[Any]:
    return [number, {"date": f"2020-01-{number:02d}"}, value]


DELETE = {"do": "delete", "sql": "DELETE FROM delta.`{table}` WHERE id = 2"}
LEFT = [row(3), row(4, None)]


@pytest.mark.parametrize("mapped", [True, False])
def test_the_laws_of_a_delete_by_vector(spark: Any, tmp_path: Path, mapped: bool) -> None:
    one = f"{'col-3' if mapped else 'p'}=a/one.parquet"
    judge(
        seen(spark, tmp_path / "table", table(vectors=True, mapped=mapped), DELETE),
        [
            ("reads", {"rows": LEFT}, True),
            ("removed_exactly", {"paths": [one]}, True),
            ("vectors_are", {"files": {one: [0, 1]}}, True),
            ("vectors_are", {"files": {one: [0]}}, False),
            ("vectors_valid", {}, True),
            ("no_vector_written", {}, False),
            ("no_change_files", {}, True),
            ("changes_are", {"rows": [[*row(2), "delete"]]}, True),
            ("changes_are", {"rows": [[*row(3), "delete"]]}, False),
            ("metrics_are", {"metrics": {"numDeletedRows": 1, "numDeletionVectorsUpdated": "1"}}, True),
            ("metrics_are", {"metrics": {"numDeletedRows": 2}, "absent": []}, False),
            ("row_ids_kept", {}, True),
            ("row_ids_set", {"taken": -1}, True),
            ("commit_tag", {"tag": "delta.rowTracking.preserved", "value": "true"}, True),
            ("commit_tag", {"tag": "delta.rowTracking.preserved", "value": "false"}, False),
            ("physical_names", {}, True),
            ("adds_true", {}, True),
            ("removes_true", {}, True),
            ("added_rows_are", {"rows": [row(3)]}, True),
            ("definition_stays", {}, True),
            ("no_conflicting_actions", {}, True),
            ("removes_name_all_partitions", {}, True),
        ],
    )


@pytest.mark.parametrize("mapped", [True, False])
def test_the_laws_of_a_delete_by_rewriting(spark: Any, tmp_path: Path, mapped: bool) -> None:
    found = seen(spark, tmp_path / "table", table(vectors=False, mapped=mapped), DELETE)
    judge(
        found,
        [
            ("reads", {"rows": LEFT}, True),
            ("vectors_are", {"files": {}}, True),
            ("vectors_valid", {}, True),
            ("no_vector_written", {}, True),
            ("no_change_files", {}, False),
            ("change_rows_are", {"rows": [row(2)]}, True),
            ("change_rows_are", {"rows": []}, False),
            ("changes_are", {"rows": [[*row(2), "delete"]]}, True),
            ("row_ids_kept", {}, True),
            ("row_ids_set", {"taken": -1}, True),
            ("physical_names", {}, True),
            ("adds_true", {}, True),
            ("removes_true", {}, True),
            ("added_rows_are", {"rows": [row(3)]}, True),
            ("definition_stays", {}, True),
            ("all_new_files_referenced", {}, True),
        ],
    )


def test_the_change_feed_of_a_step_is_a_step(spark: Any, tmp_path: Path) -> None:
    gone = {"do": "delete", "sql": "DELETE FROM delta.`{table}` WHERE p IS NULL"}
    none = {"do": "delete", "sql": "DELETE FROM delta.`{table}` WHERE id = 77"}
    steps = (gone, DELETE, none)
    for number, rows in ((0, [[*row(4, None), "delete"]]), (1, [[*row(2), "delete"]]), (2, [])):
        found = seen(spark, tmp_path / str(number), table(vectors=True), *steps, {"do": "changes", "of_step": number})
        judge(
            found, [("changes_are", {"rows": rows}, True), ("rows_are", {"rows": rows}, True), ("succeeded", {}, True)]
        )


@pytest.mark.parametrize("form", list(Form))
def test_every_form_of_a_delete(spark: Any, tmp_path: Path, form: Form) -> None:
    where = None if form is Form.TRUNCATE else "day = DATE'2020-01-02' AND p = 'a'"
    delete = {"do": "delete", "form": form.value, "where": where}
    found = seen(spark, tmp_path / "table", table(vectors=True), delete, delete)
    judge(found, [("reads", {"rows": [] if where is None else LEFT}, True), ("no_commit", {}, True)])
    found = seen(spark, tmp_path / "again" / "table", table(vectors=True), delete)
    judge(found, [("one_commit", {}, True), ("commit_info", {"expected": {"operation": operation(form)}}, True)])


def operation(form: Form) -> str:
    return "TRUNCATE" if form is Form.TRUNCATE else "DELETE"


@pytest.mark.parametrize(
    ("op", "conditions"),
    [
        ({"sql": "DELETE FROM delta.`{table}` WHERE id IN (SELECT 1)"}, ["DELTA_UNSUPPORTED_SUBQUERY"]),
        ({"sql": "DELETE FROM delta.`{table}` WHERE nothing = 1"}, ["UNRESOLVED_COLUMN"]),
        (
            {
                "sql": "DELETE FROM seen WHERE id = 1",
                "setup": [
                    "CREATE OR REPLACE TEMPORARY VIEW seen AS SELECT id, id + 1 AS n FROM delta.`{table}` LIMIT 1"
                ],
            },
            ["DELTA_OTHER_SOURCE", "DELTA_UNSUPPORTED_SOURCE"],
        ),
        (
            {"sql": "DELETE FROM delta.`{table}-beside`", "directories": ["{table}-beside"]},
            ["DELTA_TABLE_NOT_FOUND"],
        ),
    ],
)
def test_a_bad_delete_is_refused(spark: Any, tmp_path: Path, op: dict[str, Any], conditions: list[str]) -> None:
    found = seen(spark, tmp_path / "table", table(vectors=True), {"do": "bad delete", **op})
    judge(found, [("refused", {"conditions": conditions}, True), ("nothing_changed", {}, True)])
    judge(found, [("refused", {"conditions": ["DELTA_OTHER"]}, False)])


NOON = datetime(2020, 1, 31, 12, 0, 0, 1)
#: Column, the type in the schema, the type in the file, two values.
COLUMNS: list[tuple[str, Any, pa.DataType, list[Any]]] = [
    ("b", "byte", pa.int8(), [-128, None]),
    ("f", "float", pa.float32(), [math.nan, -0.0]),
    ("d", "double", pa.float64(), [math.inf, 1e300]),
    ("n", "decimal(38,18)", pa.decimal128(38, 18), [Decimal("12345678901234567890.5"), None]),
    ("x", "binary", pa.binary(), [b"\x00\xff", b""]),
    ("t", "timestamp", pa.timestamp("us", "UTC"), [NOON, datetime(1, 1, 3)]),
    ("l", "timestamp_ntz", pa.timestamp("us"), [NOON, datetime(9999, 12, 31, 23, 59, 59)]),
    (
        "a",
        {"type": "array", "elementType": "date", "containsNull": True},
        pa.list_(pa.date32()),
        [[day(1), None], []],
    ),
    (
        "m",
        {"type": "map", "keyType": "string", "valueType": "long", "valueContainsNull": True},
        pa.map_(pa.string(), pa.int64()),
        [[("b", 1), ("a", None)], []],
    ),
    (
        "s",
        {"type": "struct", "fields": [field("x", "double"), field("y", "string")]},
        pa.struct([("x", pa.float64()), ("y", pa.string())]),
        [{"x": math.nan, "y": ""}, None],
    ),
]


def expected(number: int) -> list[Any]:
    """A row of the typed table as the suite writes it."""
    values: list[Any] = [values[number] for *_, values in COLUMNS]
    values[5] = values[5].replace(tzinfo=timezone.utc)
    values[8] = tuple(sorted(values[8]))
    values[9] = values[9] and tuple(values[9].values())
    return [value_to_json(value if not isinstance(value, list) else tuple(value)) for value in values]


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
def test_values_of_all_types_are_compared(spark: Any, tmp_path: Path, zone: str) -> None:
    arrays = {name: pa.array(values, type) for name, _, type, values in COLUMNS}
    files = [
        {"path": f"p={number}.parquet", "content": stored(pa.table(arrays).slice(number, 1)), "modified": -DAY}
        for number in (0, 1)
    ]
    times = ["2020-01-31T12:00:00.000000Z", "2020-06-30 00:00:00"]
    fields = [*(field(name, kind) for name, kind, _, _ in COLUMNS), field("p", "timestamp")]
    features = ["timestampNtz"]
    protocol = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": features, "writerFeatures": features}
    adds = [
        {
            "path": file["path"],
            "partitionValues": {"p": time},
            "size": len(base64.b64decode(str(file["content"]))),
            "modificationTime": {"$ms": -DAY},
            "dataChange": True,
        }
        for file, time in zip(files, times)
    ]
    lines = [{"protocol": protocol}, metadata(fields, ["p"], {}), *({"add": add} for add in adds)]
    made = {
        "files": files,
        "directories": [],
        "commits": [{"version": 0, "modified": -DAY, "lines": lines, "checkpoint": False}],
    }
    rows = [
        [*expected(0), {"timestamp": "2020-01-31T12:00:00Z"}],
        [*expected(1), {"timestamp": "2020-06-30T00:00:00Z"}],
    ]
    judge(
        seen(spark, tmp_path / "read", made, {"do": "read", "before_step": None}),
        [("rows_are", {"rows": rows}, True), ("rows_are", {"rows": rows[:1]}, False)],
    )
    # The literal means another instant in each zone: noon in UTC is half past five in the afternoon in Kolkata.
    local = "12:00:00.000001" if zone == "UTC" else "17:30:00.000001"
    delete = {
        "do": "delete",
        "form": Form.API_PATH_COLUMN.value,
        "where": f"t = TIMESTAMP'2020-01-31 {local}' OR b = 1",
    }
    judge(
        seen(spark, tmp_path / "delete", made, {**delete, "conf": {"spark.sql.session.timeZone": zone}}),
        [
            ("reads", {"rows": rows[1:]}, True),
            ("removed_exactly", {"paths": ["p=0.parquet"]}, True),
            ("added_rows_are", {"rows": []}, True),
        ],
    )

"""Reproduction scripts on Spark itself: each law's verdict on a small table that is written here by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reports import laws
from reports.reproduction import reproduction
from reports.script import check
from tests.handmade_plan import (
    ALL,
    APPEND,
    AWKWARD,
    EDGE,
    FIRST,
    LEFT,
    LITTER,
    NOW,
    OLD,
    ORPHAN,
    SECOND,
    WEEK,
    contents_of,
    day,
    plan_of,
    run_alone,
)

VACUUM = {"step": 0, "do": "vacuum", "sql": "VACUUM delta.`{table}`", "clock": NOW, "conf": {}}
DRY = {**VACUUM, "sql": "VACUUM delta.`{table}` DRY RUN"}
SHORT = {**VACUUM, "sql": "VACUUM delta.`{table}` RETAIN 0 HOURS"}
DELETE = {"step": 0, "do": "delete", "sql": "DELETE FROM delta.`{table}` WHERE id <= 2", "clock": NOW, "conf": {}}
NO_MATCH = {**DELETE, "sql": "DELETE FROM delta.`{table}` WHERE id = 99"}
PARTITION = {**DELETE, "sql": "DELETE FROM delta.`{table}` WHERE p = 'a'"}
READ = {"step": 1, "do": "read", "before_step": None, "clock": NOW}
#: Clocked on the DELETE's own stamp: a week later to the millisecond, the tombstones have expired (facts, top).
AT_STAMP = {**VACUUM, "step": 1, "clock": {"offset": WEEK, "removed_by_step": 0}}
BEFORE_STAMP = {**VACUUM, "step": 1, "clock": {"offset": WEEK - 1, "removed_by_step": 0}}


SHORT_REFUSED = "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"

#: name, ops, the step judged, law, parameters that hold, parameters or a law that do not (None: no such).
LAWS: list[tuple[list[dict[str, Any]], int, tuple[str, dict[str, Any]], tuple[str, dict[str, Any]] | None]] = [
    ([VACUUM], 0, ("stays", {"path": FIRST["path"]}), ("goes", {"path": FIRST["path"]})),
    ([VACUUM], 0, ("stays", {"path": EDGE["path"]}), ("stays", {"path": OLD["path"]})),
    ([VACUUM], 0, ("goes", {"path": "empty/nested"}), ("goes", {"path": "p=a"})),
    ([VACUUM], 0, ("reads", {"rows": ALL}), ("reads", {"rows": LEFT})),
    ([VACUUM], 0, ("log_unchanged", {}), ("nothing_changed", {})),
    ([DRY], 0, ("nothing_went", {}), None),
    ([VACUUM], 0, ("succeeded", {}), ("nothing_went", {})),
    ([VACUUM], 0, ("succeeded", {}), ("no_file_went", {})),
    ([VACUUM], 0, ("table_is_there", {}), None),
    (
        [VACUUM],
        0,
        ("vacuum_log", {"expected": {"END": {"operationParameters.status": "COMPLETED"}}}),
        ("vacuum_log", {"expected": {"END": {"operationParameters.status": "FAILED"}}}),
    ),
    ([DRY], 0, ("lists", {"path": ORPHAN["path"]}), ("lists", {"path": AWKWARD["path"]})),
    ([DRY], 0, ("lists_not", {"path": AWKWARD["path"]}), ("lists_not", {"path": "empty/nested"})),
    ([DRY], 0, ("nothing_changed", {}), None),
    ([SHORT], 0, ("refused", {"condition": SHORT_REFUSED}), ("refused", {"condition": "DELTA_OTHER"})),
    ([SHORT], 0, ("nothing_changed", {}), ("succeeded", {})),
    (
        [{**SHORT, "conf": {"spark.databricks.delta.retentionDurationCheck.enabled": "false"}}],
        0,
        ("goes", {"path": EDGE["path"]}),
        ("refused", {"condition": None}),
    ),
    ([DELETE], 0, ("removed_exactly", {"paths": [FIRST["path"]]}), ("removed_exactly", {"paths": [SECOND["path"]]})),
    ([DELETE], 0, ("rows_are", {"rows": [[2]]}), ("rows_are", {"rows": [[3]]})),
    ([DELETE], 0, ("untouched", {}), ("no_new_files", {})),
    ([DELETE], 0, ("adds_true", {}), ("no_adds", {})),
    ([DELETE], 0, ("removes_true", {}), ("no_commit", {})),
    ([DELETE], 0, ("added_rows_are", {"rows": [LEFT[0]]}), ("added_rows_are", {"rows": LEFT[:2]})),
    ([DELETE], 0, ("all_new_files_referenced", {}), None),
    ([DELETE], 0, ("no_conflicting_actions", {}), None),
    (
        [DELETE],
        0,
        ("commit_info", {"expected": {"operation": "DELETE", "readVersion": 1}, "present": ["operationMetrics"]}),
        ("commit_info", {"expected": {"isBlindAppend": True}, "present": ["nowhere"]}),
    ),
    ([NO_MATCH], 0, ("no_commit", {}), ("one_commit", {})),
    ([PARTITION], 0, ("one_deletion_timestamp", {}), ("nothing_changed", {})),
    ([PARTITION], 0, ("removes_name_all_partitions", {}), ("reads", {"rows": ALL})),
    ([PARTITION], 0, ("no_file_went", {}), ("removed_exactly", {"paths": [FIRST["path"]]})),
    ([DELETE, READ], 1, ("rows_are", {"rows": LEFT}), ("rows_are", {"rows": ALL})),
    ([DELETE, {**READ, "before_step": 0}], 1, ("rows_are", {"rows": ALL}), ("rows_are", {"rows": LEFT})),
    ([APPEND, READ], 1, ("rows_are", {"rows": [*ALL, [9, day(9), "a"]]}), ("rows_are", {"rows": ALL})),
    ([LITTER, {**VACUUM, "step": 1}], 1, ("stays", {"path": "p=a/stray.parquet"}), ("stays", {"path": "hole"})),
    ([DELETE, AT_STAMP], 1, ("goes", {"path": FIRST["path"]}), ("stays", {"path": FIRST["path"]})),
    ([DELETE, BEFORE_STAMP], 1, ("stays", {"path": FIRST["path"]}), ("goes", {"path": FIRST["path"]})),
]


@pytest.mark.parametrize(
    ("ops", "step", "right", "wrong"), LAWS, ids=[f"{n:02d}-{law[2][0]}" for n, law in enumerate(LAWS)]
)
def test_each_law_tells_right_from_wrong(
    spark: Any,
    tmp_path: Path,
    ops: list[dict[str, Any]],
    step: int,
    right: tuple[str, dict[str, Any]],
    wrong: tuple[str, dict[str, Any]] | None,
) -> None:
    for number, (law, code) in enumerate(((right, 0), (wrong, 1))):
        if law is not None:
            plan = plan_of(ops, step, law)
            root = tmp_path / str(number) / "table"
            assert check(plan, contents_of(plan), laws.LAWS[law[0]], spark, str(root)) == code, law


@pytest.mark.parametrize(
    "law",
    [
        ("adds_true", {}),
        ("removes_true", {}),
        ("no_conflicting_actions", {}),
        ("all_new_files_referenced", {}),
        ("removed_exactly", {"paths": [FIRST["path"]]}),
    ],
)
def test_laws_know_deletion_vectors(spark: Any, tmp_path: Path, law: tuple[str, dict[str, Any]]) -> None:
    plan = plan_of([DELETE], 0, law)
    protocol, metadata = plan["commits"][0]["lines"][:2]
    features = ["deletionVectors"]
    protocol["protocol"] = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": features,
        "writerFeatures": features,
    }
    metadata["metaData"]["configuration"] = {"delta.enableDeletionVectors": "true"}
    assert check(plan, contents_of(plan), laws.LAWS[law[0]], spark, str(tmp_path / "table")) == 0


@pytest.mark.parametrize(("law", "code"), [("all_new_files_referenced", 0), ("no_new_files", 1)])
def test_a_file_without_rows_counts_as_nothing(spark: Any, tmp_path: Path, law: str, code: int) -> None:
    # Without partitions, Spark's first write task leaves an empty file where no row of a rewritten file survives.
    plan = plan_of([{**DELETE, "sql": "DELETE FROM delta.`{table}` WHERE id = 7"}], 0, (law, {}))
    for line in (line for commit in plan["commits"] for line in commit["lines"]):
        for kind in {"add", "remove"} & line.keys():
            line[kind]["partitionValues"] = {}
        if "metaData" in line:
            line["metaData"]["partitionColumns"] = []
    assert check(plan, contents_of(plan), laws.LAWS[law], spark, str(tmp_path / "table")) == code


@pytest.mark.parametrize(
    ("law", "code", "word"),
    [
        (("stays", {"path": AWKWARD["path"]}), 0, "VAC-SAFE-1 HOLDS on Delta"),
        (("stays", {"path": OLD["path"]}), 1, "VAC-SAFE-1 IS VIOLATED on Delta"),
    ],
)
@pytest.mark.xdist_group("spark")
def test_a_script_runs_alone(tmp_path: Path, law: tuple[str, dict[str, Any]], code: int, word: str) -> None:
    done = run_alone(reproduction(plan_of([VACUUM], 0, law)), tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert word in done.stdout
    # "Deleted 3 files …" is printed by Delta's VACUUM itself.
    own = ("VAC-", "Case ", "Made ", "Step ", "Deleted ")
    strange = [line for line in done.stdout.splitlines() if not line.startswith(own)]
    assert strange == [], "the script's own lines do not stand alone"
    assert " WARN " not in done.stderr, "Spark's warnings drown the script's own lines"

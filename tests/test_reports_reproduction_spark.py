"""Reproduction scripts on Spark itself: each law's verdict on a small table that is written here by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reports import laws
from reports.laws.evidence import Evidence, Finding
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
#: Clocked on the DELETE's own stamp: a week later to the millisecond, the tombstones have expired (docs/delta.md 1.2, step 8).
AT_STAMP = {**VACUUM, "step": 1, "clock": {"offset": WEEK, "removed_by_step": 0}}
BEFORE_STAMP = {**VACUUM, "step": 1, "clock": {"offset": WEEK - 1, "removed_by_step": 0}}


COUNTS = ["operationMetrics.numDeletedFiles", "operationMetrics.sizeOfDataToDelete"]
WRITTEN = ["numAddedFiles", "numAddedBytes", "numAddedChangeFiles"]
SHORT_REFUSED = "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"

RIGHT, WRONG = True, False
UNCHECKED = {"spark.databricks.delta.retentionDurationCheck.enabled": "false"}

#: By name: the operations, of which the last is judged; and laws that hold of it, or do not.
PROGRAMS: dict[str, tuple[list[dict[str, Any]], list[tuple[bool, str, dict[str, Any]]]]] = {
    "a VACUUM": (
        [VACUUM],
        [
            (RIGHT, "stays", {"path": FIRST["path"]}),
            (WRONG, "goes", {"path": FIRST["path"]}),
            (RIGHT, "stays", {"path": EDGE["path"]}),
            (WRONG, "stays", {"path": OLD["path"]}),
            (RIGHT, "goes", {"path": "empty/nested"}),
            (WRONG, "goes", {"path": "p=a"}),
            (RIGHT, "reads", {"rows": ALL}),
            (WRONG, "reads", {"rows": LEFT}),
            (RIGHT, "log_unchanged", {}),
            (WRONG, "nothing_changed", {}),
            (RIGHT, "succeeded", {}),
            (WRONG, "nothing_went", {}),
            (WRONG, "no_file_went", {}),
            (RIGHT, "table_is_there", {}),
            (
                RIGHT,
                "vacuum_log",
                {"expected": {"END": {"operationParameters.status": "COMPLETED"}}, "of_what_went": COUNTS},
            ),
            (WRONG, "vacuum_log", {"expected": {"END": {"operationParameters.status": "FAILED"}}}),
        ],
    ),
    "a DRY RUN": (
        [DRY],
        [
            (RIGHT, "nothing_went", {}),
            (RIGHT, "lists", {"path": ORPHAN["path"]}),
            (WRONG, "lists", {"path": AWKWARD["path"]}),
            (RIGHT, "lists_not", {"path": AWKWARD["path"]}),
            (WRONG, "lists_not", {"path": "empty/nested"}),
            (RIGHT, "nothing_changed", {}),
        ],
    ),
    "RETAIN 0 HOURS": (
        [SHORT],
        [
            (RIGHT, "refused", {"condition": SHORT_REFUSED}),
            (WRONG, "refused", {"condition": "DELTA_OTHER"}),
            (RIGHT, "nothing_changed", {}),
            (WRONG, "succeeded", {}),
        ],
    ),
    "RETAIN 0 HOURS, unchecked": (
        [{**SHORT, "conf": UNCHECKED}],
        [(RIGHT, "goes", {"path": EDGE["path"]}), (WRONG, "refused", {"condition": None})],
    ),
    "a DELETE": (
        [DELETE],
        [
            (RIGHT, "removed_exactly", {"paths": [FIRST["path"]]}),
            (WRONG, "removed_exactly", {"paths": [SECOND["path"]]}),
            (RIGHT, "rows_are", {"rows": [[2]]}),
            (WRONG, "rows_are", {"rows": [[3]]}),
            (RIGHT, "untouched", {}),
            (WRONG, "no_new_files", {}),
            (RIGHT, "adds_true", {}),
            (WRONG, "no_adds", {}),
            (RIGHT, "removes_true", {}),
            (WRONG, "no_commit", {}),
            (RIGHT, "added_rows_are", {"rows": [LEFT[0]]}),
            (WRONG, "added_rows_are", {"rows": LEFT[:2]}),
            (RIGHT, "all_new_files_referenced", {}),
            (RIGHT, "no_conflicting_actions", {}),
            (
                RIGHT,
                "commit_info",
                {"expected": {"operation": "DELETE", "readVersion": 1}, "present": ["operationMetrics"]},
            ),
            (WRONG, "commit_info", {"expected": {"isBlindAppend": True}, "present": ["nowhere"]}),
            (RIGHT, "metrics_are", {"metrics": {"numDeletedRows": "2"}, "of_what_was_written": WRITTEN}),
            (WRONG, "metrics_are", {"metrics": {"numAddedFiles": "2"}}),
        ],
    ),
    "a DELETE that matches nothing": ([NO_MATCH], [(RIGHT, "no_commit", {}), (WRONG, "one_commit", {})]),
    "a DELETE of a partition": (
        [PARTITION],
        [
            (RIGHT, "one_deletion_timestamp", {}),
            (WRONG, "nothing_changed", {}),
            (RIGHT, "removes_name_all_partitions", {}),
            (WRONG, "reads", {"rows": ALL}),
            (RIGHT, "no_file_went", {}),
            (WRONG, "removed_exactly", {"paths": [FIRST["path"]]}),
        ],
    ),
    "a read": ([DELETE, READ], [(RIGHT, "rows_are", {"rows": LEFT}), (WRONG, "rows_are", {"rows": ALL})]),
    "a read of what was": (
        [DELETE, {**READ, "before_step": 0}],
        [(RIGHT, "rows_are", {"rows": ALL}), (WRONG, "rows_are", {"rows": LEFT})],
    ),
    "an append": (
        [APPEND, READ],
        [(RIGHT, "rows_are", {"rows": [*ALL, [9, day(9), "a"]]}), (WRONG, "rows_are", {"rows": ALL})],
    ),
    "strays that appear": (
        [LITTER, {**VACUUM, "step": 1}],
        [(RIGHT, "stays", {"path": "p=a/stray.parquet"}), (WRONG, "stays", {"path": "hole"})],
    ),
    "a week after the DELETE": (
        [DELETE, AT_STAMP],
        [(RIGHT, "goes", {"path": FIRST["path"]}), (WRONG, "stays", {"path": FIRST["path"]})],
    ),
    "a millisecond less": (
        [DELETE, BEFORE_STAMP],
        [(RIGHT, "stays", {"path": FIRST["path"]}), (WRONG, "goes", {"path": FIRST["path"]})],
    ),
}


def run_for(plan: dict[str, Any], promised: list[tuple[bool, str, dict[str, Any]]], spark: Any, home: Path) -> None:
    """Run the plan once, and ask all the laws of what was seen."""
    found: list[str] = []

    def together(seen: Evidence) -> Finding:
        for right, name, params in promised:
            holds, finding = laws.LAWS[name](seen, **params)
            if holds is not right:
                found.append(f"{name}({params}): {finding}")
        return True, "asked"

    assert check(plan, contents_of(plan), together, spark, str(home / "table")) == 0
    assert found == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_laws_tell_right_from_wrong(spark: Any, tmp_path: Path, name: str) -> None:
    ops, promised = PROGRAMS[name]
    run_for(plan_of(ops, len(ops) - 1, ("succeeded", {})), promised, spark, tmp_path)


@pytest.mark.parametrize(("law", "code"), [("stays", 0), ("goes", 1)])
def test_the_answer_of_a_law_is_the_scripts_code(spark: Any, tmp_path: Path, law: str, code: int) -> None:
    plan = plan_of([VACUUM], 0, (law, {"path": FIRST["path"]}))
    assert check(plan, contents_of(plan), laws.LAWS[law], spark, str(tmp_path / "table")) == code


def test_laws_know_deletion_vectors(spark: Any, tmp_path: Path) -> None:
    plan = plan_of([DELETE], 0, ("succeeded", {}))
    protocol, metadata = plan["commits"][0]["lines"][:2]
    features = ["deletionVectors"]
    protocol["protocol"] = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": features,
        "writerFeatures": features,
    }
    metadata["metaData"]["configuration"] = {"delta.enableDeletionVectors": "true"}
    promised: list[tuple[bool, str, dict[str, Any]]] = [
        (RIGHT, "adds_true", {}),
        (RIGHT, "removes_true", {}),
        (RIGHT, "no_conflicting_actions", {}),
        (RIGHT, "all_new_files_referenced", {}),
        (RIGHT, "removed_exactly", {"paths": [FIRST["path"]]}),
        (RIGHT, "metrics_are", {"metrics": {"numDeletedRows": "2"}, "of_what_was_written": WRITTEN}),
    ]
    run_for(plan, promised, spark, tmp_path)


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


@pytest.mark.xdist_group("spark")
def test_a_script_runs_alone(tmp_path: Path) -> None:
    law = ("stays", {"path": OLD["path"]})
    done = run_alone(reproduction(plan_of([VACUUM], 0, law)), tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "VAC-SAFE-1 IS VIOLATED on Delta" in done.stdout
    # "Deleted 3 files …" is printed by Delta's VACUUM itself.
    own = ("VAC-", "Case ", "Made ", "Step ", "Deleted ")
    strange = [line for line in done.stdout.splitlines() if not line.startswith(own)]
    assert strange == [], "the script's own lines do not stand alone"
    assert " WARN " not in done.stderr, "Spark's warnings drown the script's own lines"

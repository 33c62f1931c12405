"""Reproduction scripts on delta-rs itself: each runs alone, and tells right from wrong on a table written by hand."""

from __future__ import annotations

import subprocess
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from reports.reproduction import reproduction
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
    day,
    plan_of,
    run_alone,
)

pytest.importorskip("deltalake")

HOUR = 3_600_000
VACUUM = {"step": 0, "do": "vacuum", "arguments": {"dry_run": False, "full": True}, "clock": NOW}
DRY = {**VACUUM, "arguments": {"dry_run": True, "full": True}}
LITE = {**VACUUM, "arguments": {"dry_run": False, "full": False}}
SHORT = {**VACUUM, "arguments": {"dry_run": False, "full": True, "retention_hours": 0}}
UNSAFE = {**VACUUM, "arguments": {**SHORT["arguments"], "enforce_retention_duration": False}}
DELETE = {"step": 0, "do": "delete", "where": "id <= 2", "clock": NOW}
PARTITION = {**DELETE, "where": "p = 'a'"}
UNKNOWN = {**DELETE, "do": "bad delete", "where": '"no such column" = 1'}
READ = {"step": 1, "do": "read", "before_step": None, "clock": NOW}


def at(op: dict[str, Any], offset: int, *, removed_by_step: int | None = None, step: int = 0) -> dict[str, Any]:
    return {**op, "step": step, "clock": {"offset": offset, "removed_by_step": removed_by_step}}


#: Operations, the step judged, a law that holds, one that does not (None: no such).
LAWS: list[tuple[list[dict[str, Any]], int, tuple[str, dict[str, Any]], tuple[str, dict[str, Any]] | None]] = [
    ([VACUUM], 0, ("stays", {"path": FIRST["path"]}), ("stays", {"path": OLD["path"]})),
    ([VACUUM], 0, ("goes", {"path": ORPHAN["path"]}), ("goes", {"path": AWKWARD["path"]})),
    ([LITE], 0, ("stays", {"path": ORPHAN["path"]}), ("stays", {"path": OLD["path"]})),
    ([at(VACUUM, -HOUR)], 0, ("stays", {"path": EDGE["path"]}), ("goes", {"path": EDGE["path"]})),
    ([at(VACUUM, HOUR)], 0, ("goes", {"path": EDGE["path"]}), ("stays", {"path": EDGE["path"]})),
    ([VACUUM], 0, ("reads", {"rows": ALL}), ("reads", {"rows": LEFT})),
    ([DRY], 0, ("lists", {"path": ORPHAN["path"]}), ("lists_not", {"path": OLD["path"]})),
    ([DRY], 0, ("nothing_changed", {}), ("refused", {"conditions": [None]})),
    ([SHORT], 0, ("refused", {"conditions": [None]}), ("succeeded", {})),
    ([UNSAFE], 0, ("goes", {"path": EDGE["path"]}), ("no_file_went", {})),
    ([DELETE], 0, ("removed_exactly", {"paths": [FIRST["path"]]}), ("removed_exactly", {"paths": [SECOND["path"]]})),
    ([DELETE], 0, ("rows_are", {"rows": [[2]]}), ("rows_are", {"rows": [[3]]})),
    ([DELETE], 0, ("added_rows_are", {"rows": [LEFT[0]]}), ("added_rows_are", {"rows": LEFT[:2]})),
    ([DELETE], 0, ("one_commit", {}), ("no_new_files", {})),
    ([PARTITION], 0, ("rows_are", {"rows": [[5]]}), ("no_commit", {})),
    ([UNKNOWN], 0, ("refused", {"conditions": [None]}), ("succeeded", {})),
    ([{**UNKNOWN, "at": "missing"}], 0, ("refused", {"conditions": [None]}), ("succeeded", {})),
    ([{**VACUUM, "do": "bad vacuum", "at": "directory"}], 0, ("refused", {"conditions": [None]}), ("succeeded", {})),
    ([DELETE, READ], 1, ("rows_are", {"rows": LEFT}), ("rows_are", {"rows": ALL})),
    ([DELETE, {**READ, "before_step": 0}], 1, ("rows_are", {"rows": ALL}), ("rows_are", {"rows": LEFT})),
    ([APPEND, READ], 1, ("rows_are", {"rows": [*ALL, [9, day(9), "a"]]}), ("rows_are", {"rows": ALL})),
    ([LITTER, {**VACUUM, "step": 1}], 1, ("stays", {"path": "p=a/stray.parquet"}), ("stays", {"path": OLD["path"]})),
    (
        [DELETE, at(VACUUM, WEEK - HOUR, removed_by_step=0, step=1)],
        1,
        ("stays", {"path": FIRST["path"]}),
        ("goes", {"path": FIRST["path"]}),
    ),
    (
        [DELETE, at(VACUUM, WEEK + HOUR, removed_by_step=0, step=1)],
        1,
        ("goes", {"path": FIRST["path"]}),
        ("stays", {"path": FIRST["path"]}),
    ),
]


def run(plan: dict[str, Any], directory: Path) -> subprocess.CompletedProcess[str]:
    return run_alone(reproduction({**plan, "engine": "deltalake", "pip": "deltalake pyarrow"}), directory)


@pytest.mark.parametrize(
    ("ops", "step", "right", "wrong"), LAWS, ids=[f"{n:02d}-{law[2][0]}" for n, law in enumerate(LAWS)]
)
def test_a_script_tells_right_from_wrong(
    tmp_path: Path,
    ops: list[dict[str, Any]],
    step: int,
    right: tuple[str, dict[str, Any]],
    wrong: tuple[str, dict[str, Any]] | None,
) -> None:
    for number, (law, code, word) in enumerate(((right, 0, "HOLDS"), (wrong, 1, "IS VIOLATED"))):
        if law is not None:
            done = run(plan_of(ops, step, law), tmp_path / str(number))
            assert done.returncode == code, done.stdout + done.stderr
            assert f"VAC-SAFE-1 {word} on deltalake 1." in done.stdout
            assert done.stderr == ""


def test_a_tombstone_in_a_checkpoint_is_as_old_as_the_plan_says(tmp_path: Path) -> None:
    """The checkpoint, which holds one that has expired by now, is all that is left of the log."""
    plan = {**plan_of([VACUUM], 0, ("goes", {"path": OLD["path"]})), "pruned": 1}
    assert run(plan, tmp_path / "expired").returncode == 0
    young = {**deepcopy(plan), "ops": [at(VACUUM, -WEEK - HOUR)]}
    assert run(young, tmp_path / "young").returncode == 1


def test_what_the_engine_cannot_tell_cannot_be_checked(tmp_path: Path) -> None:
    done = run(plan_of([DELETE], 0, ("row_ids_kept", {})), tmp_path / "ids")
    assert done.returncode == 2
    assert "VAC-SAFE-1 COULD NOT BE CHECKED: delta-rs does not tell row ids." in done.stdout

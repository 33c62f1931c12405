"""What a step asks of storage, as Spark's adapter counts it: beside what is known of the table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engines.port import Outcome
from engines.spark.adapter import SparkEngine
from model.vocabulary.accesses import Operation
from model.vocabulary.steps import Delete, Mode, Read, Vacuum
from tests.engines.spark.test_crashes import PARTITION, SOME, below, made, run

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("spark")]


def asked(outcome: Outcome, *operations: Operation) -> dict[str, int]:
    """How often, by path outside the log."""
    assert outcome.error is None and outcome.accesses is not None
    found = [one for one in outcome.accesses if one.operation in operations]
    return {one.path: one.calls for one in found if not one.path.startswith("_delta_log")}


def content(root: Path) -> set[str]:
    """The files outside the log, without checksums of Hadoop."""
    return {path for path in below(root) if not path.startswith("_delta_log") and not path.endswith(".crc")}


def test_a_delete_opens_what_its_condition_needs_and_creates_what_it_adds(
    spark_engine: SparkEngine, tmp_path: Path
) -> None:
    rows, files = (made(tmp_path / name) for name in ("rows", "files"))
    before = content(rows)
    by_rows, by_partition = run(spark_engine, rows, SOME), run(spark_engine, files, PARTITION)
    opened = asked(by_rows, Operation.OPEN)
    assert opened.keys() < before and len(opened) == 3
    assert all(one.size for one in by_rows.accesses or () if one.path in opened and one.operation is Operation.OPEN)
    assert asked(by_rows, Operation.CREATE).keys() == content(rows) - before
    assert asked(by_partition, Operation.OPEN, Operation.CREATE, Operation.LIST) == {}


@pytest.mark.parametrize(
    ("step", "listed"),
    [
        (Vacuum(mode=Mode.FULL), {"": 1, "empty": 1, "p=a": 1, "p=b": 1}),
        (Vacuum(mode=Mode.LITE), {}),
    ],
)
def test_a_vacuum_lists_and_deletes(
    spark_engine: SparkEngine, tmp_path: Path, step: Vacuum, listed: dict[str, int]
) -> None:
    root = made(tmp_path / "t")
    before = content(root)
    outcome = run(spark_engine, root, step)
    gone = before - content(root) | {path for path in listed if not (root / path).exists()}
    assert asked(outcome, Operation.LIST) == listed
    assert asked(outcome, Operation.DELETE) == dict.fromkeys(gone, 1)
    assert asked(outcome, Operation.OPEN) == {}


def test_where_others_read_too_nothing_is_counted(spark_engine: SparkEngine, tmp_path: Path) -> None:
    root = made(tmp_path / "t")
    assert run(spark_engine, root, replace(PARTITION, cached=True)).accesses is None
    assert run(spark_engine, root, Read()).accesses
    assert run(spark_engine, root, Delete()).accesses

"""Findings in Delta that the strategies do not draw (docs/findings.md): the clauses detect them in a case made by hand."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest

from engines.spark.adapter import SparkEngine
from harness.running.judge import Judge
from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Delete, Mode, Vacuum
from model.vocabulary.table import DAY, HOUR, Column, Commit, DataFile, Feature, StrayFile, Table
from model.vocabulary.values import Type
from suites.catalogue import CATALOGUE

FIRST = Compare("v", Op.EQ, 1, Type.INTEGER)


def table(column: Column, *, partition: tuple[datetime, ...] = (), features: tuple[str, ...] = ()) -> Table:
    rows: tuple[tuple[int, ...], ...] = ((1,), (2,)) if partition else ((1, 1), (2, 2))
    return Table(
        columns=(Column("v", Type.INTEGER), column),
        partition_by=(column.name,) if partition else (),
        files=(DataFile(0, partition, rows, -9 * DAY),),
        commits=(Commit(-HOUR, adds=(0,)),),
        features=features,
    )


def vacuumed(*stray_files: StrayFile, mode: Mode = Mode.DEFAULT) -> Case:
    """A table with one live file and these stray files, and a VACUUM."""
    live = DataFile(0, (), ((1,),), -9 * DAY)
    columns = (Column("v", Type.INTEGER),)
    return Case(Table(columns, (), (live,), (Commit(-HOUR, adds=(0,)),), stray_files), (Vacuum(mode=mode),))


#: A path with more parts than the table's own, and young files at the top level named like its parts.
DEEP = (StrayFile("/".join(f"n{part}" for part in range(20)) + "/old", modified=-9 * DAY),)
NAMED_AS_PARTS = tuple(StrayFile(f"n{part}") for part in range(1, 20))

TWICE = datetime(2020, 11, 1, 9, 30, tzinfo=timezone.utc)  # 01:30 in Los Angeles for the second time


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "violated"),
    [
        (
            Case(table(Column("t", Type.TIMESTAMP), partition=(TWICE,)), (Delete(FIRST, zone="America/Los_Angeles"),)),
            {"DEL-ROW-3", "DEL-ROW-5B"},
        ),
        (
            Case(
                table(Column("_metadata", Type.INTEGER), features=(Feature.DELETION_VECTORS.value,)),
                (Delete(FIRST),),
            ),
            {"DEL-ROW-1", "DEL-INFO-1A"},
        ),
        (vacuumed(*DEEP, *NAMED_AS_PARTS, mode=Mode.INVENTORY_QUERY), {"VAC-SAFE-3", "VAC-INV-1A"}),
        (vacuumed(StrayFile("a:b", modified=-9 * DAY)), {"VAC-CHK-2"}),
        (vacuumed(StrayFile("v", modified=-9 * DAY), StrayFile(".v.crc/young")), {"VAC-SAFE-4"}),
    ],
    ids=[
        "a TIMESTAMP partition in the hour that occurs twice",
        "a column named _metadata, with deletion vectors",
        "a deep path in an inventory",
        "a colon in a name",
        "a directory named like a checksum",
    ],
)
def test_the_clauses_detect(case: Case, violated: set[str], spark_engine: SparkEngine, tmp_path: Path) -> None:
    judged = Judge(spark_engine, list(CATALOGUE.values()), tmp_path).judge(case)
    assert judged.failure is None, judged.failure
    assert violated <= set(judged.violated)

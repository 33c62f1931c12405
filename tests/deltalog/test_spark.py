"""The other independent reader, Delta on Spark: it reads our tables as we do."""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame

from deltalog.log import read_log
from engines.spark.sessions.settings import settings
from tests.builders.made_tables import EVERYTHING, MadeCommit, MadeFile, MadeTable, same_rows
from tests.table_rows import read_rows

LATEST = -1

#: Whether versions whose files a VACUUM may have deleted are refused.
EXPIRED = "spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration"

ROWS: tuple[tuple[object, ...], ...] = (
    (1, "a", True, date(2024, 2, 29), 1),
    (-(2**63), "\U0001f600" * 40, False, date(1600, 1, 1), -(2**31)),
    (None, None, None, None, None),
    (2**63 - 1, "", None, date(9999, 12, 31), 2**31 - 1),
)

UNPARTITIONED = MadeTable(
    (),
    (MadeFile((), ROWS, "full"), MadeFile((), ROWS[:2], "count"), MadeFile((), (), "none"), MadeFile((), ROWS, "none")),
    (MadeCommit(adds=(0, 1)), MadeCommit(removes=(0,), adds=(2, 3)), MadeCommit(removes=(3,)), MadeCommit(adds=(0,))),
    pruned=False,
)

THREE_PARTITION_COLUMNS = MadeTable(
    ("string", "integer", "date"),
    (
        MadeFile(("a b", 1, date(2024, 2, 29)), ROWS, "full"),
        MadeFile((None, None, None), ROWS[:1], "full"),
        MadeFile(("100%=/", -1, date(1, 1, 1)), ROWS[1:], "count"),
        MadeFile(("ü", 2**31 - 1, date(9999, 12, 31)), ROWS, "none"),
    ),
    (
        MadeCommit(adds=(0, 1)),
        MadeCommit(removes=(1,), adds=(2,), checkpoint=1),
        MadeCommit(adds=(1,), checkpoint=2),
        MadeCommit(removes=(0, 2), adds=(3,)),
    ),
    pruned=True,
)


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(UNPARTITIONED, id="unpartitioned"),
        pytest.param(THREE_PARTITION_COLUMNS, id="three-partition-columns"),
        pytest.param(EVERYTHING, id="every-odd-partition-value"),
    ],
)
def test_spark_reads_the_same_rows(spark: Any, table: MadeTable, tmp_path: Path) -> None:
    root = tmp_path / "a table"
    table.write(root)
    log = read_log(root)
    versions = range(table.first_version, log.version + 1)
    theirs = read_by_spark(spark, root, versions)
    for version in versions:
        ours = read_rows(root, log.snapshot(version))
        assert same_rows(ours, table.rows(version)), f"we do not read back the rows of version {version}"
        assert same_rows(theirs[version], ours), f"Spark reads other rows of version {version} than we"
    assert same_rows(theirs[LATEST], table.rows(log.version)), "Spark reads other rows of the latest"


def read_by_spark(spark: Any, root: Path, versions: range) -> dict[int, list[tuple[object, ...]]]:
    """The rows of each version and of the latest, in schema order. In one query: each takes a second, whatever it holds."""
    delta = spark.read.format("delta")
    with settings(spark, {EXPIRED: "false"}):
        frames = [delta.option("versionAsOf", version).load(str(root)) for version in versions]
        numbered = zip((*versions, LATEST), (*frames, spark.read.format("delta").load(str(root))))
        whole = reduce(DataFrame.unionAll, (frame.selectExpr(f"{number} AS read", "*") for number, frame in numbered))
        found: dict[int, list[tuple[object, ...]]] = defaultdict(list)
        for number, *row in whole.collect():
            found[number].append(tuple(row))
    return found

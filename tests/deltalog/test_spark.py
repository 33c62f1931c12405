"""The other independent reader, Delta on Spark: it reads our tables as we do.

``spark_reader`` is a callable (path, version or None) → all rows of the table in schema order.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from deltalog.log import read_log
from tests.builders.made_tables import EVERYTHING, MadeCommit, MadeFile, MadeTable, same_rows
from tests.table_rows import read_rows

SparkReader = Callable[[str, int | None], list[tuple[object, ...]]]

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
def test_spark_reads_the_same_rows(spark_reader: SparkReader, table: MadeTable, tmp_path: Path) -> None:
    root = tmp_path / "a table"
    table.write(root)
    log = read_log(root)
    for version in range(table.first_version, log.version + 1):
        ours = read_rows(root, log.snapshot(version))
        assert same_rows(ours, table.rows(version)), f"we do not read back the rows of version {version}"
        assert same_rows(spark_reader(str(root), version), ours), f"Spark reads other rows of version {version} than we"
    assert same_rows(spark_reader(str(root), None), table.rows(log.version)), "Spark reads other rows of the latest"

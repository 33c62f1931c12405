"""``tombstone rehearse --delete``: the statements that it reads, the files that they remove, and what engines do."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import pytest

from deltalog.entries.descriptors import DeletionVectorDescriptor
from rehearsal import trials
from rehearsal.__main__ import main
from rehearsal.deletion import DeletePrediction, deletions_of, rows_of
from rehearsal.reading import read_table
from rehearsal.releases import release_of
from shapes.store import root_of
from tests.rehearsal.partitioned import ROWS, VALUES, write_partitioned
from tests.rehearsal.tables import AT
from tests.shapes.test_reads_alone import status
from tests.slow import slow_after

ALL = sorted(VALUES)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_partitioned(tmp_path / "table")


def predicted(table: Path, directory: Path, text: str, named: str = "4.4.0") -> DeletePrediction:
    read = read_table(root_of(str(table)), directory)
    (found,) = deletions_of(read, [release_of(named, objects=False)], text, AT)
    return found


def names(paths: Sequence[str]) -> list[str]:
    return sorted(Path(path).stem for path in paths)


@pytest.mark.parametrize(
    ("condition", "removed"),
    [
        ("", ALL),
        ("WHERE d = '2025-01-31'", ["plain"]),
        ("WHERE d >= DATE '2025-02-01'", ["mixed", "quoted"]),
        ("WHERE D < '2025-02-01' OR s = 'b'", ["mixed", "plain"]),
        ("WHERE NOT (d = '2025-01-31')", ["mixed", "quoted"]),
        ("WHERE d IS NULL", ["null"]),
        ("WHERE d IS NOT NULL AND n IS NULL", ["mixed"]),
        ("WHERE s IN ('a', 'b', NULL)", ["mixed", "plain"]),
        ("WHERE s NOT IN ('a', NULL)", []),
        (r"WHERE s = 'it\'s 100 %/é'", ["quoted"]),
        ("WHERE s <=> NULL", ["null"]),
        ("WHERE s = ''", []),
        ("WHERE n = 1.5", ["plain"]),
        ("WHERE -1 < n AND n <= -0.25", ["quoted"]),
        ("WHERE n BETWEEN -0.25 AND 1.50", ["plain", "quoted"]),
        ("WHERE t = '2025-01-31 12:00:00'", ["plain"]),
        ("WHERE orders.t > TIMESTAMP '2025-01-31 12:00:00'", ["quoted"]),
        ("WHERE TRUE", ALL),
        ("WHERE NULL", []),
        ("WHERE `d` = '2025-01-31' -- of January", ["plain"]),
    ],
)
def test_a_condition_on_partitions_removes_whole_files(condition: str, removed: list[str], tmp_path: Path) -> None:
    for name, mapped in (("plain", False), ("mapped", True)):
        table = write_partitioned(tmp_path / name / "table", mapped=mapped)
        found = predicted(table, tmp_path / name / "log", f"DELETE FROM orders {condition};")
        assert names([*found.removed]) == removed
        assert found.rows == ROWS * len(removed)


def test_the_rows_of_a_file_without_statistics_are_not_known(tmp_path: Path) -> None:
    table = write_partitioned(tmp_path / "table", stats=False)
    found = predicted(table, tmp_path / "log", "DELETE FROM t WHERE s = 'a'")
    assert len(found.removed) == 1 and found.rows is None
    (add,) = predicted(
        write_partitioned(tmp_path / "b"), tmp_path / "c", "DELETE FROM t WHERE s = 'a'"
    ).removed.values()
    vector = DeletionVectorDescriptor("u", "ab" * 10, 4, 3, offset=1)
    assert (rows_of(add), rows_of(type(add)(add.path, {}, 1, AT, True, add.stats, None, vector))) == (ROWS, ROWS - 3)


# On engines -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every version is the one that is installed beside the tests."""
    monkeypatch.setattr(trials, "python_of", lambda version: Path(sys.executable))


@pytest.mark.parametrize(
    "condition",
    slow_after(2, ["", r"WHERE s = 'it\'s 100 %/é'", "WHERE d > '2025-01-31'", "WHERE d IS NULL", "WHERE n = 7"]),
)
def test_delta_rs_on_a_copy(
    condition: str, here: None, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, before = tmp_path / "out", status(table)
    words = [str(table), f"deltalake=={version('deltalake')}", "--delete", f"DELETE FROM t {condition}"]
    assert main([*words, "--vacuum", "VACUUM", "--at", "+9d", "--out", str(out)]) == 0
    document = json.loads((out / "rehearsal.json").read_text(encoding="utf-8"))
    (trial,), (vacuum,) = document["delete_trials"], document["trials"]
    assert trial["gone"] == document["deletions"][0]["removed"] and trial["broken"] == []
    assert vacuum["gone"] == trial["gone"] and status(table) == before

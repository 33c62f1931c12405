"""``tombstone rehearse --delete``: the statements that it reads, the files that they remove, and what engines do."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import pytest

from deltalog.entries.actions import Remove
from deltalog.entries.descriptors import DeletionVectorDescriptor
from deltalog.log import read_log
from engines.port import Engine, Outcome, now
from model.vocabulary.steps import Delete
from reference_engine.engine import ReferenceEngine
from rehearsal import trials
from rehearsal.__main__ import main
from rehearsal.delete_statement import delete_of
from rehearsal.delete_trials import judged, listing_of
from rehearsal.deletion import DeletePrediction, columns_of, deletions_of, rows_of
from rehearsal.reading import read_table
from rehearsal.rehearsed import DeleteTrial
from rehearsal.releases import release_of
from rehearsal.stand_ins import make
from runner.command_line.commands import in_a_sentence
from shapes.store import root_of
from tests.rehearsal.partitioned import ROWS, VALUES, write_partitioned
from tests.rehearsal.tables import AT, write_table
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


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("VACUUM orders", "cannot be understood: write DELETE FROM table [WHERE condition], or TRUNCATE TABLE table."),
        ("DELETE FROM orders WHERE", "cannot be understood: "),
        ("DELETE FROM orders; DELETE FROM orders", "has 2 statements: write one."),
        (
            "DELETE FROM orders WHERE a = 1",
            "tests a, which needs data: only a condition on d, s, n, t can be rehearsed.",
        ),
        ("DELETE FROM orders WHERE zz = 1", "names zz, and the table has no such column."),
        (
            "DELETE FROM orders WHERE s LIKE 'a%'",
            "has s LIKE 'a%', which cannot be rehearsed: write tests of a partition",
        ),
        ("DELETE FROM orders WHERE upper(s) = 'A'", "has UPPER(s), which cannot be rehearsed: "),
        ("DELETE FROM orders WHERE s = d", "compares s with d: write a value of its type, string."),
        ("DELETE FROM orders WHERE s = 1", "compares s with 1: write a value of its type, string."),
        ("DELETE FROM orders WHERE n = '1.5'", "compares n with '1.5': write a value of its type, decimal(5,2)."),
        ("DELETE FROM orders WHERE n = 1.555", "compares n with 1.555: write a value of its type, decimal(5,2)."),
        ("DELETE FROM orders WHERE d = '2025-02-30'", "compares d with '2025-02-30': write a value of its type, date."),
        ("DELETE FROM orders WHERE d IN (SELECT 1)", "which cannot be rehearsed: "),
        ("TRUNCATE TABLE orders PARTITION (d = '2025-01-31')", "cannot be understood: "),
    ],
)
def test_another_statement_is_a_sentence(
    text: str, sentence: str, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert in_a_sentence(main)([str(table), "--delete", text]) == 2
    said = capsys.readouterr()
    assert f"--delete {text!r} " in said.err and sentence in said.err and said.err.count("\n") == 1 and not said.out


def test_a_table_without_partitions_can_be_emptied_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = write_table(tmp_path / "table")
    assert main([str(table), "--delete", "DELETE FROM t"]) == 0
    assert capsys.readouterr().out.startswith("PASS: Delta 4.4.0 removes 1 file (30 bytes) from the table\n")
    assert in_a_sentence(main)([str(table), "--delete", "DELETE FROM t WHERE a = 1"]) == 2
    assert "tests a, which needs data: the table has no partitions, and only a DELETE of all" in capsys.readouterr().err


def test_the_rows_of_a_file_without_statistics_are_not_known(tmp_path: Path) -> None:
    table = write_partitioned(tmp_path / "table", stats=False)
    found = predicted(table, tmp_path / "log", "DELETE FROM t WHERE s = 'a'")
    assert len(found.removed) == 1 and found.rows is None
    (add,) = predicted(
        write_partitioned(tmp_path / "b"), tmp_path / "c", "DELETE FROM t WHERE s = 'a'"
    ).removed.values()
    vector = DeletionVectorDescriptor("u", "ab" * 10, 4, 3, offset=1)
    assert (rows_of(add), rows_of(type(add)(add.path, {}, 1, AT, True, add.stats, None, vector))) == (ROWS, ROWS - 3)


def test_a_release_may_refuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = write_partitioned(tmp_path / "table")
    words = [str(table), "--delete", "TRUNCATE TABLE orders", "--model-only"]
    assert main([*words, "3.3.2", "4.4.0"]) == 3
    assert capsys.readouterr().out.startswith(
        "LOOK FIRST: Delta 3.3.2 refuses the DELETE, which Delta 4.4.0 runs: it does not know TRUNCATE TABLE\n"
    )
    assert main([*words, "4.3.1", "4.4.0"]) == 0
    kept = write_partitioned(tmp_path / "kept", properties={"delta.appendOnly": "true"})
    assert main([str(kept), "--delete", "DELETE FROM orders"]) == 0
    assert "PASS: Delta 4.4.0 refuses the DELETE and removes nothing: delta.appendOnly of the table is true\n" in (
        capsys.readouterr().out
    )


def test_a_vacuum_after_it_deletes_what_it_removed(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, out = status(table), tmp_path / "out"
    words = [str(table), "--delete", "DELETE FROM orders WHERE s = 'a'", "--out", str(out)]
    assert main([*words, "--vacuum", "VACUUM orders", "--at", "+8d"]) == 0
    assert capsys.readouterr().out.startswith(
        "PASS: Delta 4.4.0 removes 1 file (10 bytes, 7 rows) from the table. VACUUM after it: Delta 4.4.0 deletes 1 file"
    )
    assert [(out / f"{name}-A.txt").read_text() for name in ("remove", "delete")] == ["x/plain.parquet\n"] * 2
    assert main([*words, "--vacuum", "VACUUM orders", "--at", "+6d"]) == 0
    assert (out / "delete-A.txt").read_text() == ""
    assert main(words) == 0
    assert not (out / "delete-A.txt").exists()
    document = json.loads((out / "rehearsal.json").read_text())
    assert document["deletions"][0]["removed"] == {"files": 1, "bytes": 10} and document["releases"] == []
    page = (out / "rehearsal.html").read_text(encoding="utf-8")
    assert "the DELETE removes 1 file (10 bytes) with 7 rows from the table" in page and "remove-A.txt" in page
    assert in_a_sentence(main)([*words, "--vacuum", "VACUUM", "--at", "2025-12-01T00:00:00Z"]) == 2
    assert status(table) == before


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
    assert trial["removed"] == document["deletions"][0]["removed"] and trial["wrongly_removed"] == []
    assert vacuum["gone"] == trial["removed"] and status(table) == before


def judged_on(engine: Engine, delete: Delete | None, table: Path, directory: Path) -> DeleteTrial:
    """A trial of the DELETE of January; ``delete``: what the engine runs instead."""
    deletion = predicted(table, directory / "log", "DELETE FROM t WHERE d = '2025-01-31'")
    root = directory / "run" / "case" / "table"
    make(deletion.read, root)
    before = listing_of(root)
    return judged(deletion, root, before, engine.run(root, delete or deletion.delete, clock=now(), version=None))


def test_an_engine_that_removes_another_file_is_seen(table: Path, tmp_path: Path) -> None:
    assert judged_on(ReferenceEngine(), None, table, tmp_path / "right").agrees
    partitions, _ = columns_of(read_table(root_of(str(table)), tmp_path / "log"))
    wrong = judged_on(
        ReferenceEngine(), delete_of("DELETE FROM t WHERE s = 'b'", partitions), table, tmp_path / "wrong"
    )
    assert not wrong.agrees and wrong.wrongly_removed == ("x/mixed.parquet",)
    assert {one.clause for one in wrong.broken} == {"DEL-META-1"}


def test_a_remove_that_lacks_something_is_seen(table: Path, tmp_path: Path) -> None:
    """A remove without the size and the partition values, and with a time of its own."""

    class Forgetful(ReferenceEngine):
        def run(self, root: Path, step: object, *, clock: int, version: int | None) -> Outcome:
            outcome = super().run(root, step, clock=clock, version=version)  # type: ignore[arg-type]
            newest = read_log(root).commits[1]
            (remove,) = (action for action in newest.actions if isinstance(action, Remove))
            file = root / "_delta_log" / f"{1:020}.json"
            text = file.read_text(encoding="utf-8")
            file.write_text(text.replace(f'"deletionTimestamp":{remove.deletion_timestamp}', '"deletionTimestamp":5'))
            return outcome

    broken = judged_on(Forgetful(), None, table, tmp_path).broken
    assert [one.clause for one in broken] == ["DEL-REM-1A"] and broken[0].fault is None

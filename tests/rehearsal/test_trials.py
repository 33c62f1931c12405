"""A copy of a read table is a case: clauses about the log and the listing judge it, and those that need data judge nothing."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from deltalog.entries.actions import Metadata, Protocol
from deltalog.entries.commits import write_commit
from engines.port import Engine, now
from faults import FAULTS, KnownBadEngine
from harness.campaigns.corpus import corpus_cases
from harness.tables.plan import plan_table
from harness.tables.storage import write_table as write_drawn
from model.prediction.fates import Reason
from model.vocabulary.severity import Severity
from model.vocabulary.steps import Vacuum
from records.mistakes import UsageMistake
from reference_engine import ReferenceEngine
from rehearsal.deletion import deletions_of
from rehearsal.prediction import Prediction
from rehearsal.reading import ReadTable, copy_newest_checkpoint, read_table
from rehearsal.rehearsed import Broken, NamedFault, Sum, Trial
from rehearsal.releases import release_of
from rehearsal.stand_ins import require_copyable
from rehearsal.statement import vacuum_of
from rehearsal.trials import Asked, run_of, trials_of
from shapes.store import root_of
from tests.rehearsal.partitioned import write_partitioned
from tests.rehearsal.tables import AT, EXPIRED, HIDDEN, LIVE, ORPHAN, RECENT, YOUNG, info, write_table

RELEASE = release_of("4.4.0", objects=False)
ALL, JANUARY = "DELETE FROM t", "DELETE FROM t WHERE d = '2025-01-31'"
IN_CHECKPOINTS = {"delta.checkpointInterval": "1"}


def read_of(table: Path, directory: Path) -> ReadTable:
    read = read_table(root_of(str(table)), directory)
    require_copyable(read)
    copy_newest_checkpoint(read)
    return read


def tried(engine: Engine, table: Path, directory: Path, statement: str) -> Trial:
    """The trial of a DELETE now, or of a VACUUM at AT."""
    read = read_of(table, directory / "log")
    if statement.startswith("VACUUM"):
        asked = Asked(RELEASE, None, Prediction(read, RELEASE, vacuum_of(statement, safety_check=False), AT))
    else:
        asked = Asked(RELEASE, deletions_of(read, [RELEASE], statement, AT)[0], None)
    later = None if asked.vacuum is None else AT - now()
    (found,) = filter(None, trials_of(engine, read, asked, directory / "run" / "table", later=later))
    return found


@pytest.mark.parametrize("vacuum", ["VACUUM", "VACUUM LITE", "VACUUM RETAIN 720 HOURS", "VACUUM RETAIN 0 HOURS"])
def test_a_right_vacuum_breaks_nothing(vacuum: str, tmp_path: Path) -> None:
    table = write_table(tmp_path / "table")
    found = tried(ReferenceEngine(), table, tmp_path, vacuum)
    assert found.agrees and not found.broken
    said = Prediction(read_of(table, tmp_path / "read"), RELEASE, vacuum_of(vacuum, safety_check=False), AT)
    assert found.gone == said.total(said.deleted_files) != Sum()


#: By the fault: the clause that it violates, what it does to the table, and what the model says of that.
OF_VACUUM = {
    "vacuums-by-file-age": ("VAC-SAFE-2", f"deleted {RECENT}", Reason.RETAINED.value),
    "keeps-an-expired-file": ("VAC-LIVE-1", f"did not delete {EXPIRED}", Reason.EXPIRED.value),
    "vacuums-a-live-file": ("VAC-SAFE-1", f"deleted {LIVE}", Reason.LIVE.value),
    "vacuums-a-young-orphan": ("VAC-SAFE-3", f"deleted {YOUNG}", Reason.YOUNG.value),
    "vacuums-a-hidden-file": ("VAC-SAFE-4", f"deleted {HIDDEN}", Reason.INSIDE_HIDDEN.value),
    "keeps-orphans": ("VAC-LIVE-2", f"did not delete {ORPHAN}", Reason.ORPHAN.value),
    "keeps-empty-directories": ("VAC-LIVE-3", "did not delete empty", Reason.EMPTY.value),
    "dry-run-deletes": ("VAC-DRY-1", "", ""),
    "dry-run-lists-what-is-hidden": ("VAC-DRY-2C", f"lists {HIDDEN}", Reason.INSIDE_HIDDEN.value),
    "ends-without-start": ("VAC-LOG-1A", "must commit VACUUM START and VACUUM END", ""),
    "rewrites-the-log": ("VAC-LOG-1C", "must change nothing else in the log", ""),
    "full-keeps-the-bookmark": ("VAC-LITE-1D", "_last_vacuum_info", ""),
    "vacuum-touches-what-stays": ("VAC-SAFE-12", "touched", ""),
}


@pytest.mark.parametrize("fault", OF_VACUUM)
def test_a_wrong_vacuum_breaks_its_clause(fault: str, tmp_path: Path) -> None:
    clause, does, reason = OF_VACUUM[fault]
    engine = KnownBadEngine(ReferenceEngine(), FAULTS[fault])
    found = tried(engine, write_table(tmp_path / "table"), tmp_path, "VACUUM")
    (broken,) = (one for one in found.wrong if clause in one.clauses)
    assert does in broken.message and reason in broken.message and broken.fault is None
    assert not found.agrees


#: By the fault: the DELETE, and the clause that it violates.
OF_DELETE = {
    "keeps-a-file-of-the-table": (ALL, "DEL-ALL-1"),
    "removes-an-untouched-file": (JANUARY, "DEL-META-1"),
    "removes-without-time": (ALL, "DEL-REM-1A"),
    "removes-with-wrong-size": (ALL, "DEL-REM-1B"),
    "removes-with-null-partitions-left-out": (ALL, "DEL-REM-1C"),
    "removes-with-tags": (ALL, "DEL-REM-1F"),
    "stamps-removes-differently": (ALL, "DEL-META-3"),
    "writes-for-partitions": (JANUARY, "DEL-META-2"),
    "deletes-old-bytes": (JANUARY, "DEL-PHYS-1"),
    "breaks-the-log": (ALL, "DEL-PHYS-3"),
    "commits-twice": (JANUARY, "DEL-INFO-1A"),
    "commits-a-transaction": (ALL, "DEL-INFO-3A"),
    "delete-rewrites-an-old-commit": (ALL, "DEL-LOG-1"),
    "delete-checkpoint-loses-a-tombstone": (ALL, "DEL-CKPT-1"),
    "checksum-counts-a-byte-more": (ALL, "DEL-CRC-1"),
}


@pytest.mark.parametrize("fault", OF_DELETE)
def test_a_wrong_delete_breaks_its_clause(fault: str, tmp_path: Path) -> None:
    statement, clause = OF_DELETE[fault]
    table = write_partitioned(tmp_path / "table", properties=IN_CHECKPOINTS)
    right = tried(ReferenceEngine(), table, tmp_path / "right", statement)
    assert right.agrees and not right.broken and right.gone.files
    wrong = tried(KnownBadEngine(ReferenceEngine(), FAULTS[fault]), table, tmp_path / "wrong", statement)
    assert clause in {id for one in wrong.wrong for id in one.clauses}


def test_a_delete_that_removes_another_file_loses_rows(tmp_path: Path) -> None:
    """No row was read: the files tell how grave it is."""
    engine = KnownBadEngine(ReferenceEngine(), FAULTS["removes-an-untouched-file"])
    worst = tried(engine, write_partitioned(tmp_path / "table"), tmp_path, JANUARY).wrong[0]
    assert worst.severity is Severity.DATA_LOSS and worst.cause == "rows that must stay are missing"


def test_clauses_that_need_data_judge_nothing(tmp_path: Path) -> None:
    """They neither hold nor fail, and are no errors of the suite."""
    read = read_of(write_partitioned(tmp_path / "table", properties=IN_CHECKPOINTS), tmp_path / "log")
    run = run_of(ReferenceEngine(), read, RELEASE, tmp_path / "run" / "table")
    run.take(deletions_of(read, [RELEASE], JANUARY, AT)[0].delete)
    of_delete = set(run.tallies)
    assert len(of_delete) > 30 and "DEL-META-1" in of_delete
    assert not of_delete & {"DEL-ROW-5B", "DEL-MET-1A", "DEL-MET-2", "DEL-INFO-4"}
    run.take(Vacuum())
    of_vacuum = run.tallies.keys() - of_delete
    assert len(of_vacuum) > 25 and not of_vacuum & {"VAC-SAFE-10B", "VAC-SAFE-10D"}
    assert not run.raised


@pytest.mark.long
def test_right_statements_break_nothing_on_the_tables_of_the_corpus(tmp_path: Path) -> None:
    tables = [one.table for one in corpus_cases("gate") if any(isinstance(step, Vacuum) for step in one.steps)][::9]
    judged = 0
    for number, drawn in enumerate(tables):
        root = tmp_path / f"{number}" / "table"
        write_drawn(plan_table(drawn, root, start=now()))
        reads_vectors = any(one.deletion_vectors for one in drawn.commits)  # also for a DELETE of whole files
        for statement in ("VACUUM", "VACUUM LITE", *(() if reads_vectors else (ALL,))):
            found = None
            with suppress(UsageMistake):  # it names files by their URIs, say
                found = tried(ReferenceEngine(), root, tmp_path / f"{number}-{statement}", statement)
            judged += found is not None
            assert found is None or found.broken == (), (drawn, statement)
    assert judged > 2 * len(tables)


def test_a_table_without_a_schema_is_left_to_the_engine(tmp_path: Path) -> None:
    write_commit(tmp_path / "table", 0, [info("CREATE TABLE"), Protocol(1, 2), Metadata("a", None)], modified=AT)
    found = tried(ReferenceEngine(), tmp_path / "table", tmp_path, "VACUUM")
    assert found.agrees and not found.gone.files


def broken(severity: Severity, fault: NamedFault | None) -> Broken:
    return Broken(("VAC-LOG-4",), severity, "", "It is wrong.", 1, (), fault)


@pytest.mark.parametrize("severity", Severity)
def test_a_known_fault_of_numbers_or_words_does_not_speak_against_a_release(severity: Severity) -> None:
    fault = NamedFault("It miscounts.", "https://example.org")
    assert broken(severity, None).counts
    assert broken(severity, fault).counts is (severity not in (Severity.WRONG_NUMBERS, Severity.WRONG_WORDS))

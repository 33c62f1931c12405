"""VACUUM. Each case is a table with files to keep or to delete, and a few runs; every applicable clause judges every step."""

from __future__ import annotations

from harness.campaigns.campaign import Batch, Worker, cases_from
from strategies.cases.corpus.telling_cases import telling_vacuums
from strategies.cases.spellings import spelling_cases
from strategies.cases.table_roots import table_root_cases
from strategies.cases.vacuum_commands import refused_vacuums, vacuum_commands, vacuum_io_faults, vacuum_modes
from strategies.cases.vacuums import (
    vacuum_histories,
    vacuum_old_versions,
    vacuum_retentions,
    vacuum_stray_files,
    vacuum_vectors,
)


@cases_from(telling_vacuums(), judged_by=("VAC",), weight=48)
def test_telling_vacuums(batch: Batch, worker: Worker) -> None:
    """Every mode on tables whose times are all within a millisecond of the cutoff."""
    worker.judge(batch)


@cases_from(vacuum_retentions(), judged_by=("VAC",), weight=36)
def test_vacuum_retention(batch: Batch, worker: Worker) -> None:
    """Tombstones with ages around the cutoff."""
    worker.judge(batch)


@cases_from(vacuum_stray_files(), judged_by=("VAC",), weight=28)
def test_vacuum_stray_files(batch: Batch, worker: Worker) -> None:
    """Files, directories and links that no commit names, of all depths and ages."""
    worker.judge(batch)


@cases_from(vacuum_commands(), judged_by=("VAC",), weight=80)
def test_vacuum_commands(batch: Batch, worker: Worker) -> None:
    """One VACUUM in each mode, each with its own RETAIN, with and without the safety check."""
    worker.judge(batch)


@cases_from(vacuum_modes(), judged_by=("VAC",), weight=84)
def test_vacuum_modes(batch: Batch, worker: Worker) -> None:
    """FULL, LITE and USING INVENTORY, alone and in sequence."""
    worker.judge(batch)


@cases_from(vacuum_vectors(), judged_by=("VAC",), weight=100)
def test_vacuum_vectors(batch: Batch, worker: Worker) -> None:
    """Tables with deletion vectors, and files named by URI."""
    worker.judge(batch)


@cases_from(vacuum_histories(), judged_by=("VAC",), weight=48)
def test_vacuum_histories(batch: Batch, worker: Worker) -> None:
    """Checkpoints of all kinds, logs that were cleaned up, and removes with only the required fields."""
    worker.judge(batch)


@cases_from(vacuum_io_faults(), judged_by=("VAC",), weight=38)
def test_vacuum_io_faults(batch: Batch, worker: Worker) -> None:
    """Files that cannot be deleted or listed."""
    worker.judge(batch)


@cases_from(refused_vacuums(), judged_by=("VAC", "READ"), weight=54)
def test_refused_vacuums(batch: Batch, worker: Worker) -> None:
    """VACUUMs that must be refused and change nothing."""
    worker.judge(batch)


@cases_from(table_root_cases(), judged_by=("DEL", "VAC"), weight=44)
def test_table_roots(batch: Batch, worker: Worker) -> None:
    """Tables whose directory has any name."""
    worker.judge(batch)


@cases_from(spelling_cases(), judged_by=("DEL", "VAC"), weight=48)
def test_table_spellings(batch: Batch, worker: Worker) -> None:
    """Commands that spell the path of their table in any way, and tables that the session has cached."""
    worker.judge(batch)


@cases_from(vacuum_old_versions(), judged_by=("VAC",), weight=40)
def test_vacuum_old_versions(batch: Batch, worker: Worker) -> None:
    """Versions and change feeds whose files a VACUUM deleted."""
    worker.judge(batch)

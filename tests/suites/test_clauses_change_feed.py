"""The versions and times of commits in the change data feed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from deltalog.storage.times import set_modified
from faults.machinery import files
from faults.machinery.fault import Tamper
from model.vocabulary.steps import Delete, ReadChanges
from model.vocabulary.table import Commit, Feature, Table
from model.vocabulary.values import Row
from tests.handmade.steps import IN_A, PARTITIONED, answering, judged_by, right

CHANGES = replace(PARTITIONED, features=(Feature.CHANGE_DATA_FEED.value,))
STAMPED = replace(CHANGES, features=(*CHANGES.features, Feature.IN_COMMIT_TIMESTAMPS.value))
COMMITS = ReadChanges(0, commits=True, zone="Asia/Kolkata")
LONG_AGO = datetime(2001, 1, 1, tzinfo=timezone.utc)


def committing(modified: int) -> Tamper:
    """The DELETE's commit has this modification time, ms since the epoch."""
    return files.in_each(files.commits, lambda path: set_modified(path, modified))


@pytest.mark.parametrize("table", [CHANGES, STAMPED], ids=["by the file", "in the commit"])
@pytest.mark.parametrize("clause", ["DEL-CDF-2A", "DEL-CDF-2B"])
def test_right_versions_and_times(table: Table, clause: str, tmp_path: Path) -> None:
    assert judged_by(table, tmp_path, clause, (IN_A, right), (COMMITS, right)) == (1, [])
    assert judged_by(table, tmp_path / "rows", clause, (IN_A, right), (ReadChanges(0), right)) == (0, [])


def of_the_next_version(row: Row) -> Row:
    version, at = row
    assert isinstance(version, int)
    return version + 1, at


def test_another_version(tmp_path: Path) -> None:
    wrong = answering(lambda rows: tuple(map(of_the_next_version, rows)))
    _, (violation,) = judged_by(CHANGES, tmp_path, "DEL-CDF-2A", (IN_A, right), (COMMITS, wrong))
    assert "must have the _commit_version 1; one has (2, " in violation.message


def test_other_columns(tmp_path: Path) -> None:
    more = answering(lambda rows: tuple((*row, 1) for row in rows))
    fewer = answering(lambda rows: tuple(row[:1] for row in rows))
    for number, wrong in enumerate((more, fewer)):
        for clause in ("DEL-CDF-2A", "DEL-CDF-2B"):
            directory = tmp_path / f"{clause}-{number}"
            assert len(judged_by(CHANGES, directory, clause, (IN_A, right), (COMMITS, wrong))[1]) == 1


def test_another_time(tmp_path: Path) -> None:
    wrong = answering(lambda rows: tuple((version, LONG_AGO) for version, _ in rows))
    _, (violation,) = judged_by(CHANGES, tmp_path, "DEL-CDF-2B", (IN_A, right), (COMMITS, wrong))
    assert "datetime.datetime(2001, 1, 1" in violation.message


def test_the_in_commit_timestamp_counts_not_the_time_of_the_file(tmp_path: Path) -> None:
    moved = committing(1_000_000_000_000)
    assert judged_by(STAMPED, tmp_path, "DEL-CDF-2B", (IN_A, moved), (COMMITS, right)) == (1, [])


def test_a_commit_is_later_than_the_one_before_it(tmp_path: Path) -> None:
    """Whatever the modification times of their files are."""
    never = answering(lambda rows: tuple((version, LONG_AGO) for version, _ in rows))
    early = committing(1_000_000_000_000)  # in 2001
    _, (violation,) = judged_by(CHANGES, tmp_path, "DEL-CDF-2B", (IN_A, early), (COMMITS, never))
    due = datetime.fromisoformat(violation.message.split("_commit_timestamp ")[1].split(";")[0])
    assert due.year > 2020 and due.microsecond % 1000 == 0


def test_a_delete_of_nothing_has_no_commit(tmp_path: Path) -> None:
    table = replace(CHANGES, files=(), commits=(Commit(-1),))
    assert judged_by(table, tmp_path, "DEL-CDF-2A", (Delete(), right), (COMMITS, right)) == (0, [])


@pytest.mark.parametrize(
    ("wrong", "cause"),
    [
        (answering(lambda rows: rows[1:]), "deletions are missing"),
        (answering(lambda rows: (*rows, rows[0])), "deletions that did not happen"),
    ],
    ids=["less", "more"],
)
def test_another_number_of_rows(wrong: Tamper, cause: str, tmp_path: Path) -> None:
    assert judged_by(CHANGES, tmp_path / "right", "DEL-CDF-1C", (IN_A, right), (COMMITS, right)) == (1, [])
    _, (violation,) = judged_by(CHANGES, tmp_path, "DEL-CDF-1C", (IN_A, right), (COMMITS, wrong))
    assert violation.cause == cause

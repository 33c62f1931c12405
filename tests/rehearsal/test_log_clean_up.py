"""The versions that the log keeps by a rehearsal, compared with the clean-ups of engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from deltalake import DeltaTable

from deltalog.checkpoints.writing import write_checkpoint
from deltalog.entries.actions import Action, Metadata, Protocol
from deltalog.entries.commits import write_commit
from deltalog.log import read_log
from deltalog.storage.names import LOG_DIRECTORY, commit_name
from deltalog.storage.times import set_modified
from engines.port import now
from model.vocabulary.commands import CleanUpLog
from model.vocabulary.steps import OtherCommand
from model.vocabulary.table import DAY, HOUR, MINUTE
from reference_engine.engine import ReferenceEngine
from rehearsal.log_clean_up import clean_up_of
from rehearsal.reading import read_table
from rehearsal.rehearsed import CleanUp
from rehearsal.releases import release_of
from rehearsal.versions import Range
from shapes.store import root_of
from tests.rehearsal.tables import AT, METADATA, info

#: The last version: version n was committed 45 - n days ago, and an hour.
LAST = 44


def write_days(
    root: Path, at: int, checkpoints: Sequence[int], properties: Mapping[str, str] | None = None, first: int = 0
) -> Path:
    """A commit a day, with checkpoints of these versions. ``first``: the log lacks the commits before this version."""
    metadata = Metadata("a", METADATA.schema_string, (), properties or {})
    for version in range(LAST + 1):
        definition: list[Action] = [Protocol(1, 2), metadata] if version == 0 else []
        actions = [info("WRITE"), *definition]
        write_commit(root, version, actions, modified=at - (45 - version) * DAY - HOUR)
    for version in checkpoints:
        before = {*(root / LOG_DIRECTORY).iterdir()}
        write_checkpoint(root, read_log(root).snapshot(version))
        for file in {*(root / LOG_DIRECTORY).iterdir()} - before:
            set_modified(file, at - (45 - version) * DAY - HOUR + 1000)
    for version in range(first):
        (root / LOG_DIRECTORY / commit_name(version)).unlink()
    return root


def said(root: Path, directory: Path, named: str = "4.4.0", at: int = AT) -> CleanUp:
    return clean_up_of(read_table(root_of(str(root)), directory), release_of(named, objects=False), at)


@pytest.mark.parametrize(
    ("checkpoints", "days", "lost", "kept"),
    [
        ((), None, None, Range(0, LAST)),
        ((10, 20, 30), None, Range(0, 9), Range(10, LAST)),  # the last commit that is older than 30 days is 14
        ((10, 20, 30), 20, Range(0, 19), Range(20, LAST)),
        ((30,), None, None, Range(0, LAST)),
        ((10, LAST), 0, Range(0, LAST - 1), Range(LAST, LAST)),
    ],
)
def test_the_log_goes_up_to_the_newest_checkpoint_that_is_old(
    checkpoints: tuple[int, ...], days: int | None, lost: Range | None, kept: Range, tmp_path: Path
) -> None:
    properties = {} if days is None else {"delta.logRetentionDuration": f"interval {days} days"}
    table = write_days(tmp_path / "run" / "case" / "table", AT, checkpoints, properties)
    found = said(table, tmp_path / "log")
    assert (found.lost, found.kept) == (lost, kept)
    outcome = ReferenceEngine().run(table, OtherCommand(CleanUpLog()), clock=AT, version=None)
    assert outcome.error is None
    assert [one.version for one in read_log(table).rebuilt()] == list(range(kept.first, kept.last + 1))


def test_delta_rs_keeps_what_is_said(tmp_path: Path) -> None:
    at = now()
    table = write_days(tmp_path / "table", at, (10, 20, 30))
    found = said(table, tmp_path / "log", "deltalake==1.6.6", at)
    assert found.after_any_commit and (found.lost, found.kept) == (Range(0, 9), Range(10, LAST))
    DeltaTable(table).cleanup_metadata()
    assert [one.version for one in read_log(table).rebuilt()] == list(range(10, LAST + 1))


def test_spark_rounds_the_time_down_to_a_day(tmp_path: Path) -> None:
    table = write_days(tmp_path / "table", AT, (15,))  # 30 days and an hour ago
    for minutes, lost in ((0, Range(0, 14)), (30, None)):
        assert said(table, tmp_path / f"{minutes}", at=AT - minutes * MINUTE).lost == lost
    assert said(table, tmp_path / "other", "deltalake==1.6.6", AT - 30 * MINUTE).lost == Range(0, 14)


def test_a_log_that_was_cleaned_up_before(tmp_path: Path) -> None:
    table = write_days(tmp_path / "table", AT, (5, 20), first=8)
    found = said(table, tmp_path / "log")
    assert (found.lost, found.kept) == (None, Range(20, LAST))

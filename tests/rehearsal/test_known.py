"""Which known faults of a release concern a user's table, by its log and its listing."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltalog.entries.actions import Protocol
from deltalog.storage.times import set_modified
from engines.provider import ENGINES
from harness.judging.excusing.conditions import CONDITIONS
from known_faults.known import known_faults_in, known_faults_of
from model.vocabulary.steps import Vacuum
from model.vocabulary.table import DAY
from rehearsal.known import KnownOfTable, shape_of
from rehearsal.prediction import Prediction
from rehearsal.reading import ReadTable, read_table
from rehearsal.releases import release_of
from shapes.store import root_of
from tests.rehearsal.tables import AT, write_table

FORGETS_TOMBSTONES = "A full VACUUM uses the age of the file even if its tombstone is younger"
FOLLOWS_LINKS = "The listing of a local directory follows symbolic links"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_table(tmp_path / "table")


def known_of(read: ReadTable, named: str, vacuum: Vacuum = Vacuum()) -> KnownOfTable:  # noqa: B008
    return KnownOfTable(Prediction(read, release_of(named, objects=False), vacuum, AT), shape_of(read))


def concerning(table: Path, named: str, directory: Path, vacuum: Vacuum = Vacuum()) -> dict[str, bool]:  # noqa: B008
    """The beginnings of the reasons, up to the first colon or comma, each with whether it is certain."""
    found = known_of(read_table(root_of(str(table)), directory), named, vacuum).concerns()
    return {one.reason.partition(":")[0].partition(",")[0]: one.certain for one in found}


def test_a_fault_concerns_a_table_that_has_what_it_needs(table: Path, tmp_path: Path) -> None:
    assert concerning(table, "deltalake==1.5.0", tmp_path / "a") == {FORGETS_TOMBSTONES: True}
    assert concerning(table, "deltalake==1.6.6", tmp_path / "b") == {}
    assert list(concerning(table, "4.4.0", tmp_path / "c").values()) == [False], "its vectors may be inline"
    (table / "link").symlink_to("p=1")
    assert concerning(table, "deltalake==1.6.6", tmp_path / "d") == {FOLLOWS_LINKS: True}
    assert list(concerning(table, "4.4.0", tmp_path / "e").values()) == [True, False]
    (table / "p=1" / "_mine").mkdir()
    (table / "p=1" / "_mine" / "old").touch()
    set_modified(table / "p=1" / "_mine" / "old", AT - 90 * DAY)
    hidden = "Only the start of the whole path is tested for a hidden name"
    assert concerning(table, "deltalake==1.6.6", tmp_path / "f") == {FOLLOWS_LINKS: True, hidden: True}


def test_a_fault_may_concern_a_table_whose_log_does_not_tell(tmp_path: Path) -> None:
    protocol = Protocol(3, 7, ("deletionVectors",), ("deletionVectors",))
    table = write_table(tmp_path / "table", protocol=protocol)
    assert concerning(table, "4.4.0", tmp_path / "log") == {
        "VACUUM fails with a scala.MatchError in getDeletionVectorRelativePathAndSize if an action that it reads has an inline "
        "deletion vector.": False
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_every_condition_of_a_vacuum_can_be_asked_of_a_log_and_a_listing(
    engine: str, table: Path, tmp_path: Path
) -> None:
    read = read_table(root_of(str(table)), tmp_path / "log")
    observation = Prediction(read, release_of("4.4.0", objects=False), Vacuum(), AT).observation
    names = {one.when for one in known_faults_in(known_faults_of(engine)) if one.clause.startswith("VAC-")} - {None}
    asked = {str(name) for name in names if CONDITIONS[str(name)].on_shape(shape_of(read)) is None}
    assert all(isinstance(CONDITIONS[name].holds(observation), bool) for name in asked)

"""Cases for a bucket without a clock: files are as old as their uploads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engines.bucket_limits import AS_OLD_AS_UPLOADS
from engines.deltalake.capabilities import NEWEST
from engines.object_store import Storage
from engines.provider import limits_in
from model.vocabulary.case import Case
from model.vocabulary.steps import AddStrayFiles, Delete, Moment, SetClock, Step, Vacuum
from model.vocabulary.table import DAY, WEEK, Commit, DeletionVector, Removal, StrayFile, Table
from strategies.restriction.capabilities import restricted_to
from strategies.restriction.margins import kept_apart
from strategies.restriction.uploads import with_all_files_old
from tests.drawn_cases import drawn_by
from tests.handmade.steps import PARTITIONED

OLD, YOUNG = -8 * DAY, -6 * DAY

IN_BUCKET = NEWEST.shared(AS_OLD_AS_UPLOADS.capabilities)


def aged(*ages: int, table: Table = PARTITIONED) -> Table:
    """The table with one stray file of each of these ages, and none of its own."""
    strays = tuple(StrayFile(f"stray-{index}.parquet", modified=age) for index, age in enumerate(ages))
    return replace(table, files=(), commits=(Commit(-9 * DAY),), stray_files=strays, retention_hours=None)


@pytest.mark.parametrize(
    ("ages", "steps", "hours"),
    [
        ((OLD, OLD, YOUNG), (Vacuum(),), 0),
        ((OLD, YOUNG), (Vacuum(),), 0),
        ((OLD, YOUNG, YOUNG), (Vacuum(),), None),
        ((), (Vacuum(),), None),
        ((OLD,), (), None),
        ((OLD,), (Vacuum(retain_hours=240),), None),
        ((OLD,), (Vacuum(dry_run=True),), 0),
        ((YOUNG,), (SetClock(Moment(2 * DAY)), Vacuum()), 0),
        ((YOUNG,), (Vacuum(), SetClock(Moment(2 * DAY)), Vacuum()), None),
        ((YOUNG,), (AddStrayFiles((StrayFile("a", modified=OLD), StrayFile("b", modified=OLD))), Vacuum()), 0),
    ],
)
def test_all_files_are_old_where_half_were(ages: tuple[int, ...], steps: tuple[Step, ...], hours: int | None) -> None:
    case = with_all_files_old(Case(aged(*ages), steps))
    assert case.table.retention_hours == hours and case.steps == steps


def test_tombstones_stay_on_their_side_of_the_cutoff() -> None:
    removes = Removal(0, OLD), Removal(1, YOUNG), Removal(2, None)
    vectors = (DeletionVector(3, (0,), YOUNG),)
    commit = Commit(-5 * DAY, removes=removes, deletion_vectors=vectors)
    table = replace(aged(OLD), commits=(Commit(-9 * DAY), commit))
    found = with_all_files_old(Case(table, (Vacuum(),))).table.commits[-1]
    assert [removal.deleted for removal in found.removes] == [OLD + WEEK, YOUNG + WEEK, None]
    assert [vector.deleted for vector in found.deletion_vectors] == [YOUNG + WEEK]
    assert OLD + WEEK < 0 < YOUNG + WEEK


@pytest.mark.long
@pytest.mark.parametrize("name", ["vacuum_retentions", "vacuum_histories", "programs"])
def test_a_restricted_case_stays_as_it_is(name: str) -> None:
    for case in drawn_by(name, 4):
        once = restricted_to(case, capabilities=IN_BUCKET)
        assert restricted_to(once, capabilities=IN_BUCKET) == once
        assert kept_apart(once) == once


@pytest.mark.long
def test_both_kinds_of_cases_are_drawn() -> None:
    found = [
        restricted_to(case, capabilities=IN_BUCKET).table.retention_hours == 0
        for name in ("vacuum_retentions", "vacuum_histories", "vacuum_stray_files")
        for case in drawn_by(name, 24)
        if any(isinstance(step, Vacuum) for step in case.steps)
    ]
    assert 0.2 < sum(found) / len(found) < 0.9


def test_it_is_for_buckets_without_a_clock_alone() -> None:
    case = Case(aged(OLD), (Vacuum(), Delete(None)))
    assert restricted_to(case, capabilities=NEWEST).table.retention_hours is None
    assert restricted_to(case, capabilities=IN_BUCKET).table.retention_hours == 0
    assert AS_OLD_AS_UPLOADS in limits_in("deltalake", Storage.BUCKET)
    assert AS_OLD_AS_UPLOADS not in limits_in("deltalake", Storage.S3)
    assert AS_OLD_AS_UPLOADS not in limits_in("spark", Storage.BUCKET), "its clock can be set"
    server = {"spark_remote": "sc://127.0.0.1:1"}
    assert AS_OLD_AS_UPLOADS in limits_in("spark", Storage.BUCKET, server)
    assert AS_OLD_AS_UPLOADS not in limits_in("spark", Storage.LOCAL, server)

"""The model of VACUUM: reasons, the window of LITE, I/O faults; what the second opinion and a real directory do not show."""

from __future__ import annotations

from typing import Any

import pytest

from model.prediction.fates import Reason
from model.prediction.lite import LogPruned, Window, last_outside_retention, lite_window, monotonized
from model.prediction.paths import is_vector_file
from model.prediction.scans import LiteScan, Scan
from model.prediction.vacuum import ends_in_error
from model.vocabulary.steps import IOFault
from model.vocabulary.table import DAY, HOUR
from tests.builders.listings import (
    CLOCK,
    DIRECTORY,
    FULL,
    LINE,
    OLD,
    YOUNG,
    file,
    link,
    must_delete,
    must_keep,
    predict,
    tree,
)

VECTOR = "deletion_vector_61d16c75-6994-46b7-a15b-8b538852e50e.bin"


# What protects ------------------------------------------------------------------------------------------------------


def test_the_strongest_of_several_reasons_to_keep_is_reported() -> None:
    shared = frozenset({VECTOR})
    judged = predict({VECTOR: file()}, live_vectors=shared, vector_tombstones={VECTOR: YOUNG})
    assert judged[VECTOR] == must_keep(Reason.LIVE_VECTOR)
    judged = predict({VECTOR: file()}, live_vectors=shared, kept_vectors=shared)
    assert judged[VECTOR] == must_keep(Reason.LIVE_VECTOR)
    judged = predict({"f": file()}, tombstones={"f": YOUNG}, kept=frozenset({"f"}))
    assert judged["f"] == must_keep(Reason.RETAINED)
    judged = predict({VECTOR: file()}, vector_tombstones={VECTOR: YOUNG}, absolute_vectors={VECTOR: None})
    assert judged[VECTOR] == must_keep(Reason.RETAINED_VECTOR)


def test_orphaned_vector_files_are_recognised_by_their_name() -> None:
    judged = predict({"f": file(), VECTOR: file(), f"ab/{VECTOR}": file(), "deletion_vector_x": file()})
    assert judged[VECTOR] == judged[f"ab/{VECTOR}"] == must_delete(Reason.ORPHAN_VECTOR)
    assert judged["f"] == judged["deletion_vector_x"] == must_delete(Reason.ORPHAN)
    assert is_vector_file("a/b/deletion_vector_x.bin") and not is_vector_file("deletion_vector_x.bin/f")


def test_live_takes_precedence_over_hidden() -> None:
    assert predict({"_d/f": file()}, live=["_d/f"])["_d/f"] == must_keep(Reason.LIVE)


# LITE: the window ---------------------------------------------------------------------------------------------------

#: Versions 0 to 4, an hour apart; version 2 is at the cutoff's very millisecond.
TIMES = {version: LINE + (version - 2) * HOUR for version in range(5)}


def test_without_a_commit_outside_the_retention_there_is_no_window() -> None:
    before = LINE - 2 * HOUR - 1
    assert lite_window(TIMES, cutoff=before, last_vacuumed=None) is None
    assert last_outside_retention(TIMES, before) is None
    # Whatever the log has lost: this is looked at first.
    assert lite_window({3: LINE + 1}, cutoff=LINE, last_vacuumed=None) is None


@pytest.mark.parametrize("last", [4, 5, 99])
def test_the_newest_version_is_read_again_if_all_were_read(last: int) -> None:
    assert lite_window(TIMES, cutoff=CLOCK, last_vacuumed=last) == Window(4, 4)


@pytest.mark.parametrize("last", [None, 0, 2])
def test_a_pruned_log_that_was_not_read_before_is_refused(last: int | None) -> None:
    times = {version: LINE - DAY + version for version in range(3, 6)}
    with pytest.raises(LogPruned, match=r"^the log begins at version 3, "):
        lite_window(times, cutoff=LINE, last_vacuumed=last)


@pytest.mark.parametrize(("last", "window"), [(3, Window(4, 5)), (4, Window(5, 5)), (5, Window(5, 5))])
def test_a_pruned_log_that_was_read_far_enough_is_not(last: int, window: Window) -> None:
    times = {version: LINE - DAY + version for version in range(3, 6)}
    assert lite_window(times, cutoff=LINE, last_vacuumed=last) == window


def test_times_are_treated_as_ascending() -> None:
    assert monotonized({2: 5, 0: 10, 1: 10, 3: 40, 4: 39}) == {0: 10, 1: 11, 2: 12, 3: 40, 4: 41}
    # So a commit with an old time behind one that is inside retention is inside, too.
    assert last_outside_retention({0: LINE - 1, 1: LINE + 1, 2: LINE - 5}, LINE) == 0
    # And equal times are one after the other.
    assert last_outside_retention({0: LINE, 1: LINE}, LINE) == 0


def test_a_log_without_commits_has_no_window() -> None:
    with pytest.raises(ValueError, match="a log without commits has no window"):
        lite_window({}, cutoff=LINE, last_vacuumed=None)


# Trouble ------------------------------------------------------------------------------------------------------------

OF_DELETION = [IOFault.CANNOT_DELETE, IOFault.DELETE_CRASHES, IOFault.FILE_VANISHES]


def test_io_faults_occur_at_deletion_or_listing() -> None:
    assert [io_fault for io_fault in IOFault if io_fault.of_deletion] == OF_DELETION


def fails(path: str, io_fault: IOFault, scan: Scan = FULL, *, dry_run: bool = False, **given: Any) -> bool | None:
    things = tree({"d/o": file(), "d/y": file(YOUNG), "l": link("../x"), "_h/f": file()})
    judged = predict(things, scan=scan, faulty_path=(io_fault, path), **given)
    return ends_in_error(judged, things, partition_by=(), scan=scan, faulty_path=(io_fault, path), dry_run=dry_run)


def test_a_crashing_deletion_fails_the_run_if_there_is_one() -> None:
    assert fails("d/o", IOFault.DELETE_CRASHES) is True
    assert fails("d/o", IOFault.DELETE_CRASHES, dry_run=True) is False
    assert fails("d/o", IOFault.DELETE_CRASHES, live=["d/o"]) is False
    assert fails("d/y", IOFault.DELETE_CRASHES) is False
    assert fails("l", IOFault.DELETE_CRASHES) is None
    assert fails("gone", IOFault.DELETE_CRASHES) is False
    assert fails("gone", IOFault.DELETE_CRASHES, LiteScan({"gone": OLD})) is None
    for other in (IOFault.CANNOT_DELETE, IOFault.FILE_VANISHES):
        assert fails("d/o", other) is False


# numVacuumedDirectories ---------------------------------------------------------------------------------------------


def test_reserved_names_are_not_listed_and_cannot_fail() -> None:
    arguments: dict[str, Any] = {"partition_by": (), "scan": FULL, "faulty_path": (IOFault.CANNOT_LIST, "log")}
    things = {"log": DIRECTORY}
    assert ends_in_error({}, things, dry_run=False, **arguments) is True
    assert ends_in_error({}, things, dry_run=False, reserved=("log",), **arguments) is False

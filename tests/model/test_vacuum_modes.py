"""The model of VACUUM: deletion vectors, LITE, inventories, links, I/O faults."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from model.prediction.fates import Fate, PathFate, Reason
from model.prediction.links import behind_links, reached_directories, resolved
from model.prediction.lite import LogPruned, Window, last_outside_retention, lite_window, monotonized
from model.prediction.paths import is_vector_file, parents
from model.prediction.scans import LiteScan, Scan
from model.prediction.vacuum import ends_in_error, listed_directories
from model.vocabulary.steps import IOFault
from model.vocabulary.table import DAY, HOUR
from tests.builders.listings import (
    CLOCK,
    DELETE,
    DIRECTORY,
    FILES,
    FULL,
    INVENTORY,
    KEEP,
    LINE,
    OLD,
    UNSPECIFIED,
    WINDOW,
    YOUNG,
    file,
    link,
    must_delete,
    must_keep,
    predict,
    tree,
    unspecified,
)

VECTOR = "deletion_vector_61d16c75-6994-46b7-a15b-8b538852e50e.bin"


# What protects ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scan", [FULL, INVENTORY, FILES, LiteScan({"d/f": OLD, VECTOR: OLD})])
@pytest.mark.parametrize("age", [0, OLD])
def test_each_kind_of_reference_protects_with_its_own_reason(scan: Scan, age: int) -> None:
    def of(path: str, **given: Any) -> PathFate:
        return predict({path: file(age)}, scan=scan, **given)[path]

    assert of("d/f", live=["d/f"]) == must_keep(Reason.LIVE)
    assert of("d/f", live=["d/f"], by_uri=frozenset({"d/f"})) == must_keep(Reason.LIVE_BY_URI)
    assert of("d/f", tombstones={"d/f": YOUNG}) == must_keep(Reason.RETAINED)
    assert of("d/f", kept=frozenset({"d/f"})) == must_keep(Reason.KEPT_VERSION)
    assert of("d/f", kept=frozenset({"d/f"}), tombstones={"d/f": OLD}) == must_keep(Reason.KEPT_VERSION)
    assert of(VECTOR, kept_vectors=frozenset({VECTOR})) == must_keep(Reason.KEPT_VERSION_VECTOR)
    assert of(VECTOR, live_vectors=frozenset({VECTOR})) == must_keep(Reason.LIVE_VECTOR)
    assert of(VECTOR, vector_tombstones={VECTOR: YOUNG}) == must_keep(Reason.RETAINED_VECTOR)
    assert of(VECTOR, absolute_vectors={VECTOR: None}).reason is Reason.ABSOLUTE_VECTOR
    assert of(VECTOR, absolute_vectors={VECTOR: YOUNG}).reason is Reason.ABSOLUTE_VECTOR


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


@pytest.mark.parametrize(("offset", "fate"), [(-1, DELETE), (0, DELETE), (1, KEEP)])
def test_tombstones_of_vectors_expire_like_those_of_files(offset: int, fate: Fate) -> None:
    judged = predict({VECTOR: file()}, vector_tombstones={VECTOR: LINE + offset})[VECTOR]
    assert judged == (must_keep(Reason.RETAINED_VECTOR) if fate is KEEP else must_delete(Reason.EXPIRED_VECTOR))


def test_a_young_vector_is_kept_with_any_tombstone() -> None:
    assert predict({VECTOR: file(YOUNG)}, vector_tombstones={VECTOR: OLD})[VECTOR] == must_keep(Reason.YOUNG_REMOVED)


@pytest.mark.parametrize(("age", "listed"), [(OLD, None), (YOUNG, False)])
def test_a_vector_by_absolute_path_is_disputed_unless_young(age: int, listed: bool | None) -> None:
    judged = predict({f"ab/{VECTOR}": file(age)}, absolute_vectors={f"ab/{VECTOR}": None})
    assert judged[f"ab/{VECTOR}"] == must_keep(Reason.ABSOLUTE_VECTOR, listed)
    above = judged["ab"]
    assert above == (unspecified(Reason.HOLDS_OLD, False) if listed is None else must_keep(Reason.HOLDS, True))


def test_an_expired_vector_by_absolute_path_is_deleted() -> None:
    assert predict({VECTOR: file()}, absolute_vectors={VECTOR: OLD})[VECTOR] == must_delete(Reason.EXPIRED_VECTOR)


def test_vectors_do_not_protect_their_directories() -> None:
    """A DRY RUN lists the directory of a young live vector, which VACUUM then keeps."""
    path = f"cd/{VECTOR}"
    assert predict({path: file(YOUNG)}, live_vectors=frozenset({path}))["cd"] == must_keep(Reason.HOLDS, True)
    assert predict({path: file(OLD)}, live_vectors=frozenset({path}))["cd"] == must_keep(Reason.HOLDS, False)
    assert predict({"cd": DIRECTORY}, live_vectors=frozenset({path}))["cd"] == must_delete(Reason.EMPTY)


def test_orphaned_vector_files_are_recognised_by_their_name() -> None:
    judged = predict({"f": file(), VECTOR: file(), f"ab/{VECTOR}": file(), "deletion_vector_x": file()})
    assert judged[VECTOR] == judged[f"ab/{VECTOR}"] == must_delete(Reason.ORPHAN_VECTOR)
    assert judged["f"] == judged["deletion_vector_x"] == must_delete(Reason.ORPHAN)
    assert is_vector_file("a/b/deletion_vector_x.bin") and not is_vector_file("deletion_vector_x.bin/f")


def test_in_the_wall_window_a_vectors_tombstone_is_undecided() -> None:
    kinds: list[dict[str, Any]] = [{name: {VECTOR: CLOCK + 3}} for name in ("vector_tombstones", "absolute_vectors")]
    for given in kinds:
        assert predict({VECTOR: file()}, cutoff=WINDOW, **given)[VECTOR] == unspecified(Reason.AT_CUTOFF, None)


def test_live_takes_precedence_over_hidden() -> None:
    assert predict({"_d/f": file()}, live=["_d/f"])["_d/f"] == must_keep(Reason.LIVE)


# LITE: the window ---------------------------------------------------------------------------------------------------

#: Versions 0 to 4, an hour apart; version 2 is at the cutoff's very millisecond.
TIMES = {version: LINE + (version - 2) * HOUR for version in range(5)}


def test_the_window_ends_with_the_last_commit_at_or_before_the_cutoff() -> None:
    for cutoff, last in ((LINE, 2), (LINE - 1, 1), (LINE + HOUR - 1, 2), (LINE + DAY, 4)):
        assert lite_window(TIMES, cutoff=cutoff, last_vacuumed=None) == Window(0, last)


def test_without_a_commit_outside_the_retention_there_is_no_window() -> None:
    before = LINE - 2 * HOUR - 1
    assert lite_window(TIMES, cutoff=before, last_vacuumed=None) is None
    assert last_outside_retention(TIMES, before) is None
    # Whatever the log has lost: this is looked at first.
    assert lite_window({3: LINE + 1}, cutoff=LINE, last_vacuumed=None) is None


def test_the_window_begins_after_the_last_vacuumed_version() -> None:
    for last, window in ((0, Window(1, 2)), (1, Window(2, 2)), (2, None), (3, None)):
        assert lite_window(TIMES, cutoff=LINE, last_vacuumed=last) == window
    # What it notes moves all the same.
    assert last_outside_retention(TIMES, LINE) == 2


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


# LITE: the files ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("age", [OLD, YOUNG, CLOCK])
def test_lite_uses_the_deletion_timestamp_and_not_the_age(age: int) -> None:
    scan = LiteScan({"f": LINE - 1, VECTOR: LINE - 1}, frozenset({"_change_data/c"}))
    judged = predict(
        {"f": file(age), VECTOR: file(age), "_change_data/c": file(age)},
        scan=scan,
        tombstones={"f": LINE - 1},
        vector_tombstones={VECTOR: LINE - 1},
    )
    assert judged["f"] == must_delete(Reason.EXPIRED)
    assert judged[VECTOR] == must_delete(Reason.EXPIRED_VECTOR)
    assert judged["_change_data/c"] == must_delete(Reason.CHANGE_FILE)


def test_lite_ignores_all_other_files() -> None:
    things = {"orphan": file(0), "d/e": DIRECTORY, "r": file(0), "_h": file(0), "l": link("r")}
    judged = predict(things, scan=LiteScan(), tombstones={"r": 0})
    assert judged.pop("_h") == must_keep(Reason.HIDDEN_FILE)
    assert set(judged.values()) == {must_keep(Reason.NOT_SCANNED)}


@pytest.mark.parametrize(("offset", "fate"), [(-1, DELETE), (0, KEEP), (1, KEEP)])
def test_at_the_cutoff_lite_keeps_what_a_full_run_deletes(offset: int, fate: Fate) -> None:
    stamp = LINE + offset
    given: dict[str, Any] = {"tombstones": {"f": stamp}, "vector_tombstones": {VECTOR: stamp}}
    things = {"f": file(), VECTOR: file()}
    lite = predict(things, scan=LiteScan({"f": stamp, VECTOR: stamp}), **given)
    assert {path: one.fate for path, one in lite.items()} == {"f": fate, VECTOR: fate}
    if fate is KEEP:
        assert lite["f"] == must_keep(Reason.RETAINED) and lite[VECTOR] == must_keep(Reason.RETAINED_VECTOR)
    assert predict(things, **given)["f"].fate is (KEEP if offset > 0 else DELETE)


def test_files_added_or_removed_again_are_kept() -> None:
    scan = LiteScan({"f": OLD, "g": OLD})
    judged = predict({"f": file(), "g": file()}, scan=scan, live=["f"], tombstones={"f": OLD, "g": YOUNG})
    assert judged["f"] == must_keep(Reason.LIVE) and judged["g"] == must_keep(Reason.RETAINED)


def test_a_file_whose_tombstone_has_left_the_state_is_deleted() -> None:
    judged = predict({"f": file(), VECTOR: file()}, scan=LiteScan({"f": OLD, VECTOR: 0}))
    assert judged["f"] == must_delete(Reason.EXPIRED) and judged[VECTOR] == must_delete(Reason.EXPIRED_VECTOR)


def test_a_change_file_with_a_remove_uses_its_deletion_timestamp() -> None:
    scan = LiteScan({"_change_data/c": YOUNG}, frozenset({"_change_data/c"}))
    assert predict({"_change_data/c": file()}, scan=scan)["_change_data/c"].fate is KEEP


def test_lite_keeps_directories() -> None:
    judged = predict({"d/f": file()}, scan=LiteScan({"d/f": OLD}), tombstones={"d/f": OLD})
    assert judged["d/f"].fate is DELETE and judged["d"] == must_keep(Reason.NOT_SCANNED)


def test_lite_may_delete_checksums() -> None:
    judged = predict({"f": file(), ".f.crc": file()}, scan=LiteScan({"f": OLD}))
    assert judged[".f.crc"] == unspecified(Reason.CHECKSUM, False)


def test_in_the_wall_window_deletion_timestamps_of_lite_are_undecided() -> None:
    judged = predict({"f": file()}, scan=LiteScan({"f": CLOCK + 3}), tombstones={"f": CLOCK + 3}, cutoff=WINDOW)
    assert judged["f"] == unspecified(Reason.AT_CUTOFF, None)


# Inventories --------------------------------------------------------------------------------------------------------


def test_files_have_the_same_fate_with_an_inventory() -> None:
    files = {path: file() for path in ("o", "d/o", "_h", "_d/f", "_p=1/f")} | {"y": file(YOUNG)}
    things = {**files, "e": DIRECTORY}
    full = predict(things)
    for scan in (INVENTORY, FILES):
        judged = predict(things, scan=scan)
        assert {path: judged[path] for path in files} == {path: full[path] for path in files}
    assert predict(things, scan=INVENTORY)["e"] == must_delete(Reason.EMPTY)
    assert predict(things, scan=FILES)["e"] == must_keep(Reason.NOT_SCANNED)
    assert predict(things, scan=FILES)["_d"] == must_keep(Reason.HIDDEN_DIRECTORY)


@pytest.mark.parametrize("path", ["p=1/_f", "d/.f", "d/_d/f", "_change_data/_f"])
def test_paths_hidden_deeper_down_are_kept_with_an_inventory(path: str) -> None:
    judged = predict({path: file()}, scan=INVENTORY)
    assert judged[path] == must_keep(Reason.HIDDEN_DEEPER, None)
    assert judged[parents(path)[-1]].fate is UNSPECIFIED
    assert predict({path: file()})[path].reason in (Reason.HIDDEN_FILE, Reason.INSIDE_HIDDEN)
    young = predict({path: file(YOUNG)}, scan=INVENTORY)
    assert young[path].listed is False and young[path].reason in (Reason.HIDDEN_FILE, Reason.INSIDE_HIDDEN)


def test_directories_hidden_deeper_down_are_kept_with_an_inventory() -> None:
    assert predict({"d/_d": DIRECTORY}, scan=INVENTORY)["d/_d"] == must_keep(Reason.HIDDEN_DEEPER, None)
    assert predict({"d/_d": DIRECTORY}, scan=FILES)["d/_d"] == must_keep(Reason.HIDDEN_DIRECTORY)
    assert predict({"_d/e": DIRECTORY}, scan=INVENTORY)["_d/e"] == must_keep(Reason.INSIDE_HIDDEN)


def test_with_an_inventory_old_files_do_not_count_for_their_directories() -> None:
    assert predict({"d/o": file()}, scan=INVENTORY)["d"] == unspecified(Reason.HOLDS_OLD, True)
    assert predict({"d/f": file()}, scan=INVENTORY, live=["d/f"])["d"] == must_keep(Reason.HOLDS, False)
    assert predict({"d/y": file(YOUNG), "d/o": file()}, scan=INVENTORY)["d"] == must_keep(Reason.HOLDS, True)
    assert predict({"d": DIRECTORY}, scan=INVENTORY, tombstones={"d/f": YOUNG})["d"].reason is Reason.PARENT


# Links --------------------------------------------------------------------------------------------------------------


def test_the_fate_of_a_link_is_unspecified_unless_hidden_or_referenced() -> None:
    things = {"l": link("../x"), "n": link(None), "_l": link("f"), "live": link("f"), "f": file()}
    judged = predict(things, live=["live"])
    assert judged["l"] == judged["n"] == unspecified(Reason.LINK, None)
    assert judged["_l"] == must_keep(Reason.HIDDEN_FILE)
    assert judged["live"] == must_keep(Reason.LIVE)
    assert judged["f"] == must_delete(Reason.ORPHAN)


def test_a_link_to_a_young_file_is_young() -> None:
    """Whatever its own age: a listing shows the target's (docs/delta.md 1.2, step 9)."""
    things = {"l": link("../x"), "d/l": link("../x")}
    for modified, expected in (
        (YOUNG, must_keep(Reason.YOUNG)),
        (LINE, must_keep(Reason.YOUNG)),
        (LINE - 1, unspecified(Reason.LINK, None)),
    ):
        judged = predict({path: replace(thing, target_modified=modified) for path, thing in things.items()})
        assert judged["l"] == judged["d/l"] == expected
    assert judged["d"].fate is UNSPECIFIED


def test_the_directory_of_a_protected_path_is_kept_unless_a_link_leads_to_it() -> None:
    given: dict[str, Any] = {"tombstones": {"d/e/gone": YOUNG}}
    assert predict({"d/e/o": file()}, **given)["d/e"] == must_keep(Reason.PARENT)
    behind = predict({"d/e": DIRECTORY, "l": link("d")}, **given)
    assert (behind["d/e"], behind["d"]) == (unspecified(Reason.PARENT, False), must_keep(Reason.PARENT))


def test_a_checksum_of_a_file_behind_a_link_shares_its_fate() -> None:
    judged = predict({"d/f": file(), "d/.f.crc": file(), "l": link("d")}, live=["d/f"])
    assert judged["d/f"].reason is Reason.BEHIND_LINK and judged["d/.f.crc"] == unspecified(Reason.CHECKSUM, False)


def test_the_fate_of_a_directory_with_a_link_is_unspecified() -> None:
    assert predict({"d/l": link("../x")})["d"] == unspecified(Reason.HOLDS_OLD, None)
    assert predict({"d/l": link("../x"), "d/o": file()})["d"] == unspecified(Reason.HOLDS_OLD, False)
    assert predict({"d/l": link("../x"), "d/y": file(YOUNG)})["d"] == must_keep(Reason.HOLDS, None)


def test_kept_paths_behind_a_link_have_their_own_reason() -> None:
    things = {f"data/{name}": file() for name in ("live", "orphan", "_hidden")}
    things |= {"data/young": file(YOUNG), "lnk": link("data")}
    judged = predict(things, live=["data/live"])
    assert judged["data/live"] == must_keep(Reason.BEHIND_LINK, None)
    assert judged["data/young"] == must_keep(Reason.YOUNG)
    assert judged["data/orphan"] == must_delete(Reason.ORPHAN)
    assert judged["data/_hidden"] == must_keep(Reason.HIDDEN_FILE)
    assert judged["data"] == must_keep(Reason.HOLDS, False)
    del things["data/young"], things["data/_hidden"]
    assert predict(things, live=["data/live"])["data"] == must_keep(Reason.PARENT)


def test_a_link_into_a_hidden_directory_reaches_its_contents() -> None:
    judged = predict({"_delta_log/0.json": file(), "_delta_log/e": DIRECTORY, "lnk": link("_delta_log")})
    assert judged["_delta_log/0.json"] == judged["_delta_log/e"] == must_keep(Reason.BEHIND_LINK, None)
    assert judged["_delta_log"] == must_keep(Reason.HIDDEN_DIRECTORY)


def test_a_hidden_link_reaches_nothing_and_only_a_listing_follows_links() -> None:
    live = ["data/live"]
    assert predict({"data/live": file(), "_l": link("data")}, live=live)["data/live"] == must_keep(Reason.LIVE)
    things = {"data/live": file(), "l": link("data")}
    for scan in (INVENTORY, FILES, LiteScan()):
        assert predict(things, live=live, scan=scan)["data/live"] == must_keep(Reason.LIVE)


def test_links_are_followed_as_far_as_they_lead() -> None:
    things = tree(
        {
            "a/f": file(),
            "b/l": link("a"),  # reached by c, which leads to b
            "c": link("b"),
            "chain": link("c"),
            "through": link("c/l"),
            "file": link("a/f"),
            "round": link("round"),
            "gone": link("nothing/here"),
            "out": link("../beside/x"),
        }
    )
    assert resolved("chain/l/f", things) == "a/f"
    assert resolved("round", things) is None
    assert resolved("out/y", things) == "../beside/x/y"
    assert reached_directories(things, ()) == {"a", "b", "../beside/x"}
    assert behind_links(things, ()) == {"a/f", "b/l"}


@pytest.mark.parametrize(("target", "more"), [(".", set()), ("d/..", set()), ("..", {".."})])
def test_a_link_to_the_root_or_above_reaches_everything(target: str, more: set[str]) -> None:
    things = tree({"d/f": file(), "_d/f": file(), "loop": link(target)})
    assert reached_directories(things, ()) == {".", *more}
    assert behind_links(things, ()) == {"d", "d/f", "loop"}
    assert predict(things, live=["d/f"])["d/f"] == must_keep(Reason.BEHIND_LINK, None)


# Trouble ------------------------------------------------------------------------------------------------------------

OF_DELETION = [IOFault.CANNOT_DELETE, IOFault.DELETE_CRASHES, IOFault.FILE_VANISHES]


def test_io_faults_occur_at_deletion_or_listing() -> None:
    assert [io_fault for io_fault in IOFault if io_fault.of_deletion] == OF_DELETION


@pytest.mark.parametrize("io_fault", OF_DELETION)
def test_a_fault_at_deletion_affects_paths_to_delete(io_fault: IOFault) -> None:
    things = {"d/o": file(), "d/.o.crc": file(), "live": file(), "e": DIRECTORY}
    live = ["live"]
    judged = predict(things, live=live, faulty_path=(io_fault, "d/o"))
    assert judged["d/o"] == unspecified(Reason.FAULTY, True)
    assert judged["d/.o.crc"].fate is UNSPECIFIED and judged["d"] == unspecified(Reason.HOLDS_OLD, False)
    assert judged["e"] == must_delete(Reason.EMPTY)
    assert predict(things, live=live, faulty_path=(io_fault, "live"))["live"] == must_keep(Reason.LIVE)
    assert predict(things, live=live, faulty_path=(io_fault, "e"))["e"] == unspecified(Reason.FAULTY, True)
    assert predict(things, scan=LiteScan(), faulty_path=(io_fault, "d/o"))["d/o"] == must_keep(Reason.NOT_SCANNED)


def test_everything_below_a_vanished_directory_is_not_scanned() -> None:
    things = {"a/sub/o": file(), "a/sub/e": DIRECTORY, "a/sub/y": file(YOUNG), "b/sub/o": file()}
    plain = predict(things)
    assert plain["a"] == plain["a/sub"] == must_keep(Reason.HOLDS, False)
    judged = predict(things, faulty_path=(IOFault.DIRECTORY_VANISHES, "a/sub"))
    assert judged["a/sub/o"] == judged["a/sub/e"] == unspecified(Reason.FAULTY, False)
    assert judged["a/sub/y"] == must_keep(Reason.YOUNG)
    assert judged["a"] == judged["a/sub"] == must_keep(Reason.HOLDS, True)
    judged = predict(things, faulty_path=(IOFault.DIRECTORY_VANISHES, "b/sub"))
    assert judged["b/sub"] == unspecified(Reason.FAULTY, True) and judged["b"].listed is True
    assert predict(things, scan=INVENTORY, faulty_path=(IOFault.DIRECTORY_VANISHES, "b/sub"))["b/sub/o"].fate is DELETE


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


def test_a_crash_on_a_listed_directory_fails_the_run() -> None:
    things = tree({"e/y": file(YOUNG)})
    io_fault = (IOFault.DELETE_CRASHES, "e")
    judged = predict(things, faulty_path=io_fault)
    assert judged["e"] == must_keep(Reason.HOLDS, True)
    assert ends_in_error(judged, things, partition_by=(), scan=FULL, faulty_path=io_fault, dry_run=False) is True


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_directory_that_cannot_be_listed_fails_the_run(dry_run: bool) -> None:
    assert fails("d", IOFault.CANNOT_LIST, dry_run=dry_run) is True
    for scan in (INVENTORY, FILES, LiteScan()):
        assert fails("d", IOFault.CANNOT_LIST, scan, dry_run=dry_run) is False
    for path in ("d/o", "_h", "gone"):
        assert fails(path, IOFault.CANNOT_LIST, dry_run=dry_run) is False
    assert fails("d", IOFault.DIRECTORY_VANISHES, dry_run=dry_run) is False


def test_without_a_fault_nothing_fails() -> None:
    assert ends_in_error({}, {}, partition_by=(), scan=FULL, faulty_path=None, dry_run=False) is False


# numVacuumedDirectories ---------------------------------------------------------------------------------------------


def test_the_directories_that_a_scan_visits_are_counted_with_the_root() -> None:
    things = tree({"a/b/f": file(), "_d/e": DIRECTORY, "p=1/_d": DIRECTORY, "n": link(None), "f": link("a/b/f")})
    assert listed_directories({}, partition_by=()) == 1
    for scan, count in ((FULL, 4), (INVENTORY, 5), (FILES, 1), (LiteScan(), 1)):
        assert listed_directories(things, partition_by=(), scan=scan) == count
    for io_fault, count in ((IOFault.DIRECTORY_VANISHES, 3), (IOFault.CANNOT_DELETE, 4)):
        assert listed_directories(things, partition_by=(), faulty_path=(io_fault, "a")) == count


@pytest.mark.parametrize("target", ["a", ".", "../x", ".."])
def test_a_link_to_a_directory_makes_the_count_uncertain(target: str) -> None:
    things = tree({"a/f": file(), "l": link(target)})
    assert listed_directories(things, partition_by=()) is None
    assert listed_directories(tree({"a/f": file(), "_l": link(target)}), partition_by=()) == 2


def test_fates_do_not_depend_on_the_order_of_the_listing() -> None:
    things = tree({"d/e/orphan": file(), VECTOR: file(), f"d/{VECTOR}": file(), "d/z": DIRECTORY})
    given: dict[str, Any] = {"tombstones": {"d/e/gone": YOUNG}, "absolute_vectors": {f"d/{VECTOR}": None}}
    judged = predict(things, **given)
    assert judged == predict(dict(reversed(things.items())), **given)
    assert (judged["d/e"], judged["d"]) == (must_keep(Reason.PARENT), must_keep(Reason.HOLDS))


def test_reserved_names_are_not_listed_and_cannot_fail() -> None:
    arguments: dict[str, Any] = {"partition_by": (), "scan": FULL, "faulty_path": (IOFault.CANNOT_LIST, "log")}
    things = {"log": DIRECTORY}
    assert ends_in_error({}, things, dry_run=False, **arguments) is True
    assert ends_in_error({}, things, dry_run=False, reserved=("log",), **arguments) is False


def test_a_kept_file_keeps_the_directory_behind_a_link() -> None:
    judged = predict({"d/young": file(YOUNG), "lnk": link("d")})
    assert judged["d"] == must_keep(Reason.HOLDS, True)


def test_an_empty_directory_behind_a_link() -> None:
    judged = predict({"d": DIRECTORY, "lnk": link("d")})
    assert judged["d"].fate in (DELETE, UNSPECIFIED)


def test_an_invisible_link_does_not_affect_others() -> None:
    things = {"_hidden": link("d"), "lnk": link("d"), "d": DIRECTORY}
    assert "d" in reached_directories(things, ())
    assert "d" not in reached_directories({**things, "lnk": DIRECTORY}, ())

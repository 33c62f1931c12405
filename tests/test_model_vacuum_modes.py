"""The prediction of VACUUM beyond a plain listing: vectors, LITE, inventories, links, I/O faults."""

from __future__ import annotations

from typing import Any

import pytest

from model.steps import IOFault
from model.table import DAY, HOUR
from model.vacuum import (
    Fate,
    LiteScan,
    LogPruned,
    PathFate,
    Reason,
    References,
    Scan,
    Window,
    behind_links,
    ends_in_error,
    is_vector_file,
    last_outside_retention,
    listed_directories,
    lite_candidates,
    lite_window,
    monotonized,
    parents,
    reached_directories,
    resolved,
)
from tests.builders.listings import (
    AT,
    CLOCK,
    DIRECTORY,
    FILES,
    FULL,
    GOES,
    INVENTORY,
    LINE,
    OLD,
    STAYS,
    UNSPECIFIED,
    WINDOW,
    YOUNG,
    either,
    file,
    goes,
    link,
    predict,
    stays,
    tree,
)

VECTOR = "deletion_vector_61d16c75-6994-46b7-a15b-8b538852e50e.bin"


# What protects ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scan", [FULL, INVENTORY, FILES, LiteScan({"d/f": OLD, VECTOR: OLD})])
@pytest.mark.parametrize("age", [0, OLD])
def test_each_kind_of_reference_protects_under_its_own_name(scan: Scan, age: int) -> None:
    def of(path: str, **said: Any) -> PathFate:
        return predict({path: file(age)}, scan=scan, **said)[path]

    assert of("d/f", live=["d/f"]) == stays(Reason.LIVE)
    assert of("d/f", live=["d/f"], by_uri=frozenset({"d/f"})) == stays(Reason.LIVE_BY_URI)
    assert of("d/f", tombstones={"d/f": YOUNG}) == stays(Reason.RETAINED)
    assert of(VECTOR, live_vectors=frozenset({VECTOR})) == stays(Reason.LIVE_VECTOR)
    assert of(VECTOR, vector_tombstones={VECTOR: YOUNG}) == stays(Reason.RETAINED_VECTOR)
    assert of(VECTOR, absolute_vectors={VECTOR: None}).reason is Reason.ABSOLUTE_VECTOR
    assert of(VECTOR, absolute_vectors={VECTOR: YOUNG}).reason is Reason.ABSOLUTE_VECTOR


def test_of_several_reasons_to_stay_the_strongest_is_reported() -> None:
    shared = frozenset({VECTOR})
    judged = predict({VECTOR: file()}, live_vectors=shared, vector_tombstones={VECTOR: YOUNG})
    assert judged[VECTOR] == stays(Reason.LIVE_VECTOR)
    judged = predict({VECTOR: file()}, vector_tombstones={VECTOR: YOUNG}, absolute_vectors={VECTOR: None})
    assert judged[VECTOR] == stays(Reason.RETAINED_VECTOR)


@pytest.mark.parametrize(("offset", "fate"), [(-1, GOES), (0, GOES), (1, STAYS)])
def test_a_vectors_tombstone_expires_as_a_files_does(offset: int, fate: Fate) -> None:
    judged = predict({VECTOR: file()}, vector_tombstones={VECTOR: LINE + offset})[VECTOR]
    assert judged == (stays(Reason.RETAINED_VECTOR) if fate is STAYS else goes(Reason.EXPIRED_VECTOR))


def test_a_young_vector_stays_whatever_its_tombstones() -> None:
    assert predict({VECTOR: file(YOUNG)}, vector_tombstones={VECTOR: OLD})[VECTOR] == stays(Reason.YOUNG)


@pytest.mark.parametrize(("age", "listed"), [(OLD, None), (YOUNG, False)])
def test_a_vector_by_absolute_path_must_stay_but_only_a_young_one_surely_does(age: int, listed: bool | None) -> None:
    judged = predict({f"ab/{VECTOR}": file(age)}, absolute_vectors={f"ab/{VECTOR}": None})
    assert judged[f"ab/{VECTOR}"] == stays(Reason.ABSOLUTE_VECTOR, listed)
    above = judged["ab"]
    assert above == (either(Reason.HOLDS_OLD, False) if listed is None else stays(Reason.HOLDS, True))


def test_an_expired_vector_by_absolute_path_goes() -> None:
    assert predict({VECTOR: file()}, absolute_vectors={VECTOR: OLD})[VECTOR] == goes(Reason.EXPIRED_VECTOR)


def test_vectors_do_not_protect_their_directories() -> None:
    """A DRY RUN names the directory of a young live vector, which then stays all the same."""
    path = f"cd/{VECTOR}"
    assert predict({path: file(YOUNG)}, live_vectors=frozenset({path}))["cd"] == stays(Reason.HOLDS, True)
    assert predict({path: file(OLD)}, live_vectors=frozenset({path}))["cd"] == stays(Reason.HOLDS, False)
    assert predict({"cd": DIRECTORY}, live_vectors=frozenset({path}))["cd"] == goes(Reason.EMPTY)


def test_orphaned_vector_files_are_recognised_by_their_name() -> None:
    judged = predict({"f": file(), VECTOR: file(), f"ab/{VECTOR}": file(), "deletion_vector_x": file()})
    assert judged[VECTOR] == judged[f"ab/{VECTOR}"] == goes(Reason.ORPHAN_VECTOR)
    assert judged["f"] == judged["deletion_vector_x"] == goes(Reason.ORPHAN)
    assert is_vector_file("a/b/deletion_vector_x.bin") and not is_vector_file("deletion_vector_x.bin/f")


def test_in_the_wall_window_a_vectors_tombstone_is_undecided() -> None:
    kinds: list[dict[str, Any]] = [{name: {VECTOR: CLOCK + 3}} for name in ("vector_tombstones", "absolute_vectors")]
    for said in kinds:
        assert predict({VECTOR: file()}, cutoff=WINDOW, **said)[VECTOR] == either(Reason.AT_CUTOFF, None)


def test_a_live_file_with_a_hidden_name_is_live_first_of_all() -> None:
    assert predict({"_d/f": file()}, live=["_d/f"])["_d/f"] == stays(Reason.LIVE)


# LITE: the window ---------------------------------------------------------------------------------------------------

#: Versions 0 to 4, an hour apart; version 2 is at the cutoff's very millisecond.
TIMES = {version: LINE + (version - 2) * HOUR for version in range(5)}


def test_the_window_ends_with_the_last_commit_at_or_before_the_cutoff() -> None:
    for cutoff, last in ((LINE, 2), (LINE - 1, 1), (LINE + HOUR - 1, 2), (LINE + DAY, 4)):
        assert lite_window(TIMES, cutoff=cutoff, last_vacuumed=None) == Window(0, last)


def test_without_a_commit_outside_retention_there_is_nothing_to_do() -> None:
    before = LINE - 2 * HOUR - 1
    assert lite_window(TIMES, cutoff=before, last_vacuumed=None) is None
    assert last_outside_retention(TIMES, before) is None
    # Whatever the log has lost: this is looked at first.
    assert lite_window({3: LINE + 1}, cutoff=LINE, last_vacuumed=None) is None


def test_the_window_begins_behind_what_was_read() -> None:
    for last, window in ((0, Window(1, 2)), (1, Window(2, 2)), (2, None), (3, None)):
        assert lite_window(TIMES, cutoff=LINE, last_vacuumed=last) == window
    # What it notes moves all the same.
    assert last_outside_retention(TIMES, LINE) == 2


@pytest.mark.parametrize("last", [4, 5, 99])
def test_the_newest_version_is_read_again_rather_than_nothing(last: int) -> None:
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
def test_lite_uses_the_stamp_and_not_the_files_age(age: int) -> None:
    scan = LiteScan({"f": LINE - 1, VECTOR: LINE - 1}, frozenset({"_change_data/c"}))
    judged = predict(
        {"f": file(age), VECTOR: file(age), "_change_data/c": file(age)},
        scan=scan,
        tombstones={"f": LINE - 1},
        vector_tombstones={VECTOR: LINE - 1},
    )
    assert judged["f"] == goes(Reason.EXPIRED)
    assert judged[VECTOR] == goes(Reason.EXPIRED_VECTOR)
    assert judged["_change_data/c"] == goes(Reason.CHANGE_FILE)


def test_lite_looks_at_nothing_else() -> None:
    things = {"orphan": file(0), "d/e": DIRECTORY, "r": file(0), "_h": file(0), "l": link("r")}
    judged = predict(things, scan=LiteScan(), tombstones={"r": 0})
    assert judged.pop("_h") == stays(Reason.HIDDEN_FILE)
    assert set(judged.values()) == {stays(Reason.NOT_SCANNED)}


@pytest.mark.parametrize(("offset", "fate"), [(-1, GOES), (0, STAYS), (1, STAYS)])
def test_at_the_cutoff_lite_keeps_what_a_full_run_deletes(offset: int, fate: Fate) -> None:
    stamp = LINE + offset
    said: dict[str, Any] = {"tombstones": {"f": stamp}, "vector_tombstones": {VECTOR: stamp}}
    things = {"f": file(), VECTOR: file()}
    lite = predict(things, scan=LiteScan({"f": stamp, VECTOR: stamp}), **said)
    assert {path: one.fate for path, one in lite.items()} == {"f": fate, VECTOR: fate}
    if fate is STAYS:
        assert lite["f"] == stays(Reason.RETAINED) and lite[VECTOR] == stays(Reason.RETAINED_VECTOR)
    assert predict(things, **said)["f"].fate is (STAYS if offset > 0 else GOES)


def test_what_came_back_or_was_removed_again_later_stays() -> None:
    scan = LiteScan({"f": OLD, "g": OLD})
    judged = predict({"f": file(), "g": file()}, scan=scan, live=["f"], tombstones={"f": OLD, "g": YOUNG})
    assert judged["f"] == stays(Reason.LIVE) and judged["g"] == stays(Reason.RETAINED)


def test_a_removed_file_whose_tombstone_has_left_the_state_goes() -> None:
    judged = predict({"f": file(), VECTOR: file()}, scan=LiteScan({"f": OLD, VECTOR: 0}))
    assert judged["f"] == goes(Reason.EXPIRED) and judged[VECTOR] == goes(Reason.EXPIRED_VECTOR)


def test_a_change_file_that_a_remove_names_too_counts_by_its_stamp() -> None:
    scan = LiteScan({"_change_data/c": YOUNG}, frozenset({"_change_data/c"}))
    assert predict({"_change_data/c": file()}, scan=scan)["_change_data/c"].fate is STAYS


def test_lite_leaves_directories_alone() -> None:
    judged = predict({"d/f": file()}, scan=LiteScan({"d/f": OLD}), tombstones={"d/f": OLD})
    assert judged["d/f"].fate is GOES and judged["d"] == stays(Reason.NOT_SCANNED)


def test_lite_takes_a_checksum_along() -> None:
    judged = predict({"f": file(), ".f.crc": file()}, scan=LiteScan({"f": OLD}))
    assert judged[".f.crc"] == either(Reason.CHECKSUM, False)


def test_in_the_wall_window_a_stamp_of_lite_is_undecided() -> None:
    judged = predict({"f": file()}, scan=LiteScan({"f": CLOCK + 3}), tombstones={"f": CLOCK + 3}, cutoff=WINDOW)
    assert judged["f"] == either(Reason.AT_CUTOFF, None)


def test_lite_tries_what_is_not_there() -> None:
    references = References(live=frozenset({"live"}), tombstones={"gone": OLD, "kept": YOUNG, "live": OLD})
    scan = LiteScan({"gone": OLD, "kept": YOUNG, "live": OLD, "edge": LINE}, frozenset({"c"}))
    tried = {"c": True, "edge": False, "gone": True, "kept": False, "live": False}
    assert lite_candidates(references, scan, AT) == tried


# Inventories --------------------------------------------------------------------------------------------------------


def test_an_inventory_judges_files_as_a_listing_does() -> None:
    files = {path: file() for path in ("o", "d/o", "_h", "_d/f", "_p=1/f")} | {"y": file(YOUNG)}
    things = {**files, "e": DIRECTORY}
    full = predict(things)
    for scan in (INVENTORY, FILES):
        judged = predict(things, scan=scan)
        assert {path: judged[path] for path in files} == {path: full[path] for path in files}
    assert predict(things, scan=INVENTORY)["e"] == goes(Reason.EMPTY)
    assert predict(things, scan=FILES)["e"] == stays(Reason.NOT_SCANNED)
    assert predict(things, scan=FILES)["_d"] == stays(Reason.HIDDEN_DIRECTORY)


@pytest.mark.parametrize("path", ["p=1/_f", "d/.f", "d/_d/f", "_change_data/_f"])
def test_what_is_hidden_deeper_down_must_stay_though_an_inventory_shows_it(path: str) -> None:
    judged = predict({path: file()}, scan=INVENTORY)
    assert judged[path] == stays(Reason.HIDDEN_DEEPER, None)
    assert judged[parents(path)[-1]].fate is UNSPECIFIED
    assert predict({path: file()})[path].reason in (Reason.HIDDEN_FILE, Reason.INSIDE_HIDDEN)
    young = predict({path: file(YOUNG)}, scan=INVENTORY)
    assert young[path].listed is False and young[path].reason in (Reason.HIDDEN_FILE, Reason.INSIDE_HIDDEN)


def test_a_directory_that_is_hidden_deeper_down_is_one_of_those() -> None:
    assert predict({"d/_d": DIRECTORY}, scan=INVENTORY)["d/_d"] == stays(Reason.HIDDEN_DEEPER, None)
    assert predict({"d/_d": DIRECTORY}, scan=FILES)["d/_d"] == stays(Reason.HIDDEN_DIRECTORY)
    assert predict({"_d/e": DIRECTORY}, scan=INVENTORY)["_d/e"] == stays(Reason.INSIDE_HIDDEN)


def test_with_an_inventory_old_files_do_not_count_for_their_directories() -> None:
    assert predict({"d/o": file()}, scan=INVENTORY)["d"] == either(Reason.HOLDS_OLD, True)
    assert predict({"d/f": file()}, scan=INVENTORY, live=["d/f"])["d"] == stays(Reason.HOLDS, False)
    assert predict({"d/y": file(YOUNG), "d/o": file()}, scan=INVENTORY)["d"] == stays(Reason.HOLDS, True)
    assert predict({"d": DIRECTORY}, scan=INVENTORY, tombstones={"d/f": YOUNG})["d"].reason is Reason.PARENT


# Links --------------------------------------------------------------------------------------------------------------


def test_a_link_may_go_or_stay_unless_it_is_hidden_or_named() -> None:
    things = {"l": link("../x"), "n": link(None), "_l": link("f"), "live": link("f"), "f": file()}
    judged = predict(things, live=["live"])
    assert judged["l"] == judged["n"] == either(Reason.LINK, None)
    assert judged["_l"] == stays(Reason.HIDDEN_FILE)
    assert judged["live"] == stays(Reason.LIVE)
    assert judged["f"] == goes(Reason.ORPHAN)


def test_a_directory_that_holds_a_link_may_go_or_stay() -> None:
    assert predict({"d/l": link("../x")})["d"] == either(Reason.HOLDS_OLD, None)
    assert predict({"d/l": link("../x"), "d/o": file()})["d"] == either(Reason.HOLDS_OLD, False)
    assert predict({"d/l": link("../x"), "d/y": file(YOUNG)})["d"] == stays(Reason.HOLDS, None)


def test_what_stays_behind_a_link_has_its_own_reason() -> None:
    things = {f"data/{name}": file() for name in ("live", "orphan", "_hidden")}
    things |= {"data/young": file(YOUNG), "lnk": link("data")}
    judged = predict(things, live=["data/live"])
    assert judged["data/live"] == stays(Reason.BEHIND_LINK, None)
    assert judged["data/young"] == stays(Reason.YOUNG)
    assert judged["data/orphan"] == goes(Reason.ORPHAN)
    assert judged["data/_hidden"] == stays(Reason.HIDDEN_FILE)
    assert judged["data"] == stays(Reason.HOLDS, False)
    del things["data/young"], things["data/_hidden"]
    assert predict(things, live=["data/live"])["data"] == either(Reason.HOLDS_OLD, False)


def test_a_link_into_a_hidden_directory_reaches_what_lies_in_it() -> None:
    judged = predict({"_delta_log/0.json": file(), "_delta_log/e": DIRECTORY, "lnk": link("_delta_log")})
    assert judged["_delta_log/0.json"] == judged["_delta_log/e"] == stays(Reason.BEHIND_LINK, None)
    assert judged["_delta_log"] == stays(Reason.HIDDEN_DIRECTORY)


def test_a_hidden_link_reaches_nothing_and_only_a_listing_follows_links() -> None:
    live = ["data/live"]
    assert predict({"data/live": file(), "_l": link("data")}, live=live)["data/live"] == stays(Reason.LIVE)
    things = {"data/live": file(), "l": link("data")}
    for scan in (INVENTORY, FILES, LiteScan()):
        assert predict(things, live=live, scan=scan)["data/live"] == stays(Reason.LIVE)


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
def test_a_link_to_the_root_or_above_it_reaches_all(target: str, more: set[str]) -> None:
    things = tree({"d/f": file(), "_d/f": file(), "loop": link(target)})
    assert reached_directories(things, ()) == {".", *more}
    assert behind_links(things, ()) == {"d", "d/f", "loop"}
    assert predict(things, live=["d/f"])["d/f"] == stays(Reason.BEHIND_LINK, None)


# Trouble ------------------------------------------------------------------------------------------------------------

OF_DELETION = [IOFault.CANNOT_DELETE, IOFault.DELETE_CRASHES, IOFault.FILE_VANISHES]


def test_troubles_are_of_a_deletion_or_of_a_listing() -> None:
    assert [io_fault for io_fault in IOFault if io_fault.of_deletion] == OF_DELETION


@pytest.mark.parametrize("io_fault", OF_DELETION)
def test_a_fault_of_deletion_affects_what_would_go(io_fault: IOFault) -> None:
    things = {"d/o": file(), "d/.o.crc": file(), "live": file(), "e": DIRECTORY}
    live = ["live"]
    judged = predict(things, live=live, faulty_path=(io_fault, "d/o"))
    assert judged["d/o"] == either(Reason.FAULTY, True)
    assert judged["d/.o.crc"].fate is UNSPECIFIED and judged["d"] == either(Reason.HOLDS_OLD, False)
    assert judged["e"] == goes(Reason.EMPTY)
    assert predict(things, live=live, faulty_path=(io_fault, "live"))["live"] == stays(Reason.LIVE)
    assert predict(things, live=live, faulty_path=(io_fault, "e"))["e"] == either(Reason.FAULTY, True)
    assert predict(things, scan=LiteScan(), faulty_path=(io_fault, "d/o"))["d/o"] == stays(Reason.NOT_SCANNED)


def test_a_directory_that_vanishes_from_the_listing_takes_all_below_it_out_of_sight() -> None:
    things = {"a/sub/o": file(), "a/sub/e": DIRECTORY, "a/sub/y": file(YOUNG), "b/sub/o": file()}
    plain = predict(things)
    assert plain["a"] == plain["a/sub"] == stays(Reason.HOLDS, False)
    judged = predict(things, faulty_path=(IOFault.DIRECTORY_VANISHES, "a/sub"))
    assert judged["a/sub/o"] == judged["a/sub/e"] == either(Reason.FAULTY, False)
    assert judged["a/sub/y"] == stays(Reason.YOUNG)
    assert judged["a"] == judged["a/sub"] == stays(Reason.HOLDS, True)
    judged = predict(things, faulty_path=(IOFault.DIRECTORY_VANISHES, "b/sub"))
    assert judged["b/sub"] == either(Reason.FAULTY, True) and judged["b"].listed is True
    assert predict(things, scan=INVENTORY, faulty_path=(IOFault.DIRECTORY_VANISHES, "b/sub"))["b/sub/o"].fate is GOES


def fails(path: str, io_fault: IOFault, scan: Scan = FULL, *, dry_run: bool = False, **said: Any) -> bool | None:
    things = tree({"d/o": file(), "d/y": file(YOUNG), "l": link("../x"), "_h/f": file()})
    judged = predict(things, scan=scan, faulty_path=(io_fault, path), **said)
    return ends_in_error(judged, things, partition_by=(), scan=scan, faulty_path=(io_fault, path), dry_run=dry_run)


def test_a_deletion_that_breaks_fails_where_there_is_one() -> None:
    assert fails("d/o", IOFault.DELETE_CRASHES) is True
    assert fails("d/o", IOFault.DELETE_CRASHES, dry_run=True) is False
    assert fails("d/o", IOFault.DELETE_CRASHES, live=["d/o"]) is False
    assert fails("d/y", IOFault.DELETE_CRASHES) is False
    assert fails("l", IOFault.DELETE_CRASHES) is None
    assert fails("gone", IOFault.DELETE_CRASHES) is False
    assert fails("gone", IOFault.DELETE_CRASHES, LiteScan({"gone": OLD})) is None
    for other in (IOFault.CANNOT_DELETE, IOFault.FILE_VANISHES):
        assert fails("d/o", other) is False


def test_a_directory_that_only_seems_to_go_breaks_as_well() -> None:
    things = tree({"e/y": file(YOUNG)})
    io_fault = (IOFault.DELETE_CRASHES, "e")
    judged = predict(things, faulty_path=io_fault)
    assert judged["e"] == stays(Reason.HOLDS, True)
    assert ends_in_error(judged, things, partition_by=(), scan=FULL, faulty_path=io_fault, dry_run=False) is True


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_directory_that_cannot_be_listed_fails_where_it_is_listed(dry_run: bool) -> None:
    assert fails("d", IOFault.CANNOT_LIST, dry_run=dry_run) is True
    for scan in (INVENTORY, FILES, LiteScan()):
        assert fails("d", IOFault.CANNOT_LIST, scan, dry_run=dry_run) is False
    for path in ("d/o", "_h", "gone"):
        assert fails(path, IOFault.CANNOT_LIST, dry_run=dry_run) is False
    assert fails("d", IOFault.DIRECTORY_VANISHES, dry_run=dry_run) is False


def test_without_trouble_nothing_fails() -> None:
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
    said: dict[str, Any] = {"tombstones": {"d/e/gone": YOUNG}, "absolute_vectors": {f"d/{VECTOR}": None}}
    judged = predict(things, **said)
    assert judged == predict(dict(reversed(things.items())), **said)
    assert judged["d"] == judged["d/e"] == stays(Reason.HOLDS, False)


def test_what_has_a_reserved_name_is_not_listed_and_cannot_fail() -> None:
    arguments: dict[str, Any] = {"partition_by": (), "scan": FULL, "faulty_path": (IOFault.CANNOT_LIST, "log")}
    things = {"log": DIRECTORY}
    assert ends_in_error({}, things, dry_run=False, **arguments) is True
    assert ends_in_error({}, things, dry_run=False, reserved=("log",), **arguments) is False


def test_a_file_that_stays_keeps_the_directory_behind_a_link() -> None:
    judged = predict({"d/young": file(YOUNG), "lnk": link("d")})
    assert judged["d"] == stays(Reason.HOLDS, True)


def test_an_empty_directory_behind_a_link_is_judged_without_files() -> None:
    judged = predict({"d": DIRECTORY, "lnk": link("d")})
    assert judged["d"].fate in (GOES, UNSPECIFIED)


def test_a_link_that_is_not_seen_hides_no_other() -> None:
    things = {"_hidden": link("d"), "lnk": link("d"), "d": DIRECTORY}
    assert "d" in reached_directories(things, ())
    assert "d" not in reached_directories({**things, "lnk": DIRECTORY}, ())

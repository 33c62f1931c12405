"""VACUUM's oracle says what docs/delta.md 1.2, steps 4 to 13, say: ages, names, directories, checksums, tombstones."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.steps import IOFault
from model.table import HOUR, WEEK, Kind
from model.vacuum import (
    Cutoff,
    Fate,
    FullScan,
    InventoryScan,
    PathFate,
    Reason,
    References,
    Scan,
    Thing,
    checksum_of,
    cutoff_for,
    in_underscored_partition,
    is_hidden,
    parents,
    predict_vacuum,
    whole_hours,
)

CLOCK = 1_700_000_000_000
LINE = CLOCK - WEEK
AT = Cutoff(LINE, LINE, LINE)
OLD, YOUNG = LINE - HOUR, LINE + HOUR

FULL, INVENTORY, FILES = FullScan(), InventoryScan(), InventoryScan(files_only=True)

STAYS, GOES, UNSPECIFIED = Fate.KEEP, Fate.DELETE, Fate.UNSPECIFIED


def file(modified: int = OLD, size: int = 10) -> Thing:
    return Thing(Kind.FILE, modified, size)


DIRECTORY = Thing(Kind.DIRECTORY, OLD, 0)


def link(target: str | None) -> Thing:
    return Thing(Kind.LINK, OLD, 0, target)


def listing(**files: int) -> dict[str, Thing]:
    """A listing of files with these ages, and of all directories that they lie in."""
    return with_parents({path: file(modified) for path, modified in files.items()})


def with_parents(things: dict[str, Thing]) -> dict[str, Thing]:
    return {**{parent: DIRECTORY for path in things for parent in parents(path)}, **things}


def predict(
    things: dict[str, Thing],
    *,
    live: tuple[str, ...] = (),
    tombstones: dict[str, int] | None = None,
    partition_by: tuple[str, ...] = (),
    cutoff: Cutoff = AT,
    scan: Scan = FULL,
    faulty_path: tuple[IOFault, str] | None = None,
    **said: Any,
) -> dict[str, PathFate]:
    references = References(live=frozenset(live), tombstones=tombstones or {}, **said)
    return predict_vacuum(things, references, partition_by=partition_by, cutoff=cutoff, scan=scan, faulty_path=faulty_path)


# The cutoff: steps 4 and 5 ------------------------------------------------------------------------------------------


def test_without_retain_the_injected_clock_and_the_tables_retention_decide() -> None:
    assert cutoff_for(clock=CLOCK, retention=WEEK, retain=None, wall=(1, 2)) == Cutoff(LINE, LINE, LINE)


def test_a_clock_that_cannot_be_set_leaves_the_step_in_doubt() -> None:
    """Both ends too: whether what is exactly as old as the retention is old differs from engine to engine."""
    cutoff = cutoff_for(clock=CLOCK, retention=WEEK, retain=None, wall=(CLOCK, CLOCK + 5), own_clock=False)
    assert [cutoff.is_old(LINE + ms) for ms in (-1, 0, 5, 6)] == [True, None, None, False]
    assert [cutoff.retains(LINE + ms) for ms in (-1, 0, 5, 6)] == [False, None, None, True]


def test_an_effective_retain_is_measured_by_the_wall_clock() -> None:
    cutoff = cutoff_for(clock=CLOCK, retention=WEEK, retain=HOUR, wall=(CLOCK + 5, CLOCK + 9))
    assert cutoff == Cutoff(CLOCK + 5 - HOUR, CLOCK + 9 - HOUR, LINE)


@pytest.mark.parametrize(
    ("hours", "whole"),
    [
        (0, 0),
        (0.4, 0),
        (0.49999999999999994, 0),  # adding a half and rounding down would say 1
        (0.5, 1),
        (1.4, 1),
        (1.5, 2),
        (2.5, 3),
        (-0.4, 0),
        (-0.5, 0),
        (-0.50001, -1),
        (-1, -1),
        (-1.5, -1),
        (168, 168),
        (100_000, 100_000),
    ],
)
def test_retain_rounds_to_whole_hours_halves_up(hours: float, whole: int) -> None:
    assert whole_hours(hours) == whole * HOUR


@given(st.floats(-1e6, 1e6))
def test_retain_rounds_as_javas_math_round(hours: float) -> None:
    """Math.round: the nearest whole number, ties towards positive infinity, reckoned exactly."""
    assert whole_hours(hours) == math.floor(Fraction(hours) + Fraction(1, 2)) * HOUR


# Ages: step 8 and 10 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("offset", "fate"), [(-1, GOES), (0, STAYS), (1, STAYS)])
def test_a_file_at_the_cutoff_stays(offset: int, fate: Fate) -> None:
    judged = predict(listing(f=LINE + offset))["f"]
    reason = Reason.ORPHAN if fate is GOES else Reason.YOUNG
    assert judged == PathFate(fate, reason, fate is GOES)


@pytest.mark.parametrize(("offset", "fate"), [(-1, GOES), (0, GOES), (1, STAYS)])
def test_a_tombstone_at_the_cutoff_is_expired_with_the_default_retention(offset: int, fate: Fate) -> None:
    """The state keeps only what is strictly after clock - retention (step 8 NB (b))."""
    judged = predict(listing(f=OLD), tombstones={"f": LINE + offset})["f"]
    assert judged == PathFate(fate, Reason.EXPIRED if fate is GOES else Reason.RETAINED, fate is GOES)


@pytest.mark.parametrize(("offset", "fate"), [(-1, GOES), (0, STAYS), (1, STAYS)])
def test_a_tombstone_at_an_exact_retain_cutoff_protects(offset: int, fate: Fate) -> None:
    """Where the state still has the tombstone, it protects at the cutoff's very millisecond: delTimestamp >= cutoff."""
    exact = Cutoff(CLOCK, CLOCK, LINE)
    assert predict(listing(f=OLD), tombstones={"f": CLOCK + offset}, cutoff=exact)["f"].fate is fate


def test_a_longer_retain_does_not_bring_back_what_left_the_state() -> None:
    """Step 8 NB (a): the state has dropped tombstones older than the table's own retention."""
    longer = Cutoff(LINE - WEEK, LINE - WEEK, LINE)
    judged = predict(listing(f=LINE - 2 * WEEK), tombstones={"f": LINE - HOUR}, cutoff=longer)["f"]
    assert judged == PathFate(GOES, Reason.EXPIRED, True)


def test_a_tombstone_without_a_timestamp_protects_nothing() -> None:
    assert predict(listing(f=OLD), tombstones={"f": 0})["f"].fate is GOES


def test_an_expired_tombstone_does_not_make_a_young_file_go() -> None:
    assert predict(listing(f=YOUNG), tombstones={"f": OLD})["f"] == PathFate(STAYS, Reason.YOUNG, False)


def test_a_retained_tombstone_protects_however_old_the_file_is() -> None:
    assert predict(listing(f=0), tombstones={"f": YOUNG})["f"] == PathFate(STAYS, Reason.RETAINED, False)


def test_a_live_file_stays_however_old_it_is_and_whatever_its_tombstones() -> None:
    judged = predict(listing(f=0), live=("f",), tombstones={"f": 0})["f"]
    assert judged == PathFate(STAYS, Reason.LIVE, False)


#: RETAIN 0: the cutoff lies anywhere between the two.
WINDOW = Cutoff(CLOCK, CLOCK + 10, LINE)


@pytest.mark.parametrize(
    ("modified", "fate", "listed"),
    [
        (CLOCK - 1, GOES, True),
        (CLOCK, UNSPECIFIED, None),
        (CLOCK + 9, UNSPECIFIED, None),
        (CLOCK + 10, STAYS, False),
    ],
)
def test_ages_inside_the_wall_window_cannot_be_told(modified: int, fate: Fate, listed: bool | None) -> None:
    judged = predict(listing(f=modified), cutoff=WINDOW)["f"]
    assert (judged.fate, judged.listed) == (fate, listed)


@pytest.mark.parametrize(
    ("deleted", "fate"), [(LINE, GOES), (CLOCK - 1, GOES), (CLOCK, UNSPECIFIED), (CLOCK + 9, UNSPECIFIED), (CLOCK + 10, STAYS)]
)
def test_stamps_inside_the_wall_window_cannot_be_told(deleted: int, fate: Fate) -> None:
    assert predict(listing(f=OLD), tombstones={"f": deleted}, cutoff=WINDOW)["f"].fate is fate


def test_in_the_wall_window_a_file_that_is_surely_young_stays_whatever_its_stamp() -> None:
    judged = predict(listing(f=CLOCK + 10), tombstones={"f": CLOCK + 3}, cutoff=WINDOW)["f"]
    assert judged == PathFate(STAYS, Reason.YOUNG, False)


def test_in_the_wall_window_a_directory_is_listed_as_its_files_are() -> None:
    judged = predict(listing(**{"d/f": CLOCK + 3}), cutoff=WINDOW)
    assert judged["d"].listed is None and judged["d"].fate is UNSPECIFIED


def test_in_the_wall_window_a_directory_is_protected_as_surely_as_the_file_that_it_is_of() -> None:
    judged = predict({"d": DIRECTORY}, tombstones={"d/f": CLOCK + 3}, cutoff=WINDOW)
    assert judged["d"] == PathFate(UNSPECIFIED, Reason.PARENT, None)
    judged = predict(listing(**{"d/f": OLD}), tombstones={"d/f": CLOCK + 3}, cutoff=WINDOW)
    assert judged["d"] == PathFate(UNSPECIFIED, Reason.HOLDS_OLD, False)
    judged = predict(listing(**{"d/_f": OLD}), tombstones={"d/f": CLOCK + 3}, cutoff=WINDOW)
    assert judged["d"] == PathFate(STAYS, Reason.HOLDS, None)


# Names: step 9 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("_delta_log", True),
        ("_anything", True),
        ("_", True),
        (".", True),
        (".x", True),
        (".part-0.crc", True),
        ("_delta_index", False),
        ("_delta_index_old", False),
        ("_change_data", False),
        ("_change_data.bak", False),
        ("_changedata", True),
        ("._change_data", True),
        ("plain", False),
        ("x_", False),
        ("metadata", False),
        ("_date=2020-01-01", False),
        ("_date=", False),
        ("_date", True),
        ("_dates=1", True),
        ("_dat=1", True),
        ("_DATE=1", True),
        (".x=1", False),
        (".xy=1", True),
    ],
)
def test_hidden_names(name: str, hidden: bool) -> None:
    assert is_hidden(name, ("p", "_date", ".x")) is hidden


def test_the_exceptions_for_partitions_are_the_tables_own() -> None:
    assert is_hidden("_date=1", ("date",)) and is_hidden("_date=1", ())


@pytest.mark.parametrize(
    ("path", "within"),
    [
        ("_date=1/f", True),
        ("p=1/.x=2/d/f", True),
        ("p=1/f", False),
        ("_date=1", False),  # the directory itself, or a file of that name
        ("_dates=1/f", False),
        ("_date/f", False),
        ("_other=1/f", False),
        ("_change_data/f", False),
    ],
)
def test_what_lies_in_an_underscored_partition(path: str, within: bool) -> None:
    assert in_underscored_partition(path, ("p", "_date", ".x")) is within


@pytest.mark.parametrize("above", ["", "d/", "d/e/", "p=1/"])
@pytest.mark.parametrize("name", ["_f", ".f"])
def test_hidden_things_stay_at_every_depth(above: str, name: str) -> None:
    judged = predict(with_parents({f"{above}{name}": file(0)}), partition_by=("p",))
    assert judged[f"{above}{name}"] == PathFate(STAYS, Reason.HIDDEN_FILE, False)


@pytest.mark.parametrize("above", ["_d", "d/_d", "_d/e", "_d/_change_data", "_d/p=1", ".d/e/f"])
def test_all_in_a_hidden_directory_stays(above: str) -> None:
    """The listing never enters it: names that would be visible elsewhere do not matter."""
    judged = predict(with_parents({f"{above}/f": file(0)}), partition_by=("p",))
    assert judged[f"{above}/f"] == PathFate(STAYS, Reason.INSIDE_HIDDEN, False)


@pytest.mark.parametrize(
    "above", ["_change_data", "_delta_index", "d/_change_data/e", "_date=1", "_date=1/p=2", ".x=3"]
)
def test_the_exceptions_are_entered(above: str) -> None:
    judged = predict(with_parents({f"{above}/f": file(OLD)}), partition_by=("p", "_date", ".x"))
    assert judged[f"{above}/f"] == PathFate(GOES, Reason.ORPHAN, True)


def test_a_name_that_resembles_a_partition_is_hidden() -> None:
    judged = predict(with_parents({"_date=1/f": file(OLD), "_dates/f": file(OLD)}), partition_by=("_date",))
    assert judged["_date=1/f"].fate is GOES
    assert judged["_dates/f"].reason is Reason.INSIDE_HIDDEN and judged["_dates"].reason is Reason.HIDDEN_DIRECTORY


def test_a_live_file_with_a_hidden_name_stays() -> None:
    assert predict(listing(_f=0), live=("_f",))["_f"].fate is STAYS


# Directories: step 11 -----------------------------------------------------------------------------------------------


def test_an_empty_directory_goes_whatever_its_age() -> None:
    for modified in (0, LINE, YOUNG, CLOCK):
        assert predict({"d": Thing(Kind.DIRECTORY, modified, 0)})["d"] == PathFate(GOES, Reason.EMPTY, True)


def test_nested_empty_directories_go_at_least_the_innermost() -> None:
    judged = predict(dict.fromkeys(("d", "d/e", "d/e/f"), DIRECTORY))
    assert judged["d/e/f"] == PathFate(GOES, Reason.EMPTY, True)
    assert judged["d/e"] == judged["d"] == PathFate(UNSPECIFIED, Reason.HOLDS_EMPTY, True)


def test_a_directory_with_an_old_file_is_not_listed() -> None:
    """It is no candidate of this run; that it may be gone after it is not ruled out."""
    assert predict(listing(**{"d/f": OLD}))["d"] == PathFate(UNSPECIFIED, Reason.HOLDS_OLD, False)


def test_a_directory_with_an_old_file_deep_below_is_not_listed() -> None:
    judged = predict({**listing(**{"d/e/f": OLD}), "d/g": DIRECTORY})
    assert judged["d"].listed is False and judged["d/e"].listed is False and judged["d/g"].listed is True


def test_a_directory_with_only_young_files_is_listed_and_stays() -> None:
    assert predict(listing(**{"d/f": YOUNG}))["d"] == PathFate(STAYS, Reason.HOLDS, True)


def test_a_directory_with_only_hidden_things_is_listed_and_stays() -> None:
    assert predict(listing(**{"d/_f": 0}))["d"] == PathFate(STAYS, Reason.HOLDS, True)


def test_a_directory_with_old_and_young_files_is_not_listed_and_stays() -> None:
    assert predict(listing(**{"d/f": OLD, "d/g": YOUNG}))["d"] == PathFate(STAYS, Reason.HOLDS, False)


@pytest.mark.parametrize("age", [OLD, YOUNG])
def test_the_directories_of_a_live_file_are_protected(age: int) -> None:
    judged = predict(listing(**{"d/e/f": age}), live=("d/e/f",))
    assert judged["d"] == judged["d/e"] == PathFate(STAYS, Reason.HOLDS, False)


def test_the_directories_of_a_retained_file_are_protected() -> None:
    judged = predict(listing(**{"d/e/f": OLD}), tombstones={"d/e/f": YOUNG})
    assert judged["d"] == judged["d/e"] == PathFate(STAYS, Reason.HOLDS, False)


def test_the_empty_directory_of_a_retained_file_that_is_gone_is_not_listed() -> None:
    """The tombstone protects the directories of its path, whether the file is there or not."""
    things = {"d": DIRECTORY, "d/e": DIRECTORY}
    judged = predict(things, tombstones={"d/e/f": YOUNG})
    assert judged["d/e"] == PathFate(UNSPECIFIED, Reason.PARENT, False)
    assert judged["d"].listed is False


def test_the_empty_directory_of_an_expired_file_that_is_gone_goes() -> None:
    assert predict({"d": DIRECTORY}, tombstones={"d/f": OLD})["d"] == PathFate(GOES, Reason.EMPTY, True)


def test_a_hidden_directory_stays_though_empty() -> None:
    judged = predict(dict.fromkeys(("_d", "_d/e", "_delta_log", "_change_data"), DIRECTORY))
    assert {path: one.fate for path, one in judged.items()} == {
        "_d": STAYS,
        "_d/e": STAYS,
        "_delta_log": STAYS,
        "_change_data": GOES,
    }


def test_a_directory_whose_name_begins_like_anothers_is_another() -> None:
    judged = predict({**listing(**{"dd/f": YOUNG}), "d": DIRECTORY})
    assert judged["d"] == PathFate(GOES, Reason.EMPTY, True)


# Checksums: step 13 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "checked"),
    [
        (".x.crc", "x"),
        ("d/e/.x.parquet.crc", "d/e/x.parquet"),
        (".x", None),
        ("x.crc", None),
        (".crc", None),
        ("..crc", None),
        ("d/.crc", None),
    ],
)
def test_what_a_checksum_checks(path: str, checked: str | None) -> None:
    assert checksum_of(path) == checked


def test_the_checksum_of_a_file_that_goes_may_go() -> None:
    assert predict({"x": file(), ".x.crc": file()})[".x.crc"] == PathFate(UNSPECIFIED, Reason.CHECKSUM, False)


def test_the_checksum_of_a_file_that_stays_or_is_not_there_stays() -> None:
    judged = predict({"x": file(YOUNG), ".x.crc": file(0), ".y.crc": file(0)})
    assert judged[".x.crc"] == judged[".y.crc"] == PathFate(STAYS, Reason.HIDDEN_FILE, False)


def test_the_checksum_in_a_hidden_directory_stays() -> None:
    judged = predict(with_parents({"_d/x": file(0), "_d/.x.crc": file(0)}))
    assert judged["_d/.x.crc"].fate is STAYS


def test_a_directory_that_holds_a_file_that_goes_and_its_checksum_may_go() -> None:
    judged = predict(with_parents({"d/x": file(), "d/.x.crc": file()}))
    assert judged["d"] == PathFate(UNSPECIFIED, Reason.HOLDS_OLD, False)


def test_a_directory_named_like_a_checksum_stays() -> None:
    assert predict({"x": file(), ".x.crc": DIRECTORY})[".x.crc"].fate is STAYS


# What holds of every listing ----------------------------------------------------------------------------------------

NAMES = ("a", "b", "_h", ".x", "_change_data", "p=1", "_p=1", "_pp=1", ".a.crc")
INSTANTS = st.sampled_from([0, *(LINE + edge for edge in (-HOUR, -1, 0, 1, HOUR)), *(CLOCK + edge for edge in (-1, 0))])
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)


#: A listing, the live files, the tombstones.
Situation = tuple[dict[str, Thing], tuple[str, ...], dict[str, int]]


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    """Files and directories; live and removed files are some of them, or others."""
    things: dict[str, Thing] = {}
    for path in draw(st.lists(PATHS, max_size=8)):
        below = any(other.startswith(f"{path}/") for other in things)
        if path not in things and not below and all(things.get(above, DIRECTORY).directory for above in parents(path)):
            things.update((above, DIRECTORY) for above in parents(path))
            things[path] = (
                Thing(Kind.DIRECTORY, OLD, 0) if draw(st.booleans()) and draw(st.booleans()) else file(draw(INSTANTS))
            )
    files = [path for path, thing in things.items() if not thing.directory]
    named = st.sampled_from(files) if files else PATHS
    live = draw(st.lists(named, max_size=2))
    tombstones = draw(st.dictionaries(st.one_of(named, PATHS), INSTANTS, max_size=3))

    def possible(path: str) -> bool:
        """Actions name files; none of them lies where a directory is, or below another file."""
        above = all(things.get(parent, DIRECTORY).directory for parent in parents(path))
        return above and (path not in things or not things[path].directory)

    return things, tuple(filter(possible, live)), {path: at for path, at in tombstones.items() if possible(path)}


SITUATIONS = situations()
CUTOFFS = st.sampled_from([AT, WINDOW, Cutoff(CLOCK, CLOCK, LINE), Cutoff(LINE - WEEK, LINE - WEEK, LINE)])
thorough = settings(max_examples=150, deadline=None)


@thorough
@given(SITUATIONS, CUTOFFS)
def test_every_path_has_one_fate(situation: Situation, cutoff: Cutoff) -> None:
    things, live, tombstones = situation
    judged = predict(things, live=live, tombstones=tombstones, partition_by=("p", "_p"), cutoff=cutoff)
    assert set(judged) == set(things)


@thorough
@given(SITUATIONS, CUTOFFS)
def test_nothing_live_hidden_or_young_ever_goes(situation: Situation, cutoff: Cutoff) -> None:
    things, live, tombstones = situation
    judged = predict(things, live=live, tombstones=tombstones, partition_by=("p", "_p"), cutoff=cutoff)
    for path, one in judged.items():
        hidden = any(is_hidden(name, ("p", "_p")) for name in path.split("/"))
        if path in live and not hidden:
            assert one == PathFate(STAYS, Reason.LIVE, False)
        if hidden:
            assert one.fate is not GOES and one.listed is False
        if not things[path].directory and things[path].modified >= cutoff.latest and not hidden:
            assert one.fate is STAYS
        if one.fate is GOES:
            assert one.listed is True
        if not things[path].directory and one.listed is True:
            assert one.fate is GOES


@thorough
@given(SITUATIONS, CUTOFFS)
def test_a_directory_that_holds_what_stays_stays(situation: Situation, cutoff: Cutoff) -> None:
    things, live, tombstones = situation
    judged = predict(things, live=live, tombstones=tombstones, partition_by=("p", "_p"), cutoff=cutoff)
    for path, one in judged.items():
        if one.fate is STAYS:
            for above in parents(path):
                assert judged[above].fate is STAYS, f"{path} stays, and {above} does not"
        if things[path].directory and one.fate is GOES:
            assert not any(other.startswith(f"{path}/") for other in things)


@thorough
@given(SITUATIONS, st.integers(0, 2 * WEEK), st.sampled_from([1, HOUR, WEEK]))
def test_with_a_later_cutoff_what_went_still_goes(situation: Situation, back: int, later: int) -> None:
    things, live, tombstones = situation
    first = CLOCK - back
    before, after = (
        predict(things, live=live, tombstones=tombstones, partition_by=("p", "_p"), cutoff=Cutoff(line, line, line))
        for line in (first, first + later)
    )
    files = [path for path, thing in things.items() if not thing.directory]
    assert {path for path in files if before[path].fate is GOES} <= {path for path in files if after[path].fate is GOES}


@thorough
@given(SITUATIONS, CUTOFFS)
def test_a_tombstone_more_never_makes_a_file_go_and_a_live_file_more_neither(
    situation: Situation, cutoff: Cutoff
) -> None:
    things, live, tombstones = situation
    bare = predict(things, partition_by=("p", "_p"), cutoff=cutoff)
    known = predict(things, live=live, tombstones=tombstones, partition_by=("p", "_p"), cutoff=cutoff)
    assert {path for path in things if known[path].fate is GOES} <= {path for path in things if bare[path].fate is GOES}


@thorough
@given(SITUATIONS, CUTOFFS)
def test_a_second_run_finds_no_file_that_must_go(situation: Situation, cutoff: Cutoff) -> None:
    things, live, tombstones = situation
    first = predict(things, live=live, tombstones=tombstones, partition_by=("p", "_p"), cutoff=cutoff)
    left = {path: thing for path, thing in things.items() if first[path].fate is not GOES}
    second = predict(left, live=live, tombstones=tombstones, partition_by=("p", "_p"), cutoff=cutoff)
    assert all(thing.directory for path, thing in left.items() if second[path].fate is GOES)


@thorough
@given(SITUATIONS)
def test_a_window_of_the_clock_agrees_with_each_of_its_instants(
    situation: Situation,
) -> None:
    """What a window decides is what every cutoff inside it decides."""
    things, live, tombstones = situation
    window = predict(things, live=live, tombstones=tombstones, partition_by=("p", "_p"), cutoff=WINDOW)
    for instant in (WINDOW.earliest, WINDOW.earliest + 1, WINDOW.latest):
        exact = replace(WINDOW, earliest=instant, latest=instant)
        told = predict(things, live=live, tombstones=tombstones, partition_by=("p", "_p"), cutoff=exact)
        for path, one in window.items():
            assert one.fate in (UNSPECIFIED, told[path].fate) or told[path].fate is UNSPECIFIED, path
            assert one.listed in (None, told[path].listed), path


def reference(
    things: dict[str, Thing],
    live: tuple[str, ...],
    tombstones: dict[str, int],
    partition_by: tuple[str, ...],
    line: int,
) -> set[str]:
    """The candidates of docs/delta.md 1.2, steps 8 to 11: joins and counts, with a cutoff from the clock."""
    valid: set[str] = set()
    for path in [*live, *(path for path, deleted in tombstones.items() if deleted > line)]:
        valid |= {path, *parents(path)}
    seen = {
        path: thing
        for path, thing in things.items()
        if not any(is_hidden(name, partition_by) for name in path.split("/"))
    }
    counts: dict[str, int] = {}
    for path, thing in seen.items():
        if thing.directory:
            counts[path] = counts.get(path, 0) + 1
        elif thing.modified < line:
            for one in [path, *parents(path)]:
                counts[one] = counts.get(one, 0) + 1
    return {path for path, count in counts.items() if count == 1 and path not in valid}


@settings(max_examples=400, deadline=None)
@given(SITUATIONS)
def test_what_is_listed_is_what_the_joins_and_counts_of_the_facts_list(
    situation: Situation,
) -> None:
    things, live, tombstones = situation
    judged = predict(things, live=live, tombstones=tombstones, partition_by=("p", "_p"))
    listed = reference(things, live, {p: at for p, at in tombstones.items() if p not in live}, ("p", "_p"), LINE)
    assert {path for path, one in judged.items() if one.listed} == listed

"""The model of VACUUM: ages, tombstones, names, directories and checksums."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.prediction.fates import Fate, PathFate, Reason
from model.prediction.paths import StorageEntry, checksum_of, in_underscored_partition, is_hidden, parents
from model.prediction.retention import Cutoff, cutoff_for, whole_hours
from model.vocabulary.table import HOUR, WEEK, Kind
from tests.builders.listings import (
    AT,
    CLOCK,
    DELETE,
    DIRECTORY,
    KEEP,
    LINE,
    OLD,
    PARTITION_BY,
    UNSPECIFIED,
    WINDOW,
    YOUNG,
    file,
    must_delete,
    must_keep,
    predict,
    unspecified,
)

# The cutoff ------------------------------------------------------------------------------------------


def test_without_retain_the_cutoff_is_clock_minus_retention() -> None:
    assert cutoff_for(clock=CLOCK, retention=WEEK, retain=None, wall=(1, 2)) == Cutoff(LINE, LINE, LINE)


def test_a_clock_that_cannot_be_set_gives_an_uncertain_cutoff() -> None:
    """At both ends too: engines differ on files exactly as old as the retention."""
    cutoff = cutoff_for(clock=CLOCK, retention=WEEK, retain=None, wall=(CLOCK, CLOCK + 5), own_clock=False)
    assert [cutoff.is_old(LINE + ms) for ms in (-1, 0, 5, 6)] == [True, None, None, False]
    assert [cutoff.retains(LINE + ms) for ms in (-1, 0, 5, 6)] == [False, None, None, True]


def test_an_effective_retain_uses_the_wall_clock() -> None:
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
    """Math.round: the nearest whole number, ties towards positive infinity, computed exactly."""
    assert whole_hours(hours) == math.floor(Fraction(hours) + Fraction(1, 2)) * HOUR


# Ages ------------------------------------------------------------------------------------------------


#: A RETAIN with an exact cutoff, and one that is longer than the table's own retention.
EXACT, LONGER = Cutoff(CLOCK, CLOCK, LINE), Cutoff(LINE - WEEK, LINE - WEEK, LINE)

AGES = {
    "a file older than the cutoff is deleted": (LINE - 1, None, AT, must_delete(Reason.ORPHAN)),
    "a file at the cutoff is kept": (LINE, None, AT, must_keep(Reason.YOUNG)),
    "a file younger than the cutoff is kept": (LINE + 1, None, AT, must_keep(Reason.YOUNG)),
    # With the default retention, the state keeps only what is strictly after clock - retention.
    "a tombstone before the cutoff is expired": (OLD, LINE - 1, AT, must_delete(Reason.EXPIRED)),
    "a tombstone at the cutoff is expired": (OLD, LINE, AT, must_delete(Reason.EXPIRED)),
    "a tombstone after the cutoff protects": (OLD, LINE + 1, AT, must_keep(Reason.RETAINED)),
    # Where the state still has the tombstone, it protects at the cutoff's very millisecond: delTimestamp >= cutoff.
    "a tombstone before an exact RETAIN is expired": (OLD, CLOCK - 1, EXACT, must_delete(Reason.EXPIRED)),
    "a tombstone at an exact RETAIN protects": (OLD, CLOCK, EXACT, must_keep(Reason.RETAINED)),
    "a tombstone after an exact RETAIN protects": (OLD, CLOCK + 1, EXACT, must_keep(Reason.RETAINED)),
    # The state has dropped tombstones older than the table's own retention.
    "a longer RETAIN brings no dropped tombstone back": (
        LINE - 2 * WEEK,
        LINE - HOUR,
        LONGER,
        must_delete(Reason.EXPIRED),
    ),
    "a tombstone without a timestamp protects nothing": (OLD, 0, AT, must_delete(Reason.EXPIRED)),
    "a young file is kept though its tombstone is expired": (YOUNG, OLD, AT, must_keep(Reason.YOUNG_REMOVED)),
    "a retained tombstone protects however old the file is": (0, YOUNG, AT, must_keep(Reason.RETAINED)),
    "a young file is kept whatever its timestamp in the window": (
        CLOCK + 10,
        CLOCK + 3,
        WINDOW,
        must_keep(Reason.YOUNG),
    ),
}


@pytest.mark.parametrize(("modified", "deleted", "cutoff", "expected"), AGES.values(), ids=AGES)
def test_the_fate_of_a_file_by_age_and_tombstone(
    modified: int, deleted: int | None, cutoff: Cutoff, expected: PathFate
) -> None:
    tombstones = {} if deleted is None else {"f": deleted}
    assert predict({"f": file(modified)}, tombstones=tombstones, cutoff=cutoff)["f"] == expected


def test_a_live_file_is_kept_at_any_age_and_with_any_tombstone() -> None:
    assert predict({"f": file(0)}, live=["f"], tombstones={"f": 0})["f"] == must_keep(Reason.LIVE)


@pytest.mark.parametrize(
    ("modified", "fate", "listed"),
    [
        (CLOCK - 1, DELETE, True),
        (CLOCK, UNSPECIFIED, None),
        (CLOCK + 9, UNSPECIFIED, None),
        (CLOCK + 10, KEEP, False),
    ],
)
def test_ages_inside_the_wall_window_are_undecided(modified: int, fate: Fate, listed: bool | None) -> None:
    judged = predict({"f": file(modified)}, cutoff=WINDOW)["f"]
    assert (judged.fate, judged.listed) == (fate, listed)


@pytest.mark.parametrize(
    ("deleted", "fate"),
    [(LINE, DELETE), (CLOCK - 1, DELETE), (CLOCK, UNSPECIFIED), (CLOCK + 9, UNSPECIFIED), (CLOCK + 10, KEEP)],
)
def test_deletion_timestamps_inside_the_wall_window_are_undecided(deleted: int, fate: Fate) -> None:
    assert predict({"f": file()}, tombstones={"f": deleted}, cutoff=WINDOW)["f"].fate is fate


def test_in_the_wall_window_a_directory_is_as_uncertain_as_its_files() -> None:
    judged = predict({"d/f": file(CLOCK)}, cutoff=WINDOW)
    assert judged["d"].listed is None and judged["d"].fate is UNSPECIFIED


def test_in_the_wall_window_the_protection_of_a_directory_is_uncertain() -> None:
    judged = predict({"d": DIRECTORY}, tombstones={"d/f": CLOCK + 3}, cutoff=WINDOW)
    assert judged["d"] == unspecified(Reason.AT_CUTOFF, None)
    judged = predict({"d/f": file()}, tombstones={"d/f": CLOCK + 3}, cutoff=WINDOW)
    assert judged["d"] == unspecified(Reason.HOLDS_OLD, False)
    judged = predict({"d/_f": file()}, tombstones={"d/f": CLOCK + 3}, cutoff=WINDOW)
    assert judged["d"] == must_keep(Reason.HOLDS, None)


# Names ------------------------------------------------------------------------------------------------------


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


def test_visible_prefixes_of_partitions_depend_on_the_table() -> None:
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
def test_in_underscored_partition(path: str, within: bool) -> None:
    assert in_underscored_partition(path, ("p", "_date", ".x")) is within


@pytest.mark.parametrize("above", ["", "d/", "d/e/", "p=1/"])
@pytest.mark.parametrize("name", ["_f", ".f"])
def test_hidden_files_are_kept_at_every_depth(above: str, name: str) -> None:
    judged = predict({f"{above}{name}": file(0)}, partition_by=("p",))
    assert judged[f"{above}{name}"] == must_keep(Reason.HIDDEN_FILE)


@pytest.mark.parametrize("above", ["_d", "d/_d", "_d/e", "_d/_change_data", "_d/p=1", ".d/e/f"])
def test_everything_in_a_hidden_directory_is_kept(above: str) -> None:
    """The listing does not enter it, so otherwise visible names do not matter."""
    judged = predict({f"{above}/f": file(0)}, partition_by=("p",))
    assert judged[f"{above}/f"] == must_keep(Reason.INSIDE_HIDDEN)


@pytest.mark.parametrize(
    "above", ["_change_data", "_delta_index", "d/_change_data/e", "_date=1", "_date=1/p=2", ".x=3"]
)
def test_visible_directories_with_an_underscore_are_scanned(above: str) -> None:
    judged = predict({f"{above}/f": file()}, partition_by=("p", "_date", ".x"))
    assert judged[f"{above}/f"] == must_delete(Reason.ORPHAN)


def test_a_name_that_resembles_a_partition_is_hidden() -> None:
    judged = predict({"_date=1/f": file(), "_dates/f": file()}, partition_by=("_date",))
    assert judged["_date=1/f"].fate is DELETE
    assert judged["_dates/f"].reason is Reason.INSIDE_HIDDEN and judged["_dates"].reason is Reason.HIDDEN_DIRECTORY


def test_a_live_file_with_a_hidden_name_is_kept() -> None:
    assert predict({"_f": file(0)}, live=("_f",))["_f"].fate is KEEP


# Directories -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("modified", [0, LINE, YOUNG, CLOCK])
def test_an_empty_directory_is_deleted_at_any_age(modified: int) -> None:
    assert predict({"d": StorageEntry(Kind.DIRECTORY, modified, 0)})["d"] == must_delete(Reason.EMPTY)


DIRECTORIES: dict[str, tuple[dict[str, StorageEntry], dict[str, int], dict[str, PathFate]]] = {
    "of nested empty directories, the innermost is deleted": (
        {"d/e/f": DIRECTORY},
        {},
        {
            "d/e/f": must_delete(Reason.EMPTY),
            "d/e": unspecified(Reason.HOLDS_EMPTY, True),
            "d": unspecified(Reason.HOLDS_EMPTY, True),
        },
    ),
    # It is no candidate of this run; that it may be gone after it is not ruled out.
    "one with an old file is not listed": ({"d/f": file()}, {}, {"d": unspecified(Reason.HOLDS_OLD, False)}),
    "one with an old file deep below is not listed": (
        {"d/e/f": file(), "d/g": DIRECTORY},
        {},
        {
            "d": unspecified(Reason.HOLDS_OLD, False),
            "d/e": unspecified(Reason.HOLDS_OLD, False),
            "d/g": must_delete(Reason.EMPTY),
        },
    ),
    "one with only young files is listed and is kept": ({"d/f": file(YOUNG)}, {}, {"d": must_keep(Reason.HOLDS, True)}),
    "one with only hidden files is listed and is kept": ({"d/_f": file(0)}, {}, {"d": must_keep(Reason.HOLDS, True)}),
    "one with old and young files is not listed and is kept": (
        {"d/f": file(), "d/g": file(YOUNG)},
        {},
        {"d": must_keep(Reason.HOLDS)},
    ),
    "those of a retained file are protected": (
        {"d/e/f": file()},
        {"d/e/f": YOUNG},
        {"d": must_keep(Reason.HOLDS), "d/e": must_keep(Reason.HOLDS)},
    ),
    # The tombstone protects the directories of its path, whether the file is there or not.
    "the empty one of a retained file that is gone is not listed": (
        {"d/e": DIRECTORY},
        {"d/e/f": YOUNG},
        {"d": must_keep(Reason.HOLDS), "d/e": must_keep(Reason.PARENT)},
    ),
    "the empty one of an expired file that is gone is deleted": (
        {"d": DIRECTORY},
        {"d/f": OLD},
        {"d": must_delete(Reason.EMPTY)},
    ),
    "one whose name begins like another's is another": (
        {"dd/f": file(YOUNG), "d": DIRECTORY},
        {},
        {"d": must_delete(Reason.EMPTY), "dd": must_keep(Reason.HOLDS, True)},
    ),
}


@pytest.mark.parametrize(("things", "tombstones", "expected"), DIRECTORIES.values(), ids=DIRECTORIES)
def test_the_fate_of_a_directory_by_its_contents(
    things: dict[str, StorageEntry], tombstones: dict[str, int], expected: dict[str, PathFate]
) -> None:
    judged = predict(things, tombstones=tombstones)
    assert {path: judged[path] for path in expected} == expected


@pytest.mark.parametrize("age", [OLD, YOUNG])
def test_the_directories_of_a_live_file_are_protected(age: int) -> None:
    judged = predict({"d/e/f": file(age)}, live=["d/e/f"])
    assert judged["d"] == judged["d/e"] == must_keep(Reason.HOLDS)


def test_an_empty_hidden_directory_is_kept() -> None:
    judged = predict(dict.fromkeys(("_d", "_d/e", "_delta_log", "_change_data"), DIRECTORY))
    assert {path: one.fate for path, one in judged.items()} == {
        "_d": KEEP,
        "_d/e": KEEP,
        "_delta_log": KEEP,
        "_change_data": DELETE,
    }


# Checksums -------------------------------------------------------------------------------------------------


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
def test_checksum_of(path: str, checked: str | None) -> None:
    assert checksum_of(path) == checked


def test_the_checksum_of_a_deleted_file_may_be_deleted() -> None:
    assert predict({"x": file(), ".x.crc": file()})[".x.crc"] == unspecified(Reason.CHECKSUM, False)


def test_the_checksum_of_a_kept_or_missing_file_is_kept() -> None:
    judged = predict({"x": file(YOUNG), ".x.crc": file(0), ".y.crc": file(0)})
    assert judged[".x.crc"] == judged[".y.crc"] == must_keep(Reason.HIDDEN_FILE)


def test_a_checksum_in_a_hidden_directory_is_kept() -> None:
    judged = predict({"_d/x": file(0), "_d/.x.crc": file(0)})
    assert judged["_d/.x.crc"].fate is KEEP


def test_the_directory_of_a_deleted_file_and_its_checksum_may_be_deleted() -> None:
    judged = predict({"d/x": file(), "d/.x.crc": file()})
    assert judged["d"] == unspecified(Reason.HOLDS_OLD, False)


def test_a_directory_named_like_a_checksum_is_kept() -> None:
    assert predict({"x": file(), ".x.crc": DIRECTORY})[".x.crc"].fate is KEEP


# What holds of every listing ----------------------------------------------------------------------------------------

NAMES = ("a", "b", "_h", ".x", "_change_data", "p=1", "_p=1", "_pp=1", ".a.crc")
INSTANTS = st.sampled_from([0, *(LINE + edge for edge in (-HOUR, -1, 0, 1, HOUR)), *(CLOCK + edge for edge in (-1, 0))])
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)


#: A listing, the live files, the tombstones.
Situation = tuple[dict[str, StorageEntry], tuple[str, ...], dict[str, int]]


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    """Files and directories; live and removed files may be among them."""
    things: dict[str, StorageEntry] = {}
    for path in draw(st.lists(PATHS, max_size=8)):
        below = any(other.startswith(f"{path}/") for other in things)
        if path not in things and not below and all(things.get(above, DIRECTORY).directory for above in parents(path)):
            things.update((above, DIRECTORY) for above in parents(path))
            things[path] = (
                StorageEntry(Kind.DIRECTORY, OLD, 0)
                if draw(st.booleans()) and draw(st.booleans())
                else file(draw(INSTANTS))
            )
    files = [path for path, thing in things.items() if not thing.directory]
    named = st.sampled_from(files) if files else PATHS
    live = draw(st.lists(named, max_size=2))
    tombstones = draw(st.dictionaries(st.one_of(named, PATHS), INSTANTS, max_size=3))

    def possible(path: str) -> bool:
        """Actions name files that are neither at the path of a directory nor below another file."""
        above = all(things.get(parent, DIRECTORY).directory for parent in parents(path))
        return above and (path not in things or not things[path].directory)

    return things, tuple(filter(possible, live)), {path: at for path, at in tombstones.items() if possible(path)}


SITUATIONS = situations()
CUTOFFS = st.sampled_from([AT, WINDOW, Cutoff(CLOCK, CLOCK, LINE), Cutoff(LINE - WEEK, LINE - WEEK, LINE)])
thorough = settings(max_examples=150)


@thorough
@given(SITUATIONS, CUTOFFS)
def test_every_path_has_one_fate(situation: Situation, cutoff: Cutoff) -> None:
    things, live, tombstones = situation
    assert set(predict(things, live=live, tombstones=tombstones, cutoff=cutoff)) == set(things)


@thorough
@given(SITUATIONS, CUTOFFS)
def test_live_hidden_and_young_files_are_always_kept(situation: Situation, cutoff: Cutoff) -> None:
    things, live, tombstones = situation
    judged = predict(things, live=live, tombstones=tombstones, cutoff=cutoff)
    for path, one in judged.items():
        hidden = any(is_hidden(name, PARTITION_BY) for name in path.split("/"))
        if path in live and not hidden:
            assert one == must_keep(Reason.LIVE)
        if hidden:
            assert one.fate is not DELETE and one.listed is False
        if not things[path].directory and things[path].modified >= cutoff.latest and not hidden:
            assert one.fate is KEEP
        if one.fate is DELETE:
            assert one.listed is True
        if not things[path].directory and one.listed is True:
            assert one.fate is DELETE


@thorough
@given(SITUATIONS, CUTOFFS)
def test_directories_of_kept_files_are_kept(situation: Situation, cutoff: Cutoff) -> None:
    things, live, tombstones = situation
    judged = predict(things, live=live, tombstones=tombstones, cutoff=cutoff)
    for path, one in judged.items():
        if one.fate is KEEP:
            for above in parents(path):
                assert judged[above].fate is KEEP, f"{path} is kept, and {above} is not"
        if things[path].directory and one.fate is DELETE:
            assert not any(other.startswith(f"{path}/") for other in things)


@thorough
@given(SITUATIONS, st.integers(0, 2 * WEEK), st.sampled_from([1, HOUR, WEEK]))
def test_a_later_cutoff_deletes_at_least_as_much(situation: Situation, back: int, later: int) -> None:
    things, live, tombstones = situation
    first = CLOCK - back
    before, after = (
        predict(things, live=live, tombstones=tombstones, cutoff=Cutoff(line, line, line))
        for line in (first, first + later)
    )
    files = [path for path, thing in things.items() if not thing.directory]
    assert {path for path in files if before[path].fate is DELETE} <= {
        path for path in files if after[path].fate is DELETE
    }


@thorough
@given(SITUATIONS, CUTOFFS)
def test_another_tombstone_or_live_file_never_deletes_more(situation: Situation, cutoff: Cutoff) -> None:
    things, live, tombstones = situation
    bare = predict(things, cutoff=cutoff)
    known = predict(things, live=live, tombstones=tombstones, cutoff=cutoff)
    assert {path for path in things if known[path].fate is DELETE} <= {
        path for path in things if bare[path].fate is DELETE
    }


@pytest.mark.long
@thorough
@given(SITUATIONS, CUTOFFS)
def test_a_second_run_has_no_file_to_delete(situation: Situation, cutoff: Cutoff) -> None:
    things, live, tombstones = situation
    first = predict(things, live=live, tombstones=tombstones, cutoff=cutoff)
    left = {path: thing for path, thing in things.items() if first[path].fate is not DELETE}
    second = predict(left, live=live, tombstones=tombstones, cutoff=cutoff)
    assert all(thing.directory for path, thing in left.items() if second[path].fate is DELETE)


@thorough
@given(SITUATIONS)
def test_a_wall_window_agrees_with_each_cutoff_in_it(situation: Situation) -> None:
    """A fate that is certain for a window is the fate for every cutoff in it."""
    things, live, tombstones = situation
    window = predict(things, live=live, tombstones=tombstones, cutoff=WINDOW)
    for instant in (WINDOW.earliest, WINDOW.earliest + 1, WINDOW.latest):
        exact = replace(WINDOW, earliest=instant, latest=instant)
        known = predict(things, live=live, tombstones=tombstones, cutoff=exact)
        for path, one in window.items():
            assert one.fate in (UNSPECIFIED, known[path].fate) or known[path].fate is UNSPECIFIED, path
            assert one.listed in (None, known[path].listed), path


def reference(
    things: dict[str, StorageEntry],
    live: tuple[str, ...],
    tombstones: dict[str, int],
    partition_by: tuple[str, ...],
    line: int,
) -> set[str]:
    """What VACUUM deletes, computed as Delta does: by joins and counts of paths."""
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


@pytest.mark.long
@settings(max_examples=400)
@given(SITUATIONS)
def test_the_listed_paths_agree_with_the_algorithm_of_delta(situation: Situation) -> None:
    things, live, tombstones = situation
    judged = predict(things, live=live, tombstones=tombstones)
    listed = reference(things, live, {p: at for p, at in tombstones.items() if p not in live}, PARTITION_BY, LINE)
    assert {path for path, one in judged.items() if one.listed} == listed

"""Which of the user's tables a known fault concerns, by their shapes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engines.provider import ENGINES, kind_of
from harness.judging.excusing.conditions import CONDITIONS
from known_faults.concerned import RULES_ON_SHAPES, concerned, like_tables
from known_faults.known import by_reason
from records.known_fault import KnownFault, Symptom
from records.run import ConcernedTables
from shapes.reading import ReadTable, Wanted, read_table
from shapes.shape import ColumnKind, Counted, Shape, Shapes, Unreadable, VacuumRun
from shapes.store import root_of
from shapes.told import Told, all_of, any_of
from tests.shapes.tables import write_small, write_table


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Shape:
    return _shape(write_small(tmp_path_factory.mktemp("plain") / "table"))


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Shape:
    """Deletion vectors, URIs, encoded paths, a STRING partition whose name begins with an underscore, an array in a struct."""
    return _shape(write_table(tmp_path_factory.mktemp("rich") / "table"))


def _shape(root: Path) -> Shape:
    found = read_table(str(root), root_of(str(root)), Wanted())
    assert isinstance(found, ReadTable)
    return found.shape


def test_each_rule_that_a_release_changes_has_an_entry() -> None:
    changes = [change for name in ENGINES for change in kind_of(name).rule_changes]
    assert set(RULES_ON_SHAPES) == {one.field for one in changes}
    assert not set(RULES_ON_SHAPES) & set(CONDITIONS)
    assert all(one.withdrawal.rule == one.field for one in changes if one.withdrawal is not None)


@pytest.mark.parametrize(("hours", "told"), [([], None), ([None], None), ([0], None), ([0, 720], True)], ids=str)
def test_a_table_whose_history_has_no_retain_may_still_be_vacuumed_with_one(
    hours: list[int | None], told: Told, plain: Shape
) -> None:
    runs = tuple(VacuumRun(None if one is None else one * 3_600_000, True) for one in hours)
    assert RULES_ON_SHAPES["retain"](replace(plain, history=replace(plain.history, vacuums=runs))) is told


def test_a_shape_tells_of_some_rules_which_tables_they_concern(plain: Shape, rich: Shape) -> None:
    by_time = replace(plain, columns=replace(plain.columns, partition=(ColumnKind("timestamp", True),)))
    known = {"delta.columnMapping.mode": "name", "delta.checkpoint.writeStatsAsJson": "false"}
    widened = replace(
        plain,
        properties=replace(plain.properties, known=known),
        protocol=replace(plain.protocol, features=("typeWidening",)),
    )
    told = {name: tuple(holds(one) for one in (plain, by_time, widened)) for name, holds in RULES_ON_SHAPES.items()}
    assert told["utc_partition_values"] == (False, True, False)
    for name in ("random_directories", "reads_struct_statistics", "row_versions_with_widening"):
        assert told[name] == (False, False, True)
    assert RULES_ON_SHAPES["counts_vectors"](plain) is False
    assert told["reserved_names"] == (None, None, None)


@pytest.mark.parametrize(
    ("condition", "on_plain", "on_rich"),
    [
        ("deletion vectors", False, True),
        ("file named by URI", False, True),
        ("encoded path", False, True),
        ("partition column begins with a dot or an underscore", False, True),
        ("NULL partition value", False, None),
        ("LIKE of a partition", False, None),
        ("several tombstones of a file", False, None),
        ("column mapping", False, False),
        ("change feed", False, False),
        ("fractional partition", False, False),
        ("NaN in a file", False, False),
        ("test of a list", None, None),
        ("link to a directory", None, None),
    ],
)
def test_a_shape_tells_what_a_table_has_and_cannot_have(
    condition: str, on_plain: Told, on_rich: Told, plain: Shape, rich: Shape
) -> None:
    told = CONDITIONS[condition].on_shape
    assert (told(plain), told(rich)) == (on_plain, on_rich)


def test_the_digits_of_a_decimal_are_told_where_their_class_tells_them(plain: Shape) -> None:
    def of(word: str) -> Told:
        columns = replace(plain.columns, kinds=(ColumnKind(word, True),))
        return CONDITIONS["wide DECIMAL column"].on_shape(replace(plain, columns=columns))

    assert [of(f"decimal-{most}") for most in (9, 18, 38)] == [False, None, True]


def test_a_log_that_is_not_whole_may_hide_a_restore(plain: Shape) -> None:
    told = CONDITIONS["several tombstones of a file"].on_shape
    assert told(replace(plain, log=replace(plain.log, cleaned=True))) is None
    assert told(replace(plain, history=replace(plain.history, operations={}))) is None


def test_a_fault_concerns_a_table_by_its_condition_and_its_subject(plain: Shape, rich: Shape) -> None:
    both = KnownFault("A", symptom=Symptom(of="file of a deletion vector"), when="change feed")
    of_vectors = KnownFault("A", symptom=Symptom(of="file of a deletion vector"))
    assert [concerned(one, rich) for one in (both, of_vectors, KnownFault("A"))] == [False, True, None]
    assert concerned(of_vectors, plain) is False
    assert (all_of([True, None]), all_of([False, None]), all_of([True])) == (None, False, True)
    assert (any_of([True, None]), any_of([False, None]), any_of([False])) == (True, None, False)


def test_the_header_counts_the_tables_of_each_fault(plain: Shape, rich: Shape) -> None:
    faults = [
        KnownFault("A", "vectors", when="deletion vectors"),
        KnownFault("B", "vectors", when="change feed"),
        KnownFault("A", "likes", when="LIKE of a partition"),
        KnownFault("A", "mapping", when="column mapping"),
        KnownFault("A", "lists", when="test of a list"),
    ]
    shapes = Shapes(1, "0", 7, (Counted("a" * 12, 5, plain), Counted("b" * 12, 2, rich)), (Unreadable("no-log", 3),))
    like, listed = like_tables(shapes, by_reason(faults), faults)
    assert {one.reason: one.tables for one in listed} == {
        "vectors": ConcernedTables(2, 2),
        "likes": ConcernedTables(0, 2),
        "mapping": ConcernedTables(0, 0),
        "lists": ConcernedTables(0, 7),
    }
    assert (like.tables, like.unreadable) == (7, 3)
    assert [(one.tables, one.faults, one.spared) for one in like.shapes] == [(5, (), (0, 1, 2)), (2, (0,), (2,))]

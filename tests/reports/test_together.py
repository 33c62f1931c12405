"""A run of two engines in turn is read as the ways in which they do not work on the same tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from records.mistakes import UsageMistake
from reports.comparison.shared_tables import SharedTables
from reports.together.reading import read_together
from tests.builders.small_streams import case, kept
from tests.builders.turn_ways import report, write_in_turn
from tests.reports.answers import BACK, BASE, CANDIDATE, FORWARD, LISTED, turns


def test_a_run_in_turn_is_read_as_its_ways(tmp_path: Path) -> None:
    write_in_turn(turns(FORWARD, BACK, LISTED, errors=["x"]), tmp_path)
    found = read_together(tmp_path)
    assert (found.sides, found.cases, found.errors) == ((BASE, CANDIDATE), 4, (f"{4:012x}: x",))
    assert {(one.side, one.known, one.severity, frozenset(one.clauses)) for one in found.ways} == {
        (one.side, one.known, one.severity, frozenset(one.clauses)) for one in (FORWARD, BACK, LISTED)
    }


def test_what_is_no_run_in_turn_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageMistake, match=r"^--together "):
        read_together(tmp_path)
    with pytest.raises(UsageMistake, match="is of one engine: name a directory that `tox -e together` wrote"):
        read_together(kept(tmp_path / "one", case(1)))


def test_a_run_of_other_versions_is_a_mistake() -> None:
    with pytest.raises(UsageMistake, match=r"--together has "):
        SharedTables.of(report(("Delta 3.3.2", CANDIDATE)), "4.3.1", "4.4.0")

"""A run of two engines in turn is read as the ways in which they do not work on the same tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from records.mistakes import UsageMistake
from records.run import Part
from reports.comparison.shared_tables import SharedTables
from reports.findings.answers import answer_of
from reports.stream.reading import Run
from reports.together.reading import read_together
from runner import kept_turns
from runner.kept_turns import kept_in_turn
from tests.builders.small_streams import case, kept, written
from tests.builders.turn_ways import report, write_in_turn
from tests.reports.answers import BACK, BASE, CANDIDATE, FORWARD, LISTED, turns


def test_a_run_in_turn_is_read_as_its_ways(tmp_path: Path) -> None:
    write_in_turn(turns(FORWARD, BACK, LISTED, errors=["x"]), tmp_path)
    found = read_together(tmp_path)
    assert (found.sides, found.cases, found.errors) == ((BASE, CANDIDATE), 4, (f"{4:012x}: x",))
    assert {(one.side, one.known, one.severity, frozenset(one.clauses)) for one in found.ways} == {
        (one.side, one.known, one.severity, frozenset(one.clauses)) for one in (FORWARD, BACK, LISTED)
    }


def test_a_part_of_a_run_says_how_to_get_the_verdict() -> None:
    whole = turns(FORWARD)
    part = Run(replace(whole.header, shard=Part(1, 2, "0" * 16)), whole.cases, whole.footer)
    assert answer_of(part).reason == (
        f"{answer_of(whole).reason}. This is part 1 of 2: python -m reports merge gives the verdict"
    )


def test_a_kept_run_that_was_interrupted_is_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names, made = ("4.3.1", "4.4.0"), list[Path]()

    def run_in_turn(*_: object, report: Path) -> int:
        made.append(report)
        write_in_turn(turns(), report)
        return 0

    monkeypatch.setattr(kept_turns, "run_in_turn", run_in_turn)
    place = tmp_path / "-".join(names)
    place.mkdir()
    (place / "run.jsonl").write_bytes(written([turns().header]))
    with pytest.raises(UsageMistake, match="There is no run of both in turn in"):
        kept_in_turn(names, tmp_path, make=False, remedy="x")
    for _ in range(2):
        assert kept_in_turn(names, tmp_path, make=True, remedy="x").cases == 3
    assert made == [place], "what is there is not run again"


def test_what_is_no_run_in_turn_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageMistake, match=r"^--together "):
        read_together(tmp_path)
    with pytest.raises(UsageMistake, match="is of one engine: name a directory that `tox -e together` wrote"):
        read_together(kept(tmp_path / "one", case(1)))


def test_a_run_of_other_versions_is_a_mistake() -> None:
    with pytest.raises(UsageMistake, match=r"--together has "):
        SharedTables.of(report(("Delta 3.3.2", CANDIDATE)), "4.3.1", "4.4.0")

"""An upgrade with both versions in turn on the same tables: what forbids it, and that there is no way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from model.vocabulary.severity import Severity
from records.mistakes import UsageMistake
from reports.comparison.comparison import Comparison, compare
from reports.together.answer import TurnReport, TurnWay
from reports.together.reading import read_together
from tests.builders.small_streams import case, header, kept, run
from tests.builders.turn_ways import WAY, report, run_in_turn, write_in_turn

BASE, CANDIDATE = "Delta 4.3.1", "Delta 4.4.0"
SCHEMA = Path(__file__).parents[2] / "reports" / "schema" / "comparison-5.json"

FORWARD = replace(WAY, side=CANDIDATE, other=BASE)
BACK = replace(FORWARD, side=BASE, other=CANDIDATE, message="The table cannot be read.", severity=Severity.UNREADABLE)
KNOWN = replace(FORWARD, known="It is listed.")


def turns(*ways: TurnWay, cases: int = 3, errors: Sequence[str] = ()) -> TurnReport:
    return report((BASE, CANDIDATE), *ways, cases=cases, errors=errors)


def compared(report: TurnReport | None, *, allows_changes: bool = False) -> Comparison:
    base, candidate = (run(case(1), first=header(version)) for version in ("4.3.1", "4.4.0"))
    return compare(base, candidate, allows_changes=allows_changes, together=report)


def test_a_run_in_turn_is_read_as_its_ways(tmp_path: Path) -> None:
    write_in_turn(run_in_turn((BASE, CANDIDATE), FORWARD, BACK, KNOWN, errors=["x"]), tmp_path)
    found = read_together(tmp_path)
    assert (found.sides, found.cases, found.errors) == ((BASE, CANDIDATE), 4, (f"{4:012x}: x",))
    assert {(one.side, one.known, one.severity, frozenset(one.clauses)) for one in found.ways} == {
        (one.side, one.known, one.severity, frozenset(one.clauses)) for one in (FORWARD, BACK, KNOWN)
    }


def test_what_is_no_run_in_turn_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageMistake, match=r"^--together "):
        read_together(tmp_path)
    with pytest.raises(UsageMistake, match="is of one engine: name a directory that `tox -e together` wrote"):
        read_together(kept(tmp_path / "one", case(1)))


def test_a_report_about_other_versions_is_a_mistake() -> None:
    with pytest.raises(UsageMistake, match=r"--together has a run of Delta 3.3.2 and Delta 4.4.0, not of"):
        compared(replace(turns(), sides=("Delta 3.3.2", CANDIDATE)))

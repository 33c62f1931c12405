"""An upgrade with both versions in turn on the same tables: what forbids it, and that there is no way back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema_rs import Draft202012Validator

from model.vocabulary.severity import Severity
from records.mistakes import UsageMistake
from reports.comparison.answer import answer_to
from reports.comparison.comparison import Comparison, compare
from reports.render.comparison.files import as_json
from reports.render.together import write_files
from reports.together.answer import TurnReport, TurnWay
from reports.together.reading import FILE, read_together
from tests.builders.small_streams import case, header, run
from tests.builders.turn_ways import WAY

BASE, CANDIDATE = "Delta 4.3.1", "Delta 4.4.0"
SCHEMA = Path(__file__).parents[2] / "reports" / "schema" / "comparison-5.json"

FORWARD = replace(WAY, side=CANDIDATE, other=BASE)
BACK = replace(FORWARD, side=BASE, other=CANDIDATE, message="The table cannot be read.", severity=Severity.UNREADABLE)
KNOWN = replace(FORWARD, known="It is listed.")


def turns(*ways: TurnWay, cases: int = 3, errors: Sequence[str] = ()) -> TurnReport:
    return TurnReport((BASE, CANDIDATE), cases, 40, 61.4, ways, tuple(errors))


def compared(report: TurnReport | None, *, allows_changes: bool = False) -> Comparison:
    base, candidate = (run(case(1), first=header(version)) for version in ("4.3.1", "4.4.0"))
    return compare(base, candidate, allows_changes=allows_changes, together=report)


@pytest.mark.parametrize(
    ("report", "first"),
    [
        (None, "UPGRADE: nothing is worse on Delta 4.4.0 than on 4.3.1"),
        (turns(), "UPGRADE: nothing is worse on Delta 4.4.0 than on 4.3.1"),
        (turns(KNOWN), "UPGRADE: nothing is worse on Delta 4.4.0 than on 4.3.1"),
        (turns(FORWARD), "DO NOT UPGRADE: Delta 4.4.0 loses data in 1 way on tables of 4.3.1"),
        (
            turns(FORWARD, BACK),
            "DO NOT UPGRADE: Delta 4.4.0 loses data in 1 way on tables of 4.3.1; there is no way back",
        ),
        (turns(replace(FORWARD, also_alone=True)), "UPGRADE: nothing is worse on Delta 4.4.0 than on 4.3.1"),
        (turns(BACK), "LOOK FIRST: there is no way back; nothing is worse on Delta 4.4.0 than on 4.3.1"),
        (
            turns(replace(BACK, also_alone=True)),
            "LOOK FIRST: there is no way back; nothing is worse on Delta 4.4.0 than on 4.3.1",
        ),
        (
            turns(errors=["x", "y"]),
            "LOOK FIRST: nothing is worse on Delta 4.4.0 than on 4.3.1; 2 cases could not be judged in turn",
        ),
        (turns(cases=0), "LOOK FIRST: nothing is worse on Delta 4.4.0 than on 4.3.1; no case was judged in turn"),
        (
            turns(cases=0, errors=["pip finds no pyspark==4.9.", "x"]),
            "LOOK FIRST: nothing is worse on Delta 4.4.0 than on 4.3.1; no case was judged in turn: pip finds no pyspark==4.9",
        ),
    ],
)
def test_the_first_line(report: TurnReport | None, first: str) -> None:
    found = compared(report)
    assert str(answer_to(found)) == first
    assert answer_to(found).exit == {"U": 0, "D": 1, "L": 3}[first[0]]


def test_changes_that_are_allowed_do_not_allow_what_goes_wrong_on_tables_of_the_base() -> None:
    assert compared(turns(BACK), allows_changes=True).exit == 0
    assert compared(turns(FORWARD), allows_changes=True).exit == 1


def test_the_json_follows_the_schema() -> None:
    schema = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    for report in (None, turns(), turns(FORWARD, BACK, KNOWN, errors=["x"])):
        schema.validate(json.loads(json.dumps(as_json(compared(report)))))


def test_a_report_is_read_back(tmp_path: Path) -> None:
    report = turns(FORWARD, BACK, KNOWN, errors=["x"])
    write_files(report, tmp_path)
    assert read_together(tmp_path) == report


@pytest.mark.parametrize("content", [None, "no JSON", "[]", "{}", '{"sides": 1}'])
def test_what_is_no_report_is_a_mistake(content: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / FILE).write_text(content, encoding="utf-8")
    with pytest.raises(UsageMistake, match=FILE):
        read_together(tmp_path)


def test_a_report_about_other_versions_is_a_mistake() -> None:
    with pytest.raises(UsageMistake, match=r"--together has a run of Delta 3.3.2 and Delta 4.4.0, not of"):
        compared(replace(turns(), sides=("Delta 3.3.2", CANDIDATE)))

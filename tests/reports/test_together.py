"""The answer of two engines in turn, its sentences and its files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from harness.campaigns.corpus import corpus_cases
from model.codec import case_id, loads
from model.vocabulary.severity import Severity
from records.mistakes import UsageMistake
from reports.render.together import (
    CASES,
    JSON,
    MARKS,
    SUMMARY,
    prepare,
    write_case,
    write_files,
    write_script,
)
from reports.together.answer import TurnReport, TurnWay, answer_of
from tests.builders.turn_ways import WAY

A, B = "Delta 4.4.0", "deltalake 1.6.6"
NEW = replace(
    WAY,
    side=A,
    other=B,
    severity=Severity.WRONG_ANSWERS,
    message="3 rows are read, 2 are there: a|b.",
    cases=("50fe18cd8156", "b5937cf56dc7"),
)
KNOWN = replace(NEW, side=B, other=A, known="It is listed.", cases=("222222222222",), severity=Severity.WRONG_WORDS)


def run(*ways: TurnWay, cases: int = 3, errors: Sequence[str] = ()) -> TurnReport:
    return TurnReport((A, B), cases, 40, 61.4, ways, tuple(errors))


def test_the_json_has_all_that_the_run_found(tmp_path: Path) -> None:
    write_files(run(NEW, KNOWN, errors=["x"]), tmp_path)
    content = json.loads((tmp_path / JSON).read_text(encoding="utf-8"))
    answer = answer_of(run(NEW))
    assert (content["answer"], content["exit"], content["reason"]) == (answer.word.value, 1, answer.reason)
    assert (content["sides"], content["cases"], content["errors"]) == ([A, B], 3, ["x"])
    assert [way["known"] for way in content["ways"]] == [None, "It is listed."]
    assert content["ways"][0]["severity"] == Severity.WRONG_ANSWERS.value


def test_a_later_run_replaces_an_earlier_one_and_nothing_of_the_user(tmp_path: Path) -> None:
    case, *_ = corpus_cases("smoke")
    prepare(tmp_path, option="--out")
    write_files(run(NEW), tmp_path)
    write_case(case, case_id(case), tmp_path)
    assert loads((tmp_path / CASES / f"{case_id(case)}.json").read_text(encoding="utf-8")) == case
    (tmp_path / CASES / "notes.json").write_text("{}", encoding="utf-8")
    write_script("first", case_id(case), tmp_path)
    prepare(tmp_path, option="--out")
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == [CASES, f"{CASES}/notes.json"]
    own = tmp_path / CASES / f"{case_id(case)}.json"
    own.write_text("mine", encoding="utf-8")
    write_case(case, case_id(case), tmp_path)
    assert own.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", MARKS)
def test_a_file_of_the_user_is_not_replaced(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("# mine\n", encoding="utf-8")
    with pytest.raises(UsageMistake, match=r"^--out: .* is not of Tombstone, and would be replaced"):
        prepare(tmp_path, option="--out")
    assert (tmp_path / name).read_text(encoding="utf-8") == "# mine\n"


@pytest.mark.parametrize("out", ["report", f"report/{CASES}", f"report/{CASES}/deeper"])
def test_a_directory_that_cannot_be_made_is_a_mistake(out: str, tmp_path: Path) -> None:
    (tmp_path / "report").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageMistake, match=r"^--out .* cannot be written \("):
        prepare(tmp_path / out, option="--out")


def test_the_summary_is_known_as_one_of_the_suite(tmp_path: Path) -> None:
    for judged in (run(), run(NEW), run(cases=0)):
        write_files(judged, tmp_path)
        assert (tmp_path / SUMMARY).exists()
        prepare(tmp_path, option="--out")
        assert not (tmp_path / SUMMARY).exists()


# Scripts --------------------------------------------------------------------------------------------------------------


def test_each_way_of_a_case_has_a_script_of_its_own_and_the_users_stay(tmp_path: Path) -> None:
    case, *_ = corpus_cases("smoke")
    id = case_id(case)
    prepare(tmp_path, option="--out")
    write_case(case, id, tmp_path)
    assert write_script("first", id, tmp_path) == f"{CASES}/{id}/reproduce.py"
    assert write_script("second", id, tmp_path) == f"{CASES}/{id}/reproduce-2.py"
    own = tmp_path / CASES / id / "reproduce-mine.py"
    own.write_text("mine", encoding="utf-8")
    prepare(tmp_path, option="--out")
    assert [path.name for path in own.parent.iterdir()] == [own.name]
    own.write_text("mine", encoding="utf-8")
    assert write_script("again", id, tmp_path) == f"{CASES}/{id}/reproduce.py"
    assert own.read_text(encoding="utf-8") == "mine"

"""The answer of two engines in turn, its sentences and its files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.campaigns.corpus import corpus_cases
from model.codec import case_id, loads
from records.mistakes import UsageMistake
from reports.render.together import (
    CASES,
    MARKS,
    prepare,
    write_case,
    write_files,
    write_script,
)
from reports.together.reading import FILE, read_together
from tests.reports.answers import BACK, CANDIDATE, FORWARD, LISTED, compared, turns


def test_a_later_run_replaces_an_earlier_one_and_nothing_of_the_user(tmp_path: Path) -> None:
    case, *_ = corpus_cases("smoke")
    prepare(tmp_path, option="--out")
    write_files(turns(FORWARD), tmp_path)
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


def test_a_report_is_read_back(tmp_path: Path) -> None:
    report = turns(FORWARD, BACK, LISTED, errors=["x"])
    write_files(report, tmp_path)
    assert read_together(tmp_path) == report


@pytest.mark.parametrize("content", [None, "no JSON", "[]", "{}", '{"sides": 1}'])
def test_what_is_no_report_is_a_mistake(content: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / FILE).write_text(content, encoding="utf-8")
    with pytest.raises(UsageMistake, match=FILE):
        read_together(tmp_path)


def test_a_report_about_other_versions_is_a_mistake() -> None:
    with pytest.raises(UsageMistake, match=r"--together has Delta 3.3.2 and Delta 4.4.0 in turn"):
        compared(replace(turns(), sides=("Delta 3.3.2", CANDIDATE)))


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

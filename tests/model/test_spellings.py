"""The spellings of a table's path: each leads to the table, and a case has one only where its command has a path."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from engines.named_paths import named_path
from harness.observing.steps.observation import relative
from model import codec
from model.codec import InvalidCase
from model.codec.converter import FORM
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.case import Case
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import DELETES_BY_PATH, NAMED_RELATIVELY, Delete, Form, Read, Vacuum, VacuumForm
from strategies.cases.spellings import SPELLINGS
from strategies.restriction.capabilities import restricted_step
from tests.drawn_cases import drawn
from tests.handmade.steps import PARTITIONED


@pytest.mark.parametrize("spelling", Spelling)
def test_each_spelling_leads_to_the_table(spelling: Spelling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "case" / "table"
    root.mkdir(parents=True)
    (root / "here").touch()
    monkeypatch.chdir(tmp_path)
    with named_path(root, spelling, working_directory=str(tmp_path)) as path:
        assert (path == str(root)) is (spelling is Spelling.PLAIN)
        assert os.path.exists(os.path.join(urlsplit(path).path, "here"))
    assert [found.name for found in root.parent.iterdir()] == ["table"], "the link is removed"


def test_a_link_is_removed_after_an_error(tmp_path: Path) -> None:
    link = tmp_path / "table-link"

    def fail() -> None:
        with named_path(tmp_path / "table", Spelling.LINK, working_directory="/"):
            assert link.is_symlink()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not link.is_symlink()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("file:/a/table/x", "x"),
        ("file:/a/table-link/x", "x"),
        ("/a/table-link", ""),
        ("file:/a/table-links/x", "/a/table-links/x"),
    ],
)
def test_what_an_engine_answers_is_below_the_root_or_the_link(path: str, expected: str) -> None:
    assert relative(path, "/a/table") == expected


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        (Delete(form=Form.SQL_NAME, spelling=Spelling.DOT), "sql by name has no path"),
        (Vacuum(form=VacuumForm.API_NAME, spelling=Spelling.DOT), "DeltaTable.forName has no path"),
        (Vacuum(spelling=Spelling.RELATIVE), "sql by path cannot have a relative path"),
    ],
)
def test_a_command_without_such_a_path_has_no_spelling(step: Delete | Vacuum, problem: str) -> None:
    with pytest.raises(InvalidCase, match=problem):
        codec.from_json(codec.to_json(Case(PARTITIONED, (step,))))


def test_neither_is_in_the_document_of_a_case_that_does_not_use_it() -> None:
    assert FORM.write(Delete()) == {"step": "delete"} and FORM.write(Vacuum()) == {"step": "vacuum"}
    used = Delete(cached=True, spelling=Spelling.LINK)
    assert FORM.write(used) == {
        "step": "delete",
        "cached": True,
        "spelling": "symbolic link to the directory",
    }


def test_an_engine_without_them_is_asked_for_the_plain_command() -> None:
    less = replace(EVERYTHING, caches=False, spellings=frozenset({Spelling.PLAIN}))
    assert restricted_step(Delete(cached=True, spelling=Spelling.DOT), capabilities=less) == Delete()
    assert restricted_step(Vacuum(spelling=Spelling.DOT), capabilities=less) == Vacuum()
    in_sql = replace(EVERYTHING, delete_forms=frozenset({Form.SQL_PATH}))
    relative_path = Delete(form=Form.API_PATH, spelling=Spelling.RELATIVE)
    assert restricted_step(relative_path, capabilities=in_sql) == Delete()
    found = restricted_step(replace(relative_path, spelling=Spelling.DOT), capabilities=in_sql)
    assert isinstance(found, Delete) and found.spelling is Spelling.DOT


@pytest.mark.xdist_group("drawn")
def test_every_spelling_is_drawn_with_and_without_a_cache() -> None:
    cases = drawn("spelling_cases")
    commands = [command for _, command, *_ in (case.steps for case in cases) if isinstance(command, (Delete, Vacuum))]
    assert len(commands) == len(cases)
    assert {command.spelling for command in commands} == set(SPELLINGS)
    deletes = [step for case in cases for step in case.steps if isinstance(step, Delete)]
    assert {step.cached for step in deletes} == {True, False}
    assert {step.form for step in deletes if step.cached} == set(Form)
    for step in deletes:
        assert (step.spelling is not Spelling.PLAIN) is (step.form in DELETES_BY_PATH)
        assert step.spelling is not Spelling.RELATIVE or step.form in NAMED_RELATIVELY
    assert all(isinstance(case.steps[-1], Read) for case in cases)

"""Conditions that the model does not evaluate: the engine is asked, and must delete the rows that it said."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from engines.port import EngineError, Outcome
from harness.observing.observer import Observer
from harness.running.verbatim_answers import answered
from model.codec import InvalidCase, dumps, loads
from model.semantics.evaluate import Unanswered, evaluate, might_fail
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.case import Case
from model.vocabulary.commands import Assignment, Update
from model.vocabulary.predicate import (
    And,
    Answered,
    Compare,
    IsNull,
    Language,
    Not,
    Op,
    Or,
    Predicate,
    Verbatim,
    key_of,
    verbatim_tests,
)
from model.vocabulary.steps import AtOnce, Crash, CrashPoint, Delete, OpenSession, OtherCommand, Read, Request, Step
from model.vocabulary.table import Column, Commit, DataFile, Table
from model.vocabulary.values import Type, Value
from reference_engine import ReferenceEngine
from strategies.cases.verbatim_deletes import verbatim_deletes
from strategies.conditions.signatures import FILES, signatures_of, text_of
from strategies.restriction.capabilities import restricted_to
from tests.builders.observations import START, full_judge, make

TABLE = Table(
    columns=(Column("p", Type.INTEGER), Column("s", Type.STRING), Column("v", Type.INTEGER)),
    partition_by=("p",),
    files=(
        DataFile(id=0, partition=(1,), rows=(("a", 1), ("b", 2), ("c", 3), ("d", 4)), modified=-9),
        DataFile(id=1, partition=(2,), rows=(("e", 1), ("f", 2), (None, 3)), modified=-9),
    ),
    commits=(Commit(at=-5, adds=(0, 1)),),
)
TEST = Verbatim("levenshtein(`s`, 'a') < 2", ("s",))
ONE = Compare("v", Op.EQ, 1, Type.INTEGER)


class Deaf(ReferenceEngine):
    """It deletes by another condition than the one of which it was asked."""

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        if isinstance(step, Delete) and (tests := verbatim_tests(step.where)):
            step = replace(step, where=replace(tests[0], text=f"NOT {tests[0].text}"))
        return super().run(root, step, clock=clock, version=version)


class Answers(ReferenceEngine):
    """What it answers when it is asked is changed."""

    def __init__(self, change: Any) -> None:
        super().__init__()
        self._change = change

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        outcome = super().run(root, step, clock=clock, version=version)
        changed: Outcome = outcome if isinstance(step, Delete) else self._change(outcome)
        return changed


@pytest.mark.parametrize("where", [TEST, Not(TEST), And(TEST, ONE), Or(ONE, Not(TEST)), And(TEST, IsNull("p"))])
def test_the_engine_deletes_what_it_said(where: Predicate, tmp_path: Path) -> None:
    found = full_judge(ReferenceEngine(), tmp_path).judge(Case(TABLE, (Delete(where), Read())))
    assert found.failure is None and not found.violated
    assert "DEL-INFO-1A" in found.tallies or "DEL-NOOP-1" in found.tallies


def test_an_engine_that_deletes_other_rows_is_noticed(tmp_path: Path) -> None:
    found = full_judge(Deaf(), tmp_path).judge(Case(TABLE, (Delete(TEST), Read())))
    assert found.failure is None and {"DEL-ROW-1", "DEL-ROW-5B"} & set(found.violated)


def refused(outcome: Outcome) -> Outcome:
    return replace(outcome, rows=(), error=EngineError("Error", None, None, "no such function"))


def unsure(outcome: Outcome) -> Outcome:
    """It says TRUE of a row, and FALSE of the same values."""
    first, *others = outcome.rows
    return replace(outcome, rows=((*first[:-1], True), (*first[:-1], False), *others[1:]))


@pytest.mark.parametrize(
    "change",
    [refused, unsure, lambda outcome: replace(outcome, rows=outcome.rows[1:])],
    ids=["an error", "two answers", "fewer rows"],
)
def test_without_a_usable_answer_the_delete_is_not_run(change: Any, tmp_path: Path) -> None:
    same = replace(TABLE, files=(replace(TABLE.files[0], rows=(("a", 1), ("a", 1))), TABLE.files[1]))
    empty = replace(TABLE, files=(replace(TABLE.files[0], rows=()), TABLE.files[1]))
    for table, usable in ((same, True), (empty, False)):  # a file without visible rows says nothing
        state = Observer(table, make(table, tmp_path / str(usable))).observe()
        rows = tuple((*row, None) for row in state.rows.elements()) if state.rows else ()
        outcome = Outcome(rows, None, START, START)
        assert (answered(Delete(TEST), outcome, state, table) is not None) is usable
        assert answered(Delete(TEST), change(outcome), state, table) is None


def test_a_wrong_read_that_stands_in_for_the_delete_is_judged(tmp_path: Path) -> None:
    engine = Answers(lambda outcome: replace(outcome, rows=outcome.rows[1:]))
    found = full_judge(engine, tmp_path).judge(Case(TABLE, (Delete(ONE), Delete(TEST))))
    assert found.violated == ["DEL-ROW-5A"]


# What is known of values ----------------------------------------------------------------------------------------------


def test_only_what_was_answered_is_known() -> None:
    row: dict[str, Value] = {"p": 1, "s": "a", "v": 1}
    known = Answered(TEST.text, TEST.columns, TEST.language, {key_of(TEST, row): True})
    assert evaluate(And(known, ONE), row) is True
    with pytest.raises(Unanswered):
        evaluate(known, {**row, "s": "b"})
    assert not might_fail(known, [row, {**row, "s": None}])  # the row that stands for a file's partition
    assert might_fail(known, [row, {**row, "s": "hidden"}])


# The JSON form --------------------------------------------------------------------------------------------------------


def test_a_case_has_the_text_and_never_the_answer() -> None:
    case = Case(TABLE, (Delete(Not(TEST)),))
    known = Answered(TEST.text, TEST.columns, TEST.language, {"x": True})
    assert loads(dumps(case)) == case
    assert dumps(Case(TABLE, (Delete(Not(known)),))) == dumps(case)


@pytest.mark.parametrize(
    ("steps", "path"),
    [
        ((AtOnce(Delete(TEST), Delete(ONE)),), "steps[0].first.where"),
        ((Delete(TEST, crash=Crash(CrashPoint.COMMITTED)),), "steps[0].where"),
        ((OpenSession(), Delete(TEST, by_earlier=True)), "steps[1].where"),
        ((OtherCommand(Update(Assignment("v", Type.INTEGER, 1), TEST)),), "steps[0].command.where"),
    ],
)
def test_nobody_is_asked_before_other_steps(steps: tuple[Step, ...], path: str) -> None:
    with pytest.raises(InvalidCase, match="has a verbatim test, of which the engine is asked only before") as caught:
        loads(dumps(Case(TABLE, steps)))
    assert caught.value.path == path


# Drawing --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", Language)
def test_drawn_cases_are_valid(language: Language) -> None:
    @settings(max_examples=60, database=None, deadline=None)
    @given(verbatim_deletes(language=language))
    def check(case: Case) -> None:
        assert loads(dumps(case)) == case
        for step in case.steps:
            for test in verbatim_tests(step.where) if isinstance(step, Delete) else ():
                assert test.columns and test.language is language
                assert not re.search(r"\b(generate_series|range)\((?!greatest\()", test.text)  # else it may never end

    check()


@pytest.mark.parametrize("language", Language)
def test_the_files_of_signatures_are_as_they_are_written(language: Language) -> None:
    assert len({one.name for one in signatures_of(language)}) > 150
    text = FILES[language].read_text(encoding="utf-8")
    assert text.startswith("[\n") and text.endswith("\n]\n")
    assert text_of(list(signatures_of(language))).count("\n") <= text.count("\n")


def test_an_engine_of_another_language_gets_another_test() -> None:
    case = Case(TABLE, (Delete(And(TEST, ONE)),))
    other = replace(EVERYTHING, languages=frozenset({Language.DATAFUSION}))
    (step,) = restricted_to(case, capabilities=other).steps
    assert step == Delete(And(IsNull("s"), ONE))

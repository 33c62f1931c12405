"""READ-2: a script asks again in the way that went wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engines.deltalake.capabilities import capabilities_of
from engines.port import Answer, EngineError, Outcome
from engines.wrapped import WrappedEngine
from harness.running.judge import Judge
from model.vocabulary.case import Case
from model.vocabulary.readings import Reading
from model.vocabulary.rules import DELTA_RS
from model.vocabulary.steps import Read, Request
from model.vocabulary.table import HOUR, Column, Commit, DataFile, Table
from model.vocabulary.values import Type
from records.expectations import Answers
from reference_engine import ReferenceEngine
from suites.catalogue import CATALOGUE, unsupported
from tests import scripts

CASE = Case(
    Table((Column("v", Type.INTEGER),), (), (DataFile(0, (), ((1,), (2,)), -HOUR),), (Commit(-HOUR, adds=(0,)),)),
    (Read(),),
)
FAILED = EngineError("ArrowNotImplementedError", None, None, "no kernel")


class Answering(WrappedEngine):
    """An engine of the rules of delta-rs that gives this answer to one reading."""

    def __init__(self, wrong: Answer | None = None) -> None:
        super().__init__(ReferenceEngine(rules=DELTA_RS, capabilities=capabilities_of("1.6.6")))
        self._wrong = wrong

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        outcome, wrong = self._engine.run(root, step, clock=clock, version=version), self._wrong
        if wrong is None:
            return outcome
        answers = {way: wrong if one.reading is wrong.reading else one for way, one in outcome.answers.items()}
        return replace(outcome, answers=answers)


@pytest.mark.parametrize(
    ("wrong", "clause", "expected"),
    [
        (Answer(Reading.COUNTED, ((3,),)), "READ-2A", Answers(Reading.COUNTED, [[2]])),
        (Answer(Reading.COUNT, error=FAILED), "READ-2A", Answers(Reading.COUNT, [[2]])),
        (Answer(Reading.FILTERED, error=FAILED), "READ-2D", Answers(Reading.FILTERED, [(1, 0, 0)], ["v"], [2])),
        (Answer(Reading.ROWS, ((1,),)), "DEL-ROW-5C", Answers(Reading.ROWS, [[1], [2]])),
    ],
    ids=lambda one: one if isinstance(one, str) else one.reading.name,
)
def test_a_script_asks_again(wrong: Answer, clause: str, expected: Answers, tmp_path: Path) -> None:
    unpromised = unsupported(Answering())
    clauses = [one for id, one in CATALOGUE.items() if id not in unpromised]
    (plan,) = scripts.plans(CASE, Judge(Answering(wrong), clauses, tmp_path / "judged"))
    assert (plan.clause, plan.expectation) == (clause, expected)
    assert scripts.outcome(plan, Answering(wrong), CASE, tmp_path / "wrong")[0] == 1
    assert scripts.outcome(plan, Answering(), CASE, tmp_path / "right")[0] == 0

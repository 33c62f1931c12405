"""An append-only table: who must refuse a DELETE that matches no row."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engines.port import Outcome
from engines.wrapped import WrappedEngine
from harness.running.judge import Judge
from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.rules import DELTA_RS, SPARK, Rules
from model.vocabulary.steps import Delete, Request
from model.vocabulary.table import Feature
from model.vocabulary.values import Type
from reference_engine import ReferenceEngine
from suites.catalogue import CATALOGUE
from tests.handmade.commands import table

OUTSIDE = replace(DELTA_RS, implementation=None)


class Idle(WrappedEngine):
    """Says that it deleted no row, and does nothing."""

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        return Outcome(((0,),), None, clock, clock)


@pytest.mark.parametrize(
    ("rules", "value", "violated"),
    [
        (SPARK, 99, ["DEL-REF-1A"]),
        (DELTA_RS, 99, ["DEL-REF-1A"]),
        (OUTSIDE, 99, []),
        (OUTSIDE, 1, ["DEL-REF-1A"]),
    ],
    ids=["Spark", "delta-rs", "an engine from outside", "an engine from outside, of a row that is there"],
)
def test_a_delete_of_an_append_only_table(rules: Rules, value: int, violated: list[str], tmp_path: Path) -> None:
    case = Case(table(Feature.APPEND_ONLY), (Delete(Compare("v", Op.EQ, value, Type.INTEGER)),))
    clauses = [CATALOGUE[id] for id in ("DEL-REF-1A", "DEL-REF-1B")]
    judged = Judge(Idle(ReferenceEngine(rules=rules)), clauses, tmp_path).judge(case)
    assert judged.failure is None and sorted(judged.violated) == violated

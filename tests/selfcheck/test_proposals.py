"""The cases of a random run that are proposed for the corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Delete, Read, Vacuum
from model.vocabulary.values import Type
from records.mistakes import UsageMistake
from selfcheck.corpus.page import Shown
from selfcheck.proposals import cases_of, proposals
from tests.handmade.steps import PARTITIONED

READ, VACUUM = Case(PARTITIONED, (Read(),)), Case(PARTITIONED, (Vacuum(),))
BOTH = Case(PARTITIONED, (Delete(Compare("v", Op.EQ, 1, Type.INTEGER)), Vacuum()))
A, B, C = ("form", "a"), ("form", "b"), ("branch", "c")


def test_a_case_with_new_facets_is_proposed_with_them() -> None:
    (found,) = proposals([{A: 1}], [Shown(READ, {A: 3}), Shown(VACUUM, {A: 1, B: 1})])
    assert found.case == VACUUM and found.facets == (B,)


def test_what_one_proposal_shows_is_not_proposed_again() -> None:
    found = proposals([], [Shown(READ, {A: 1}), Shown(READ, {A: 1}), Shown(BOTH, {B: 1, C: 1})])
    assert sorted(facet for proposal in found for facet in proposal.facets) == sorted({A, B, C})
    assert len(found) == 2


def test_nothing_new_is_no_proposal() -> None:
    assert proposals([{A: 1}, {B: 2}], [Shown(READ, {A: 1, B: 1})]) == []


def test_a_directory_without_a_run_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageMistake, match="There is no run stream"):
        cases_of(tmp_path)

"""How literals are written: how often without types, and only where there is something to write."""

from __future__ import annotations

from hypothesis import strategies as st

from model.vocabulary.predicate import And, Compare, Constant, IsNull, Like, Op
from model.vocabulary.steps import Delete, Literals
from model.vocabulary.values import Type
from strategies.conditions.literals import conditional_deletes, literals
from tests.drawn_cases import drawn_by
from tests.sampling import check_shares, sample

ONE = Compare("v", Op.EQ, 1, Type.INTEGER)
NO_NUMBERS = (
    None,
    Constant(True),
    IsNull("v"),
    Like("s", "1%"),
    Compare("s", Op.EQ, "1", Type.STRING),
    Compare("b", Op.EQ, True, Type.BOOLEAN),
    Compare("v", Op.EQ, None, Type.INTEGER),
)


def test_each_way_is_drawn() -> None:
    found = sample(literals(And(IsNull("s"), ONE)))
    check_shares(found, lambda one: {way.name: (8, one is way) for way in Literals})


def test_what_has_no_numbers_has_types() -> None:
    assert {one for where in NO_NUMBERS for one in sample(literals(where), seeds=(1,))} == {Literals.EXACT}


def test_deletes_have_their_conditions() -> None:
    found = sample(conditional_deletes(st.just(ONE)), seeds=(1,))
    assert {step.where for step in found} == {ONE}
    assert {step.literals for step in found} == set(Literals)


def test_campaigns_draw_them() -> None:
    for campaign in ("row_deletes", "typed_deletes"):
        steps = [step for case in drawn_by(campaign, 60) for step in case.steps if isinstance(step, Delete)]
        plain = sum(step.literals is not Literals.EXACT for step in steps)
        assert plain * 20 >= len(steps), campaign

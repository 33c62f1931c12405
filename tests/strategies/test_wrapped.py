"""Conditions in functions: they are drawn in whole and in part, by each kind of function, over several files in one task."""

from __future__ import annotations

from dataclasses import replace

import pytest

from model import codec
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.case import Case
from model.vocabulary.predicate import And, Not, Or, Predicate, Wrapped, Wrapper, wrappers_of
from model.vocabulary.settings import Setting
from model.vocabulary.steps import Delete
from model.vocabulary.table import Feature
from strategies.conditions.wrapped import wrapped, wrapped_deletes
from strategies.restriction.capabilities import fits, restricted_to
from strategies.tables.initial_tables import live_files
from tests.handmade.conditions import ONE, called
from tests.sampling import sample


def conditions(case: Case) -> list[Predicate]:
    return [step.where for step in case.steps if isinstance(step, Delete) and step.where is not None]


@pytest.mark.long
def test_cases_are_valid_and_have_all_kinds_of_functions_and_tables() -> None:
    cases = sample(wrapped_deletes())
    assert all(codec.from_json(codec.to_json(case)) == case for case in cases)
    assert all(wrappers_of(where) for case in cases for where in conditions(case))
    together = [case for case in cases if Setting.FILES_TOGETHER in case.steps[0].settings]  # type: ignore[union-attr]
    assert 0.6 < len(together) / len(cases) < 0.95
    several = [
        one for one in together if len(live_files(one.table)) > 1 and not one.table.has(Feature.DELETION_VECTORS)
    ]
    assert len(several) > len(cases) / 3
    kinds = [kind for one in several for where in conditions(one) for kind in wrappers_of(where)]
    assert min(map(kinds.count, Wrapper)) > 20


def test_half_of_the_joined_conditions_have_a_part_in_a_function() -> None:
    joined: tuple[Predicate, ...] = (And(ONE, ONE), Or(ONE, ONE), Not(ONE))
    for where in joined:
        found = sample(wrapped(where), examples=10)
        whole = [one for one in found if isinstance(one, Wrapped)]
        assert all(one.operand == where for one in whole) and 15 < len(whole) < 45
        assert all(type(one) is type(where) and wrappers_of(one) for one in found if one not in whole)


def test_an_engine_without_a_kind_of_function_gets_the_condition_itself() -> None:
    without = replace(EVERYTHING, wrappers=frozenset({Wrapper.PYTHON}))
    assert fits(called(Wrapper.PYTHON), capabilities=without) and not fits(called(Wrapper.ARROW), capabilities=without)
    case = called(Wrapper.ARROW)
    (where,) = conditions(restricted_to(case, capabilities=without))
    assert where == ONE
    both = Case(case.table, (Delete(Not(And(Wrapped(Wrapped(ONE, Wrapper.PYTHON), Wrapper.ARROW), ONE))),))
    assert conditions(restricted_to(both, capabilities=without)) == [Not(And(Wrapped(ONE, Wrapper.PYTHON), ONE))]

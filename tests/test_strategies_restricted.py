"""Cases for an engine that cannot be asked for everything."""

from __future__ import annotations

import pytest
from hypothesis import given

from engines.deltalake.capabilities import capabilities_of
from model import codec
from model.capabilities import EVERYTHING, Capabilities, has
from model.case import Case
from model.predicate import And, Compare, Holds, IsNull, Missing, Not, Of, Op, Or, Relate
from model.steps import (
    Delete,
    DeleteMistake,
    Form,
    InvalidDelete,
    InvalidVacuum,
    Inventory,
    IOFault,
    Mode,
    Read,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.table import Column, Feature, Table
from model.values import ArrayOf, Type
from strategies.restricted import fitted_step, knows_types, restricted_cases, restricted_to
from tests.drawn_cases import ALL, drawn_by
from tests.sampling import fifty

LITTLE = capabilities_of("1.6.6")
NOTHING = Capabilities(
    features=frozenset(),
    types=frozenset(Type),
    modes=frozenset({Mode.FULL}),
    io_faults=frozenset(),
    functions=frozenset(),
    casts=False,
    vectors=frozenset(),
    references=frozenset(),
    column_rules=False,
    pruned_logs=False,
)


@pytest.mark.parametrize("name", ALL)
def test_an_engine_that_can_do_everything_gets_the_very_same_cases(name: str) -> None:
    for case in drawn_by(name, 3):
        assert restricted_to(case, capabilities=EVERYTHING) is case
        assert knows_types(case, capabilities=EVERYTHING)


@pytest.mark.parametrize("capabilities", [LITTLE, NOTHING], ids=["deltalake", "next to nothing"])
@pytest.mark.parametrize("name", ALL)
def test_what_is_left_is_what_the_engine_can_do(name: str, capabilities: Capabilities) -> None:
    for case in drawn_by(name, 4):
        fits = restricted_to(case, capabilities=capabilities)
        assert len(fits.steps) == len(case.steps), "steps name each other by their numbers"
        assert restricted_to(fits, capabilities=capabilities) == fits
        assert codec.loads(codec.dumps(fits)) == fits
        assert all(has(capabilities, Feature(feature)) for feature in fits.table.features)
        for step in fits.steps:
            if isinstance(step, Vacuum):
                assert step.mode in capabilities.modes
                assert step.io_fault is None or step.io_fault in capabilities.io_faults
            if isinstance(step, InvalidDelete):
                assert step.mistake in capabilities.delete_mistakes


@fifty
@given(restricted_cases(ALL["typed_deletes"][0](), capabilities=LITTLE))
def test_cases_are_fitted_as_they_are_drawn(case: Case) -> None:
    assert knows_types(case, capabilities=LITTLE)
    assert restricted_to(case, capabilities=LITTLE) == case


def test_types_decide_whether_a_case_is_left_out() -> None:
    def case(type: object) -> Case:
        return Case(Table((Column("v", type),), (), (), ()), (Read(),))  # type: ignore[arg-type]

    few = Capabilities(types=frozenset({Type.LONG}), nested=False, decimals=False)
    assert knows_types(case(Type.LONG), capabilities=few)
    assert not knows_types(case(Type.DATE), capabilities=few)
    assert not knows_types(case(ArrayOf(Type.LONG)), capabilities=few)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (Vacuum(mode=Mode.DEFAULT), Vacuum(mode=Mode.FULL)),
        (Vacuum(mode=Mode.LITE_SETTING), Vacuum(mode=Mode.LITE)),
        (Vacuum(mode=Mode.INVENTORY_QUERY, inventory=Inventory.FILES), Vacuum(mode=Mode.FULL)),
        (Vacuum(mode=Mode.FULL, form=VacuumForm.SQL_NAME, parallel=True, logging=False), Vacuum(mode=Mode.FULL)),
        (Vacuum(2.4, mode=Mode.FULL), Vacuum(2.0, mode=Mode.FULL)),
        (Vacuum(-3.0, mode=Mode.LITE), Vacuum(0.0, mode=Mode.LITE)),
        (Vacuum(mode=Mode.LITE, io_fault=IOFault.CANNOT_LIST, faulty_path="d"), Vacuum(mode=Mode.LITE)),
        (InvalidDelete(DeleteMistake.VIEW), Read()),
        (InvalidDelete(DeleteMistake.MISSING_PATH), InvalidDelete(DeleteMistake.MISSING_PATH)),
        (InvalidVacuum(VacuumMistake.CLAUSE_TWICE), Read()),
        (Delete(None, form=Form.TRUNCATE), Delete(None)),
        (Delete(None, zone="Asia/Kolkata"), Delete(None)),
    ],
)
def test_each_step_has_a_nearest_one(step: object, expected: object) -> None:
    assert fitted_step(step, capabilities=LITTLE) == expected  # type: ignore[arg-type]


def test_tests_that_are_not_taken_become_tests_of_missing_values() -> None:
    plain = Compare("a", Op.GT, 1, Type.LONG)
    where = Or(And(plain, Not(Holds(Of("b")))), Relate(Of("c"), Op.EQ, Of("a")))
    expected = Or(And(plain, Not(IsNull("b"))), IsNull("a"))
    assert fitted_step(Delete(where), capabilities=LITTLE) == Delete(expected)
    assert fitted_step(Delete(Missing(Of("b"))), capabilities=LITTLE) == Delete(IsNull("b"))


def test_what_two_engines_share() -> None:
    assert EVERYTHING.shared(LITTLE) == LITTLE == LITTLE.shared(EVERYTHING)
    assert LITTLE.shared(NOTHING).modes == {Mode.FULL}


def test_a_need_that_is_no_capability_is_an_error() -> None:
    with pytest.raises(AttributeError):
        has(EVERYTHING, "telepathy")

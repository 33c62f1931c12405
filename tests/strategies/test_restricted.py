"""Cases restricted to the capabilities of an engine."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given

from engines.deltalake.capabilities import capabilities_of
from model import codec
from model.vocabulary.capabilities import EVERYTHING, Capabilities, has
from model.vocabulary.case import Case
from model.vocabulary.commands import (
    AddColumn,
    Assignment,
    CommandKind,
    DropFeature,
    Optimize,
    Overwrite,
    RenameColumn,
    ShallowClone,
    Switch,
    Update,
    VacuumClone,
)
from model.vocabulary.predicate import (
    And,
    Call,
    CaseWhen,
    Cast,
    Compare,
    Function,
    Holds,
    IsNull,
    Literal,
    Member,
    Missing,
    Not,
    Of,
    Op,
    Or,
    Relate,
)
from model.vocabulary.steps import (
    Delete,
    DeleteMistake,
    Form,
    Insert,
    InvalidDelete,
    InvalidVacuum,
    Inventory,
    IOFault,
    Listing,
    Literals,
    Mode,
    OtherCommand,
    Read,
    ReadChanges,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.vocabulary.table import Column, Commit, DataFile, Feature, Table
from model.vocabulary.values import AnyType, ArrayOf, DecimalOf, Type, Value
from strategies.restriction.capabilities import (
    can_be_judged,
    fits,
    knows_types,
    restricted_cases,
    restricted_step,
    restricted_table,
    restricted_to,
)
from tests.builders.merges import merge
from tests.builders.read_back import table_read_back
from tests.drawn_cases import ALL, drawn_by
from tests.sampling import fifty

DELTALAKE = capabilities_of("1.6.6")
NOTHING = Capabilities(
    features=frozenset(),
    types=frozenset(Type),
    modes=frozenset({Mode.FULL}),
    io_faults=frozenset(),
    functions=frozenset(),
    casts=False,
    vectors=frozenset(),
    references=frozenset(),
    column_rules=frozenset(),
    pruned_logs=False,
    indexed_columns=False,
)


@pytest.mark.long
@pytest.mark.parametrize("name", ALL)
def test_with_all_capabilities_cases_do_not_change(name: str) -> None:
    for case in drawn_by(name, 3):
        assert restricted_to(case, capabilities=EVERYTHING) is case
        assert knows_types(case, capabilities=EVERYTHING)


@pytest.mark.long
@pytest.mark.parametrize("capabilities", [DELTALAKE, NOTHING], ids=["deltalake", "almost nothing"])
@pytest.mark.parametrize("name", ALL)
def test_restricted_cases_use_only_what_the_engine_supports(name: str, capabilities: Capabilities) -> None:
    for case in drawn_by(name, 4):
        restricted = restricted_to(case, capabilities=capabilities)
        assert len(restricted.steps) == len(case.steps), "steps refer to each other by index"
        assert restricted_to(restricted, capabilities=capabilities) == restricted
        assert codec.loads(codec.dumps(restricted)) == restricted
        assert all(has(capabilities, Feature(feature)) for feature in restricted.table.features)
        assert capabilities.indexed_columns or not restricted.table.indexed_columns
        for step in restricted.steps:
            if isinstance(step, Vacuum):
                assert step.mode in capabilities.modes
                assert step.io_fault is None or step.io_fault in capabilities.io_faults
            if isinstance(step, InvalidDelete):
                assert step.mistake in capabilities.delete_mistakes


@pytest.mark.parametrize(
    ("type", "value", "way", "others", "problem"),
    [
        (DecimalOf(10, 2), Decimal("1.50"), "trimmed", (), "needs a DECIMAL partition column"),
        (Type.STRING, None, "empty_nulls", ("a",), "needs a partition value that is NULL"),
    ],
)
def test_partition_values_are_plain_in_the_log_for_an_engine_that_needs_it(
    type: AnyType, value: Value, way: str, others: tuple[Value, ...], problem: str
) -> None:
    file = replace(DataFile(0, (value,), ((1,),), 0), **{way: True})  # type: ignore[arg-type]
    table = Table((Column("p", type), Column("v", Type.INTEGER)), ("p",), (file,), (Commit(-1, adds=(0,)),))
    assert table_read_back(table) == table
    plain = replace(DELTALAKE, empty_nulls=False)
    assert restricted_table(table, capabilities=plain).files == (replace(file, **{way: False}),)  # type: ignore[arg-type]
    other = replace(table, partition_by=("p",) if others else (), files=(replace(file, partition=others, rows=()),))
    with pytest.raises(codec.InvalidCase, match=problem):
        table_read_back(other)


def test_without_vacuum_reads_stand_for_it_and_a_case_of_nothing_else_is_left_out() -> None:
    deletes = replace(EVERYTHING, vacuum=False)
    for step in (Vacuum(), InvalidVacuum(VacuumMistake.CLAUSE_TWICE)):
        assert restricted_step(step, capabilities=deletes) == Read()
        alone, both = (Case(Table((), (), (), ()), steps) for steps in ((step, Read()), (step, Delete())))
        assert can_be_judged(alone, capabilities=EVERYTHING) and not can_be_judged(alone, capabilities=deletes)
        assert can_be_judged(both, capabilities=deletes) and not fits(both, capabilities=deletes)


@fifty
@given(restricted_cases(ALL["typed_deletes"][0](), capabilities=DELTALAKE))
def test_cases_are_restricted_when_drawn(case: Case) -> None:
    assert knows_types(case, capabilities=DELTALAKE)
    assert restricted_to(case, capabilities=DELTALAKE) == case


def test_cases_with_unsupported_types_are_left_out() -> None:
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
        (Vacuum(mode=Mode.INVENTORY_QUERY, listing=Listing.NOT_NULL), Vacuum(mode=Mode.FULL)),
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
def test_unsupported_steps_are_replaced_by_the_nearest(step: object, expected: object) -> None:
    assert restricted_step(step, capabilities=DELTALAKE) == expected  # type: ignore[arg-type]


def test_literals_keep_their_types_where_an_engine_needs_that() -> None:
    step = Delete(Compare("v", Op.EQ, 1, Type.BYTE), literals=Literals.EXPONENTS)
    few = replace(EVERYTHING, literals=frozenset({Literals.EXACT, Literals.PLAIN}))
    assert restricted_step(step, capabilities=DELTALAKE) == step
    assert restricted_step(step, capabilities=few) == replace(step, literals=Literals.EXACT)
    plain = replace(step, literals=Literals.PLAIN)
    assert restricted_step(plain, capabilities=few) == plain


def test_unsupported_tests_become_is_null() -> None:
    plain = Compare("a", Op.GT, 1, Type.LONG)
    where = Or(And(plain, Not(Holds(Of("b")))), Relate(Of("c"), Op.EQ, Of("a")))
    assert restricted_step(Delete(where), capabilities=DELTALAKE) == Delete(where)
    few = replace(DELTALAKE, column_comparisons=False, functions=frozenset({Function.UPPER}), members=False)
    expected = Or(And(plain, Not(Holds(Of("b")))), IsNull("a"))
    assert restricted_step(Delete(where), capabilities=few) == Delete(expected)
    text = Literal("x", Type.STRING)
    for left, supported in (
        (Call(Function.UPPER, (Of("b"),)), True),
        (Call(Function.LOWER, (Of("b"),)), False),
        (Call(Function.UPPER, (Call(Function.LOWER, (Of("b"),)),)), False),
        (Cast(Of("b"), Type.STRING), False),
        (CaseWhen(IsNull("b"), text, text), False),
        (Member(Of("b"), "f"), False),
    ):
        for test in (Relate(left, Op.EQ, text), Missing(left)):
            found = restricted_step(Delete(test), capabilities=few)
            assert found == Delete(test if supported else IsNull("b"))
    field = Delete(Missing(Member(Of("b"), "f")))
    assert restricted_step(field, capabilities=DELTALAKE) == field


MAPPED = Table(
    (Column("a", Type.LONG), Column("b", Type.STRING)),
    (),
    (),
    (Commit(at=-1),),
    features=("changeDataFeed", "columnMappingName"),
)
RENAMED = (
    OtherCommand(RenameColumn("a", "c")),
    Delete(IsNull("c")),
    ReadChanges(of_step=1),
    Insert(((1, "x"),)),
    OtherCommand(Update(Assignment("c", Type.LONG, 2))),
    OtherCommand(Optimize()),
    OtherCommand(ShallowClone()),
    OtherCommand(VacuumClone()),
    Delete(),
    Read(before_step=1),
)


def test_an_unsupported_command_is_a_read_and_so_is_what_would_not_fit_without_it() -> None:
    case = Case(MAPPED, RENAMED)
    without = replace(EVERYTHING, commands=EVERYTHING.commands - {CommandKind.RENAME_COLUMN, CommandKind.SHALLOW_CLONE})
    restricted = restricted_to(case, capabilities=without)
    assert restricted.steps == (*(Read(),) * 5, Read(), *(Read(),) * 3, Read(before_step=1))
    assert codec.from_json(codec.to_json(restricted)) == restricted


def test_what_a_feature_or_a_type_needs_is_left_out_with_it() -> None:
    few = replace(EVERYTHING, features=frozenset({Feature.CHANGE_DATA_FEED}), types=frozenset({Type.LONG, Type.STRING}))
    commands = (
        Switch(Feature.ROW_TRACKING, on=True),
        DropFeature(Feature.DELETION_VECTORS),
        AddColumn(Column("d", Type.DATE)),
        Switch(Feature.CHANGE_DATA_FEED, on=False),
        AddColumn(Column("d", Type.LONG)),
    )
    steps = [restricted_step(OtherCommand(command), capabilities=few) for command in commands]
    assert steps == [Read(), Read(), Read(), *(OtherCommand(command) for command in commands[3:])]
    assert restricted_to(Case(MAPPED, RENAMED), capabilities=few).steps[:5] == (Read(),) * 5, "no column mapping"
    none = replace(EVERYTHING, switchable=frozenset())
    switches = [OtherCommand(Switch(Feature.ROW_TRACKING, on=on)) for on in (True, False)]
    assert [restricted_step(one, capabilities=none) for one in switches] == [Read(), switches[1]]
    drops = OtherCommand(DropFeature(Feature.ROW_TRACKING))
    assert restricted_step(drops, capabilities=EVERYTHING) == drops
    assert restricted_step(drops, capabilities=replace(EVERYTHING, droppable=frozenset())) == Read()
    by_partition = OtherCommand(Overwrite(((1,),), dynamic=True))
    no_partitions = restricted_step(by_partition, capabilities=replace(EVERYTHING, dynamic_overwrites=False))
    assert no_partitions == OtherCommand(Overwrite(((1,),)))


def test_conditions_of_commands_are_restricted() -> None:
    where = Holds(Call(Function.ISNAN, (Of("b"),)))
    few = replace(EVERYTHING, functions=frozenset(), casts=False)
    to = Assignment("a", Type.LONG, 1)
    for command, restricted in (
        (Update(to, where), Update(to, IsNull("b"))),
        (merge(where), merge(IsNull("b"))),
        (Optimize(where), Optimize(IsNull("b"))),
        (Overwrite((), where), Overwrite((), IsNull("b"))),
    ):
        assert restricted_step(OtherCommand(command), capabilities=few) == OtherCommand(restricted)


def test_a_case_of_other_commands_alone_can_be_judged_if_they_are_supported() -> None:
    deletes = replace(EVERYTHING, vacuum=False)
    case = Case(MAPPED, (OtherCommand(Optimize()),))
    assert can_be_judged(case, capabilities=deletes)
    assert not can_be_judged(case, capabilities=replace(deletes, commands=frozenset()))


def test_shared_capabilities() -> None:
    assert EVERYTHING.shared(DELTALAKE) == DELTALAKE == DELTALAKE.shared(EVERYTHING)
    assert DELTALAKE.shared(NOTHING).modes == {Mode.FULL}


def test_an_unknown_capability_is_an_error() -> None:
    with pytest.raises(AttributeError):
        has(EVERYTHING, "telepathy")

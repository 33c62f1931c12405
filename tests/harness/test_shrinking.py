"""Shrinking of failing cases: the result is valid and still fails, in a bounded number of tries, always the same ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.campaigns.shrinking import candidates, reduce, truncated, without_step
from model.codec import dumps, from_json, to_json
from model.vocabulary.case import Case
from model.vocabulary.commands import (
    AddColumn,
    Assignment,
    Command,
    CompactLog,
    Merge,
    Optimize,
    Overwrite,
    Restore,
    ShallowClone,
    StreamAppend,
    Update,
    VacuumClone,
    When,
)
from model.vocabulary.predicate import And, Compare, Constant, IsNull, Not, Op, Or
from model.vocabulary.steps import (
    AddStrayFiles,
    Append,
    Delete,
    Form,
    InvalidVacuum,
    Inventory,
    IOFault,
    Listing,
    Literals,
    Mode,
    Moment,
    OtherCommand,
    Read,
    ReadChanges,
    SetClock,
    Step,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.vocabulary.table import (
    DAY,
    HOUR,
    Column,
    Commit,
    DataFile,
    DeletionVector,
    Kind,
    Reference,
    Removal,
    StrayFile,
    Table,
    VectorStorage,
)
from model.vocabulary.values import Type
from strategies.cases import deletes as cases
from strategies.cases import vacuum_commands as vacuum_command_cases
from strategies.cases import vacuums as vacuum_cases
from tests.builders.merges import evolving, merge
from tests.sampling import fifty

TABLE = Table(
    columns=(Column("v", Type.INTEGER), Column("p", Type.STRING)),
    partition_by=("p",),
    files=tuple(DataFile(id, ("a",), ((id,), (id + 10,), (None,)), -DAY) for id in range(6)),
    commits=(
        Commit(-9 * HOUR, adds=(0, 1, 2)),
        Commit(-8 * HOUR, adds=(3, 4, 5), removes=(Removal(0, -8 * HOUR),), checkpoint=True),
        Commit(-7 * HOUR),
    ),
    stray_files=tuple(StrayFile(f"stray-{number}") for number in range(8)),
    features=("changeDataFeed",),
)
EQ = Compare("v", Op.EQ, 2, Type.INTEGER)
STEPS: tuple[Step, ...] = (
    Delete(And(Not(IsNull("v")), Or(EQ, IsNull("p")))),
    Read(),
    AddStrayFiles((StrayFile("late"), StrayFile("later"), StrayFile("latest", kind=Kind.DIRECTORY, size=0))),
    SetClock(Moment(5, removed_by_step=0)),
    Append((DataFile(6, ("b",), (), 0), DataFile(7, ("b",), (), 0))),
    Vacuum(),
    Read(before_step=5),
)
STRAY, APPENDED = AddStrayFiles((StrayFile("later"),)), Append((DataFile(7, ("b",), (), 0),))
CASE = Case(TABLE, STEPS)
MANY = 10_000


def smallest_with(step: Callable[[Step], bool], case: Case) -> Case:
    """What a case shrinks to that fails while it has such a step."""
    return reduce(case, lambda smaller: any(step(other) for other in smaller.steps), tries=MANY)


#: A table with everything that a table of VACUUM may have, and VACUUMs of it.
FULL = Table(
    columns=(Column("v", Type.INTEGER),),
    partition_by=(),
    files=(
        DataFile(0, (), ((1,), (2,), (3,)), -DAY, reference=Reference.ABSOLUTE),
        DataFile(1, (), ((4,),), -DAY, reference=Reference.OUTSIDE),
        DataFile(2, (), ((5,),), -DAY),
    ),
    commits=(
        Commit(-9 * HOUR, adds=(0, 1, 2)),
        Commit(-8 * HOUR),
        Commit(
            -7 * HOUR,
            deletion_vectors=(DeletionVector(0, (0, 1), -7 * HOUR, VectorStorage.RELATIVE),),
            vector_prefix="ab",
        ),
        Commit(-6 * HOUR, removes=(Removal(1, None, bare=True),), checkpoint=True, parts=3),
        Commit(-5 * HOUR),
    ),
    stray_files=(StrayFile("../beside"), StrayFile("link", Kind.LINK, size=0, target="../beside")),
    features=("deletionVectors", "frequentCheckpoints"),
    pruned=3,
)
FAULTY = Vacuum(0, False, False, None, Mode.DEFAULT, parallel=True, io_fault=IOFault.CANNOT_DELETE, faulty_path="x")
FULL_CASE = Case(
    FULL,
    (
        Vacuum(5, True, mode=Mode.INVENTORY_QUERY, inventory=Inventory.FILES, listing=Listing.NOT_NULL),
        Vacuum(form=VacuumForm.API_NAME),
        FAULTY,
        InvalidVacuum(VacuumMistake.CLAUSE_TWICE, dry_run=True),
        Delete(form=Form.API_NAME, literals=Literals.PLAIN),
    ),
)


def keeping(step: int, table: Callable[[Table], bool] = lambda table: True) -> Case:
    """The smallest case with the kind of step that FULL_CASE has there, and such a table."""
    kind = type(FULL_CASE.steps[step])
    case = Case(FULL, (FULL_CASE.steps[step],))
    return reduce(case, lambda other: any(isinstance(s, kind) for s in other.steps) and table(other.table), tries=MANY)


def of(kind: type[Step], **fields: object) -> Callable[[Step], bool]:
    """Whether a step is of a kind, and has these fields."""
    return lambda step: isinstance(step, kind) and all(getattr(step, name) == field for name, field in fields.items())


#: What a case shrinks to that must have such a step: the plain form of it, or all that matters.
SMALLEST: dict[str, tuple[Case, Callable[[Step], bool], tuple[Step, ...]]] = {
    "a part of a condition": (
        CASE,
        lambda step: isinstance(step, Delete) and repr(EQ) in repr(step.where),
        (Delete(EQ),),
    ),
    "a stray file": (CASE, lambda step: STRAY.stray_files[0] in getattr(step, "stray_files", ()), (STRAY,)),
    "an appended file": (CASE, lambda step: APPENDED.files[0] in getattr(step, "files", ()), (APPENDED,)),
    "a clock after a step": (CASE, of(SetClock, to=Moment(5, 0)), (Delete(IsNull("v")), SetClock(Moment(5, 0)))),
    "a dry run": (FULL_CASE, of(Vacuum, dry_run=True), (Vacuum(dry_run=True),)),
    "a VACUUM": (FULL_CASE, of(Vacuum, dry_run=False), (Vacuum(),)),
    "a mistake": (FULL_CASE, of(InvalidVacuum), (InvalidVacuum(VacuumMistake.CLAUSE_TWICE),)),
    "a DELETE": (FULL_CASE, of(Delete), (Delete(),)),
    "a mode": (FULL_CASE, of(Vacuum, mode=Mode.INVENTORY_QUERY), (Vacuum(dry_run=True, mode=Mode.INVENTORY_QUERY),)),
    "an I/O fault": (
        FULL_CASE,
        of(Vacuum, io_fault=IOFault.CANNOT_DELETE),
        (Vacuum(io_fault=IOFault.CANNOT_DELETE, faulty_path="x"),),
    ),
    "parallel": (FULL_CASE, of(Vacuum, parallel=True), (Vacuum(parallel=True),)),
    "logging": (FULL_CASE, of(Vacuum, logging=None), (Vacuum(logging=None),)),
    "RETAIN": (FULL_CASE, of(Vacuum, retain_hours=0), (Vacuum(0),)),
    "the check": (FULL_CASE, of(Vacuum, safety_check=False), (Vacuum(safety_check=False),)),
}


@pytest.mark.parametrize("name", SMALLEST)
def test_a_case_shrinks_to_the_step_that_matters(name: str) -> None:
    case, step, steps = SMALLEST[name]
    assert from_json(to_json(case)) == case, "it is valid"
    smallest = smallest_with(step, case)
    assert smallest.steps == steps
    assert not smallest.table.files and not smallest.table.stray_files and not smallest.table.features


@pytest.mark.parametrize(
    ("steps", "index", "expected"),
    [
        (STEPS, 0, None),  # the clock refers to it
        (STEPS, 1, (STEPS[0], STEPS[2], SetClock(Moment(5, 0)), STEPS[4], STEPS[5], Read(before_step=4))),
        (STEPS, 5, (*STEPS[:5], Read(before_step=5))),
        (STEPS, 6, STEPS[:6]),
        ((Read(),), 0, None),  # the last one
        ((Read(), Delete(), ReadChanges(1)), 0, (Delete(), ReadChanges(0))),
        ((Read(), Delete(), ReadChanges(1)), 1, None),
        *(
            ((Read(), Read(), OtherCommand(Restore(1)), Read()), index, (Read(), OtherCommand(Restore(back)), Read()))
            for index, back in ((0, 0), (1, 1))
        ),
        ((OtherCommand(Restore(0)), Read()), 1, (OtherCommand(Restore(0)),)),
    ],
)
def test_references_move_with_their_steps(
    steps: tuple[Step, ...], index: int, expected: tuple[Step, ...] | None
) -> None:
    assert without_step(steps, index) == expected


def test_the_history_loses_what_does_not_matter() -> None:
    smallest = keeping(1, lambda table: any(commit.deletion_vectors for commit in table.commits)).table
    (vector,) = (vector for commit in smallest.commits for vector in commit.deletion_vectors)
    assert vector == FULL.commits[2].deletion_vectors[0]
    assert [file.id for file in smallest.files] == [0]
    assert smallest.files[0].reference is Reference.RELATIVE
    assert not smallest.pruned and not smallest.stray_files and smallest.features == ("deletionVectors",)
    assert not any(commit.vector_prefix or commit.checkpoint or commit.parts > 1 for commit in smallest.commits)


def test_a_pruned_log_keeps_only_its_checkpoint() -> None:
    smallest = keeping(1, lambda table: table.pruned > 0).table
    assert [(commit.checkpoint, commit.parts) for commit in smallest.commits][smallest.pruned] == (True, 1)
    assert len(smallest.commits) == 2, "the version with the checkpoint, and a lost one"


def test_removes_get_their_metadata_back() -> None:
    def fails(table: Table) -> bool:
        return any(removal.deleted is None for commit in table.commits for removal in commit.removes)

    (removal,) = (removal for commit in keeping(1, fails).table.commits for removal in commit.removes)
    assert removal == Removal(1, None)


COMMANDS = (
    Delete(),
    OtherCommand(AddColumn(Column("w", Type.LONG))),
    OtherCommand(ShallowClone()),
    Delete(And(Compare("w", Op.EQ, 1, Type.LONG), IsNull("v"))),
    OtherCommand(Restore(before_step=3)),
    OtherCommand(VacuumClone()),
)


def test_a_command_stays_that_a_later_step_needs() -> None:
    def kinds(case: Case) -> list[str]:
        return [type(step.command).__name__ if isinstance(step, OtherCommand) else "DELETE" for step in case.steps]

    case = Case(TABLE, COMMANDS)
    vacuumed = reduce(case, lambda one: OtherCommand(VacuumClone()) in one.steps, tries=MANY)
    assert kinds(vacuumed) == ["ShallowClone", "VacuumClone"]
    uses = reduce(
        case, lambda one: any(isinstance(s, Delete) and "'w'" in repr(s.where) for s in one.steps), tries=MANY
    )
    assert uses.steps == (COMMANDS[1], Delete(Compare("w", Op.EQ, 1, Type.LONG)))


IN_A = Compare("p", Op.EQ, "a", Type.STRING)
SET_V = Assignment("v", Type.INTEGER, 1)


@pytest.mark.parametrize(
    ("command", "smallest"),
    [
        (Optimize(And(IN_A, Not(IsNull("p"))), zorder_by=("v",), target_size=9), Optimize()),
        (Update(SET_V, where=Or(IN_A, IsNull("v"))), Update(SET_V)),
        (Update(Assignment("p", Type.STRING, "b"), also=(SET_V,)), Update(SET_V)),
        (merge(And(IN_A, IsNull("v")), SET_V, insert=((1, "a"),)), Merge(Constant(True))),
        (merge(IN_A, SET_V, when=When.BY_SOURCE), Merge(Constant(True))),
        (evolving(Column("n", Type.LONG), "v", (1, "a", 2), inserts=False), Merge(Constant(True))),
        (Overwrite(((1, "a"), (2, "a")), where=IN_A), Overwrite(())),
        (Overwrite(((1, "a"), (2, "b")), dynamic=True), Overwrite(())),
        (Overwrite(((1, "a", 5),), adds=Column("n", Type.LONG)), Overwrite(())),
        (Restore(-1, by_time=True), Restore(-1)),
        (CompactLog(4, but_newest=2), CompactLog(4)),
        (StreamAppend(((1, "a"), (2, "b"))), StreamAppend(((2, "b"),))),
    ],
    ids=lambda command: type(command).__name__,
)
def test_a_command_loses_what_does_not_matter(command: Command, smallest: Command) -> None:
    found = smallest_with(lambda step: isinstance(step, OtherCommand), Case(TABLE, (OtherCommand(command),)))
    assert found.steps == (OtherCommand(smallest),)


def test_a_case_is_cut_after_a_step() -> None:
    assert truncated(CASE, 2).steps == STEPS[:3]
    assert truncated(CASE, 99) == CASE


@pytest.mark.parametrize("tries", [0, 1, 5, 20])
def test_the_number_of_tries_is_a_limit(tries: int) -> None:
    tried: list[Case] = []

    def fails(case: Case) -> bool:
        tried.append(case)
        return len(tried) % 2 == 0

    reduce(CASE, fails, tries=tries)
    assert len(tried) == tries


def test_what_was_just_tried_in_vain_is_not_tried_again_at_once() -> None:
    """Seven steps that must stay, and a file that must: each other part costs one try, and not another round of steps."""
    tried: list[Case] = []

    def fails(case: Case) -> bool:
        tried.append(case)
        return len(case.steps) == len(STEPS) and any(file.id == 4 for file in case.table.files)

    smallest = reduce(CASE, fails, tries=40)
    assert [file.id for file in smallest.table.files] == [4] and not smallest.table.stray_files
    assert len(smallest.table.commits) <= 2


def test_a_case_that_never_fails_again_stays_as_it_is() -> None:
    assert reduce(CASE, lambda case: False, tries=MANY) == CASE


@pytest.mark.long
@settings(fifty, max_examples=40)
@given(
    st.one_of(
        cases.programs(),
        vacuum_command_cases.vacuum_modes(),
        vacuum_cases.vacuum_histories(),
        vacuum_command_cases.vacuum_io_faults(),
    )
)
def test_every_candidate_is_another_case_and_no_larger(case: Case) -> None:
    for candidate in candidates(case):
        assert candidate != case
        assert len(candidate.steps) <= len(case.steps)
        assert len(candidate.table.files) <= len(case.table.files)
        assert len(candidate.table.stray_files) <= len(case.table.stray_files)
        assert len(dumps(candidate)) < len(dumps(case))

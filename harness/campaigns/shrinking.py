"""Shrinks a failing case by removing its parts, in a fixed order and a bounded number of tries.

A try costs seconds of the engine's time, so each removes as much as possible: a step, a file, half of the stray files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from model.codec import InvalidCase, from_json, to_json
from model.semantics.definitions import definitions
from model.vocabulary.case import Case
from model.vocabulary.commands import (
    Command,
    CompactLog,
    Merge,
    MergeClause,
    Optimize,
    Overwrite,
    Restore,
    StreamAppend,
    Then,
    Update,
    assignments_of,
)
from model.vocabulary.predicate import And, Constant, Not, Or, Predicate, Wrapped, columns_of
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import (
    AddStrayFiles,
    Append,
    AtOnce,
    Crash,
    Delete,
    Form,
    Insert,
    InvalidVacuum,
    Inventory,
    Listing,
    Literals,
    Mode,
    OpenSession,
    OtherCommand,
    Read,
    ReadChanges,
    SetClock,
    Step,
    Vacuum,
    VacuumForm,
    Written,
    renumbered,
)
from model.vocabulary.table import Commit, Reference, Table

T = TypeVar("T")
Sets = TypeVar("Sets", Update, MergeClause)


def reduce(
    case: Case, fails: Callable[[Case], bool], *, tries: int, fits: Callable[[Case], bool] = lambda case: True
) -> Case:
    """The smallest case found that still fails, in at most ``tries`` calls of ``fails``. ``case`` must fail.

    ``fits`` is whether the engine supports a case: one that it does not support cannot be replayed, and is not tried.
    After a success it goes on with the candidates that come next: those before have just been tried.
    """

    def is_allowed(candidate: Case) -> bool:
        # Without a command that makes a column, a condition on it is an error of another kind.
        return is_valid(candidate) and fits(candidate) and _unknown(candidate) <= _unknown(case)

    found = _first(_much_smaller(case), is_allowed, fails, tries)
    while found.case is not None:
        case = found.case
        found = _first(_much_smaller(case), is_allowed, fails, found.tries)
    tries = found.tries
    start, smaller = 0, False  # where to go on; whether this round has found a smaller case
    while tries > 0:
        for place, candidate in enumerate(candidates(case)):
            if place < start or not is_allowed(candidate):
                continue
            if tries <= 0:
                return case
            tries -= 1
            if fails(candidate):
                case, start, smaller = candidate, place, True
                break
        else:
            if not smaller:
                return case
            start, smaller = 0, False
    return case


@dataclass(frozen=True)
class _First:
    """The first case that fails, if any, and the tries that are left."""

    case: Case | None
    tries: int


def _first(
    cases: Iterator[Case], is_allowed: Callable[[Case], bool], fails: Callable[[Case], bool], tries: int
) -> _First:
    for candidate in cases:
        if tries <= 0:
            break
        if is_allowed(candidate):
            tries -= 1
            if fails(candidate):
                return _First(candidate, tries)
    return _First(None, tries)


def truncated(case: Case, last: int) -> Case:
    """The case without the steps after ``last``."""
    return replace(case, steps=case.steps[: last + 1])


def is_valid(case: Case) -> bool:
    """Whether it can be kept: read back from its JSON form."""
    try:
        return from_json(to_json(case)) == case
    except InvalidCase:
        return False


def _unknown(case: Case) -> set[str]:
    """The columns in conditions of DELETEs that the table does not have then."""
    return {
        name
        for step, table in zip(case.steps, definitions(case.table, case.steps))
        if isinstance(step, Delete) and step.where is not None
        for name in columns_of(step.where) - {column.name for column in table.columns}
    }


def candidates(case: Case) -> Iterator[Case]:
    """Cases with a part removed or simplified, the largest parts first."""
    for index in range(len(case.steps) - 1, -1, -1):
        steps = without_step(case.steps, index)
        if steps is not None:
            yield replace(case, steps=steps)
    for stray_files in _fewer(case.table.stray_files):
        yield _with_table(case, stray_files=stray_files)
    for file in reversed(case.table.files):
        yield _with_table(case, **_without_files(case.table, {file.id}))
    for index in range(len(case.table.commits) - 1, 0, -1):
        yield from _simpler_history(case, index)
    if case.table.pruned:
        yield _with_table(case, pruned=0)
    for position, step in enumerate(case.steps):
        for simpler in _simpler_steps(step):
            yield replace(case, steps=_exchanged(case.steps, position, simpler))
    for position, file in enumerate(case.table.files):
        for rows in _fewer(file.rows):
            yield _with_table(case, files=_exchanged(case.table.files, position, replace(file, rows=rows)))
        if file.reference is not Reference.RELATIVE:
            plain = replace(file, reference=Reference.RELATIVE)
            yield _with_table(case, files=_exchanged(case.table.files, position, plain))
        if file.damage is not None:
            whole = replace(file, damage=None)
            yield _with_table(case, files=_exchanged(case.table.files, position, whole))
    for features in _fewer(case.table.features):
        yield _with_table(case, features=features)


def _simpler_history(case: Case, index: int) -> Iterator[Case]:
    """Without the commit at ``index``, if it is empty, or with a simpler one."""
    commits, commit = case.table.commits, case.table.commits[index]
    if not (commit.adds or commit.removes or commit.deletion_vectors):
        pruned = case.table.pruned - (index < case.table.pruned)
        yield _with_table(case, commits=commits[:index] + commits[index + 1 :], pruned=pruned)
    for simpler in _simpler_commits(commit):
        yield _with_table(case, commits=_exchanged(commits, index, simpler))


def _simpler_commits(commit: Commit) -> Iterator[Commit]:
    for deletion_vectors in _fewer(commit.deletion_vectors):
        yield replace(commit, deletion_vectors=deletion_vectors)
    if commit.checkpoint:
        yield replace(commit, checkpoint=False, parts=1)
    if commit.parts > 1:
        yield replace(commit, parts=1)
    if commit.vector_prefix:
        yield replace(commit, vector_prefix="")
    if any(removal.bare for removal in commit.removes):
        yield replace(commit, removes=tuple(replace(removal, bare=False) for removal in commit.removes))


def _with_table(case: Case, **changes: object) -> Case:
    return replace(case, table=replace(case.table, **changes))  # type: ignore[arg-type]


def without_step(steps: Sequence[Step], index: int) -> tuple[Step, ...] | None:
    """The steps without one; None if a later one refers to it."""
    later = steps[index + 1 :]
    for step in later:
        if isinstance(step, ReadChanges) and step.of_step == index:
            return None
        if isinstance(step, SetClock) and step.to.removed_by_step == index:
            return None
    # If the removed step changed nothing, the version before it is also the one before the next step.
    return (*steps[:index], *(renumbered(step, lambda place: place - (place > index)) for step in later)) or None


def _exchanged(items: tuple[T, ...], position: int, item: T) -> tuple[T, ...]:
    return (*items[:position], item, *items[position + 1 :])


def _fewer(items: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    """None of them, either half, all but one."""
    if not items:
        return
    yield ()
    if len(items) > 2:
        yield items[: len(items) // 2]
        yield items[len(items) // 2 :]
    if len(items) > 1:
        for index in range(len(items)):
            yield items[:index] + items[index + 1 :]


#: A table with more files, stray files or commits than these is made smaller in large parts, before all else.
_MANY = 20


def _much_smaller(case: Case) -> Iterator[Case]:
    """Of a large table: without stray files, without empty commits, without either half of its files, a quarter, an eighth."""
    table = case.table
    if len(table.stray_files) > _MANY:
        yield _with_table(case, stray_files=())
    kept = [one for one in table.commits[1:] if one.adds or one.removes or one.deletion_vectors]
    if len(table.commits) > max(_MANY, 2 * len(kept)) and not table.pruned:
        yield _with_table(case, commits=(table.commits[0], *kept))
    for parts in (2, 4, 8) if len(table.files) > _MANY else ():
        for part in range(parts):
            some = {file.id for file in _part_of(table.files, part, parts)}
            yield _with_table(case, **_without_files(table, some))


def _part_of(items: tuple[T, ...], part: int, parts: int) -> tuple[T, ...]:
    return items[len(items) * part // parts : len(items) * (part + 1) // parts]


def _without_files(table: Table, ids: set[int]) -> dict[str, object]:
    """The fields of the table without some files in it and in its history."""
    commits = tuple(
        replace(
            commit,
            adds=tuple(add for add in commit.adds if add not in ids),
            removes=tuple(removal for removal in commit.removes if removal.file not in ids),
            deletion_vectors=tuple(vector for vector in commit.deletion_vectors if vector.file not in ids),
        )
        for commit in table.commits
    )
    return {"files": tuple(file for file in table.files if file.id not in ids), "commits": commits}


def _simpler_steps(step: Step) -> Iterator[Step]:
    if isinstance(step, Delete) and step.where is not None:
        for part in _parts(step.where):
            yield Delete(part, crash=step.crash)
            yield replace(step, where=part)
    if isinstance(step, (Delete, Vacuum)) and step.crash is not None:
        yield from (replace(step, crash=crash) for crash in _simpler_crashes(step.crash))
    if isinstance(step, (Delete, Vacuum)) and step.settings:
        yield from (replace(step, settings=settings) for settings in _fewer(step.settings))
    if isinstance(step, (Delete, Vacuum)) and step.spelling is not Spelling.PLAIN:
        yield replace(step, spelling=Spelling.PLAIN)
    if isinstance(step, OpenSession) and step.streams:
        yield OpenSession()
    if isinstance(step, (Delete, Vacuum, Read)) and step.by_earlier:
        yield replace(step, by_earlier=False)
    if isinstance(step, Delete) and step.literals is not Literals.EXACT:
        yield replace(step, literals=Literals.EXACT)
    if isinstance(step, Delete) and step.cached:
        yield replace(step, cached=False)
    if isinstance(step, Delete) and step.form is not Form.SQL_PATH:
        yield replace(step, form=Form.SQL_PATH, spelling=Spelling.PLAIN)
    elif isinstance(step, Vacuum):
        yield from _simpler_vacuums(step)
    elif isinstance(step, InvalidVacuum) and step.dry_run:
        yield replace(step, dry_run=False)
    elif isinstance(step, AddStrayFiles):
        yield from (AddStrayFiles(stray_files) for stray_files in _fewer(step.stray_files) if stray_files)
    elif isinstance(step, Append):
        yield from (Append(files) for files in _fewer(step.files) if files)
    elif isinstance(step, Insert):
        yield from (Insert(rows) for rows in _fewer(step.rows) if rows)
    elif isinstance(step, OtherCommand):
        yield from map(OtherCommand, _simpler_commands(step.command))
    elif isinstance(step, AtOnce):
        yield from _simpler_pairs(step)


def _simpler_pairs(step: AtOnce) -> Iterator[Step]:
    """Each of the two alone, then with one of them simpler."""
    yield from step.steps
    yield from (replace(step, first=simpler) for simpler in _simpler_steps(step.first))  # type: ignore[arg-type]
    yield from (replace(step, second=simpler) for simpler in _simpler_steps(step.second))  # type: ignore[arg-type]
    if step.point is not AtOnce.point:
        yield replace(step, point=AtOnce.point)


def _simpler_commands(command: Command) -> Iterator[Command]:
    """With fewer rows, without a part of the condition or all of it, without an option."""
    if isinstance(command, (Optimize, Update, Overwrite)) and command.where is not None:
        yield replace(command, where=None)
        yield from (replace(command, where=part) for part in _parts(command.where))
    if isinstance(command, Update):
        yield from _fewer_assignments(command)
    elif isinstance(command, Optimize):
        yield from (replace(command, zorder_by=columns) for columns in _fewer(command.zorder_by))
        if command.target_size is not None:
            yield replace(command, target_size=None)
    elif isinstance(command, Merge):
        yield from (replace(command, clauses=clauses) for clauses in _fewer(command.clauses) if clauses)
        for place, clause in enumerate(command.clauses):
            for simpler in _simpler_clauses(clause):
                yield replace(command, clauses=(*command.clauses[:place], simpler, *command.clauses[place + 1 :]))
        yield from (replace(command, on=part) for part in (Constant(True), *_parts(command.on)) if part != command.on)
        yield from (replace(command, rows=rows) for rows in _fewer(command.rows))
        yield from (replace(command, keys=keys) for keys in _fewer(command.keys))
        if command.adds is not None:
            yield replace(command, adds=None, rows=tuple(row[:-1] for row in command.rows))
        elif command.by_name:
            yield replace(command, by_name=False)
    elif isinstance(command, Restore) and command.by_time:
        yield replace(command, by_time=False)
    elif isinstance(command, CompactLog) and command.but_newest:
        yield replace(command, but_newest=0)
    elif isinstance(command, Overwrite) and command.adds is not None:
        yield replace(command, adds=None, rows=tuple(row[:-1] for row in command.rows))
    elif isinstance(command, (Overwrite, StreamAppend)):
        if isinstance(command, Overwrite) and command.dynamic:
            yield replace(command, dynamic=False)
        yield from (replace(command, rows=rows) for rows in _fewer(command.rows))


def _simpler_clauses(clause: MergeClause) -> Iterator[MergeClause]:
    """The plainest, then without the condition or a part of it, and as a deletion."""
    if clause != MergeClause():
        yield MergeClause()
    if clause.where is not None:
        yield replace(clause, where=None)
        yield from (replace(clause, where=part) for part in _parts(clause.where))
    yield from _fewer_assignments(clause)
    if clause.then in (Then.UPDATE, Then.UPDATE_ALL):
        yield replace(clause, then=Then.DELETE, to=None, also=())


def _fewer_assignments(part: Sets) -> Iterator[Sets]:
    for left in _fewer(assignments_of(part)):
        if left:
            yield replace(part, to=left[0], also=left[1:])


def _simpler_crashes(crash: Crash) -> Iterator[Crash | None]:
    """None, a file that is written whole, and earlier effects of the same kind."""
    yield None
    if crash.written is not Written.WHOLE:
        yield replace(crash, written=Written.WHOLE)
    yield from (replace(crash, nth=nth) for nth in range(crash.nth))


def _simpler_vacuums(step: Vacuum) -> Iterator[Vacuum]:
    """The default VACUUM, the default one of the same mode, and those with one option at its default."""
    simpler = (
        Vacuum(dry_run=step.dry_run, crash=step.crash),
        Vacuum(dry_run=step.dry_run, mode=step.mode, crash=step.crash),
        replace(step, io_fault=None, faulty_path=None),
        replace(step, mode=Mode.DEFAULT, inventory=Inventory.COMPLETE, listing=Listing.PLAIN),
        replace(step, inventory=Inventory.COMPLETE),
        replace(step, listing=Listing.PLAIN),
        replace(step, form=VacuumForm.SQL_PATH, spelling=Spelling.PLAIN),
        replace(step, parallel=False),
        replace(step, retain_hours=None),
        replace(step, safety_check=True),
        replace(step, logging=True),
    )
    yield from (vacuum for vacuum in dict.fromkeys(simpler) if vacuum != step)
    yield from (replace(step, keep=keep) for keep in _fewer(step.keep))


def _parts(predicate: Predicate) -> tuple[Predicate, ...]:
    if isinstance(predicate, (And, Or)):
        return (predicate.left, predicate.right)
    return (predicate.operand,) if isinstance(predicate, (Not, Wrapped)) else ()

"""LIFE-1: what every command other than DELETE and VACUUM must make of the table, and leave as it is."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from deltalog.entries.actions import Add, Remove
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, fails, wrong_answers
from harness.observing import evidence
from harness.observing.steps.observation import CommandObservation, Observation
from model.text.commands import command_text
from model.text.layout import clone_of
from model.vocabulary.commands import (
    CHANGE_COLUMNS,
    KEEP_ROWS,
    AsWritten,
    DropFeature,
    Optimize,
    Purge,
    ShallowClone,
    VacuumClone,
)
from model.vocabulary.severity import Severity
from model.vocabulary.steps import OtherCommand
from model.vocabulary.table import Feature
from records.expectations import FieldIs, FieldMatches, ForbiddenChange, Measure, NothingChanged, Succeeds
from suites.clauses.life.definition import wrong_definition
from suites.clauses.life.restorable import why_not_restorable
from suites.clauses.shared import causes, harms
from suites.clauses.shared.by_command import clauses_of
from suites.clauses.shared.checks import (
    check_each_once,
    check_none,
    check_nothing_changed,
    check_stored,
    check_table_rows,
)


@clause(
    "LIFE-1A",
    "After a command the table has the rows that the command gives it, read from the log and the files alone.",
    sources=("S4", "S5", "S6"),
    harm=harms.ROWS_OR_VERSIONS_LOST,
)
def rows_as_said(c: CommandObservation) -> Judgement:
    if c.refused:
        return NOT_EXERCISED
    which = f"the rows that {command_text(c.step.command)} must give it"
    return judgement(check_table_rows(c, c.promised, which))


@clause(
    "LIFE-1B",
    "A command that is refused changes nothing, in the table or beside it.",
    sources=("S7", "P Delta Log Entries"),
    harm=harms.ROWS_OR_VERSIONS_LOST,
)
def refused_changes_nothing(c: CommandObservation) -> Judgement:
    """A writer may have written files before it knew that it cannot commit: they belong to no version, and VACUUM deletes them."""
    if not c.refused:
        return NOT_EXERCISED
    if c.after.version == c.before.version and c.may_be_refused:
        lost = sorted(path for path in c.vanished if c.before.data[path].kind == "file")
        return judgement(
            check_none(lost, "The refused command deleted", NothingChanged(ForbiddenChange.DELETION_OF_FILES))
        )
    return judgement(check_nothing_changed("The refused command", c, evidence.of_answer(c)))


EARLIER = clauses_of("LIFE-1C")


@clause(
    "LIFE-1D",
    "A command changes the columns, partition columns, properties and features that it is meant to change, and no others.",
    sources=("P Change Metadata", "P Protocol Evolution"),
    harm=harms.ANOTHER_DEFINITION,
)
def defined_as_said(c: CommandObservation) -> Judgement:
    if c.refused or isinstance(c.step.command, AsWritten):
        return NOT_EXERCISED
    return judgement(wrong_definition(c))


@clause(
    "LIFE-1E",
    "A command that the engine supports succeeds, unless a rule says that it must be refused.",
    sources=("S4", "S5", "S6"),
    harm=fails("A command that must succeed is refused."),
)
def succeeds(c: CommandObservation) -> Judgement:
    if c.may_be_refused or why_not_restorable(c) is not None:
        return NOT_EXERCISED
    if not c.refused:
        return judgement(None)
    message = f"{command_text(c.step.command)} must succeed; it was refused."
    return judgement(Violation("step", message, Succeeds(), evidence.of_answer(c), cause=causes.error(c)))


@clause(
    "LIFE-1F",
    "A commit removes only files that are live, each with its deletion vector, names no file twice, and adds only files that are there, in the size that it says.",
    sources=("P Add File and Remove File", "P Action Reconciliation"),
    harm=harms.WRONG_FILE_ACTIONS,
)
def actions_fit(c: CommandObservation) -> Judgement:
    return files_fit(c)


def files_fit(c: Observation) -> Judgement:
    """That the commits of a step fit together, and the files that they name."""
    live = {add.key for add in c.before.snapshot.adds.values()}
    problems: list[Violation | None] = []
    for commit in c.commits:
        removed, added = {remove.key for remove in commit.removes}, {add.key for add in commit.adds}
        problems.append(check_each_once(commit.adds, commit.removes))
        for remove in commit.removes:
            fits = remove.key in live or _is_vector_tombstone(c, remove)
            problems.append(None if fits else _removes_nothing(remove))
        # What is written in the engine's own words may have lost a file in between, and have repaired the table.
        written = isinstance(c.step, OtherCommand) and isinstance(c.step.command, AsWritten)
        left = [add for add in commit.adds if not written or add.key in c.after.snapshot.adds]
        problems += [check_stored(add, c.after.entry(add.file)) for add in left]
        live = (live - removed) | added
    return Judgement(len(problems), tuple(problem for problem in problems if problem))


def _is_vector_tombstone(o: Observation, remove: Remove) -> bool:
    """Whether it is a tombstone by which DROP FEATURE keeps VACUUM from a file of vectors that earlier versions need.

    Source: Delta, DeltaOperations.AddDeletionVectorsTombstones and PreDowngradeTableFeatureCommand.generateDVTombstones.
    """
    command = o.step.command if isinstance(o.step, OtherCommand) else None
    drops = isinstance(command, DropFeature) and command.feature is Feature.DELETION_VECTORS
    return drops and remove.file.rpartition("/")[2].startswith("deletion_vector_")


@clause(
    "LIFE-1K",
    "A remove of a command spells the path of its file as the file's add does.",
    sources=("P Add File and Remove File",),
    harm=wrong_answers("Readers that compare the texts still read the removed file."),
)
def removes_spelled_as_adds(c: CommandObservation) -> Judgement:
    """Removes of files that were not live before: LIFE-1F."""
    spelled = {add.file: add.path for add in c.before.snapshot.adds.values()}

    def problem(remove: Remove) -> Violation | None:
        if remove.path == spelled[remove.file]:
            return None
        message = (
            f"The remove of {remove.file} spells its path {remove.path}; its add spells it {spelled[remove.file]}."
        )
        return Violation(
            remove.file, message, FieldMatches("remove", "path", Measure.ADD), cause=Cause("another value: path")
        )

    return each((remove for commit in c.commits for remove in commit.removes if remove.file in spelled), problem)


def _removes_nothing(remove: Remove) -> Violation:
    message = f"A remove of {remove.file} with this deletion vector removes nothing: no live file has it."
    expectation = FieldMatches("remove", "deletionVector", Measure.ADD)
    return Violation(remove.file, message, expectation, cause=Cause("a remove of no live file", Severity.WRONG_ANSWERS))


@clause(
    "LIFE-1G",
    "Commits of a command that changes no row have dataChange=false in all adds and removes; one that changes rows has dataChange=true in all.",
    sources=("P Add File and Remove File",),
    harm=wrong_answers("Readers of a stream get rows again that they have had, or miss new ones."),
)
def data_change_as_it_is(c: CommandObservation) -> Judgement:
    """Readers of a stream skip the files of the first kind. A RESTORE to equal rows, or an UPDATE of none, may say either."""
    command = c.step.command
    if isinstance(command, (Optimize, Purge)):
        due = False
    elif (
        not isinstance(command, KEEP_ROWS) and not isinstance(command, CHANGE_COLUMNS) and c.before.rows != c.after.rows
    ):
        due = True
    else:
        return NOT_EXERCISED

    def problem(action: Add | Remove) -> Violation | None:
        if action.data_change is due:
            return None
        kind = type(action).__name__.lower()
        message = f"The {kind} of {action.file} must have dataChange={str(due).lower()}."
        cause = Cause(f"dataChange of {kind}")
        return Violation(action.file, message, FieldIs(kind, "dataChange", due), cause=cause)

    actions: list[Add | Remove] = []
    for commit in c.commits:
        # An add of a file that is live already changes no row: it gives the file row ids.
        actions += [add for add in commit.adds if add.key not in c.before.snapshot.adds]
        actions += commit.removes
    return each(actions, problem)


@clause(
    "LIFE-1H",
    "A command deletes and changes no file outside the log, and nothing beside the table, except for its shallow clone.",
    sources=("P Data Files", "S5"),
    harm=harms.ROWS_OR_VERSIONS_LOST,
)
def files_stay(c: CommandObservation) -> Judgement:
    """All but VACUUM leave files that a version refers to, or that they do not know."""
    if c.makes_again:
        return NOT_EXERCISED
    own = posixpath.relpath(posixpath.dirname(clone_of(c.root)), c.root)
    clones = isinstance(c.step.command, (ShallowClone, VacuumClone))
    beside = [path for path in c.changed_beside if not (clones and f"{path}/".startswith(f"{own}/"))]
    wrong = [*_touched(c), *beside]
    message = "The command deleted or changed"
    return judgement(
        check_none(wrong, message, NothingChanged(ForbiddenChange.OF_FILES), cause=causes.changed(c, wrong))
    )


def _touched(c: CommandObservation) -> Iterator[str]:
    for path, entry in sorted(c.before.data.items()):
        now = c.after.data.get(path)
        if entry.kind == "file" and (now is None or (now.digest, now.modified) != (entry.digest, entry.modified)):
            yield path


LOG = clauses_of("LIFE-1I", "LIFE-1J", "LIFE-3C")

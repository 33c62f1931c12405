"""Checks that a step fits the table that it finds, and the steps before it. Each raises InvalidCase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from model.codec.plain import every, refuse, within
from model.codec.validation.commands import check_command
from model.codec.validation.conditions import check_types
from model.codec.validation.tables import row_check
from model.vocabulary.commands import (
    Checkpoint,
    Merge,
    Optimize,
    Overwrite,
    Purge,
    Restore,
    SetRetention,
    StreamAppend,
    Switch,
    Update,
    changes_columns,
)
from model.vocabulary.predicate import Predicate, columns_of, verbatim_tests
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import (
    API_VACUUM_FORMS,
    DELETES_BY_PATH,
    NAMED_RELATIVELY,
    VACUUMS_BY_PATH,
    Append,
    AtOnce,
    Crash,
    CrashPoint,
    Delete,
    Form,
    Listing,
    Mode,
    OpenSession,
    OtherCommand,
    Read,
    ReadChanges,
    SessionStep,
    SetClock,
    Step,
    Vacuum,
    VacuumForm,
    Written,
    named_step,
)
from model.vocabulary.table import DataFile, Feature, Table

#: The other commands that may run beside another: those that write one version or none, and leave the columns.
_BESIDE = (Optimize, Purge, Restore, Update, Merge, Overwrite, StreamAppend, Checkpoint, SetRetention, Switch)

#: Features of tables that some commands must refuse, or that not every reader can read.
_UNFIT = (
    *(Feature.APPEND_ONLY, Feature.UNKNOWN_READER, Feature.UNKNOWN_WRITER, Feature.UNREADABLE_FILES),
    *(Feature.HALF_CHECKPOINT, Feature.HALF_CHECKPOINT_NAMED),
)


def check_step(step: Step, before: Sequence[Step], tables: Sequence[Table], *, beside: bool = False) -> None:
    """Checks a step. ``tables`` are those before each of the steps ``before``, and now. ``beside``: another session."""
    now = tables[-1]
    if isinstance(step, (Delete, Vacuum, Read)) and step.by_earlier:
        within("by_earlier", partial(_check_opened, before=before, tables=tables), step)
    if isinstance(step, (Delete, Vacuum)) and step.spelling is not Spelling.PLAIN:
        within("spelling", _check_spelling, step)
    if isinstance(step, (Delete, Vacuum)) and step.crash is not None:
        within("crash", partial(_check_crash, step), step.crash)
    if isinstance(step, Delete) and step.where is not None:
        if step.form is Form.TRUNCATE:
            refuse(f"{step.form.value} cannot have a condition", "where")
        if verbatim_tests(step.where) and (beside or step.by_earlier or step.crash):
            refuse("has a verbatim test, of which the engine is asked only before a whole DELETE", "where")
        within("where", partial(_check_condition, tables), step.where)
    elif isinstance(step, Vacuum):
        _check_vacuum(step, now)
    elif isinstance(step, Read):
        _check_earlier(step.before_step, before, "before_step")
    elif isinstance(step, ReadChanges):
        _check_changes(step, before, tables)
    elif isinstance(step, OtherCommand):
        within("command", partial(check_command, before=before, tables=tables), step.command)
    elif isinstance(step, SetClock):
        _check_earlier(step.to.removed_by_step, before, "to.removed_by_step")
    elif isinstance(step, Append):
        _check_append(step, before, tables)
    elif isinstance(step, AtOnce):
        _check_at_once(step, tables[0])
        for name, one in (("first", step.first), ("second", step.second)):
            within(name, partial(check_step, before=before, tables=tables, beside=True), one)


def _check_earlier(step: int | None, before: Sequence[Step], at: str) -> None:
    if step is not None and step >= len(before):
        refuse(f"is {step}, but must be an earlier step than this one ({len(before)})", at)


def _check_condition(tables: Sequence[Table], where: Predicate) -> None:
    """It uses no column that the case's table has at another time, but not now: a command of the case changes it."""
    types = {column.name: column.type for column in tables[-1].columns}
    other = {column.name for table in tables for column in table.columns} - types.keys()
    for name in sorted(columns_of(where) & other):
        refuse(f"{name!r} is not a column that the table has then")
    check_types(where, types)


def _check_vacuum(step: Vacuum, now: Table) -> None:
    if step.keep and (step.form is not VacuumForm.SQL_PATH or step.mode.inventory or step.mode is Mode.LITE_SETTING):
        refuse("is an argument of an API, which has no other forms, no inventory and no session", "keep")
    if step.keep and now.pruned:
        refuse("the log must have all versions, and the first ones were pruned", "keep")
    if step.listing is not Listing.PLAIN and step.mode is not Mode.INVENTORY_QUERY:
        refuse("is of an inventory that is a query", "listing")
    if step.form in API_VACUUM_FORMS and (step.dry_run or step.mode not in (Mode.DEFAULT, Mode.LITE_SETTING)):
        refuse(f"{step.form.value} supports neither modes nor a dry run", "form")
    if (step.io_fault is None) != (step.faulty_path is None):
        refuse("must be present exactly if there is an io_fault", "faulty_path")


def _check_append(step: Append, before: Sequence[Step], tables: Sequence[Table]) -> None:
    """Another writer writes by the initial table, the first of ``tables``, and reads no log: the last is the table now."""
    first = tables[0]
    if tables[-1].columns != first.columns:
        refuse("another writer's files have the columns that the table had at first, and these have changed")
    for feature in (Feature.ROW_TRACKING, Feature.IN_COMMIT_TIMESTAMPS):
        if not first.has(feature) and any(table.has(feature) for table in tables):
            refuse(f"another writer's commits lack what {feature.value} needs, which a command switched on")
    ids = {file.id for files in (first, *before) if isinstance(files, (Table, Append)) for file in files.files}

    def check(file: DataFile) -> None:
        if file.id in ids:
            refuse(f"the file id {file.id} is already taken", "id")
        if file.damage is not None:
            refuse("is of the files that are there at the beginning", "damage")
        ids.add(file.id)

    every("files", check, step.files)
    every("files", row_check(first), step.files)


def _check_changes(step: ReadChanges, before: Sequence[Step], tables: Sequence[Table]) -> None:
    _check_earlier(step.of_step, before, "of_step")
    if not isinstance(before[step.of_step], Delete):
        refuse(f"is {step.of_step}, which is not a DELETE", "of_step")
    then, now = tables[step.of_step], tables[-1]
    if then.columns != now.columns:
        refuse(f"is {step.of_step}, and the table has other columns now", "of_step")
    if not (then.has(Feature.CHANGE_DATA_FEED) and now.has(Feature.CHANGE_DATA_FEED)):
        refuse(f"the table needs the feature {Feature.CHANGE_DATA_FEED.value}")


def _check_opened(step: Delete | Vacuum | Read, before: Sequence[Step], tables: Sequence[Table]) -> None:
    opened = [place for place, earlier in enumerate(before) if isinstance(earlier, OpenSession)]
    if not opened:
        refuse("needs a step open_session before it")
    if isinstance(step, Delete):
        if tables[-1].columns != tables[opened[-1]].columns:
            refuse("the columns have changed since the session opened the table")
        plain = step == Delete(step.where, zone=step.zone, by_earlier=True, literals=step.literals)
    elif isinstance(step, Vacuum):
        of_api = Vacuum(step.retain_hours, safety_check=step.safety_check, logging=step.logging, by_earlier=True)
        plain = replace(step, mode=Mode.DEFAULT) == of_api and not step.mode.inventory
    else:
        plain = step.before_step is None
    if not plain:
        refuse("the session issues it through what it has opened, without a form or an option")


def _check_crash(step: Delete | Vacuum, crash: Crash) -> None:
    """The step has effects of this kind, always in the same order, and nothing else in it goes wrong or needs the session."""
    of_vacuums = crash.point in (CrashPoint.DELETION, CrashPoint.START, CrashPoint.END)
    of_files = crash.point in (CrashPoint.FILE_CREATED, CrashPoint.FILE_CLOSED)
    if of_vacuums if isinstance(step, Delete) else of_files:
        refuse(f"a {type(step).__name__.upper()} has no effect {crash.point.value!r}", "point")
    if crash.written is not Written.WHOLE and crash.point is not CrashPoint.FILE_CLOSED:
        refuse(f"is of {CrashPoint.FILE_CLOSED.value!r} only", "written")
    if isinstance(step, Delete):
        if step.cached:
            refuse("no session is left to read the table that it has cached")
        return
    if step.dry_run:
        refuse("a dry run has no effects")
    if step.io_fault is not None:
        refuse("must not be there beside an io_fault")
    if step.parallel:
        refuse("parallel deletions have no order")
    if step.logging is False and crash.point is not CrashPoint.DELETION:
        refuse("a VACUUM without logging has deletions only", "point")


def _check_spelling(step: Delete | Vacuum) -> None:
    """The form has a path that can be spelled so, and nothing else in the step has the plain path."""
    if step.form not in (*DELETES_BY_PATH, *VACUUMS_BY_PATH):
        refuse(f"{step.form.value} has no path")
    if step.spelling is Spelling.RELATIVE and step.form not in NAMED_RELATIVELY:
        refuse(f"{step.form.value} cannot have a {step.spelling.value}")
    if isinstance(step, Vacuum) and (step.mode.inventory or step.io_fault is not None):
        refuse("an inventory and an io_fault have plain paths only")


def _check_at_once(step: AtOnce, table: Table) -> None:
    """Both may run beside another session, on a table that every command may change, and every reader read."""
    for name, one in (("first", step.first), ("second", step.second)):
        if not _has_no_option(one):
            refuse("has an option that it cannot have beside another session", name)
        if isinstance(one, OtherCommand) and not isinstance(one.command, _BESIDE):
            refuse(f"{type(one.command).__name__} cannot be beside another session", f"{name}.command")
        if isinstance(one, OtherCommand) and changes_columns(one.command):
            refuse("a change of columns cannot be beside another session", f"{name}.command")
    if all(isinstance(one, Read) for one in step.steps):
        refuse("reads twice, and must change something", "second")
    if all(named_step(one) is not None for one in step.steps):
        refuse("names an earlier version, and only one of the two may", "second")
    for feature in _UNFIT:
        if table.has(feature):
            refuse(f"the table has the feature {feature.value}, with which no two sessions are tried")
    if table.damaged_files:
        refuse("the table has a damaged file, with which no two sessions are tried")


def _has_no_option(step: SessionStep) -> bool:
    if isinstance(step, Delete):
        return step == Delete(step.where, literals=step.literals)
    if isinstance(step, Vacuum):
        plain = Vacuum(mode=step.mode, logging=step.logging)
        return step == plain and step.mode in (Mode.DEFAULT, Mode.FULL, Mode.LITE)
    return not isinstance(step, Read) or step == Read(step.before_step)

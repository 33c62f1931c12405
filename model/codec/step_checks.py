"""Checks that the steps of a case fit its table, and each other. Each raises InvalidCase if not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from model.codec.validation import Located, check_rows, check_stray_files, check_types, invalid
from model.semantics.definitions import definitions
from model.vocabulary.case import Case
from model.vocabulary.predicate import Predicate, columns_of, verbatim_tests
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import (
    API_VACUUM_FORMS,
    DELETES_BY_PATH,
    NAMED_RELATIVELY,
    VACUUMS_BY_PATH,
    AddStrayFiles,
    Append,
    AtOnce,
    Crash,
    CrashPoint,
    Delete,
    Form,
    Insert,
    Listing,
    Mode,
    OpenSession,
    Read,
    ReadChanges,
    SetClock,
    Step,
    Vacuum,
    VacuumForm,
    Written,
)
from model.vocabulary.table import Feature, Table


def check_steps(case: Case) -> None:
    """Checks each step against the table and the steps before it; the table and commands must be valid."""
    table = case.table
    ids = {file.id for file in table.files}
    appended: Located = []
    stray_files = [(f"table.stray_files[{index}]", stray) for index, stray in enumerate(table.stray_files)]
    tables = definitions(table, case.steps)
    for index, (path, step) in _numbered(case.steps):
        check_step(step, path)
        if isinstance(step, Vacuum) and step.keep and table.pruned:
            invalid(f"{path}.keep", "the log must have all versions, and the first ones were pruned")
        if isinstance(step, (Delete, Vacuum, Read)) and step.by_earlier:
            _check_opened(step, case.steps[:index], tables[: index + 1], f"{path}.by_earlier")
        if isinstance(step, Delete) and step.where is not None:
            _check_known(step.where, tables[index], tables, f"{path}.where")
            types = {column.name: column.type for column in tables[index].columns}
            check_types(step.where, types, f"{path}.where")
            if verbatim_tests(step.where) and (path.endswith(("first", "second")) or step.by_earlier or step.crash):
                invalid(f"{path}.where", "has a verbatim test, of which the engine is asked only before a whole DELETE")
        elif isinstance(step, Read):
            _check_earlier(step.before_step, index, f"{path}.before_step")
        elif isinstance(step, ReadChanges):
            _check_changes(step, index, case.steps, tables, path)
        elif isinstance(step, Insert) and not step.rows:
            invalid(f"{path}.rows", "must have at least one row")
        elif isinstance(step, SetClock):
            _check_earlier(step.to.removed_by_step, index, f"{path}.to.removed_by_step")
        elif isinstance(step, Append):
            _check_append(tables[: index + 1], path)
            for position, file in enumerate(step.files):
                where = f"{path}.files[{position}]"
                if file.id in ids:
                    invalid(f"{where}.id", f"the file id {file.id} is already taken")
                if file.damage is not None:
                    invalid(f"{where}.damage", "is of the files that are there at the beginning")
                ids.add(file.id)
                appended.append((where, file))
        elif isinstance(step, AddStrayFiles):
            stray_files.extend(
                (f"{path}.stray_files[{position}]", stray) for position, stray in enumerate(step.stray_files)
            )
    check_rows(table, appended)
    check_stray_files(table, stray_files, (*table.files, *(file for _, file in appended)))


def _numbered(steps: Sequence[Step]) -> Iterator[tuple[int, tuple[str, Step]]]:
    """The steps with their places and paths, and both steps of an AtOnce."""
    for index, step in enumerate(steps):
        path = f"steps[{index}]"
        yield index, (path, step)
        if isinstance(step, AtOnce):
            yield from ((index, (f"{path}.{name}", getattr(step, name))) for name in ("first", "second"))


def _check_known(predicate: Predicate, table: Table, tables: Iterable[Table], path: str) -> None:
    """The condition uses no column that the case's table has at another time, but not now: a command of the case changes it."""
    now = {column.name for column in table.columns}
    other = {column.name for table in tables for column in table.columns} - now
    for name in sorted(columns_of(predicate) & other):
        invalid(path, f"{name!r} is not a column that the table has then")


def _check_earlier(step: int | None, index: int, path: str) -> None:
    if step is not None and step >= index:
        invalid(path, f"is {step}, but must be an earlier step than this one ({index})")


def _check_append(tables: Sequence[Table], path: str) -> None:
    """Another writer writes by the initial table, the first of ``tables``, and reads no log: the last is the table now."""
    first = tables[0]
    if tables[-1].columns != first.columns:
        invalid(path, "another writer's files have the columns that the table had at first, and these have changed")
    for feature in (Feature.ROW_TRACKING, Feature.IN_COMMIT_TIMESTAMPS):
        if not first.has(feature) and any(table.has(feature) for table in tables):
            invalid(path, f"another writer's commits lack what {feature.value} needs, which a command switched on")


def _check_changes(step: ReadChanges, index: int, steps: tuple[Step, ...], tables: Sequence[Table], path: str) -> None:
    _check_earlier(step.of_step, index, f"{path}.of_step")
    if not isinstance(steps[step.of_step], Delete):
        invalid(f"{path}.of_step", f"is {step.of_step}, which is not a DELETE")
    then, now = tables[step.of_step], tables[index]
    if then.columns != now.columns:
        invalid(f"{path}.of_step", f"is {step.of_step}, and the table has other columns now")
    if not (then.has(Feature.CHANGE_DATA_FEED) and now.has(Feature.CHANGE_DATA_FEED)):
        invalid(path, f"the table needs the feature {Feature.CHANGE_DATA_FEED.value}")


def _check_opened(step: Delete | Vacuum | Read, before: tuple[Step, ...], tables: list[Table], path: str) -> None:
    """``tables`` are those before each of the steps, and now."""
    opened = [place for place, earlier in enumerate(before) if isinstance(earlier, OpenSession)]
    if not opened:
        invalid(path, "needs a step open_session before it")
    if isinstance(step, Delete) and tables[-1].columns != tables[opened[-1]].columns:
        invalid(path, "the columns have changed since the session opened the table")


def check_step(step: Step, path: str) -> None:
    """Checks one step: its form supports its options, an I/O fault has a path, and a crash is one that it can have."""
    if isinstance(step, Delete) and step.form is Form.TRUNCATE and step.where is not None:
        invalid(f"{path}.where", f"{step.form.value} cannot have a condition")
    if isinstance(step, (Delete, Vacuum, Read)) and step.by_earlier and not _is_plain(step):
        invalid(f"{path}.by_earlier", "the session issues it through what it has opened, without a form or an option")
    if isinstance(step, (Delete, Vacuum)) and step.spelling is not Spelling.PLAIN:
        _check_spelling(step, f"{path}.spelling")
    if isinstance(step, (Delete, Vacuum)) and step.crash is not None:
        _check_crash(step, step.crash, f"{path}.crash")
    if not isinstance(step, Vacuum):
        return
    if step.keep and (step.form is not VacuumForm.SQL_PATH or step.mode.inventory or step.mode is Mode.LITE_SETTING):
        invalid(f"{path}.keep", "is an argument of an API, which has no other forms, no inventory and no session")
    if step.listing is not Listing.PLAIN and step.mode is not Mode.INVENTORY_QUERY:
        invalid(f"{path}.listing", "is of an inventory that is a query")
    if step.form in API_VACUUM_FORMS and (step.dry_run or step.mode not in (Mode.DEFAULT, Mode.LITE_SETTING)):
        invalid(f"{path}.form", f"{step.form.value} supports neither modes nor a dry run")
    if (step.io_fault is None) != (step.faulty_path is None):
        invalid(f"{path}.faulty_path", "must be present exactly if there is an io_fault")


def _check_crash(step: Delete | Vacuum, crash: Crash, path: str) -> None:
    """The step has effects of this kind, always in the same order, and nothing else in it goes wrong or needs the session."""
    of_vacuums = crash.point in (CrashPoint.DELETION, CrashPoint.START, CrashPoint.END)
    of_files = crash.point in (CrashPoint.FILE_CREATED, CrashPoint.FILE_CLOSED)
    if of_vacuums if isinstance(step, Delete) else of_files:
        invalid(f"{path}.point", f"a {type(step).__name__.upper()} has no effect {crash.point.value!r}")
    if crash.written is not Written.WHOLE and crash.point is not CrashPoint.FILE_CLOSED:
        invalid(f"{path}.written", f"is of {CrashPoint.FILE_CLOSED.value!r} only")
    if isinstance(step, Delete):
        if step.cached:
            invalid(path, "no session is left to read the table that it has cached")
        return
    if step.dry_run:
        invalid(path, "a dry run has no effects")
    if step.io_fault is not None:
        invalid(path, "must not be there beside an io_fault")
    if step.parallel:
        invalid(path, "parallel deletions have no order")
    if step.logging is False and crash.point is not CrashPoint.DELETION:
        invalid(f"{path}.point", "a VACUUM without logging has deletions only")


def _is_plain(step: Delete | Vacuum | Read) -> bool:
    """Whether it has nothing but what the API of a table takes."""
    if isinstance(step, Delete):
        return step == Delete(step.where, zone=step.zone, by_earlier=True, literals=step.literals)
    if isinstance(step, Vacuum):
        plain = Vacuum(step.retain_hours, safety_check=step.safety_check, logging=step.logging, by_earlier=True)
        return replace(step, mode=Mode.DEFAULT) == plain and not step.mode.inventory
    return step.before_step is None


def _check_spelling(step: Delete | Vacuum, path: str) -> None:
    """The form has a path that can be spelled so, and nothing else in the step has the plain path."""
    if step.form not in (*DELETES_BY_PATH, *VACUUMS_BY_PATH):
        invalid(path, f"{step.form.value} has no path")
    if step.spelling is Spelling.RELATIVE and step.form not in NAMED_RELATIVELY:
        invalid(path, f"{step.form.value} cannot have a {step.spelling.value}")
    if isinstance(step, Vacuum) and (step.mode.inventory or step.io_fault is not None):
        invalid(path, "an inventory and an io_fault have plain paths only")

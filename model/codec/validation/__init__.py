"""What the types of a case cannot say: that its parts fit together."""

from __future__ import annotations

from functools import partial

from model.codec.plain import refuse, within
from model.codec.validation.rows import step_with_rows, table_with_rows
from model.codec.validation.steps import check_step
from model.codec.validation.tables import check_columns, check_table
from model.semantics.definitions import definition_after
from model.text.layout import file_path
from model.vocabulary.case import Case
from model.vocabulary.steps import AddStrayFiles, Append, Step
from model.vocabulary.table import Kind, Table


def validate(case: Case, *, has_rows: bool = False) -> Case:
    """The case, whose rows are still JSON, with rows read by the types of their columns. ``has_rows``: those of its table are
    read. Raises InvalidCase if its parts contradict each other."""
    table = within("table", partial(_valid_table, has_rows=has_rows), case.table)
    steps: list[Step] = []
    tables = [table]
    for place, step in enumerate(case.steps):
        steps.append(within(f"steps[{place}]", partial(_valid_step, before=steps, tables=tables), step))
        tables.append(definition_after(steps[-1], tables))
    found = Case(table, tuple(steps))
    _check_stray_files(found)
    return found


def _valid_table(table: Table, *, has_rows: bool) -> Table:
    check_columns(table)
    found = table if has_rows else table_with_rows(table)
    check_table(found)
    return found


def _valid_step(step: Step, before: list[Step], tables: list[Table]) -> Step:
    found = step_with_rows(step, tables[-1])
    check_step(found, before, tables)
    return found


def _check_stray_files(case: Case) -> None:
    """Paths are unique, and nothing is below a file: of the table and of all steps."""
    stray_files = [(f"table.stray_files[{index}]", stray) for index, stray in enumerate(case.table.stray_files)]
    files = list(case.table.files)
    for place, step in enumerate(case.steps):
        if isinstance(step, AddStrayFiles):
            path = f"steps[{place}].stray_files"
            stray_files.extend((f"{path}[{index}]", stray) for index, stray in enumerate(step.stray_files))
        elif isinstance(step, Append):
            files.extend(step.files)
    paths = [file_path(case.table, file) for file in files]
    taken = set(paths)
    for path, stray in stray_files:
        if stray.path in taken:
            refuse(f"{stray.path!r} is already taken", f"{path}.path")
        taken.add(stray.path)
        if (stray.kind is Kind.LINK) != (stray.target is not None):
            refuse("must be present exactly for a link", f"{path}.target")
    as_files = {*paths, *(stray.path for _, stray in stray_files if stray.kind is not Kind.DIRECTORY)}
    # A stray file may be where a data file needs a directory.
    directories = {above for path in as_files for above in _above(path)}
    for path, stray in stray_files:
        for above in _above(stray.path):
            if above in as_files:
                refuse(f"{stray.path!r} is below {above!r}, which is not a directory", f"{path}.path")
        if stray.kind is not Kind.DIRECTORY and stray.path in directories:
            refuse(f"{stray.path!r} must be a directory, as other files are below it", f"{path}.path")


def _above(path: str) -> list[str]:
    """The directories above a path, the highest first."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]

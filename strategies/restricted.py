"""Cases for an engine that cannot be asked for everything: what it lacks is said in the nearest way that it has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from hypothesis.strategies import SearchStrategy

from model.capabilities import EVERYTHING, Capabilities
from model.case import Case
from model.predicate import And, Constant, Holds, IsNull, Missing, Not, Or, Predicate, Relate, columns_of
from model.steps import (
    API_VACUUM_FORMS,
    Append,
    Delete,
    Form,
    InvalidDelete,
    InvalidVacuum,
    Mode,
    Read,
    ReadChanges,
    Step,
    Vacuum,
    VacuumForm,
)
from model.table import Column, Commit, DataFile, Feature, Reference, Table
from model.values import AnyType, DecimalOf, is_nested

#: What stands for a mode that an engine lacks, the nearest first.
_NEAREST = {
    Mode.DEFAULT: (Mode.FULL,),
    Mode.FULL: (Mode.DEFAULT,),
    Mode.LITE: (Mode.LITE_SETTING, Mode.FULL, Mode.DEFAULT),
    Mode.LITE_SETTING: (Mode.LITE, Mode.FULL, Mode.DEFAULT),
    Mode.INVENTORY_TABLE: (Mode.INVENTORY_QUERY, Mode.FULL, Mode.DEFAULT),
    Mode.INVENTORY_QUERY: (Mode.INVENTORY_TABLE, Mode.FULL, Mode.DEFAULT),
}

#: The most hours that are still a length of time everywhere: more than a hundred years.
_MOST_HOURS = 1_000_000


def restricted_cases(cases: SearchStrategy[Case], *, capabilities: Capabilities) -> SearchStrategy[Case]:
    """``cases`` as the engine can be asked for them; those whose types it does not know are left out.

    The distribution is that of ``cases``, and so is what they shrink to. For an engine that can do everything they are
    the very same.
    """
    if capabilities == EVERYTHING:
        return cases
    fit = partial(restricted_to, capabilities=capabilities)
    return cases.filter(partial(knows_types, capabilities=capabilities)).map(fit)


def knows_types(case: Case, *, capabilities: Capabilities) -> bool:
    """Whether the engine knows the types of all columns."""
    return all(_knows(column.type, capabilities) for column in case.table.columns)


def _knows(type: AnyType, capabilities: Capabilities) -> bool:
    if isinstance(type, DecimalOf):
        return capabilities.decimals
    return capabilities.nested if is_nested(type) else type in capabilities.types


def fits(case: Case, *, capabilities: Capabilities) -> bool:
    """Whether the engine can be asked for all that the case holds."""
    return knows_types(case, capabilities=capabilities) and restricted_to(case, capabilities=capabilities) == case


def restricted_to(case: Case, *, capabilities: Capabilities) -> Case:
    """The case as the engine can be asked for it. Each step stays in its place: others name it by its number."""
    if capabilities == EVERYTHING:
        return case
    table = fitted_table(case.table, capabilities=capabilities)
    if table.maps_columns and not capabilities.mapped_change_feed:
        capabilities = replace(capabilities, change_feed=False)
    return Case(table, tuple(fitted_step(step, capabilities=capabilities) for step in case.steps))


def fitted_table(table: Table, *, capabilities: Capabilities) -> Table:
    """The table, as far as the engine knows what it has."""
    features = tuple(name for name in table.features if Feature(name) in capabilities.features)
    fits = replace(table, features=features)
    if not capabilities.column_rules:
        columns = tuple(Column(column.name, column.type, column.nullable) for column in table.columns)
        fits = replace(fits, columns=columns, checks=())
    if not fits.maps_columns and fits.has(Feature.DROPPED_COLUMN):
        fits = replace(fits, features=tuple(name for name in features if name != Feature.DROPPED_COLUMN.value))
    commits = tuple(_commit(commit, fits, capabilities) for commit in table.commits)
    return replace(
        fits,
        files=_files(table.files, capabilities),
        commits=commits,
        pruned=table.pruned if capabilities.pruned_logs else 0,
    )


def _commit(commit: Commit, table: Table, capabilities: Capabilities) -> Commit:
    has_vectors = table.has(Feature.DELETION_VECTORS, Feature.DELETION_VECTORS_OFF)
    deletion_vectors = tuple(
        vector for vector in commit.deletion_vectors if has_vectors and vector.storage in capabilities.vectors
    )
    parts = commit.parts if capabilities.pruned_logs else 1
    return replace(
        commit,
        deletion_vectors=deletion_vectors,
        parts=parts,
        vector_prefix=commit.vector_prefix if deletion_vectors else "",
    )


def _files(files: Iterable[DataFile], capabilities: Capabilities) -> tuple[DataFile, ...]:
    known = capabilities.references
    return tuple(file if file.reference in known else replace(file, reference=Reference.RELATIVE) for file in files)


def fitted_step(step: Step, *, capabilities: Capabilities) -> Step:
    """The step, said in the nearest way that the engine has; a Read where it has none."""
    if isinstance(step, Delete):
        return _delete(step, capabilities)
    if isinstance(step, Vacuum):
        return _vacuum(step, capabilities)
    if isinstance(step, InvalidDelete):
        return step if step.mistake in capabilities.delete_mistakes else Read()
    if isinstance(step, InvalidVacuum):
        return step if step.mistake in capabilities.vacuum_mistakes else Read()
    if isinstance(step, ReadChanges):
        return step if capabilities.change_feed and Feature.CHANGE_DATA_FEED in capabilities.features else Read()
    if isinstance(step, Append):
        return Append(_files(step.files, capabilities))
    return step


def _delete(step: Delete, capabilities: Capabilities) -> Delete:
    form = step.form if step.form in capabilities.delete_forms else Form.SQL_PATH
    where = None if step.where is None else _condition(step.where, capabilities)
    return Delete(where, form=form, zone=step.zone if capabilities.zones else "UTC")


def _condition(predicate: Predicate, capabilities: Capabilities) -> Predicate:
    """The condition, with tests of missing values in the place of those that the engine does not take."""
    if isinstance(predicate, Not):
        return Not(_condition(predicate.operand, capabilities))
    if isinstance(predicate, (And, Or)):
        left, right = _condition(predicate.left, capabilities), _condition(predicate.right, capabilities)
        return And(left, right) if isinstance(predicate, And) else Or(left, right)
    if isinstance(predicate, (Relate, Holds, Missing)) and not (capabilities.functions and capabilities.casts):
        named = sorted(columns_of(predicate))
        return IsNull(named[0]) if named else Constant(True)
    return predicate


def _vacuum(step: Vacuum, capabilities: Capabilities) -> Vacuum:
    mode = step.mode
    if mode not in capabilities.modes:
        mode = next(nearest for nearest in _NEAREST[mode] if nearest in capabilities.modes)
    faulty_path = step.io_fault in capabilities.io_faults
    form = step.form if step.form in capabilities.vacuum_forms else VacuumForm.SQL_PATH
    if mode is not step.mode and form in API_VACUUM_FORMS:
        form = VacuumForm.SQL_PATH
    return Vacuum(
        retain_hours=step.retain_hours if capabilities.fractional_hours else _whole(step.retain_hours),
        dry_run=step.dry_run,
        safety_check=step.safety_check,
        logging=step.logging if capabilities.logging else True,
        mode=mode,
        inventory=step.inventory if mode.inventory else Vacuum.inventory,
        form=form,
        parallel=step.parallel and capabilities.parallel,
        io_fault=step.io_fault if faulty_path else None,
        faulty_path=step.faulty_path if faulty_path else None,
    )


def _whole(hours: float | None) -> float | None:
    return None if hours is None else float(min(max(round(hours), 0), _MOST_HOURS))

"""Cases for an engine that does not support everything: unsupported parts are replaced by the nearest supported ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from hypothesis.strategies import SearchStrategy

from model.codec import InvalidCase, dumps
from model.codec.validation.commands import check_command
from model.prediction.retention import whole_hours
from model.semantics.definitions import VECTORS, definition_after, definitions
from model.semantics.evaluate import parts_of
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from model.vocabulary.commands import (
    Command,
    DropFeature,
    Merge,
    Optimize,
    Overwrite,
    Switch,
    Update,
    added_by,
    kind_of,
)
from model.vocabulary.predicate import (
    And,
    Call,
    CaseWhen,
    Cast,
    Constant,
    Expression,
    Holds,
    IsNull,
    Language,
    Member,
    Missing,
    Not,
    Of,
    Or,
    Predicate,
    Relate,
    Verbatim,
    Wrapped,
    columns_of,
    verbatim_tests,
)
from model.vocabulary.settings import Setting
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import (
    API_VACUUM_FORMS,
    NAMED_RELATIVELY,
    SESSION_STEPS,
    AddStrayFiles,
    Append,
    AtOnce,
    Delete,
    Form,
    Insert,
    InvalidDelete,
    InvalidVacuum,
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
)
from model.vocabulary.table import (
    HOUR,
    Column,
    ColumnRule,
    Commit,
    DataFile,
    Feature,
    Kind,
    Reference,
    StrayFile,
    Table,
)
from model.vocabulary.table_roots import TableRoot
from model.vocabulary.values import AnyType, DecimalOf, is_nested
from strategies.restriction.margins import kept_apart
from strategies.restriction.uploads import with_all_files_old

#: Replacements for a mode that an engine does not support, the nearest first.
_REPLACEMENTS = {
    Mode.DEFAULT: (Mode.FULL,),
    Mode.FULL: (Mode.DEFAULT,),
    Mode.LITE: (Mode.LITE_SETTING, Mode.FULL, Mode.DEFAULT),
    Mode.LITE_SETTING: (Mode.LITE, Mode.FULL, Mode.DEFAULT),
    Mode.INVENTORY_TABLE: (Mode.INVENTORY_QUERY, Mode.FULL, Mode.DEFAULT),
    Mode.INVENTORY_QUERY: (Mode.INVENTORY_TABLE, Mode.FULL, Mode.DEFAULT),
}

#: U+FFFE and U+FFFF, in JSON of ASCII alone.
_NONCHARACTERS = re.compile(r"\\ufff[ef]")

#: The most hours of a RETAIN clause that every engine can represent: more than a hundred years.
_MOST_HOURS = 1_000_000


def restricted_cases(cases: SearchStrategy[Case], *, capabilities: Capabilities) -> SearchStrategy[Case]:
    """``cases`` restricted to what the engine supports, without those that would leave nothing to judge.

    Distribution and shrinking are those of ``cases``. With all capabilities the strategy is ``cases`` itself.
    """
    if capabilities == EVERYTHING:
        return cases
    restrict = partial(restricted_to, capabilities=capabilities)
    return cases.filter(partial(can_be_judged, capabilities=capabilities)).map(restrict)


def can_be_judged(case: Case, *, capabilities: Capabilities) -> bool:
    """Whether the engine supports the types of all columns and, without a VACUUM of the table, has another command to run.

    And whether the place of the tables holds all its characters.
    """
    capabilities = _vacuum_on(case.table, _for(case, capabilities))
    has_command = capabilities.vacuum or any(
        isinstance(step, (Delete, InvalidDelete))
        or (isinstance(step, OtherCommand) and kind_of(step.command) in capabilities.commands)
        for step in case.steps
    )
    writes = capabilities.noncharacters or _NONCHARACTERS.search(dumps(case)) is None
    return has_command and writes and knows_types(case, capabilities=capabilities)


def speaks(case: Case, *, capabilities: Capabilities) -> bool:
    """Whether the engine speaks the language of all texts in conditions of DELETEs."""
    wheres = (step.where for step in case.steps if isinstance(step, Delete))
    return all(test.language in capabilities.languages for where in wheres for test in verbatim_tests(where))


def knows_types(case: Case, *, capabilities: Capabilities) -> bool:
    """Whether the engine supports the types of all columns."""
    return all(_knows(column.type, capabilities) for column in case.table.columns)


def _knows(type: AnyType, capabilities: Capabilities) -> bool:
    if isinstance(type, DecimalOf):
        return capabilities.decimals
    return capabilities.nested if is_nested(type) else type in capabilities.types


def fits(case: Case, *, capabilities: Capabilities) -> bool:
    """Whether the engine supports the whole case as it is."""
    return can_be_judged(case, capabilities=capabilities) and restricted_to(case, capabilities=capabilities) == case


def restricted_to(case: Case, *, capabilities: Capabilities) -> Case:
    """The case restricted to what the engine supports. Steps keep their index, since others refer to it."""
    if capabilities == EVERYTHING:
        return case
    capabilities = _for(case, capabilities)
    table = restricted_table(case.table, capabilities=capabilities)
    capabilities = capabilities_on(table, capabilities)
    steps: list[Step] = []
    tables = [table]
    for step, drawn_on in zip(case.steps, definitions(case.table, case.steps)):
        restricted = restricted_step_on(tables[-1], step, capabilities=capabilities)
        steps.append(restricted if _can_follow(restricted, steps, tables, drawn_on) else Read())
        tables.append(definition_after(steps[-1], tables))
    found = Case(table, tuple(steps))
    if capabilities.sets_clock:
        return found
    found = kept_apart(replace(found, steps=_within_one_time(found.steps)))
    return found if capabilities.ages_files else kept_apart(with_all_files_old(found))


def _for(case: Case, capabilities: Capabilities) -> Capabilities:
    """Without deletion vectors in a case of as many VACUUMs as other commands, if the engine has none of tables with them."""
    vacuums = sum(isinstance(step, (Vacuum, InvalidVacuum)) for step in case.steps)
    others = sum(isinstance(step, (Delete, InvalidDelete, AtOnce, OtherCommand)) for step in case.steps)
    if capabilities.vacuums_vectors or others > vacuums:
        return capabilities
    return replace(capabilities, features=capabilities.features.difference(VECTORS))


def _within_one_time(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Where the table is made older instead of the clock, what a session has opened before does not become older."""
    found: list[Step] = []
    aged = False
    for step in steps:
        aged = isinstance(step, SetClock) or (aged and not isinstance(step, OpenSession))
        found.append(replace(step, by_earlier=False) if aged and isinstance(step, (Delete, Vacuum, Read)) else step)
    return tuple(found)


def _can_follow(step: Step, before: Sequence[Step], tables: Sequence[Table], drawn_on: Table) -> bool:
    """Whether a step that was drawn on one table fits the one that it finds if some commands before were left out.

    ``tables`` are those before each of the steps ``before``, and now.
    """
    now = tables[-1]
    if isinstance(step, OtherCommand):
        try:
            check_command(step.command, before, tables)
        except InvalidCase:
            return False
    if isinstance(step, ReadChanges):
        has_feed = all(table.has(Feature.CHANGE_DATA_FEED) for table in (tables[step.of_step], now))
        return has_feed and isinstance(before[step.of_step], Delete)
    has_columns = isinstance(step, (Delete, Insert, Append, OtherCommand))
    return not has_columns or _names_and_types(now) == _names_and_types(drawn_on)


def _names_and_types(table: Table) -> list[tuple[str, AnyType]]:
    return [(column.name, column.type) for column in table.columns]


def capabilities_on(table: Table, capabilities: Capabilities) -> Capabilities:
    """What the engine supports on this table."""
    if table.maps_columns and not capabilities.mapped_change_feed:
        capabilities = replace(capabilities, change_feed=False)
    return _vacuum_on(table, capabilities)


def _vacuum_on(table: Table, capabilities: Capabilities) -> Capabilities:
    """Without a VACUUM if the engine has none of this table; commands before may have given it other features."""
    has_vectors = any(table.has(feature) and feature in capabilities.features for feature in VECTORS)
    return replace(capabilities, vacuum=False) if has_vectors and not capabilities.vacuums_vectors else capabilities


def restricted_step_on(table: Table, step: Step, *, capabilities: Capabilities) -> Step:
    """The step on this table, or the nearest one that the engine supports there."""
    restricted = restricted_step(step, capabilities=_vacuum_on(table, capabilities))
    return restricted if capabilities.default_retention else _with_retain(restricted, table)


def _with_retain(step: Step, table: Table) -> Step:
    """The step with the table's retention as RETAIN, which it then has anyway."""
    if isinstance(step, AtOnce):
        first, second = (_with_retain(one, table) for one in step.steps)
        assert isinstance(first, SESSION_STEPS) and isinstance(second, SESSION_STEPS), "a VACUUM stays one"
        return replace(step, first=first, second=second)
    if not isinstance(step, Vacuum) or step.retain_hours is not None:
        return step
    return replace(step, retain_hours=whole_hours(table.retention / HOUR) / HOUR)


def restricted_table(table: Table, *, capabilities: Capabilities) -> Table:
    """The table without the features, column rules and deletion vectors that the engine does not support."""
    features = tuple(name for name in table.features if Feature(name) in capabilities.features)
    widens = Feature.WIDENED in capabilities.features
    restricted = replace(table, features=features, widened_from=table.widened_from if widens else None)
    rules = capabilities.column_rules
    restricted = replace(
        restricted,
        columns=tuple(_column(column, rules, capabilities) for column in table.columns),
        checks=table.checks if ColumnRule.CHECK in rules else (),
    )
    if not restricted.maps_columns and restricted.has(Feature.DROPPED_COLUMN):
        features = tuple(name for name in features if name != Feature.DROPPED_COLUMN.value)
        restricted = replace(restricted, features=features)
    commits = tuple(_commit(commit, restricted, capabilities) for commit in table.commits)
    return replace(
        restricted,
        files=_files(table.files, capabilities),
        commits=commits,
        pruned=table.pruned if capabilities.pruned_logs else 0,
        indexed_columns=table.indexed_columns if capabilities.indexed_columns else (),
        stray_files=_stray_files(table.stray_files, capabilities),
        root=table.root if table.root in capabilities.roots else TableRoot.PLAIN,
    )


def _column(column: Column, rules: frozenset[ColumnRule], capabilities: Capabilities) -> Column:
    return replace(
        column,
        default=column.default and ColumnRule.DEFAULT in rules,
        identity=column.identity and ColumnRule.IDENTITY in rules,
        generated_from=column.generated_from if ColumnRule.GENERATED in rules else None,
        declared=column.declared if Language.SPARK in capabilities.languages else None,
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
    return tuple(_file(file, capabilities) for file in files)


def _file(file: DataFile, capabilities: Capabilities) -> DataFile:
    if file.reference not in capabilities.references:
        file = replace(file, reference=Reference.RELATIVE)
    if file.empty_nulls and not capabilities.empty_nulls:
        file = replace(file, empty_nulls=False)
    return replace(file, trimmed=False) if file.trimmed and not capabilities.trimmed_decimals else file


def _stray_files(stray_files: Iterable[StrayFile], capabilities: Capabilities) -> tuple[StrayFile, ...]:
    kinds = {Kind.FILE: True, Kind.DIRECTORY: capabilities.directories, Kind.LINK: capabilities.links}
    return tuple(stray for stray in stray_files if kinds[stray.kind])


def restricted_step(step: Step, *, capabilities: Capabilities) -> Step:
    """The step, or the nearest one that the engine supports: a Read for one that has no near one."""
    if isinstance(step, (Vacuum, InvalidVacuum)) and not capabilities.vacuum:
        return Read()
    if isinstance(step, Delete):
        return _delete(step, capabilities)
    if isinstance(step, Vacuum):
        return _vacuum(step, capabilities)
    if isinstance(step, InvalidDelete):
        return step if step.mistake in capabilities.delete_mistakes else Read()
    if isinstance(step, InvalidVacuum):
        if step.mistake not in capabilities.vacuum_mistakes:
            return Read()
        return replace(step, dry_run=step.dry_run and capabilities.dry_run)
    if isinstance(step, ReadChanges):
        if not capabilities.change_feed or Feature.CHANGE_DATA_FEED not in capabilities.features:
            return Read()
        return step if capabilities.zones else replace(step, zone="UTC")
    if isinstance(step, Insert):
        return step if capabilities.inserts else Read()
    if isinstance(step, OpenSession):
        return OpenSession(step.streams and capabilities.streams) if capabilities.earlier_sessions else Read()
    if isinstance(step, Read):
        return replace(step, by_earlier=step.by_earlier and capabilities.earlier_sessions)
    if isinstance(step, Append):
        return Append(_files(step.files, capabilities))
    if isinstance(step, AddStrayFiles):
        return AddStrayFiles(_stray_files(step.stray_files, capabilities))
    if isinstance(step, AtOnce):
        return _at_once(step, capabilities)
    if isinstance(step, OtherCommand):
        return OtherCommand(_command(step.command, capabilities)) if _has(step.command, capabilities) else Read()
    return step


def _at_once(step: AtOnce, capabilities: Capabilities) -> Step:
    """The two at once; the second alone for an engine whose sessions cannot be held, or that lacks one of the two."""
    first, second = (restricted_step(one, capabilities=capabilities) for one in step.steps)
    if not capabilities.sessions or isinstance(first, Read) != isinstance(step.first, Read):
        return second
    parts = [one for one in (first, second) if isinstance(one, SESSION_STEPS)]
    changes = len(parts) == 2 and not all(isinstance(one, Read) for one in parts)
    return AtOnce(parts[0], parts[1], step.point) if changes else second


def _has(command: Command, capabilities: Capabilities) -> bool:
    added = added_by(command)
    if added is not None and not _knows(added.type, capabilities):
        return False
    if isinstance(command, (Switch, DropFeature)):
        needed = VECTORS if command.feature in VECTORS else (command.feature,)
        if not capabilities.features.issuperset(needed):
            return False
    if isinstance(command, Switch) and command.on and command.feature not in capabilities.switchable:
        return False
    if isinstance(command, DropFeature) and command.feature not in capabilities.droppable:
        return False
    return kind_of(command) in capabilities.commands


def _command(command: Command, capabilities: Capabilities) -> Command:
    """The command with conditions that the engine supports."""
    if isinstance(command, Merge):
        clauses = tuple(
            replace(clause, where=None if clause.where is None else _condition(clause.where, capabilities))
            for clause in command.clauses
        )
        return replace(command, on=_condition(command.on, capabilities), clauses=clauses)
    if isinstance(command, Overwrite) and not capabilities.dynamic_overwrites:
        command = replace(command, dynamic=False)
    if isinstance(command, (Optimize, Overwrite, Update)) and command.where is not None:
        return replace(command, where=_condition(command.where, capabilities))
    return command


def _delete(step: Delete, capabilities: Capabilities) -> Delete:
    form = step.form if step.form in capabilities.delete_forms else Form.SQL_PATH
    where = None if step.where is None else _condition(step.where, capabilities)
    zone = step.zone if capabilities.zones else "UTC"
    return Delete(
        where,
        form=form,
        zone=zone,
        settings=_settings(step, capabilities),
        cached=step.cached and capabilities.caches,
        spelling=_spelling(step, form, capabilities),
        crash=step.crash if capabilities.crashes else None,
        by_earlier=step.by_earlier and capabilities.earlier_sessions,
        literals=step.literals if step.literals in capabilities.literals else Literals.EXACT,
        given=step.given,
    )


def _spelling(step: Delete | Vacuum, form: Form | VacuumForm, capabilities: Capabilities) -> Spelling:
    """The spelling of the path in this form: another one than the plain for one that is not supported."""
    spelling = step.spelling
    if spelling not in capabilities.spellings:
        spelling = Spelling.TRAILING_SLASH
    supported = spelling in capabilities.spellings and (spelling is not Spelling.RELATIVE or form in NAMED_RELATIVELY)
    return spelling if supported else Spelling.PLAIN


def _settings(step: Delete | Vacuum, capabilities: Capabilities) -> tuple[Setting, ...]:
    return tuple(setting for setting in step.settings if setting in capabilities.settings)


def _condition(predicate: Predicate, capabilities: Capabilities) -> Predicate:
    """The condition without functions of the user, and with IS NULL instead of tests, that the engine does not support."""
    if isinstance(predicate, Wrapped):
        operand = _condition(predicate.operand, capabilities)
        return Wrapped(operand, predicate.by) if predicate.by in capabilities.wrappers else operand
    if isinstance(predicate, Not):
        return Not(_condition(predicate.operand, capabilities))
    if isinstance(predicate, (And, Or)):
        left, right = _condition(predicate.left, capabilities), _condition(predicate.right, capabilities)
        return And(left, right) if isinstance(predicate, And) else Or(left, right)
    if isinstance(predicate, Verbatim) and predicate.language in capabilities.languages:
        return predicate
    if isinstance(predicate, Verbatim) or (
        isinstance(predicate, (Relate, Holds, Missing))
        and not all(_expressible(part, capabilities) for part in parts_of(predicate))
    ):
        columns = sorted(columns_of(predicate))
        return IsNull(columns[0]) if columns else Constant(True)
    return predicate


def _expressible(part: Predicate | Expression, capabilities: Capabilities) -> bool:
    """Whether the engine supports this part of a test, its own parts aside."""
    if isinstance(part, Call):
        return part.function in capabilities.functions
    if isinstance(part, (Cast, CaseWhen)):
        return capabilities.casts
    if isinstance(part, Member):
        return capabilities.members
    compares = isinstance(part, Relate) and isinstance(part.left, Of) and isinstance(part.right, Of)
    return capabilities.column_comparisons or not compares


def _vacuum(step: Vacuum, capabilities: Capabilities) -> Vacuum:
    mode = step.mode
    if mode not in capabilities.modes:
        mode = next(other for other in _REPLACEMENTS[mode] if other in capabilities.modes)
    has_fault = step.io_fault in capabilities.io_faults
    form = step.form if step.form in capabilities.vacuum_forms else VacuumForm.SQL_PATH
    if mode is not step.mode and form in API_VACUUM_FORMS:
        form = VacuumForm.SQL_PATH
    return Vacuum(
        retain_hours=step.retain_hours if capabilities.fractional_hours else _whole(step.retain_hours),
        dry_run=step.dry_run and capabilities.dry_run,
        safety_check=step.safety_check and capabilities.safety_check,
        logging=step.logging if capabilities.logging else True,
        mode=mode,
        inventory=step.inventory if mode.inventory else Vacuum.inventory,
        listing=step.listing if mode is Mode.INVENTORY_QUERY else Vacuum.listing,
        form=form,
        parallel=step.parallel and capabilities.parallel,
        io_fault=step.io_fault if has_fault else None,
        faulty_path=step.faulty_path if has_fault else None,
        settings=_settings(step, capabilities),
        spelling=_spelling(step, form, capabilities),
        crash=step.crash if capabilities.crashes else None,
        by_earlier=step.by_earlier and capabilities.earlier_sessions,
        keep=step.keep if capabilities.keeps_versions else (),
        given=step.given,
    )


def _whole(hours: float | None) -> float | None:
    return None if hours is None else float(min(max(round(hours), 0), _MOST_HOURS))

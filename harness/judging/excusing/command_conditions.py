"""Conditions about the command of a step: what it says, and what it meets in the rows before it.

A read, of rows or of changes, shows what the last command made of the table: its condition is about that command. What an
earlier command left wrong is seen in the table before the step (harness.judging.excusing.table_conditions), or has ended
the case.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import TypeGuard

from deltalog.errors import DeltaLogError
from harness.observing.steps.at_once_observation import AtOnceObservation
from harness.observing.steps.observation import (
    ChangesObservation,
    CommandObservation,
    DeleteObservation,
    Observation,
    OpenObservation,
)
from model.prediction.delete import ConditionScope, matches
from model.semantics.definitions import VECTORS, table_after
from model.text.layout import file_path
from model.vocabulary.commands import (
    Checkpoint,
    Command,
    DropColumn,
    Merge,
    Optimize,
    Overwrite,
    RenameColumn,
    Restore,
    Switch,
    Then,
    Update,
    When,
    assignments_of,
    conditions_of,
)
from model.vocabulary.predicate import (
    Between,
    Compare,
    In,
    Like,
    Literal,
    Of,
    Op,
    Predicate,
    Relate,
    Verbatim,
    columns_of,
    compared_values,
    leaves,
    names_metadata,
    wrappers_of,
)
from model.vocabulary.settings import Setting
from model.vocabulary.steps import (
    AtOnce,
    Delete,
    EngineStep,
    InvalidDelete,
    InvalidVacuum,
    Listing,
    Literals,
    OtherCommand,
    Read,
    ReadChanges,
    Vacuum,
)
from model.vocabulary.table import Column, Damage, Feature
from model.vocabulary.values import Type, is_nested, required_fields


def at_hand(observation: Observation) -> tuple[EngineStep, ...]:
    """The commands that a step is about: both of two sessions; of a read the last command before it."""
    step = observation.step
    if isinstance(observation, ChangesObservation):
        return () if observation.of is None else (observation.of.step,)
    if isinstance(step, Read):
        earlier = (one.step for one in reversed(observation.earlier))
        return next(((one,) for one in earlier if not isinstance(one, (Read, ReadChanges))), ())
    return step.steps if isinstance(step, AtOnce) else (step,)


def deletes(observation: Observation) -> list[Delete]:
    return [step for step in at_hand(observation) if isinstance(step, Delete)]


def commands(observation: Observation) -> list[Command]:
    """The commands other than DELETE and VACUUM."""
    return [step.command for step in at_hand(observation) if isinstance(step, OtherCommand)]


def _conditions(observation: Observation) -> list[Predicate]:
    found = [step.where for step in deletes(observation)]
    found += [where for command in commands(observation) for where in conditions_of(command)]
    return [condition for condition in found if condition is not None]


def tests(observation: Observation) -> list[Predicate]:
    """The single tests in these conditions."""
    return [test for condition in _conditions(observation) for test in leaves(condition)]


def is_null_safe(test: Predicate) -> bool:
    return isinstance(test, Compare) and test.op is Op.NULL_SAFE_EQ


#: Calls that convert their arguments to a common type.
_OF_SEVERAL_TYPES = re.compile(r"\b(least|greatest)\(|make_array\(NULL")


def tested_columns(observation: Observation) -> list[Column]:
    names = {name for test in tests(observation) for name in columns_of(test)}
    return [column for column in observation.table.columns if column.name in names]


def zero_signs(value: object) -> Iterator[float]:
    """The signs of the zeros in a value or its parts: 1.0, -1.0."""
    if isinstance(value, float) and value == 0:
        yield math.copysign(1.0, value)
    elif isinstance(value, tuple):
        for part in value:
            yield from zero_signs(part)


def _has_other_zero(observation: Observation) -> bool:
    """Whether a test compares a column with a zero, and a live file has one of the other sign in that column."""
    state = observation.before
    rows = [row for path in state.live for row in state.contents[path] or ()]
    for test in tests(observation):
        sides = [test.left, test.right] if isinstance(test, Relate) else []
        asked = {
            *zero_signs(compared_values(test)),
            *zero_signs(tuple(one.value for one in sides if isinstance(one, Literal))),
        }
        places = [place for place, column in enumerate(observation.table.columns) if column.name in columns_of(test)]
        held = {sign for row in rows for place in places for sign in zero_signs(row[place])}
        if any(-sign in held for sign in asked):
            return True
    return False


def _beside_another_test(observation: Observation, holds: Callable[[Predicate], bool]) -> bool:
    """Whether a condition has a test of this kind, and another one of the same column."""
    for condition in _conditions(observation):
        found = list(leaves(condition))
        columns = Counter(name for test in found for name in columns_of(test))
        if any(columns[name] > 1 for test in found if holds(test) for name in columns_of(test)):
            return True
    return False


def _compares_partitions(observation: Observation, test: Predicate) -> bool:
    """Whether it compares two columns, both of the partition."""
    if not isinstance(test, Relate):
        return False
    columns = [side.column for side in (test.left, test.right) if isinstance(side, Of)]
    return len(columns) == 2 and set(columns) <= set(observation.table.partition_by)


def _versions_to_keep(observation: Observation) -> list[tuple[int, ...]]:
    vacuums = [step for step in at_hand(observation) if isinstance(step, Vacuum)]
    return [step.kept_versions(observation.before.version) for step in vacuums]


def untyped_decimals(observation: Observation) -> Iterator[Decimal]:
    """The DECIMALs that a DELETE compares with, written as users do, that are no DOUBLEs."""
    for step in deletes(observation):
        if step.where is None or step.literals is Literals.EXACT:
            continue
        for test in leaves(step.where):
            right = (test.right,) if isinstance(test, Relate) else ()
            values = (*compared_values(test), *(one.value for one in right if isinstance(one, Literal)))
            yield from (one for one in values if isinstance(one, Decimal) and Decimal(float(one)) != one)


def _digits(number: Decimal) -> int:
    return len(number.as_tuple().digits)


def is_plain_like(test: Predicate) -> TypeGuard[Like]:
    return isinstance(test, Like) and not set(test.pattern) & {"%", "_"}


def _deletes_whole_files(observation: Observation) -> bool:
    return isinstance(observation, DeleteObservation) and observation.prediction.scope is not ConditionScope.ROWS


def _tests_required_field_of_null(observation: Observation) -> bool:
    """Whether a test looks into a struct that has a NOT NULL field and is NULL in some row of a live file."""
    names = {column.name for column in tested_columns(observation) if required_fields(column.type)}
    places = [place for place, column in enumerate(observation.table.columns) if column.name in names]
    state = observation.before
    return any(row[place] is None for path in state.live for row in state.contents[path] or () for place in places)


def opened_by(observation: Observation) -> OpenObservation | None:
    """The step that opened the session of a DELETE or a VACUUM that is ``by_earlier``."""
    step = observation.step
    if not isinstance(step, (Delete, Vacuum)) or not step.by_earlier:
        return None
    return next((one for one in reversed(observation.earlier) if isinstance(one, OpenObservation)), None)


def _deletes_all_or_nothing_of_its_version(observation: Observation) -> bool:
    """Whether others committed since the session opened the table, and its DELETE has no condition, or none of the rows that
    the session's version has is one that it deletes."""
    opened, step = opened_by(observation), observation.step
    if opened is None or not isinstance(step, Delete) or opened.before.version == observation.before.version:
        return False
    rows = opened.before.rows
    return step.where is None or (
        rows is not None and not any(matches(step, opened.table, row) is True for row in rows)
    )


def _others_committed(observation: Observation) -> bool:
    opened = opened_by(observation)
    return opened is not None and opened.before.version < observation.before.version


def _vectors_came_since_it_opened(observation: Observation) -> bool:
    opened = opened_by(observation)
    return opened is not None and observation.table.has(*VECTORS) and not opened.table.has(*VECTORS)


def _overwrites_by_between(observation: Observation) -> bool:
    return any(
        isinstance(test, Between)
        for command in commands(observation)
        if isinstance(command, Overwrite) and command.where is not None
        for test in leaves(command.where)
    )


def _merges_into_quoted_partitions(observation: Observation) -> bool:
    quoted = any(set(name) & {".", "`"} for name in observation.table.partition_by)
    return quoted and any(isinstance(command, Merge) for command in commands(observation))


def _updates_beside_a_backtick(observation: Observation) -> bool:
    quoted = any("`" in column.name for column in observation.table.columns)
    feeds = observation.table.has(Feature.CHANGE_DATA_FEED)
    return quoted and feeds and any(isinstance(command, Update) for command in commands(observation))


def _merges_beside_a_backtick(observation: Observation) -> bool:
    quoted = any("`" in column.name for column in observation.table.columns)
    feeds = observation.table.has(Feature.CHANGE_DATA_FEED)
    return quoted and any(isinstance(one, Merge) and (feeds or one.by_name) for one in commands(observation))


def _lists_a_special_name(observation: Observation, kind: type[Command]) -> bool:
    """Whether such a command leaves a list of columns with statistics in which a name has a character that is not of ASCII's
    letters, digits, "_" and "-". With a dot or a backtick Delta quotes it."""
    return any(
        not re.fullmatch(r"[\w-]+|.*[.`].*", name, re.ASCII | re.DOTALL)
        for command in commands(observation)
        if isinstance(command, kind)
        for name in table_after(command, observation.table).indexed_columns
    )


def _merges_a_row_index(observation: Observation) -> bool:
    """Whether the source and the table of a MERGE have the name that Delta gives to the index of a row."""
    by_name = any(isinstance(command, Merge) and command.by_name for command in commands(observation))
    names = [column.name for column in observation.table.columns]
    return by_name and "rowIndexCol" in names and observation.table.has(Feature.DELETION_VECTORS)


def _evolving_merges(observation: Observation) -> list[Merge]:
    """Those that add a column."""
    return [command for command in commands(observation) if isinstance(command, Merge) and command.adds is not None]


def _evolves_before_data_columns(observation: Observation) -> bool:
    table = observation.table
    last = [*(column.name for column in table.data_columns), *table.partition_by]
    return bool(_evolving_merges(observation)) and last != [column.name for column in table.columns]


def _evolves_and_keeps_a_matched_row(observation: Observation) -> bool:
    """Whether rows that match keep the values that the table has, or some of them."""
    replaces = (Then.DELETE, Then.UPDATE_ALL)
    return any(
        not any(clause.when is When.MATCHED and clause.then in replaces for clause in command.clauses)
        for command in _evolving_merges(observation)
    )


def _orders_by_a_backtick(observation: Observation) -> bool:
    ordered = (name for command in commands(observation) if isinstance(command, Optimize) for name in command.zorder_by)
    return any("`" in name for name in ordered)


def _asks_python_which_files_to_rewrite(observation: Observation) -> bool:
    """Whether a DELETE or an UPDATE without deletion vectors has a condition on data columns with a function that gets its rows
    in batches, of several files."""
    table = observation.table
    if table.has(Feature.DELETION_VECTORS):
        return False
    found = [step.where for step in deletes(observation)]
    found += [command.where for command in commands(observation) if isinstance(command, Update)]
    return any(
        where is not None and wrappers_of(where) and not columns_of(where) <= set(table.partition_by) for where in found
    )


def _restores_vectors_that_are_off(observation: Observation) -> bool:
    """Whether a RESTORE adds a file with a deletion vector, and the table, as it was then, may get no new ones."""
    if not isinstance(observation, (CommandObservation, AtOnceObservation)):
        return False
    if not any(isinstance(command, Restore) for command in commands(observation)):
        return False
    log = observation.before.log
    try:
        wanted = log.snapshot(observation.version)
    except DeltaLogError:  # a version that is gone
        return False
    if wanted.metadata.configuration.get("delta.enableDeletionVectors") == "true":
        return False
    now = observation.before.snapshot.adds
    return any(add.deletion_vector is not None for key, add in wanted.adds.items() if key not in now)


_OTHER_LITERALS = (Type.BYTE, Type.SHORT, Type.INTEGER, Type.TIMESTAMP, Type.TIMESTAMP_NTZ)


def _ignores_a_damaged_row_group(observation: Observation) -> bool:
    """Whether a DELETE that rewrites files ignores the unreadable part of a live file."""
    ignored = any(Setting.IGNORE_CORRUPT_FILES in step.settings for step in deletes(observation))
    rewrites = not observation.table.has(Feature.DELETION_VECTORS)
    in_parts = [file for file in observation.table.damaged_files if file.damage is Damage.LAST_GROUP]
    live = observation.before.live
    return ignored and rewrites and any(file_path(observation.table, file) in live for file in in_parts)


#: By the name that a known fault gives as ``when``. "tests", "compares" and "condition" are about the conditions of commands.
OF_COMMANDS: dict[str, Callable[[Observation], bool]] = {
    "session that opened the table before others committed": _others_committed,
    "session that opened the table before deletion vectors were switched on": _vectors_came_since_it_opened,
    "session that deletes all, or no row of its version": _deletes_all_or_nothing_of_its_version,
    "compares with NULL": lambda o: any(None in compared_values(test) and not is_null_safe(test) for test in tests(o)),
    "call with constants of several types": lambda o: any(
        isinstance(test, Verbatim) and _OF_SEVERAL_TYPES.search(test.text) for test in tests(o)
    ),
    "test of a CHAR": lambda o: any((column.declared or "").startswith("char") for column in tested_columns(o)),
    "inventory by a query that is no table": lambda o: any(
        isinstance(step, Vacuum) and step.listing is not Listing.PLAIN for step in at_hand(o)
    ),
    "test of a metadata column": lambda o: any(names_metadata(test) for test in tests(o)),
    "verbatim test": lambda o: any(isinstance(test, Verbatim) for test in tests(o)),
    "zeros of both signs": _has_other_zero,
    "partition columns compared with each other": lambda o: any(_compares_partitions(o, test) for test in tests(o)),
    "versions to keep that go back": lambda o: any(list(kept) != sorted(kept) for kept in _versions_to_keep(o)),
    "DECIMAL as users write it": lambda o: any(untyped_decimals(o)),
    "DECIMAL of 16 digits as users write it": lambda o: any(_digits(number) >= 16 for number in untyped_decimals(o)),
    "test of a list": lambda o: any(isinstance(test, In) for test in tests(o)),
    "test of a list of thousands": lambda o: any(
        isinstance(test, In) and len(test.values) > 2_000 for test in tests(o)
    ),
    "test of a list beside another test": lambda o: _beside_another_test(o, lambda test: isinstance(test, In)),
    "test of a range": lambda o: any(isinstance(test, Between) for test in tests(o)),
    "LIKE of a partition": lambda o: any(
        isinstance(test, Like) and test.column in o.table.partition_by for test in tests(o)
    ),
    "LIKE with a backslash": lambda o: any(isinstance(test, Like) and "\\" in test.pattern for test in tests(o)),
    "damaged row group ignored without deletion vectors": _ignores_a_damaged_row_group,
    "whole files": _deletes_whole_files,  # a condition on partition columns only, or none
    "test of a name that is no identifier": lambda o: any(
        not re.fullmatch(r"\w+", column.name) for column in tested_columns(o)
    ),
    # Without wildcards, and of the same column.
    "plain LIKE beside another test": lambda o: _beside_another_test(o, is_plain_like),
    "null-safe test of a partition": lambda o: any(
        isinstance(test, Compare) and is_null_safe(test) and test.column in o.table.partition_by for test in tests(o)
    ),
    "test of a BOOLEAN that is never NULL": lambda o: any(
        column.type is Type.BOOLEAN and not column.nullable for column in tested_columns(o)
    ),
    "test of a nested column": lambda o: any(is_nested(column.type) for column in tested_columns(o)),
    "test of a NULL struct with a NOT NULL field": _tests_required_field_of_null,
    "overwrite where BETWEEN": _overwrites_by_between,
    "MERGE with a partition column named with a dot or a backtick": _merges_into_quoted_partitions,
    "UPDATE with a change feed and a column named with a backtick": _updates_beside_a_backtick,
    "MERGE by name or with a change feed, and a column named with a backtick": _merges_beside_a_backtick,
    "MERGE by name with deletion vectors and a column named rowIndexCol": _merges_a_row_index,
    "MERGE that adds a column": lambda o: bool(_evolving_merges(o)),
    "MERGE that adds a column to a table with a data column after a partition column": _evolves_before_data_columns,
    "MERGE that adds a column and leaves matched rows, or sets some columns": _evolves_and_keeps_a_matched_row,
    "ZORDER BY a column named with a backtick": _orders_by_a_backtick,
    "RENAME COLUMN in a table with named statistics of a special name": lambda o: _lists_a_special_name(
        o, RenameColumn
    ),
    "DROP COLUMN in a table with named statistics of a special name": lambda o: _lists_a_special_name(o, DropColumn),
    "function in Python in a condition": lambda o: any(wrappers_of(condition) for condition in _conditions(o)),
    "function in Python that decides which files are rewritten": _asks_python_which_files_to_rewrite,
    "OPTIMIZE of a file whose path has a tilde": lambda o: (
        any(isinstance(command, Optimize) for command in commands(o)) and any("~" in path for path in o.before.live)
    ),
    "RESTORE": lambda o: any(isinstance(command, Restore) for command in commands(o)),
    "RESTORE of deletion vectors that are switched off": _restores_vectors_that_are_off,
    "UPDATE of whole partitions": lambda o: any(
        isinstance(command, Update)
        and (command.where is None or columns_of(command.where) <= set(o.table.partition_by))
        for command in commands(o)
    ),
    # The literal of a number is BIGINT, and that of a moment a string.
    "UPDATE by a literal of another type": lambda o: any(
        to.value is not None and to.type in _OTHER_LITERALS
        for command in commands(o)
        if isinstance(command, Update)
        for to in assignments_of(command)
    ),
    "checkpoint by a command": lambda o: any(isinstance(command, Checkpoint) for command in commands(o)),
    "vectors switched on with column mapping": lambda o: (
        o.table.maps_columns and Switch(Feature.DELETION_VECTORS, on=True) in commands(o)
    ),
    "condition that is no BOOLEAN": lambda o: (
        isinstance(o.step, InvalidDelete) and o.step.mistake.name == "NOT_BOOLEAN"
    ),
    "missing path as the target": lambda o: (
        isinstance(o.step, (InvalidDelete, InvalidVacuum)) and o.step.mistake.name == "MISSING_PATH"
    ),
    "change feed in another time zone": lambda o: isinstance(o.step, ReadChanges) and o.step.zone != "UTC",
}

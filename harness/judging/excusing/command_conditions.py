"""Conditions about the command of a step: what it says, and what it meets in the rows before it.

A read, of rows or of changes, shows what the last command made of the table: its condition is about that command. What an
earlier command left wrong is seen in the table before the step (harness.judging.excusing.table_conditions), or has ended
the case. In names "test", "compares" and "condition" are about the conditions of commands.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, TypeGuard, TypeVar

from deltalog.errors import DeltaLogError
from harness.judging.excusing.declarations import Condition, condition
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
from shapes import told
from shapes.shape import ColumnKind
from shapes.told import OnShape, only_if, untold

S = TypeVar("S")
C = TypeVar("C")


def at_hand(observation: Observation) -> tuple[EngineStep, ...]:
    """The commands that a step is about: both of two sessions; of a read the last command before it."""
    step = observation.step
    if isinstance(observation, ChangesObservation):
        return () if observation.of is None else (observation.of.step,)
    if isinstance(step, Read):
        earlier = (one.step for one in reversed(observation.earlier))
        return next(((one,) for one in earlier if not isinstance(one, (Read, ReadChanges))), ())
    return step.steps if isinstance(step, AtOnce) else (step,)


def _steps(observation: Observation, kind: type[S]) -> list[S]:
    return [step for step in at_hand(observation) if isinstance(step, kind)]


def deletes(observation: Observation) -> list[Delete]:
    return _steps(observation, Delete)


def commands(observation: Observation, kind: type[C]) -> list[C]:
    """The commands of a kind, other than DELETE and VACUUM."""
    return [step.command for step in _steps(observation, OtherCommand) if isinstance(step.command, kind)]


def _conditions(observation: Observation, kind: type[Any] = object) -> list[Predicate]:
    """Those of DELETEs, and of other commands of a kind."""
    found = [step.where for step in deletes(observation) if step.where is not None]
    return found + [where for command in commands(observation, kind) for where in conditions_of(command)]


def tests(observation: Observation) -> list[Predicate]:
    """The single tests in these conditions."""
    return [test for condition in _conditions(observation) for test in leaves(condition)]


def tested_columns(observation: Observation) -> list[Column]:
    names = {name for test in tests(observation) for name in columns_of(test)}
    return [column for column in observation.table.columns if column.name in names]


def opened_by(observation: Observation) -> OpenObservation | None:
    """The step that opened the session of a DELETE or a VACUUM that is ``by_earlier``."""
    step = observation.step
    if not isinstance(step, (Delete, Vacuum)) or not step.by_earlier:
        return None
    return next((one for one in reversed(observation.earlier) if isinstance(one, OpenObservation)), None)


# Sessions ---------------------------------------------------------------------------------------------------------------


@condition(
    "session that opened the table before others committed", "you keep a DeltaTable object open while others commit"
)
def _others_committed(observation: Observation) -> bool:
    opened = opened_by(observation)
    return opened is not None and opened.before.version < observation.before.version


@condition(
    "session that opened the table before deletion vectors were switched on",
    "you keep a session open while another one switches deletion vectors on",
)
def _vectors_came_since_it_opened(observation: Observation) -> bool:
    opened = opened_by(observation)
    return opened is not None and observation.table.has(*VECTORS) and not opened.table.has(*VECTORS)


@condition(
    "session that deletes all, or no row of its version",
    "you keep a DeltaTable object open while others commit, and DELETE all rows, or rows that its version does not have",
)
def _deletes_all_or_nothing_of_its_version(observation: Observation) -> bool:
    opened, step = opened_by(observation), observation.step
    if opened is None or not isinstance(step, Delete) or opened.before.version == observation.before.version:
        return False
    rows = opened.before.rows
    return step.where is None or (
        rows is not None and not any(matches(step, opened.table, row) is True for row in rows)
    )


# Conditions of commands --------------------------------------------------------------------------------------------------


def is_null_safe(test: Predicate) -> bool:
    return isinstance(test, Compare) and test.op is Op.NULL_SAFE_EQ


def is_plain_like(test: Predicate) -> TypeGuard[Like]:
    return isinstance(test, Like) and not set(test.pattern) & {"%", "_"}


def zero_signs(value: object) -> Iterator[float]:
    """The signs of the zeros in a value or its parts: 1.0, -1.0."""
    if isinstance(value, float) and value == 0:
        yield math.copysign(1.0, value)
    elif isinstance(value, tuple):
        for part in value:
            yield from zero_signs(part)


def untyped_decimals(observation: Observation) -> Iterator[Decimal]:
    """The DECIMALs that a DELETE compares with, written as users do, that are no DOUBLEs."""
    for step in deletes(observation):
        if step.where is None or step.literals is Literals.EXACT:
            continue
        for test in leaves(step.where):
            right = (test.right,) if isinstance(test, Relate) else ()
            values = (*compared_values(test), *(one.value for one in right if isinstance(one, Literal)))
            yield from (one for one in values if isinstance(one, Decimal) and Decimal(float(one)) != one)


def _has_test(name: str, whom: str, holds: Callable[[Predicate], object], on_shape: OnShape = untold) -> Condition:
    return Condition(name, whom, lambda o: any(map(holds, tests(o))), on_shape)


def _has_test_of_partitions(name: str, whom: str, holds: Callable[[Predicate], object], on_shape: OnShape) -> Condition:
    """All columns of the test are partition columns."""

    def sees(o: Observation) -> bool:
        return any(holds(test) and columns_of(test) <= set(o.table.partition_by) for test in tests(o))

    return Condition(name, whom, sees, only_if(on_shape))


def _has_test_beside_another(name: str, whom: str, holds: Callable[[Predicate], object]) -> Condition:
    """The condition has another test of the same column."""

    def sees(found: list[Predicate]) -> bool:
        columns = Counter(name for test in found for name in columns_of(test))
        return any(columns[name] > 1 for test in found if holds(test) for name in columns_of(test))

    return Condition(name, whom, lambda o: any(sees(list(leaves(one))) for one in _conditions(o)))


def _tests_column(name: str, whom: str, holds: Callable[[Column], object], on_shape: OnShape = untold) -> Condition:
    return Condition(name, whom, lambda o: any(map(holds, tested_columns(o))), on_shape)


#: Calls that convert their arguments to a common type.
_OF_SEVERAL_TYPES = re.compile(r"\b(least|greatest)\(|make_array\(NULL")

OF_TESTS = (
    _has_test(
        "compares with NULL",
        "a condition compares with NULL, as x = NULL does",
        lambda test: None in compared_values(test) and not is_null_safe(test),
    ),
    _has_test(
        "call with constants of several types",
        "a condition calls a function with constants of several types, such as greatest(2, 0.5)",
        lambda test: isinstance(test, Verbatim) and _OF_SEVERAL_TYPES.search(test.text),
    ),
    _has_test(
        "test of a metadata column", "a condition names a metadata column, such as _metadata.file_size", names_metadata
    ),
    _has_test("verbatim test", "a condition calls a function", lambda test: isinstance(test, Verbatim)),
    _has_test("test of a list", "a condition has IN with a list", lambda test: isinstance(test, In)),
    _has_test(
        "test of a list of thousands",
        "a condition has IN with thousands of values",
        lambda test: isinstance(test, In) and len(test.values) > 2_000,
    ),
    _has_test_beside_another(
        "test of a list beside another test",
        "a condition has IN beside another test of the same column",
        lambda test: isinstance(test, In),
    ),
    _has_test("test of a range", "a condition has BETWEEN", lambda test: isinstance(test, Between)),
    _has_test(
        "LIKE with a backslash",
        "a condition has LIKE with a backslash in its pattern",
        lambda test: isinstance(test, Like) and "\\" in test.pattern,
    ),
    _has_test_beside_another(
        "plain LIKE beside another test",
        "a condition has LIKE without a wildcard beside another test of the same column",
        is_plain_like,
    ),
    _has_test_of_partitions(
        "LIKE of a partition",
        "a condition has LIKE on a partition column",
        lambda test: isinstance(test, Like),
        told.partitions,
    ),
    _has_test_of_partitions(
        "null-safe test of a partition",
        "a condition has a null-safe comparison of a partition column (IS NOT DISTINCT FROM)",
        is_null_safe,
        told.partitions,
    ),
    _has_test_of_partitions(
        "partition columns compared with each other",
        "a condition compares two partition columns with each other",
        lambda test: isinstance(test, Relate) and isinstance(test.left, Of) and isinstance(test.right, Of),
        told.partitions_by_several,
    ),
    _tests_column(
        "test of a CHAR",
        "a condition compares a CHAR(n) column with a text of less than n characters",
        lambda column: (column.declared or "").startswith("char"),
    ),
    _tests_column(
        "test of a name that is no identifier",
        "a condition names a column whose name is no identifier, such as `a.b`",
        lambda column: not re.fullmatch(r"\w+", column.name),  # a shape does not tell of a hyphen
    ),
    _tests_column(
        "test of a BOOLEAN that is never NULL",
        "a condition tests a BOOLEAN column without NULLs for both of its values",
        lambda column: column.type is Type.BOOLEAN and not column.nullable,
        only_if(lambda s: ColumnKind("boolean", False) in (*s.columns.kinds, *s.columns.partition)),
    ),
    _tests_column(
        "test of a nested column",
        "a condition tests a struct, an array or a map",
        lambda column: is_nested(column.type),
        only_if(told.has_type("array", "map", "struct")),
    ),
    Condition(
        "DECIMAL as users write it",
        "a condition has a DECIMAL as a plain number, such as 1.5",
        lambda o: any(untyped_decimals(o)),
    ),
    Condition(
        "DECIMAL of 16 digits as users write it",
        "a condition has a number of 16 digits or more with a decimal point",
        lambda o: any(len(number.as_tuple().digits) >= 16 for number in untyped_decimals(o)),
    ),
    Condition(
        "function in Python in a condition",
        "a condition calls a function in Python",
        lambda o: any(map(wrappers_of, _conditions(o))),
    ),
)


@condition(
    "zeros of both signs",
    "a FLOAT or DOUBLE column has -0.0, and a condition compares it with 0.0, or the other way round",
    only_if(told.has_float),
)
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


@condition(
    "test of a NULL struct with a NOT NULL field",
    "a table has a struct that may be NULL, with a field that may not",
    only_if(told.has_nullable_struct_with_required_field),
)
def _tests_required_field_of_null(observation: Observation) -> bool:
    """Whether the struct is NULL in some row of a live file."""
    names = {column.name for column in tested_columns(observation) if required_fields(column.type)}
    places = [place for place, column in enumerate(observation.table.columns) if column.name in names]
    state = observation.before
    return any(row[place] is None for path in state.live for row in state.contents[path] or () for place in places)


@condition("whole files", "a DELETE removes whole files")
def _deletes_whole_files(observation: Observation) -> bool:
    """Whether it has a condition on partition columns only, or none."""
    return isinstance(observation, DeleteObservation) and observation.prediction.scope is not ConditionScope.ROWS


@condition(
    "function in Python that decides which files are rewritten",
    "a DELETE or UPDATE without deletion vectors has a condition with a function in Python",
    only_if(lambda s: not told.writes_vectors(s)),
)
def _asks_python_which_files_to_rewrite(observation: Observation) -> bool:
    """Whether such a condition on data columns has a function that gets its rows in batches, of several files."""
    table = observation.table
    return not table.has(Feature.DELETION_VECTORS) and any(
        wrappers_of(where) and not columns_of(where) <= set(table.partition_by)
        for where in _conditions(observation, Update)
    )


@condition(
    "damaged row group ignored without deletion vectors",
    "you set spark.sql.files.ignoreCorruptFiles, and a file without deletion vectors is damaged in part",
    only_if(lambda s: not told.writes_vectors(s)),
)
def _ignores_a_damaged_row_group(observation: Observation) -> bool:
    """Whether a DELETE that rewrites files ignores the unreadable part of a live file."""
    ignored = any(Setting.IGNORE_CORRUPT_FILES in step.settings for step in deletes(observation))
    rewrites = not observation.table.has(Feature.DELETION_VECTORS)
    in_parts = [file for file in observation.table.damaged_files if file.damage is Damage.LAST_GROUP]
    live = observation.before.live
    return ignored and rewrites and any(file_path(observation.table, file) in live for file in in_parts)


# Other commands ----------------------------------------------------------------------------------------------------------


def _evolving(observation: Observation) -> list[Merge]:
    """The MERGEs that add a column."""
    return [command for command in commands(observation, Merge) if command.adds is not None]


def _has_feed(observation: Observation) -> bool:
    return observation.table.has(Feature.CHANGE_DATA_FEED)


def _has_backtick(observation: Observation) -> bool:
    return any("`" in column.name for column in observation.table.columns)


def _lists_a_special_name(verb: str, kind: type[Command]) -> Condition:
    """Such a command leaves a list of columns with statistics in which a name has a character that is not of ASCII's
    letters, digits, "_" and "-". With a dot or a backtick Delta quotes it."""

    def sees(observation: Observation) -> bool:
        return any(
            not re.fullmatch(r"[\w-]+|.*[.`].*", name, re.ASCII | re.DOTALL)
            for command in commands(observation, kind)
            for name in table_after(command, observation.table).indexed_columns
        )

    return Condition(
        f"{verb} COLUMN in a table with named statistics of a special name",
        f"you {verb} a column, and delta.dataSkippingStatsColumns has a name with a character such as # or a blank",
        sees,
        only_if(told.maps_columns),
    )


_OTHER_LITERALS = (Type.BYTE, Type.SHORT, Type.INTEGER, Type.TIMESTAMP, Type.TIMESTAMP_NTZ)

OF_OTHERS = (
    Condition("RESTORE", "you RESTORE a table", lambda o: bool(commands(o, Restore)), told.ran("RESTORE")),
    Condition("checkpoint by a command", "you write checkpoints by a command", lambda o: bool(commands(o, Checkpoint))),
    Condition(
        "overwrite where BETWEEN",
        "you overwrite by replaceWhere with BETWEEN",
        lambda o: any(
            isinstance(test, Between)
            for command in commands(o, Overwrite)
            for where in conditions_of(command)
            for test in leaves(where)
        ),
    ),
    Condition(
        "MERGE with a partition column named with a dot or a backtick",
        "you MERGE into a table with a partition column whose name has a dot or a backtick",
        lambda o: any(set(name) & {".", "`"} for name in o.table.partition_by) and bool(commands(o, Merge)),
        only_if(told.has_partition_name("back-tick", "begins-with-dot", "dot")),
    ),
    Condition(
        "MERGE by name or with a change feed, and a column named with a backtick",
        "you MERGE with * into a table with a column whose name has a backtick, or it has a change data feed too",
        lambda o: _has_backtick(o) and any(_has_feed(o) or command.by_name for command in commands(o, Merge)),
        only_if(told.has_name("back-tick")),
    ),
    Condition(
        "MERGE by name with deletion vectors and a column named rowIndexCol",  # as Delta names the index of a row
        "you MERGE into a table with deletion vectors, and it and the source have a column rowIndexCol",
        lambda o: (
            any(command.by_name for command in commands(o, Merge))
            and any(column.name == "rowIndexCol" for column in o.table.columns)
            and o.table.has(Feature.DELETION_VECTORS)
        ),
        only_if(told.supports_vectors),
    ),
    Condition(
        "MERGE that adds a column",
        "you MERGE into a table with schema evolution (merge_schema), and the source has a new column",
        lambda o: bool(_evolving(o)),
    ),
    Condition(
        "MERGE that adds a column to a table with a data column after a partition column",
        "you MERGE with schema evolution into a table with a data column after a partition column",
        lambda o: bool(_evolving(o)) and o.table.columns != (*o.table.data_columns, *o.table.partition_columns),
        only_if(told.partitions),
    ),
    Condition(
        "MERGE that adds a column and leaves matched rows, or sets some columns",
        "you MERGE with schema evolution, and rows that match are left as they are, or only some columns are set",
        lambda o: any(
            not any(one.when is When.MATCHED and one.then in (Then.DELETE, Then.UPDATE_ALL) for one in command.clauses)
            for command in _evolving(o)
        ),
    ),
    Condition(
        "UPDATE with a change feed and a column named with a backtick",
        "you UPDATE a table that has a change data feed and a column whose name has a backtick",
        lambda o: _has_backtick(o) and _has_feed(o) and bool(commands(o, Update)),
        only_if(told.has_feed, told.has_name("back-tick")),
    ),
    Condition(
        "UPDATE of whole partitions",
        "you UPDATE whole partitions",
        lambda o: any(
            all(columns_of(where) <= set(o.table.partition_by) for where in conditions_of(command))
            for command in commands(o, Update)
        ),
    ),
    Condition(
        "UPDATE by a literal of another type",  # that of a number is BIGINT, and that of a moment a string
        "you UPDATE a column by a literal of another type",
        lambda o: any(
            to.value is not None and to.type in _OTHER_LITERALS
            for command in commands(o, Update)
            for to in assignments_of(command)
        ),
        only_if(told.has_type("byte", "integer", "short", "timestamp", "timestamp_ntz")),
    ),
    Condition(
        "OPTIMIZE of a file whose path has a tilde",
        "you run OPTIMIZE, and a partition value or column has a tilde",
        lambda o: bool(commands(o, Optimize)) and any("~" in path for path in o.before.live),
        only_if(told.encodes_paths),
    ),
    Condition(
        "ZORDER BY a column named with a backtick",
        "you OPTIMIZE ZORDER BY a column whose name has a backtick",
        lambda o: any("`" in name for command in commands(o, Optimize) for name in command.zorder_by),
        only_if(told.has_name("back-tick")),
    ),
    _lists_a_special_name("RENAME", RenameColumn),
    _lists_a_special_name("DROP", DropColumn),
    Condition(
        "vectors switched on with column mapping",
        "you switch deletion vectors on for a table with column mapping",
        lambda o: o.table.maps_columns and Switch(Feature.DELETION_VECTORS, on=True) in commands(o, Switch),
        only_if(told.maps_columns),
    ),
    Condition(
        "inventory by a query that is no table",
        "you run VACUUM USING INVENTORY by a query with a column that is never NULL or columns in another order, or with "
        "paths with two slashes after the root",
        lambda o: any(step.listing is not Listing.PLAIN for step in _steps(o, Vacuum)),
    ),
    Condition(
        "condition that is no BOOLEAN",
        "a condition may be no BOOLEAN, such as 0 or 'false'",
        lambda o: isinstance(o.step, InvalidDelete) and o.step.mistake.name == "NOT_BOOLEAN",
    ),
    Condition(
        "missing path as the target",
        "you name a table by a path where there is none",
        lambda o: isinstance(o.step, (InvalidDelete, InvalidVacuum)) and o.step.mistake.name == "MISSING_PATH",
    ),
    Condition(
        "change feed in another time zone",
        "you read the change data feed in another time zone than the JVM's",
        lambda o: isinstance(o.step, ReadChanges) and o.step.zone != "UTC",
        only_if(lambda s: told.has_feed(s) or told.has_feature("changeDataFeed")(s)),
    ),
)


@condition("versions to keep that go back", "you VACUUM with keep_versions")
def _keeps_versions_that_go_back(observation: Observation) -> bool:
    kept = (step.kept_versions(observation.before.version) for step in _steps(observation, Vacuum))
    return any(list(one) != sorted(one) for one in kept)


@condition(
    "RESTORE of deletion vectors that are switched off",
    "you RESTORE a table to a version at which deletion vectors were switched off and a file still had one",
    only_if(lambda s: told.supports_vectors(s) or "DROP FEATURE" in s.history.operations),
)
def _restores_vectors_that_are_off(observation: Observation) -> bool:
    """Whether a RESTORE adds a file with a deletion vector, and the table, as it was then, may get no new ones."""
    if not isinstance(observation, (CommandObservation, AtOnceObservation)) or not commands(observation, Restore):
        return False
    try:
        wanted = observation.before.log.snapshot(observation.version)
    except DeltaLogError:  # a version that is gone
        return False
    if wanted.metadata.configuration.get("delta.enableDeletionVectors") == "true":
        return False
    now = observation.before.snapshot.adds
    return any(add.deletion_vector is not None for key, add in wanted.adds.items() if key not in now)

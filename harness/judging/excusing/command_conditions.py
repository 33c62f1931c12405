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
from functools import partial
from typing import Any, TypeGuard, TypeVar

from deltalog.errors import DeltaLogError
from harness.judging.excusing.declarations import Condition, Decorator, condition
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
    MergeClause,
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


def places_tested(observation: Observation, such: Callable[[Column], object] = lambda _: True) -> list[int]:
    """The places in a row of the columns of these tests that are ``such``."""
    names = {name for test in tests(observation) for name in columns_of(test)}
    columns = enumerate(observation.table.columns)
    return [place for place, column in columns if column.name in names and such(column)]


def has_required_fields(column: Column) -> bool:
    """Whether it is a struct with a NOT NULL field."""
    return bool(required_fields(column.type))


def opened_by(observation: Observation) -> OpenObservation | None:
    """The step that opened the session of a DELETE or a VACUUM that is ``by_earlier``."""
    step = observation.step
    if not isinstance(step, (Delete, Vacuum)) or not step.by_earlier:
        return None
    return next((one for one in reversed(observation.earlier) if isinstance(one, OpenObservation)), None)


# Sessions ---------------------------------------------------------------------------------------------------------------


def since_opened(name: str, whom: str) -> Callable[[Callable[[OpenObservation, Observation], bool]], Condition]:
    """Others committed since the step that opened the session of the step; and what the decorated function sees of both."""

    def make(holds: Callable[[OpenObservation, Observation], bool]) -> Condition:
        def sees(o: Observation) -> bool:
            opened = opened_by(o)
            return opened is not None and opened.before.version < o.before.version and holds(opened, o)

        return Condition(name, whom, sees)

    return make


def _deletes_all_or_nothing(opened: OpenObservation, observation: Observation) -> bool:
    """Of the version of the session."""
    step, rows = observation.step, opened.before.rows
    return isinstance(step, Delete) and (
        step.where is None or (rows is not None and not any(matches(step, opened.table, row) is True for row in rows))
    )


OF_SESSIONS = (
    since_opened(
        "session that opened the table before others committed", "you keep a DeltaTable object open while others commit"
    )(lambda opened, o: True),
    since_opened(
        "session that opened the table before deletion vectors were switched on",
        "you keep a session open while another one switches deletion vectors on",
    )(lambda opened, o: o.table.has(*VECTORS) and not opened.table.has(*VECTORS)),
    since_opened(
        "session that deletes all, or no row of its version",
        "you keep a DeltaTable object open while others commit, and DELETE all rows, or rows that its version does not have",
    )(_deletes_all_or_nothing),
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


def has_test(name: str, whom: str, on_shape: OnShape = untold) -> Decorator[Predicate]:
    """The decorated function sees a single test of a condition."""
    return lambda holds: Condition(name, whom, lambda o: any(map(holds, tests(o))), on_shape)


def has_test_of_partitions(name: str, whom: str, on_shape: OnShape = told.partitions) -> Decorator[Predicate]:
    """So it does, and all columns of the test are partition columns."""

    def sees(holds: Callable[[Predicate], object], o: Observation) -> bool:
        return any(holds(test) and columns_of(test) <= set(o.table.partition_by) for test in tests(o))

    return lambda holds: Condition(name, whom, partial(sees, holds), only_if(on_shape))


def has_test_beside_another(name: str, whom: str) -> Decorator[Predicate]:
    """So it does, and the condition has another test of the same column."""

    def sees(holds: Callable[[Predicate], object], found: list[Predicate]) -> bool:
        columns = Counter(name for test in found for name in columns_of(test))
        return any(columns[name] > 1 for test in found if holds(test) for name in columns_of(test))

    return lambda holds: Condition(name, whom, lambda o: any(sees(holds, [*leaves(one)]) for one in _conditions(o)))


def names_column(name: str, whom: str, on_shape: OnShape = untold) -> Decorator[Column]:
    """The decorated function sees a column that a condition tests."""
    return lambda holds: Condition(name, whom, lambda o: bool(places_tested(o, holds)), on_shape)


#: Calls that convert their arguments to a common type.
_OF_SEVERAL_TYPES = re.compile(r"\b(least|greatest)\(|make_array\(NULL")

OF_TESTS = (
    has_test("compares with NULL", "a condition compares with NULL, as x = NULL does")(
        lambda test: None in compared_values(test) and not is_null_safe(test)
    ),
    has_test(
        "call with constants of several types",
        "a condition calls a function with constants of several types, such as greatest(2, 0.5)",
    )(lambda test: isinstance(test, Verbatim) and _OF_SEVERAL_TYPES.search(test.text)),
    has_test("test of a metadata column", "a condition names a metadata column, such as _metadata.file_size")(
        names_metadata
    ),
    has_test("verbatim test", "a condition calls a function")(lambda test: isinstance(test, Verbatim)),
    has_test("test of a list", "a condition has IN with a list")(lambda test: isinstance(test, In)),
    has_test("test of a list of thousands", "a condition has IN with thousands of values")(
        lambda test: isinstance(test, In) and len(test.values) > 2_000
    ),
    has_test_beside_another(
        "test of a list beside another test", "a condition has IN beside another test of the same column"
    )(lambda test: isinstance(test, In)),
    has_test("test of a range", "a condition has BETWEEN")(lambda test: isinstance(test, Between)),
    has_test("LIKE with a backslash", "a condition has LIKE with a backslash in its pattern")(
        lambda test: isinstance(test, Like) and "\\" in test.pattern
    ),
    has_test_beside_another(
        "plain LIKE beside another test",
        "a condition has LIKE without a wildcard beside another test of the same column",
    )(is_plain_like),
    has_test_of_partitions("LIKE of a partition", "a condition has LIKE on a partition column")(
        lambda test: isinstance(test, Like)
    ),
    has_test_of_partitions(
        "null-safe test of a partition",
        "a condition has a null-safe comparison of a partition column (IS NOT DISTINCT FROM)",
    )(is_null_safe),
    has_test_of_partitions(
        "partition columns compared with each other",
        "a condition compares two partition columns with each other",
        told.partitions_by_several,
    )(lambda test: isinstance(test, Relate) and isinstance(test.left, Of) and isinstance(test.right, Of)),
    names_column("test of a CHAR", "a condition compares a CHAR(n) column with a text of less than n characters")(
        lambda column: (column.declared or "").startswith("char")
    ),
    # A shape does not tell of a hyphen.
    names_column(
        "test of a name that is no identifier", "a condition names a column whose name is no identifier, such as `a.b`"
    )(lambda column: not re.fullmatch(r"\w+", column.name)),
    names_column(
        "test of a BOOLEAN that is never NULL",
        "a condition tests a BOOLEAN column without NULLs for both of its values",
        only_if(told.has_column(lambda one: one.type == "boolean" and not one.nullable)),
    )(lambda column: column.type is Type.BOOLEAN and not column.nullable),
    names_column(
        "test of a nested column",
        "a condition tests a struct, an array or a map",
        only_if(told.has_type("array", "map", "struct")),
    )(lambda column: is_nested(column.type)),
    condition("DECIMAL as users write it", "a condition has a DECIMAL as a plain number, such as 1.5")(
        lambda o: any(untyped_decimals(o))
    ),
    condition(
        "DECIMAL of 16 digits as users write it", "a condition has a number of 16 digits or more with a decimal point"
    )(lambda o: any(len(number.as_tuple().digits) >= 16 for number in untyped_decimals(o))),
    condition(
        "test of a NULL struct with a NOT NULL field",
        "a table has a struct that may be NULL, with a field that may not",
        only_if(told.has_nullable_struct_with_required_field),
    )(
        lambda o: any(
            row[place] is None for row in o.before.stored_rows for place in places_tested(o, has_required_fields)
        )
    ),
    # By a condition on partition columns only, or none.
    condition("whole files", "a DELETE removes whole files")(
        lambda o: isinstance(o, DeleteObservation) and o.prediction.scope is not ConditionScope.ROWS
    ),
    condition("function in Python in a condition", "a condition calls a function in Python")(
        lambda o: any(map(wrappers_of, _conditions(o)))
    ),
)


@condition(
    "zeros of both signs",
    "a FLOAT or DOUBLE column has -0.0, and a condition compares it with 0.0, or the other way round",
    only_if(told.has_float),
)
def _has_other_zero(observation: Observation) -> bool:
    """Whether a test compares a column with a zero, and a live file has one of the other sign in that column."""
    rows = list(observation.before.stored_rows)
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


def runs(
    kind: type[C], name: str, whom: str, on_shape: OnShape = untold
) -> Callable[[Callable[[Observation, C], object]], Condition]:
    """The decorated function sees the step, and a command of this kind."""
    return lambda holds: Condition(name, whom, lambda o: any(holds(o, one) for one in commands(o, kind)), on_shape)


def _has_feed(observation: Observation) -> bool:
    return observation.table.has(Feature.CHANGE_DATA_FEED)


def _has_backtick(observation: Observation) -> bool:
    return any("`" in column.name for column in observation.table.columns)


def _replaces_matched_rows(clause: MergeClause) -> bool:
    return clause.when is When.MATCHED and clause.then in (Then.DELETE, Then.UPDATE_ALL)


def _lists_a_special_name(verb: str, kind: type[Command]) -> Condition:
    """Such a command leaves a list of columns with statistics in which a name has a character that is not of ASCII's
    letters, digits, "_" and "-". With a dot or a backtick Delta quotes it."""

    def is_special(name: str) -> bool:
        return not re.fullmatch(r"[\w-]+|.*[.`].*", name, re.ASCII | re.DOTALL)

    return runs(
        kind,
        f"{verb} COLUMN in a table with named statistics of a special name",
        f"you {verb} a column, and delta.dataSkippingStatsColumns has a name with a character such as # or a blank",
        only_if(told.maps_columns),
    )(lambda o, command: any(map(is_special, table_after(command, o.table).indexed_columns)))


_OTHER_LITERALS = (Type.BYTE, Type.SHORT, Type.INTEGER, Type.TIMESTAMP, Type.TIMESTAMP_NTZ)

OF_OTHERS = (
    runs(Restore, "RESTORE", "you RESTORE a table", told.ran("RESTORE"))(lambda o, restore: True),
    runs(Checkpoint, "checkpoint by a command", "you write checkpoints by a command")(lambda o, checkpoint: True),
    runs(Overwrite, "overwrite where BETWEEN", "you overwrite by replaceWhere with BETWEEN")(
        lambda o, overwrite: any(
            isinstance(test, Between) for where in conditions_of(overwrite) for test in leaves(where)
        )
    ),
    runs(
        Merge,
        "MERGE with a partition column named with a dot or a backtick",
        "you MERGE into a table with a partition column whose name has a dot or a backtick",
        only_if(told.has_partition_name("back-tick", "begins-with-dot", "dot")),
    )(lambda o, merge: any(set(name) & {".", "`"} for name in o.table.partition_by)),
    runs(
        Merge,
        "MERGE by name or with a change feed, and a column named with a backtick",
        "you MERGE with * into a table with a column whose name has a backtick, or it has a change data feed too",
        only_if(told.has_name("back-tick")),
    )(lambda o, merge: _has_backtick(o) and (merge.by_name or _has_feed(o))),
    # As Delta names the index of a row.
    runs(
        Merge,
        "MERGE by name with deletion vectors and a column named rowIndexCol",
        "you MERGE into a table with deletion vectors, and it and the source have a column rowIndexCol",
        only_if(told.supports_vectors),
    )(
        lambda o, merge: (
            merge.by_name
            and any(column.name == "rowIndexCol" for column in o.table.columns)
            and o.table.has(Feature.DELETION_VECTORS)
        )
    ),
    runs(
        Merge,
        "MERGE that adds a column",
        "you MERGE into a table with schema evolution (merge_schema), and the source has a new column",
    )(lambda o, merge: merge.adds is not None),
    runs(
        Merge,
        "MERGE that adds a column to a table with a data column after a partition column",
        "you MERGE with schema evolution into a table with a data column after a partition column",
        only_if(told.partitions),
    )(
        lambda o, merge: (
            merge.adds is not None and o.table.columns != (*o.table.data_columns, *o.table.partition_columns)
        )
    ),
    runs(
        Merge,
        "MERGE that adds a column and leaves matched rows, or sets some columns",
        "you MERGE with schema evolution, and rows that match are left as they are, or only some columns are set",
    )(lambda o, merge: merge.adds is not None and not any(map(_replaces_matched_rows, merge.clauses))),
    runs(
        Update,
        "UPDATE with a change feed and a column named with a backtick",
        "you UPDATE a table that has a change data feed and a column whose name has a backtick",
        only_if(told.has_feed, told.has_name("back-tick")),
    )(lambda o, update: _has_backtick(o) and _has_feed(o)),
    runs(Update, "UPDATE of whole partitions", "you UPDATE whole partitions")(
        lambda o, update: all(columns_of(where) <= set(o.table.partition_by) for where in conditions_of(update))
    ),
    # The literal of a number is BIGINT, and that of a moment a string.
    runs(
        Update,
        "UPDATE by a literal of another type",
        "you UPDATE a column by a literal of another type",
        only_if(told.has_type("byte", "integer", "short", "timestamp", "timestamp_ntz")),
    )(lambda o, update: any(to.value is not None and to.type in _OTHER_LITERALS for to in assignments_of(update))),
    runs(
        Optimize,
        "OPTIMIZE of a file whose path has a tilde",
        "you run OPTIMIZE, and a partition value or column has a tilde",
        only_if(told.encodes_paths),
    )(lambda o, optimize: any("~" in path for path in o.before.live)),
    runs(
        Optimize,
        "ZORDER BY a column named with a backtick",
        "you OPTIMIZE ZORDER BY a column whose name has a backtick",
        only_if(told.has_name("back-tick")),
    )(lambda o, optimize: any("`" in name for name in optimize.zorder_by)),
    _lists_a_special_name("RENAME", RenameColumn),
    _lists_a_special_name("DROP", DropColumn),
    runs(
        Switch,
        "vectors switched on with column mapping",
        "you switch deletion vectors on for a table with column mapping",
        only_if(told.maps_columns),
    )(lambda o, switch: o.table.maps_columns and switch == Switch(Feature.DELETION_VECTORS, on=True)),
    condition(
        "inventory by a query that is no table",
        "you run VACUUM USING INVENTORY by a query with a column that is never NULL or columns in another order, or with "
        "paths with two slashes after the root",
    )(lambda o: any(step.listing is not Listing.PLAIN for step in _steps(o, Vacuum))),
    condition("versions to keep that go back", "you VACUUM with keep_versions")(
        lambda o: any(
            kept != sorted(kept) for step in _steps(o, Vacuum) for kept in [[*step.kept_versions(o.before.version)]]
        )
    ),
    condition("condition that is no BOOLEAN", "a condition may be no BOOLEAN, such as 0 or 'false'")(
        lambda o: isinstance(o.step, InvalidDelete) and o.step.mistake.name == "NOT_BOOLEAN"
    ),
    condition("missing path as the target", "you name a table by a path where there is none")(
        lambda o: isinstance(o.step, (InvalidDelete, InvalidVacuum)) and o.step.mistake.name == "MISSING_PATH"
    ),
    condition(
        "change feed in another time zone",
        "you read the change data feed in another time zone than the JVM's",
        only_if(lambda s: told.has_feed(s) or told.has_feature("changeDataFeed")(s)),
    )(lambda o: isinstance(o.step, ReadChanges) and o.step.zone != "UTC"),
)


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

"""Conditions that a known deviation may be bound to (``when`` in ``deviations/*.toml``), so that it excuses nothing else.

Conditions are about the case and the table, never about what the engine did: that is the deviation's symptom
(harness.judging.excuses).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timezone
from decimal import Decimal
from itertools import pairwise

from deltalog.paths import encode
from harness.judging.subjects import actions_of, links_to_directories, several_actions, young_orphans
from harness.observing.observation import DeleteObservation, Observation, partition_of
from harness.observing.vacuum_observation import VacuumObservation
from model.prediction.delete import ConditionScope
from model.prediction.fates import Reason
from model.vocabulary.commands import Checkpoint, Command, Merge, Optimize, Overwrite, Restore, Switch, Update
from model.vocabulary.predicate import (
    Between,
    Compare,
    In,
    Like,
    Literal,
    Op,
    Predicate,
    Relate,
    columns_of,
    compared_values,
    leaves,
)
from model.vocabulary.steps import Delete, InvalidDelete, InvalidVacuum, OtherCommand, ReadChanges, Together, Vacuum
from model.vocabulary.table import Column, Feature, Reference
from model.vocabulary.table_roots import TableRoot
from model.vocabulary.values import AnyType, DecimalOf, MapOf, StructOf, Type, is_nested, required_fields

# Conditions of commands ---------------------------------------------------------------------------------------------------


def _deletes(observation: Observation) -> list[Delete]:
    """The DELETEs up to this step, with it."""
    steps = (one.step for one in (*observation.earlier, observation))
    return [step for step in steps if isinstance(step, Delete)]


def _conditions(observation: Observation) -> list[Predicate]:
    """The conditions of the DELETEs and other commands up to this step: the rows of a wrong one stay wrong."""
    found = [step.where for step in _deletes(observation)]
    for command in _commands(observation):
        if isinstance(command, (Optimize, Update, Overwrite)):
            found.append(command.where)
        elif isinstance(command, Merge):
            found.append(command.on)
    return [condition for condition in found if condition is not None]


def _tests(observation: Observation) -> list[Predicate]:
    """The single tests in these conditions."""
    return [test for condition in _conditions(observation) for test in leaves(condition)]


def _is_null_safe(test: Predicate) -> bool:
    return isinstance(test, Compare) and test.op is Op.NULL_SAFE_EQ


def _tested_columns(observation: Observation) -> list[Column]:
    names = {name for test in _tests(observation) for name in columns_of(test)}
    return [column for column in observation.table.columns if column.name in names]


def _zero_signs(value: object) -> Iterator[float]:
    """The signs of the zeros in a value or its parts: 1.0, -1.0."""
    if isinstance(value, float) and value == 0:
        yield math.copysign(1.0, value)
    elif isinstance(value, tuple):
        for part in value:
            yield from _zero_signs(part)


def _has_other_zero(observation: Observation) -> bool:
    """Whether a test compares a column with a zero, and a live file has one of the other sign in that column."""
    state = observation.before
    rows = [row for path in state.live for row in state.contents[path] or ()]
    for test in _tests(observation):
        sides = [test.left, test.right] if isinstance(test, Relate) else []
        asked = {
            *_zero_signs(compared_values(test)),
            *_zero_signs(tuple(one.value for one in sides if isinstance(one, Literal))),
        }
        places = [place for place, column in enumerate(observation.table.columns) if column.name in columns_of(test)]
        held = {sign for row in rows for place in places for sign in _zero_signs(row[place])}
        if any(-sign in held for sign in asked):
            return True
    return False


def _beside_another_test(observation: Observation, holds: Callable[[Predicate], bool]) -> bool:
    """Whether a condition has a test of this kind, and another one of the same column."""
    for condition in _conditions(observation):
        tests = list(leaves(condition))
        columns = Counter(name for test in tests for name in columns_of(test))
        if any(columns[name] > 1 for test in tests if holds(test) for name in columns_of(test)):
            return True
    return False


def _is_plain_like(test: Predicate) -> bool:
    return isinstance(test, Like) and not set(test.pattern) & {"%", "_"}


def _commands(observation: Observation) -> list[Command]:
    """The other commands up to this step, with it."""
    steps = (one.step for one in (*observation.earlier, observation))
    return [step.command for step in steps if isinstance(step, OtherCommand)]


def _has_a_commit_older_than_the_one_before(observation: Observation) -> bool:
    times = [commit.modified for _, commit in sorted(observation.before.log.commits.items())]
    return any(later <= earlier for earlier, later in pairwise(times))


def _own_commands(observation: Observation) -> list[Command]:
    """The other commands of this step: one, or those of two sessions at once."""
    step = observation.step
    steps = step.steps if isinstance(step, Together) else (step,)
    return [one.command for one in steps if isinstance(one, OtherCommand)]


def _overwrites_by_between(observation: Observation) -> bool:
    return any(
        isinstance(test, Between)
        for command in _own_commands(observation)
        if isinstance(command, Overwrite) and command.where is not None
        for test in leaves(command.where)
    )


def _merges_into_quoted_partitions(observation: Observation) -> bool:
    quoted = any(set(name) & {".", "`"} for name in observation.table.partition_by)
    return quoted and any(isinstance(command, Merge) for command in _own_commands(observation))


# The table ------------------------------------------------------------------------------------------------------------


def _names_file_by_uri(observation: Observation) -> bool:
    files = observation.table.files
    return bool(observation.before.by_uri) or any(file.reference is not Reference.RELATIVE for file in files)


def _has_encoded_path(observation: Observation) -> bool:
    paths = {*observation.before.live, *observation.before.tombstones}
    return any(encode(path) != path or not path.isascii() for path in paths)


def _has_vectors(observation: Observation) -> bool:
    return observation.table.has(Feature.DELETION_VECTORS, Feature.DELETION_VECTORS_OFF)


def _vectors_without_ranges(observation: Observation) -> bool:
    types = [column.type for column in observation.table.data_columns]
    return _has_vectors(observation) and all(type in (Type.BOOLEAN, Type.BINARY) or is_nested(type) for type in types)


def _has_timestamp_partition_in_another_zone(observation: Observation) -> bool:
    partitioned = any(column.type is Type.TIMESTAMP for column in observation.table.partition_columns)
    return partitioned and any(step.zone != "UTC" for step in _deletes(observation))


#: The last years in which the time zones that are drawn had a local mean time, whose offset has seconds.
_STANDARD_TIME = datetime(1906, 1, 1, tzinfo=timezone.utc)


def _has_old_timestamp_in_another_zone(observation: Observation) -> bool:
    moments = (part for part in _parts(observation.rows_ever) if isinstance(part, datetime) and part.tzinfo is not None)
    old = any(moment < _STANDARD_TIME for moment in moments)
    return old and any(step.zone != "UTC" for step in _deletes(observation))


def _parts(values: Iterable[object]) -> Iterator[object]:
    """The values that are no tuples, those in nested ones too."""
    for value in values:
        if isinstance(value, tuple):
            yield from _parts(value)
        else:
            yield value


def _types_in(type: AnyType) -> Iterator[AnyType]:
    """The type, and those of a struct's fields."""
    yield type
    for _, inner in type.fields if isinstance(type, StructOf) else ():
        yield from _types_in(inner)


def _has_long_text(observation: Observation) -> bool:
    values = _parts(observation.rows_ever)
    return any(
        isinstance(value, str)
        and not value.isascii()
        and 32 < len(value.encode("utf-16-le", "surrogatepass")) // 2 != len(value)
        for value in values
    )


def _odd_partition_value(observation: Observation) -> bool:
    """Whether a live file has a partition value with an exponent, or that is no number, or a negative DECIMAL with a fraction."""
    partitions = [partition_of(observation.table, add) for add in observation.before.live.values()]
    return any(
        (isinstance(value, float) and value != 0 and not 1e-3 <= abs(value) < 1e7)
        or (isinstance(value, Decimal) and value < 0 and value != int(value))
        for partition in partitions
        for value in partition
    )


def _retained(observation: Observation) -> bool:
    fates = observation.fates.values() if isinstance(observation, VacuumObservation) else ()
    return any(predicted.reason is Reason.RETAINED for predicted in fates)


def _null_partition_of_a_tombstone(observation: Observation) -> bool:
    return any(
        None in (remove.partition_values or {}).values() for remove in observation.before.snapshot.removes.values()
    )


def _deletes_whole_files(observation: Observation) -> bool:
    return isinstance(observation, DeleteObservation) and observation.prediction.scope is not ConditionScope.ROWS


def _tests_required_field_of_null(observation: Observation) -> bool:
    """Whether a test looks into a struct that has a NOT NULL field and is NULL in some row."""
    names = {column.name for column in _tested_columns(observation) if required_fields(column.type)}
    places = [place for place, column in enumerate(observation.table.columns) if column.name in names]
    return bool(places) and any(row[place] is None for row in observation.rows_ever for place in places)


_OTHER_LITERALS = (Type.BYTE, Type.SHORT, Type.INTEGER, Type.TIMESTAMP, Type.TIMESTAMP_NTZ)

#: The characters that no XML document has (https://www.w3.org/TR/xml/#charsets).
_BEYOND_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

#: By the name that a deviation gives as ``when``. "tests", "compares" and "condition" are about the conditions of commands.
CONDITIONS: dict[str, Callable[[Observation], bool]] = {
    "session that opened the table earlier": lambda o: isinstance(o.step, (Delete, Vacuum)) and o.step.by_earlier,
    "compares with NULL": lambda o: any(
        None in compared_values(test) and not _is_null_safe(test) for test in _tests(o)
    ),
    "zeros of both signs": _has_other_zero,
    "test of a list": lambda o: any(isinstance(test, In) for test in _tests(o)),
    "test of a list of thousands": lambda o: any(
        isinstance(test, In) and len(test.values) > 2_000 for test in _tests(o)
    ),
    "test of a list beside another test": lambda o: _beside_another_test(o, lambda test: isinstance(test, In)),
    "test of a range": lambda o: any(isinstance(test, Between) for test in _tests(o)),
    "LIKE of a partition": lambda o: any(
        isinstance(test, Like) and test.column in o.table.partition_by for test in _tests(o)
    ),
    "LIKE with a backslash": lambda o: any(isinstance(test, Like) and "\\" in test.pattern for test in _tests(o)),
    "whole files": _deletes_whole_files,  # a condition on partition columns only, or none
    "test of a name that is no identifier": lambda o: any(
        not re.fullmatch(r"\w+", column.name) for column in _tested_columns(o)
    ),
    # Without wildcards, and of the same column.
    "plain LIKE beside another test": lambda o: _beside_another_test(o, _is_plain_like),
    "null-safe test of a partition": lambda o: any(
        isinstance(test, Compare) and _is_null_safe(test) and test.column in o.table.partition_by for test in _tests(o)
    ),
    "test of a BOOLEAN that is never NULL": lambda o: any(
        column.type is Type.BOOLEAN and not column.nullable for column in _tested_columns(o)
    ),
    "test of a nested column": lambda o: any(is_nested(column.type) for column in _tested_columns(o)),
    "test of a NULL struct with a NOT NULL field": _tests_required_field_of_null,
    "commit file no younger than the one before": _has_a_commit_older_than_the_one_before,
    "overwrite where BETWEEN": _overwrites_by_between,
    "MERGE with a partition column named with a dot or a backtick": _merges_into_quoted_partitions,
    "RESTORE": lambda o: any(isinstance(command, Restore) for command in _commands(o)),
    "RESTORE, UPDATE or MERGE": lambda o: any(isinstance(one, (Restore, Update, Merge)) for one in _commands(o)),
    "UPDATE of whole partitions": lambda o: any(
        isinstance(command, Update)
        and (command.where is None or columns_of(command.where) <= set(o.table.partition_by))
        for command in _commands(o)
    ),
    # The literal of a number is BIGINT, and that of a moment a string.
    "UPDATE by a literal of another type": lambda o: any(
        isinstance(command, Update) and command.to.value is not None and command.to.type in _OTHER_LITERALS
        for command in _commands(o)
    ),
    "NULL partition value": lambda o: (
        any(None in partition_of(o.table, add) for add in o.before.live.values()) or _null_partition_of_a_tombstone(o)
    ),
    "checkpoint by a command": lambda o: any(isinstance(command, Checkpoint) for command in _commands(o)),
    "vectors switched on with column mapping": lambda o: (
        o.table.maps_columns and Switch(Feature.DELETION_VECTORS, on=True) in _commands(o)
    ),
    "VACUUM before, with deletion vectors": lambda o: (
        _has_vectors(o) and any(isinstance(one.step, Vacuum) for one in o.earlier)
    ),
    "unusual name of the table's directory": lambda o: o.table.root is not TableRoot.PLAIN,
    "missing path as the target": lambda o: (
        isinstance(o.step, (InvalidDelete, InvalidVacuum)) and o.step.mistake.name == "MISSING_PATH"
    ),
    "file named by URI": _names_file_by_uri,
    "tombstone without a time": lambda o: any(
        remove.deletion_timestamp is None for remove in o.before.snapshot.removes.values()
    ),
    "encoded path": _has_encoded_path,
    "young tombstone": _retained,  # a VACUUM of a table with a tombstone that is inside retention
    "young orphan": lambda o: bool(young_orphans(o)),  # a VACUUM of a table with a young file that no action names
    "tombstone with a NULL partition value": _null_partition_of_a_tombstone,
    "file without rows": lambda o: any(o.before.contents[path] == () for path in o.before.live),
    "path that XML cannot hold": lambda o: any(_BEYOND_XML.search(path) for path in o.before.listing),
    "link to a directory": lambda o: bool(links_to_directories(o.before)),
    "deletion vectors": lambda o: any(action.deletion_vector is not None for action in actions_of(o.before)),
    "several tombstones of a file": lambda o: bool(several_actions(o.before)),
    "column mapping": lambda o: o.table.maps_columns,
    "deletion vectors with column mapping": lambda o: _has_vectors(o) and o.table.maps_columns,
    "deletion vectors and no ranges": _vectors_without_ranges,  # no data column of a type that has a least value
    "deletion vectors and a column path": lambda o: (
        _has_vectors(o) and any(column.name.lower() == "path" for column in o.table.data_columns)
    ),
    "TIMESTAMP partition in another time zone": _has_timestamp_partition_in_another_zone,  # of a DELETE's session
    "TIMESTAMP before standard time in another time zone": _has_old_timestamp_in_another_zone,
    "change feed in another time zone": lambda o: isinstance(o.step, ReadChanges) and o.step.zone != "UTC",
    "long text beyond U+FFFF": _has_long_text,  # more than 32 UTF-16 units, with characters of two units
    "fractional partition": lambda o: any(
        column.type in (Type.FLOAT, Type.DOUBLE) or isinstance(column.type, DecimalOf)
        for column in o.table.partition_columns
    ),
    "partition value that is no plain number": _odd_partition_value,
    "MAP column": lambda o: any(isinstance(column.type, MapOf) for column in o.table.columns),
    "wide DECIMAL column": lambda o: any(
        isinstance(type, DecimalOf) and type.precision > 15
        for column in o.table.columns
        for type in _types_in(column.type)
    ),
    "broken _last_checkpoint": lambda o: o.table.has(Feature.BROKEN_LAST_CHECKPOINT),
    "statistics as a struct only": lambda o: o.table.has(Feature.STRUCT_STATISTICS),
    "change feed": lambda o: o.table.has(Feature.CHANGE_DATA_FEED),
    "partition column begins with a dot or an underscore": lambda o: any(
        name.startswith((".", "_")) for name in o.table.partition_by
    ),
    "first of several partition columns begins with a dot": lambda o: (
        len(o.table.partition_by) > 1 and o.table.partition_by[0].startswith(".")
    ),
}

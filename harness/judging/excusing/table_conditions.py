"""Conditions about the table before the step, as it was seen: its log, its storage, and the rows of its files.

The columns are those of ``Observation.table``, the definition that the log has before the step.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timezone
from decimal import Decimal
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from deltalog.entries.actions import Add, Remove
from deltalog.entries.protocols import features_of
from deltalog.storage.names import LAST_CHECKPOINT
from deltalog.storage.paths import encode
from deltalog.values.schemas import parse_schema, widened_columns
from deltalog.values.statistics import bounds_of, is_single
from harness.judging.excusing.command_conditions import deletes
from harness.judging.excusing.declarations import Condition, Decorator, condition
from harness.judging.excusing.subjects import links_to_directories, young_orphans
from harness.judging.excusing.wrong_rows import has_empty_text
from harness.observing.steps.observation import (
    ChangesObservation,
    CommandObservation,
    Observation,
    ReadObservation,
    partition_of,
)
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.log_facts import OfFile
from harness.observing.table.vacuum_inputs import vector_path
from model.prediction.fates import Reason
from model.prediction.paths import LOG_DIRECTORY
from model.vocabulary.commands import Restore
from model.vocabulary.table_roots import TableRoot
from model.vocabulary.values import AnyType, ArrayOf, DecimalOf, MapOf, StructOf, Type, is_nested
from shapes import told
from shapes.told import OnShape, only_if


def met(observation: Observation) -> tuple[OfFile, ...]:
    """The actions on files that a step can meet: the live files, and all tombstones that readers of the current version find;
    with those of the version that it reads or restores, or of the commit whose changes it reads."""
    facts = observation.before.facts
    current = observation.before.snapshot.adds.values()
    found: list[OfFile] = [*current, *facts.live_by_text, *facts.stored_tombstones]
    if isinstance(observation, ChangesObservation):
        found += facts.actions_of(observation.version)
    elif isinstance(observation, ReadObservation) or (
        isinstance(observation, CommandObservation) and isinstance(observation.step.command, Restore)
    ):
        found += facts.live_at(observation.version)
    return tuple(found)


def _in_another_zone(observation: Observation) -> bool:
    return any(step.zone != "UTC" for step in deletes(observation))


def _adds_met(observation: Observation) -> Iterator[Add]:
    return (action for action in met(observation) if isinstance(action, Add))


# Names and paths ---------------------------------------------------------------------------------------------------------


@condition(
    "encoded path",
    "a path has characters that are percent-encoded in the log, such as a space, or a letter that is not ASCII",
    told.encodes_paths,
)
def _has_encoded_path(observation: Observation) -> bool:
    """Whether the log's text of a path may be another one than the path's own: delta-rs encodes what is not ASCII too."""
    facts = observation.before.facts
    paths = {facts.path(action) for action in met(observation)}
    return any(encode(path) != path or not path.isascii() for path in paths)


def _partition_by(observation: Observation) -> Sequence[str]:
    return observation.before.snapshot.metadata.partition_columns


#: The characters that no XML document has (https://www.w3.org/TR/xml/#charsets).
_BEYOND_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

#: What the first segment of a relative URI must not begin with (RFC 2396, section 3.1 and 5).
_SCHEME = re.compile("[A-Za-z][A-Za-z0-9+.-]*:")

OF_NAMES = (
    condition(
        "file named by URI", "the log names a file by a whole URI, as that of a shallow clone does", told.names_by_uri
    )(lambda o: o.before.by_uri or o.before.facts.by_uri(met(o))),
    condition(
        "unusual name of the table's directory",
        "the name of a table's directory has unusual characters, such as %",
        lambda s: bool(s.names.table),
    )(lambda o: PurePosixPath(o.root).name != TableRoot.PLAIN.value),
    condition("path that XML cannot hold", "the name of a file has a character that XML cannot hold, such as U+FFFF")(
        lambda o: any(map(_BEYOND_XML.search, o.before.listing))
    ),
    condition("link to a directory", "a symbolic link to a directory lies in a table's directory")(
        lambda o: links_to_directories(o.before)
    ),
    condition(
        "partition column begins with a dot or an underscore",
        "the name of a partition column begins with a dot or an underscore",
        told.has_partition_name("begins-with-dot", "begins-with-underscore"),
    )(lambda o: any(name.startswith((".", "_")) for name in _partition_by(o))),
    condition(
        "first partition column begins with a scheme and a colon",
        "the name of the first partition column begins like a URI, such as time:utc",
        only_if(told.has_partition_name("colon"), lambda s: not told.maps_columns(s)),
    )(lambda o: any(_SCHEME.match(name) for name in _partition_by(o)[:1] if not _maps_columns(o))),
    condition(
        "first of several partition columns begins with a dot",
        "a table has several partition columns, and the name of the first begins with a dot",
        only_if(told.partitions_by_several, told.has_partition_name("begins-with-dot")),
    )(lambda o: len(names := _partition_by(o)) > 1 and names[0].startswith(".")),
)

# Features and columns ----------------------------------------------------------------------------------------------------


def _supports_vectors(observation: Observation) -> bool:
    return "deletionVectors" in features_of(observation.before.snapshot.protocol)


def _is_set(observation: Observation, name: str, value: str) -> bool:
    return observation.before.snapshot.metadata.configuration.get(name) == value


def _maps_columns(observation: Observation) -> bool:
    return observation.before.snapshot.metadata.configuration.get("delta.columnMapping.mode", "none") != "none"


def _types_in(type: AnyType) -> Iterator[AnyType]:
    """The type, and those of a struct's fields."""
    yield type
    for _, inner in type.fields if isinstance(type, StructOf) else ():
        yield from _types_in(inner)


def has_column(name: str, whom: str, on_shape: OnShape) -> Decorator[AnyType]:
    """The decorated function sees the type of a column."""
    return lambda holds: Condition(name, whom, lambda o: any(holds(one.type) for one in o.table.columns), on_shape)


OF_FEATURES = (
    condition("change feed", "a table has a change data feed", told.has_feed)(
        lambda o: _is_set(o, "delta.enableChangeDataFeed", "true")
    ),
    condition(
        "statistics as a struct only",
        "a checkpoint has statistics as a struct only (delta.checkpoint.writeStatsAsJson is false)",
        told.has_struct_statistics_only,
    )(lambda o: _is_set(o, "delta.checkpoint.writeStatsAsJson", "false")),
    condition("column mapping", "a table has column mapping", told.maps_columns)(_maps_columns),
    condition(
        "deletion vectors with column mapping",
        "a table has deletion vectors and column mapping",
        told.both(told.supports_vectors, told.maps_columns),
    )(lambda o: _supports_vectors(o) and _maps_columns(o)),
    condition(
        "deletion vectors and no ranges",
        "a table has deletion vectors and no column with a minimum, such as BOOLEANs alone",
        told.has_vectors_without_ranges,
    )(
        lambda o: (
            _supports_vectors(o)
            and all(
                column.type in (Type.BOOLEAN, Type.BINARY) or is_nested(column.type) for column in o.table.data_columns
            )
        )
    ),
    condition(
        "deletion vectors and a column path",
        "a table has deletion vectors and a column named path",
        only_if(told.supports_vectors),
    )(lambda o: _supports_vectors(o) and any(column.name.lower() == "path" for column in o.table.data_columns)),
    condition("deletion vectors", "a table has deletion vectors", told.has_vectors)(
        lambda o: any(isinstance(one, (Add, Remove)) and one.deletion_vector is not None for one in met(o))
    ),
    has_column("ARRAY column", "a table has an ARRAY column", told.stores("array"))(
        lambda kind: isinstance(kind, ArrayOf)
    ),
    # A partition column is in no file.
    condition("STRING column", "a table has a STRING column that is no partition column", told.stores("string"))(
        lambda o: any(column.type is Type.STRING for column in o.table.data_columns)
    ),
    has_column("MAP column", "a table has a MAP column", told.stores("map"))(lambda kind: isinstance(kind, MapOf)),
    has_column("wide DECIMAL column", "a table has a DECIMAL column of more than 15 digits", told.has_wide_decimal)(
        lambda kind: any(isinstance(one, DecimalOf) and one.precision > 15 for one in _types_in(kind))
    ),
)


@condition("column that was added later", "a column was added to a table that has files", told.ran("ADD COLUMNS"))
def _has_an_added_column(observation: Observation) -> bool:
    """Whether a version of the table lacks a column: files of that version lack it too."""
    of_versions = [one.table.columns for one in observation.versions.values()]
    columns = observation.table.columns
    return observation.table.added_column is not None or any(len(one) < len(columns) for one in of_versions)


@condition(
    "bound of a FLOAT that is a DOUBLE now",
    "the type of a column was widened from FLOAT to DOUBLE",
    only_if(told.has_float, lambda s: "widened" in s.columns.marks),
)
def _has_float_bounds(observation: Observation) -> bool:
    """Whether a live file has, in a column that is a DOUBLE now, the text of a FLOAT as a bound: as a DOUBLE another number."""
    snapshot = observation.before.snapshot
    names = widened_columns(parse_schema(snapshot.metadata.schema_string), Type.FLOAT.value, Type.DOUBLE.value)
    return any(not is_single(bound) for add in snapshot.adds.values() if names for bound in bounds_of(add.stats, names))


# Partition values --------------------------------------------------------------------------------------------------------


def _is_odd(value: object) -> bool:
    """Whether it is a number with an exponent, or no number, or a negative DECIMAL with a fraction."""
    return (isinstance(value, float) and value != 0 and not 1e-3 <= abs(value) < 1e7) or (
        isinstance(value, Decimal) and value < 0 and value != int(value)
    )


def _removes_null_partition(o: Observation) -> bool:
    return any(None in (remove.partition_values or {}).values() for remove in o.before.facts.tombstones)


OF_PARTITIONS = (
    condition(
        "tombstone with a NULL partition value", "a partition column has NULLs", only_if(told.partitions_by_nullable)
    )(_removes_null_partition),
    condition("NULL partition value", "a partition column has NULLs", only_if(told.partitions_by_nullable))(
        lambda o: any(None in partition_of(o.table, add) for add in _adds_met(o)) or _removes_null_partition(o)
    ),
    condition(
        "empty text of a STRING partition",
        "a STRING partition value is '' in the log, as some writers write NULL",
        only_if(told.partitions_by("string")),
    )(lambda o: any(has_empty_text(o, add, of_strings=True) for add in _adds_met(o))),
    condition(
        "empty text of a partition that is no STRING",
        "a partition value of another type than STRING is '' in the log, as some writers write NULL",
        only_if(told.has_partition_column(lambda one: one.type != "string")),
    )(lambda o: any(has_empty_text(o, add, of_strings=False) for add in _adds_met(o))),
    condition(
        "fractional partition", "a table is partitioned by a FLOAT, DOUBLE or DECIMAL", told.partitions_by_fraction
    )(
        lambda o: any(
            column.type in (Type.FLOAT, Type.DOUBLE) or isinstance(column.type, DecimalOf)
            for column in o.table.partition_columns
        )
    ),
    condition(
        "partition value that is no plain number",
        "a partition value is infinite, very large, very small or a negative DECIMAL",
        only_if(told.partitions_by_fraction),
    )(lambda o: any(_is_odd(value) for add in _adds_met(o) for value in partition_of(o.table, add))),
    condition(
        "partition of a file without visible rows",
        "another writer leaves a file without rows, or one whose rows a deletion vector hides all, in a partition",
        only_if(told.partitions),
    )(lambda o: o.table.partition_columns and any(o.before.visible(path) == [] for path in o.before.live)),
    condition(
        "TIMESTAMP partition in another time zone",
        "a table is partitioned by a TIMESTAMP, and sessions have different time zones",
        only_if(told.partitions_by("timestamp")),
    )(lambda o: any(column.type is Type.TIMESTAMP for column in o.table.partition_columns) and _in_another_zone(o)),
)


# Rows --------------------------------------------------------------------------------------------------------------------


def _parts(values: Iterable[object]) -> Iterator[object]:
    """The values that are no tuples, those in nested ones too."""
    for value in values:
        if isinstance(value, tuple):
            yield from _parts(value)
        else:
            yield value


def _has_value(observation: Observation, holds: Callable[[Any], bool]) -> bool:
    return any(map(holds, _parts(observation.before.stored_rows)))


#: The last years in which the time zones that are drawn had a local mean time, whose offset has seconds.
_STANDARD_TIME = datetime(1906, 1, 1, tzinfo=timezone.utc)


def _is_old(value: object) -> bool:
    return isinstance(value, datetime) and value.tzinfo is not None and value < _STANDARD_TIME


def _is_long(value: object) -> bool:
    """Whether it is a text of more than 32 UTF-16 units, with characters of two units."""
    return (
        isinstance(value, str)
        and not value.isascii()
        and 32 < len(value.encode("utf-16-le", "surrogatepass")) // 2 != len(value)
    )


OF_ROWS = (
    condition(
        "TIMESTAMP before standard time in another time zone",
        "a table has TIMESTAMPs from before standard time (about 1900), and sessions have other time zones than UTC",
        only_if(told.has_type("timestamp")),
    )(lambda o: _has_value(o, _is_old) and _in_another_zone(o)),
    condition(
        "long text beyond U+FFFF",
        "a text is longer than 32 characters and has characters beyond U+FFFF, such as emoji",
        only_if(told.has_type("string")),
    )(lambda o: _has_value(o, _is_long)),
    condition("NaN in a file", "a FLOAT or DOUBLE column has NaN", only_if(told.has_float))(
        lambda o: _has_value(o, lambda value: isinstance(value, float) and math.isnan(value))
    ),
    condition("file without rows", "a table has a file without rows")(
        lambda o: any(o.before.contents[path] == () for path in o.before.live)
    ),
)

# The log and its files ---------------------------------------------------------------------------------------------------

OF_LOGS = (
    condition(
        "removed by another spelling",
        "another writer removes a file by another spelling of its path than it was added by",
    )(lambda o: o.before.facts.spelled_otherwise),
    condition(
        "tombstones that a checkpoint left out", "you run VACUUM LITE after a checkpoint that left expired removes out"
    )(lambda o: o.before.facts.left_out),
    condition("tombstone without a time", "another writer leaves the time of a remove out")(
        lambda o: any(remove.deletion_timestamp is None for remove in o.before.facts.tombstones)
    ),
    condition(
        "several tombstones of a file",
        "a file was removed several times: it has deletion vectors, or was restored",
        only_if(told.may_remove_several_times),
    )(lambda o: o.before.facts.several),
    condition("young tombstone", "you VACUUM a table of which old files were removed within the retention")(
        lambda o: isinstance(o, VacuumObservation) and any(fate.reason is Reason.RETAINED for fate in o.fates.values())
    ),
    condition(
        "broken _last_checkpoint",
        "the file _last_checkpoint of a table is damaged",
        only_if(lambda s: "last-checkpoint" in s.log.others),
    )(lambda o: o.before.last_checkpoint is None and f"{LOG_DIRECTORY}/{LAST_CHECKPOINT}" in o.before.listing),
    condition(
        "commit file no younger than the one before",
        "the clocks of a table's writers differ, or its log was copied, so that a commit's file is older than the one before",
    )(
        lambda o: any(
            later.modified <= earlier.modified
            for (_, earlier), (_, later) in pairwise(sorted(o.before.log.commits.items()))
        )
    ),
    # Without it the step cannot read a file.
    condition(
        "missing file of a deletion vector",
        "the file of a live deletion vector is gone, as after a VACUUM of this version",
        only_if(told.supports_vectors),
    )(
        lambda o: any(
            path is not None and o.before.entry(path) is None
            for path in (vector_path(add, o.before.root) for add in _adds_met(o))
        )
    ),
    condition("young orphan", "a table has young files that no version refers to")(young_orphans),
)


@condition(
    "checkpoint beside one in parts",
    "a version has two checkpoints, one of them in parts",
    only_if(lambda s: s.log.checkpoint != "none" or s.log.damaged_checkpoint),
)
def _beside_one_in_parts(observation: Observation) -> bool:
    checkpoints = observation.before.log.checkpoints
    number = Counter(checkpoint.version for checkpoint in checkpoints)
    return any(len(checkpoint.files) > 1 and number[checkpoint.version] > 1 for checkpoint in checkpoints)

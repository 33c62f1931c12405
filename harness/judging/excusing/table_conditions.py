"""Conditions about the table before the step, as it was seen: its log, its storage, and the rows of its files.

The columns are those of ``Observation.table``, the definition that the log has before the step.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timezone
from decimal import Decimal
from functools import partial
from itertools import pairwise
from pathlib import PurePosixPath

from deltalog.entries.actions import Add, Remove
from deltalog.entries.protocols import features_of
from deltalog.storage.names import LAST_CHECKPOINT
from deltalog.storage.paths import encode
from deltalog.values.schemas import parse_schema, widened_columns
from deltalog.values.statistics import bounds_of, is_single
from harness.judging.excusing.command_conditions import deletes
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
from harness.observing.table.table_state import TableState
from harness.observing.table.vacuum_inputs import vector_path
from model.prediction.fates import Reason
from model.prediction.paths import LOG_DIRECTORY
from model.vocabulary.commands import Restore
from model.vocabulary.table_roots import TableRoot
from model.vocabulary.values import AnyType, ArrayOf, DecimalOf, MapOf, Row, StructOf, Type, is_nested


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


def _names_file_by_uri(observation: Observation) -> bool:
    return bool(observation.before.by_uri or observation.before.facts.by_uri(met(observation)))


def _has_encoded_path(observation: Observation) -> bool:
    """Whether the log's text of a path may be another one than the path's own: delta-rs encodes what is not ASCII too."""
    facts = observation.before.facts
    paths = {facts.path(action) for action in met(observation)}
    return any(encode(path) != path or not path.isascii() for path in paths)


def supports_vectors(observation: Observation) -> bool:
    return "deletionVectors" in features_of(observation.before.snapshot.protocol)


def _is_set(observation: Observation, name: str, value: str) -> bool:
    return observation.before.snapshot.metadata.configuration.get(name) == value


def _has_float_bounds(observation: Observation) -> bool:
    """Whether a live file has, in a column that is a DOUBLE now, the text of a FLOAT as a bound: as a DOUBLE another number."""
    snapshot = observation.before.snapshot
    names = widened_columns(parse_schema(snapshot.metadata.schema_string), Type.FLOAT.value, Type.DOUBLE.value)
    return any(not is_single(bound) for add in snapshot.adds.values() if names for bound in bounds_of(add.stats, names))


def _has_an_added_column(observation: Observation) -> bool:
    """Whether a version of the table lacks a column: files of that version lack it too."""
    of_versions = [one.table.columns for one in observation.versions.values()]
    columns = observation.table.columns
    return observation.table.added_column is not None or any(len(one) < len(columns) for one in of_versions)


def maps_columns(observation: Observation) -> bool:
    return observation.before.snapshot.metadata.configuration.get("delta.columnMapping.mode", "none") != "none"


def _vectors_without_ranges(observation: Observation) -> bool:
    types = [column.type for column in observation.table.data_columns]
    without = (Type.BOOLEAN, Type.BINARY)
    return supports_vectors(observation) and all(type in without or is_nested(type) for type in types)


def _missing_vector_file(observation: Observation) -> bool:
    """Whether the file of a deletion vector is gone without which the step cannot read a file."""
    state = observation.before
    paths = {vector_path(one, state.root) for one in met(observation) if isinstance(one, Add)}
    return any(path is not None and state.entry(path) is None for path in paths)


def _has_timestamp_partition_in_another_zone(observation: Observation) -> bool:
    partitioned = any(column.type is Type.TIMESTAMP for column in observation.table.partition_columns)
    return partitioned and any(step.zone != "UTC" for step in deletes(observation))


#: The last years in which the time zones that are drawn had a local mean time, whose offset has seconds.
_STANDARD_TIME = datetime(1906, 1, 1, tzinfo=timezone.utc)


def _has_old_timestamp_in_another_zone(observation: Observation) -> bool:
    moments = (part for part in _parts(rows_stored(observation.before)) if isinstance(part, datetime))
    old = any(moment.tzinfo is not None and moment < _STANDARD_TIME for moment in moments)
    return old and any(step.zone != "UTC" for step in deletes(observation))


def rows_stored(state: TableState) -> Iterator[Row]:
    """The rows in the live files, hidden ones too."""
    return (row for path in state.live for row in state.contents[path] or ())


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


def _has_nan(observation: Observation) -> bool:
    return any(isinstance(value, float) and math.isnan(value) for value in _parts(rows_stored(observation.before)))


def _has_long_text(observation: Observation) -> bool:
    return any(
        isinstance(value, str)
        and not value.isascii()
        and 32 < len(value.encode("utf-16-le", "surrogatepass")) // 2 != len(value)
        for value in _parts(rows_stored(observation.before))
    )


def is_odd(value: object) -> bool:
    """Whether it is a number with an exponent, or no number, or a negative DECIMAL with a fraction."""
    return (isinstance(value, float) and value != 0 and not 1e-3 <= abs(value) < 1e7) or (
        isinstance(value, Decimal) and value < 0 and value != int(value)
    )


def _odd_partition_value(observation: Observation) -> bool:
    """Whether a file that the step can meet has a partition value that is odd."""
    adds = [action for action in met(observation) if isinstance(action, Add)]
    return any(is_odd(value) for add in adds for value in partition_of(observation.table, add))


def _retained(observation: Observation) -> bool:
    fates = observation.fates.values() if isinstance(observation, VacuumObservation) else ()
    return any(predicted.reason is Reason.RETAINED for predicted in fates)


def _null_partition_of_a_tombstone(observation: Observation) -> bool:
    return any(None in (remove.partition_values or {}).values() for remove in observation.before.facts.tombstones)


def _null_partition(observation: Observation) -> bool:
    adds = [action for action in met(observation) if isinstance(action, Add)]
    found = any(None in partition_of(observation.table, add) for add in adds)
    return found or _null_partition_of_a_tombstone(observation)


def _empty_text(observation: Observation, *, of_strings: bool) -> bool:
    """Whether a live file, or one that the step reads, has "" in the log as the value of such a partition column."""
    adds = (action for action in met(observation) if isinstance(action, Add))
    return any(has_empty_text(observation, add, of_strings=of_strings) for add in adds)


def _beside_one_in_parts(observation: Observation) -> bool:
    """Whether a version has a checkpoint in several files, and another one."""
    checkpoints = observation.before.log.checkpoints
    number = Counter(checkpoint.version for checkpoint in checkpoints)
    return any(len(checkpoint.files) > 1 and number[checkpoint.version] > 1 for checkpoint in checkpoints)


def _broken_last_checkpoint(observation: Observation) -> bool:
    state = observation.before
    return state.last_checkpoint is None and f"{LOG_DIRECTORY}/{LAST_CHECKPOINT}" in state.listing


def _has_a_commit_no_younger_than_the_one_before(observation: Observation) -> bool:
    times = [commit.modified for _, commit in sorted(observation.before.log.commits.items())]
    return any(later <= earlier for earlier, later in pairwise(times))


#: The characters that no XML document has (https://www.w3.org/TR/xml/#charsets).
_BEYOND_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

#: What the first segment of a relative URI must not begin with (RFC 2396, section 3.1 and 5).
_SCHEME = re.compile("[A-Za-z][A-Za-z0-9+.-]*:")

#: By the name that a known fault gives as ``when``.
OF_TABLES: dict[str, Callable[[Observation], bool]] = {
    "NULL partition value": _null_partition,
    "empty text of a STRING partition": partial(_empty_text, of_strings=True),  # it is NULL
    "empty text of a partition that is no STRING": partial(_empty_text, of_strings=False),
    "missing file of a deletion vector": _missing_vector_file,
    "removed by another spelling": lambda o: bool(o.before.facts.spelled_otherwise),
    "tombstones that a checkpoint left out": lambda o: bool(o.before.facts.left_out),
    "commit file no younger than the one before": _has_a_commit_no_younger_than_the_one_before,
    "checkpoint beside one in parts": _beside_one_in_parts,
    "unusual name of the table's directory": lambda o: PurePosixPath(o.root).name != TableRoot.PLAIN.value,
    "file named by URI": _names_file_by_uri,
    "tombstone without a time": lambda o: any(
        remove.deletion_timestamp is None for remove in o.before.facts.tombstones
    ),
    "encoded path": _has_encoded_path,
    "young tombstone": _retained,  # a VACUUM of a table with a tombstone that is inside retention
    "young orphan": lambda o: bool(young_orphans(o)),  # a VACUUM of a table with a young file that no action names
    "tombstone with a NULL partition value": _null_partition_of_a_tombstone,
    "partition of a file without visible rows": lambda o: (
        bool(o.table.partition_columns) and any(o.before.visible(path) == [] for path in o.before.live)
    ),
    "file without rows": lambda o: any(o.before.contents[path] == () for path in o.before.live),
    "path that XML cannot hold": lambda o: any(_BEYOND_XML.search(path) for path in o.before.listing),
    "link to a directory": lambda o: bool(links_to_directories(o.before)),
    "deletion vectors": lambda o: any(
        isinstance(action, (Add, Remove)) and action.deletion_vector is not None for action in met(o)
    ),
    "several tombstones of a file": lambda o: bool(o.before.facts.several),
    "column mapping": maps_columns,
    "deletion vectors with column mapping": lambda o: supports_vectors(o) and maps_columns(o),
    "deletion vectors and no ranges": _vectors_without_ranges,  # no data column of a type that has a least value
    "deletion vectors and a column path": lambda o: (
        supports_vectors(o) and any(column.name.lower() == "path" for column in o.table.data_columns)
    ),
    "TIMESTAMP partition in another time zone": _has_timestamp_partition_in_another_zone,  # of a DELETE's session
    "TIMESTAMP before standard time in another time zone": _has_old_timestamp_in_another_zone,
    "long text beyond U+FFFF": _has_long_text,  # more than 32 UTF-16 units, with characters of two units
    "NaN in a file": _has_nan,
    "fractional partition": lambda o: any(
        column.type in (Type.FLOAT, Type.DOUBLE) or isinstance(column.type, DecimalOf)
        for column in o.table.partition_columns
    ),
    "partition value that is no plain number": _odd_partition_value,
    "ARRAY column": lambda o: any(isinstance(column.type, ArrayOf) for column in o.table.columns),
    "STRING column": lambda o: any(column.type is Type.STRING for column in o.table.columns),
    "MAP column": lambda o: any(isinstance(column.type, MapOf) for column in o.table.columns),
    "wide DECIMAL column": lambda o: any(
        isinstance(type, DecimalOf) and type.precision > 15
        for column in o.table.columns
        for type in _types_in(column.type)
    ),
    "broken _last_checkpoint": _broken_last_checkpoint,
    "statistics as a struct only": lambda o: _is_set(o, "delta.checkpoint.writeStatsAsJson", "false"),
    "bound of a FLOAT that is a DOUBLE now": _has_float_bounds,
    "column that was added later": _has_an_added_column,
    "change feed": lambda o: _is_set(o, "delta.enableChangeDataFeed", "true"),
    "partition column begins with a dot or an underscore": lambda o: any(
        name.startswith((".", "_")) for name in o.before.snapshot.metadata.partition_columns
    ),
    "first partition column begins with a scheme and a colon": lambda o: any(
        _SCHEME.match(name) for name in o.before.snapshot.metadata.partition_columns[:1] if not maps_columns(o)
    ),
    "first of several partition columns begins with a dot": lambda o: (
        len(names := o.before.snapshot.metadata.partition_columns) > 1 and names[0].startswith(".")
    ),
}

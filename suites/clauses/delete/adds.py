"""DEL: the adds of a DELETE, and the files that it writes.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

import json
import math
import struct
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from deltalog.actions import Add
from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, each, one
from harness.expectations import (
    ByReplay,
    Expectation,
    FieldIs,
    FieldMatches,
    KeysAre,
    Measure,
    NewFilesReferenced,
    NewNames,
    NoActions,
    NoFileWritten,
)
from harness.observation import DeleteObservation, partition_of
from model.delete import ConditionScope, DeleteMethod
from model.layout import escape, partition_directory, physical_name
from model.table import Table
from model.vacuum import checksum_of
from model.values import AnyType, Row, Type, is_nested


def _holding_rows(d: DeleteObservation) -> list[str]:
    """The files that appeared, without those that hold no row, and without checksums.

    Spark's first write task makes a file even when it has no row to write; Delta leaves such a file out of the commit, and
    on storage (TransactionalWrite.writeFiles: only "the AddFiles that actually add rows" are returned). docs/findings.md.
    """
    files = [path for path in d.appeared if d.after.listing[path].kind == "file"]
    empty = {path for path in files if d.after.unreferenced.get(path) == 0}
    return sorted(path for path in files if path not in empty and checksum_of(path) not in files)


def _vector_files(d: DeleteObservation) -> set[str]:
    """The deletion-vector files that appeared."""
    names = ((path, path.rpartition("/")[2]) for path in d.appeared)
    return {path for path, name in names if name.startswith("deletion_vector_") and name.endswith(".bin")}


@clause(
    "DEL-ROW-4",
    "Where no row of the removed files survives, nothing is added and no file with rows is written.",
    of=DeleteObservation,
    sources=("S0", "C 2.2"),
)
def nothing_survives(d: DeleteObservation) -> Judgement:
    if (
        d.prediction.scope is not ConditionScope.ROWS
        or not d.prediction.removed
        or d.prediction.survivors
        or d.prediction.hidden_rows
    ):
        return NOT_EXERCISED
    # Change files hold the deleted rows; the vector of a file that was wholly deleted is written and not used (C 2.2).
    others = {cdc.file for cdc in d.change_files} | _vector_files(d)
    written = sorted({add.file for add in d.adds} | (set(_holding_rows(d)) - others))
    return one(
        Violation(
            written[0],
            f"No row survives, yet the DELETE wrote {', '.join(written)}.",
            NoActions(("add",)) if d.adds else NewFilesReferenced(),
            evidence.of_delete(d),
        )
        if written
        else None
    )


@clause(
    "DEL-ADD-1A",
    "Each added file exists, with the size that its add says.",
    of=DeleteObservation,
    sources=("S0", "P Add File and Remove File"),
)
def adds_exist(d: DeleteObservation) -> Judgement:
    def problem(add: Add) -> Violation | None:
        entry = d.after.listing.get(add.file)
        if entry is not None and entry.size == add.size:
            return None
        found = "is not on storage" if entry is None else f"has {entry.size} bytes"
        return Violation(
            add.file,
            f"The add says that {add.file} has {add.size} bytes; it {found}.",
            FieldMatches("add", "size", Measure.FILE_SIZE),
        )

    return each(d.written, problem)


@clause(
    "DEL-ADD-1B",
    "Each added file has a new name, in the directory of its partition, and says the values of all partition columns.",
    of=DeleteObservation,
    sources=("S0", "P Data Files"),
    implementation="spark",
)
def adds_placed(d: DeleteObservation) -> Judgement:
    known = _known(d)

    def problem(add: Add) -> Violation | None:
        misnamed = _misnamed(d, add, known)
        if misnamed is not None:
            return misnamed
        values = partition_of(d.table, add)
        if not _in_place(d.table, add.file, values):
            directory = partition_directory(d.table, values)
            return Violation(
                add.file,
                f"{add.file} does not lie in {directory or 'the root'}, the directory of its partition.",
                _placed(d),
            )
        return None

    return each(d.written, problem)


@clause(
    "DEL-ADD-1E",
    "Each added file has a new name, and says the values of all partition columns.",
    of=DeleteObservation,
    sources=("S0", "P Add File and Remove File"),
)
def adds_named(d: DeleteObservation) -> Judgement:
    """Where it lies is the engine's own choice (PROTOCOL.md, "Data Files"); of Spark's DEL-ADD-1B speaks."""
    known = _known(d)
    return each(d.written, lambda add: _misnamed(d, add, known))


def _known(d: DeleteObservation) -> frozenset[str]:
    """The paths of all that was there or in the log before."""
    commits = d.before.log.commits.values()
    named = {add.file for commit in commits for add in commit.adds}
    return frozenset(d.before.data) | named | {remove.file for commit in commits for remove in commit.removes}


def _misnamed(d: DeleteObservation, add: Add, known: frozenset[str]) -> Violation | None:
    """What is wrong with the name of an added file, or with the partition values that its add says."""
    if set(add.partition_values) != {physical_name(d.table, name) for name in d.table.partition_by}:
        said = f"The add of {add.file} has partition values for {sorted(add.partition_values)}."
        names = sorted(physical_name(d.table, name) for name in d.table.partition_by)
        return Violation(add.file, said, KeysAre("add", "partitionValues", names))
    try:
        partition_of(d.table, add)
    except ValueError:
        said = f"The add of {add.file} has partition values of other types: {dict(add.partition_values)}."
        return Violation(add.file, said, _placed(d))
    return Violation(add.file, f"{add.file} is not a new name.", NewNames()) if add.file in known else None


def _placed(d: DeleteObservation) -> Expectation:
    if d.table.maps_columns or any(column.type not in _ONE_TEXT for column in d.table.partition_columns):
        return ByReplay("the names of these directories do not show the partition values")
    return FieldMatches("add", "partitionValues", Measure.DIRECTORY)


def _in_place(table: Table, path: str, values: Row) -> bool:
    """Whether a file lies in its partition's directory.

    With column mapping the directory says nothing (PROTOCOL.md, "Data Files": it is the log that does). A TIMESTAMP and
    a fraction have several texts; of these only the column's name is looked at.
    """
    directory = path.rpartition("/")[0]
    if table.maps_columns:
        return True
    if all(column.type in _ONE_TEXT for column in table.partition_columns):
        return directory == partition_directory(table, values)
    parts = directory.split("/") if directory else []
    names = [f"{escape(name)}=" for name in table.partition_by]
    return len(parts) == len(names) and all(part.startswith(name) for part, name in zip(parts, names))


#: The types of which each value has one text in a directory's name.
_ONE_TEXT = (Type.STRING, Type.BYTE, Type.SHORT, Type.INTEGER, Type.LONG, Type.BOOLEAN, Type.DATE)


@clause(
    "DEL-ADD-1C",
    "Each add has dataChange=true and its file's modificationTime.",
    of=DeleteObservation,
    sources=("S0", "P Add File and Remove File"),
    implementation="spark",
)
def adds_dated(d: DeleteObservation) -> Judgement:
    def problem(add: Add) -> Violation | None:
        entry = d.after.listing.get(add.file)
        if not add.data_change:
            return Violation(
                add.file, f"The add of {add.file} has dataChange=false.", FieldIs("add", "dataChange", True)
            )
        if entry is not None and entry.modified != add.modification_time:
            return Violation(
                add.file,
                f"The add of {add.file} says {d.instant(add.modification_time)}; the file was modified at {d.instant(entry.modified)}.",
                FieldMatches("add", "modificationTime", Measure.FILE_TIME),
            )
        return None

    return each(d.written, problem)


@clause(
    "DEL-ADD-1D",
    "An added file's statistics, where present, are true of the file.",
    of=DeleteObservation,
    sources=("S0", "P Per-file Statistics"),
)
def adds_statistics(d: DeleteObservation) -> Judgement:
    subjects = [add for add in d.written if add.stats and d.after.contents.get(add.file) is not None]

    def problem(add: Add) -> Violation | None:
        try:
            wrong = untrue_statistics(json.loads(add.stats or "{}", parse_float=Decimal), d, add.file)
        except (ValueError, TypeError, AttributeError) as malformed:  # what an engine wrote may be of any form
            wrong = f"they are not of the form that the protocol gives them ({malformed})"
        if not wrong:
            return None
        expectation: Expectation = ByReplay("the bounds of columns must be compared with the values of a Parquet file")
        if wrong.startswith("numRecords"):
            expectation = FieldMatches("add", "stats.numRecords", Measure.FILE_ROWS)
        return Violation(add.file, f"The statistics of {add.file} are not true: {wrong}.", expectation)

    return each(subjects, problem)


def untrue_statistics(stats: dict[str, Any], d: DeleteObservation, path: str) -> str:
    """The first thing that a file's statistics say and its rows do not bear out; empty where all is true.

    Of nested columns nothing is looked at.
    """
    rows = d.after.contents[path] or ()
    if stats.get("numRecords") != len(rows):
        return f"numRecords is {stats.get('numRecords')}, and the file has {len(rows)} rows"
    for position, column in enumerate(d.table.columns):
        if column.name in d.table.partition_by:
            continue
        values = [row[position] for row in rows]
        name = physical_name(d.table, column.name)
        nulls = stats.get("nullCount", {}).get(name)
        if is_nested(column.type):
            continue
        if nulls is not None and nulls != values.count(None):
            return f"nullCount of {column.name} is {nulls}, and {values.count(None)} rows have NULL there"
        known = [_comparable(value, column.type) for value in values if value is not None]
        low, high = (stats.get(bound, {}).get(name) for bound in ("minValues", "maxValues"))
        if low is not None and known and _comparable(low, column.type) > min(known):
            return f"the minimum of {column.name} is {low}, and a row has less"
        if high is not None and known and _comparable(high, column.type, up=True) < max(known):
            return f"the maximum of {column.name} is {high}, and a row has more"
    return ""


def _comparable(value: Any, type: AnyType, *, up: bool = False) -> Any:
    """A value, or a bound out of the statistics, such that the order is SQL's.

    The bounds of timestamps are cut to milliseconds: ``up`` reads one as the last microsecond of its millisecond.
    """
    if type is Type.STRING:
        return str(value).encode("utf-8")
    if type in (Type.FLOAT, Type.DOUBLE):
        number = _single(float(value)) if type is Type.FLOAT else float(value)
        return (1, 0.0) if math.isnan(number) else (0, number)  # NaN is the greatest
    if type in (Type.TIMESTAMP, Type.TIMESTAMP_NTZ):
        if isinstance(value, datetime):
            return value.replace(tzinfo=None)
        bound = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
        plain = bound.replace(tzinfo=None) - (bound.utcoffset() or timedelta())
        return plain + timedelta(microseconds=999) if up else plain
    return str(value) if type is Type.DATE else value


def _single(number: float) -> float:
    """The 32-bit number that a text stands for: it is the shortest one that tells it apart from its neighbours."""
    return float(struct.unpack("<f", struct.pack("<f", number))[0]) if abs(number) <= _GREATEST else number


_GREATEST = 3.4028235e38  # a FLOAT


@clause(
    "DEL-PHYS-2",
    "Every file with rows that a DELETE writes is referred to by its commit.",
    of=DeleteObservation,
    sources=("C 2.2",),
)
def nothing_left_behind(d: DeleteObservation) -> Judgement:
    referred = {add.file for add in d.adds} | {cdc.file for cdc in d.change_files}
    referred |= {str(add.deletion_vector.file) for add in d.adds if add.deletion_vector is not None}
    referred |= {path.removeprefix(f"{d.root}/") for path in referred}  # some vectors are named by absolute paths
    if d.prediction.method is DeleteMethod.DELETION_VECTORS and d.prediction.removed:
        # The vector of a file that was wholly deleted is written and then not used (C 2.2): VACUUM's to delete.
        referred |= _vector_files(d)

    def problem(path: str) -> Violation | None:
        if path in referred:
            return None
        expectation: Expectation = NewFilesReferenced()
        if d.prediction.scope is not ConditionScope.ROWS:
            expectation = NoFileWritten()
        elif path.endswith(".bin"):
            expectation = ByReplay("which file a deletion vector is in is encoded")
        return Violation(path, f"DELETE wrote {path}, and its commit does not refer to it.", expectation)

    return each(_holding_rows(d), problem)

"""Clauses of DELETE on their own: what no other test shows.

``tests/suites/test_recorded.py`` judges the witnesses: a fault that violates the clause, and a healthy engine that keeps it.
`tox -e selfcheck -- tamper` changes each member of what a healthy engine left, and all must be noticed.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from datetime import date, datetime, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltalog.checkpoints.writing import write_checkpoint
from deltalog.entries.actions import Add, Metadata, Protocol
from deltalog.entries.codec import to_json
from deltalog.log import read_log
from deltalog.snapshot import replay
from deltalog.values.schemas import Field, schema_string
from faults.log.checkpoints import in_pointer
from faults.machinery import actions, files
from faults.machinery.fault import Tamper
from faults.machinery.members import put
from faults.machinery.tampering import Tampering
from model.vocabulary.commands import Checkpoint, DropColumn
from model.vocabulary.predicate import Compare, IsNull, Op
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import Delete, OtherCommand, Step
from model.vocabulary.table import HOUR, WEEK, Column, Commit, DataFile, Feature, Table
from model.vocabulary.values import NAN, Type, Value
from records import expectations
from records.expectations import RowsAre
from suites.clauses.shared.version_checksums import VersionChecksum
from suites.clauses.shared.version_checksums import files as check_files
from tests.handmade.steps import IN_A, PA, PARTITIONED, in_commit, in_text, judged, judged_by, refused, right


def table(*features: Feature) -> Table:
    return dataclasses.replace(PARTITIONED, features=tuple(feature.value for feature in features))


PLAIN = table()
VECTORS = table(Feature.DELETION_VECTORS)
MAPPED = table(Feature.COLUMN_MAPPING_ID)


def spoiling(pattern: str, how: Callable[[Path], object]) -> Tamper:
    """Do something to each file of the table that the pattern finds."""

    def found(t: Tampering) -> list[str]:
        paths = sorted(path.relative_to(t.root).as_posix() for path in t.root.glob(pattern))
        assert paths, f"{pattern} must be found"
        return paths

    return files.in_each(found, how)


def scribble(path: Path) -> None:
    """As many bytes as before, all of them wrong."""
    path.write_bytes(b"x" * path.stat().st_size)


NEW = "**/part-*-1111-4111-8111-*.parquet"  # the files that the reference engine writes
BY_LINK = dataclasses.replace(IN_A, spelling=Spelling.LINK)
FREQUENT = dataclasses.replace(
    PLAIN, commits=(*PLAIN.commits, Commit(-HOUR)), features=(Feature.FREQUENT_CHECKPOINTS.value,)
)
V2 = dataclasses.replace(FREQUENT, features=(*FREQUENT.features, Feature.V2_CHECKPOINTS.value))
STAMPED = table(Feature.IN_COMMIT_TIMESTAMPS)


def with_tags_of_removes(t: Tampering) -> None:
    """The removes of the classic checkpoint have a column tags."""
    path = max((t.root / "_delta_log").glob("*.checkpoint.parquet"))
    table = pq.ParquetFile(path).read()
    place = table.schema.get_field_index("remove")
    field = table.schema.field(place)
    fields = pa.struct([*field.type, pa.field("tags", pa.map_(pa.string(), pa.string()))])
    rows = table.to_pylist()
    for row in rows:
        if row["remove"]:
            row["remove"]["tags"] = [("x", "x")]
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema.set(place, field.with_type(fields))), path)


#: A clause, a table, a DELETE, a fault after it, and words of the message.
# fmt: off
WRONG: list[tuple[str, Table, Step, Tamper, str]] = [
    ("DEL-CKPT-4", FREQUENT, IN_A, with_tags_of_removes, "has tags"),
    ("DEL-CKPT-9", V2, IN_A, in_pointer(put(nonFileActions=[{"add": 1}])), "nonFileActions are not"),
    ("DEL-CRC-1", PLAIN, IN_A, in_text(files.checksums, r'("fileSizeHistogram":)\{.*?\}', r"\g<1>[]"), "fileSizeHistogram is"),
    ("DEL-INFO-2B", STAMPED, IN_A, in_commit(r"(.*\n)(.*\n)", r"\2\1"), "must be the first action of DELETE"),
    ("DEL-INFO-4", PLAIN, IN_A, in_commit(r'("predicate":")[^,]*', r'\1[\\"true\\"]"}'), "it names none of the columns"),
    ("DEL-META-3", PLAIN, Delete(PA), in_commit(r'"deletionTimestamp":\d+', '"deletionTimestamp":1'), "they have 2: "),
    ("DEL-REM-1B", PLAIN, IN_A, in_commit(r'("remove":\{"path":")p=a', r"\1p%3Da"), "its path is p%3Da"),
    ("DEL-ADD-1B", PLAIN, IN_A, in_commit('("add":{"path":")[^"]*', r"\1p=a/orphan"), "p=a/orphan is not a new name"),
    ("DEL-ADD-1D", PLAIN, IN_A, in_commit(r'(maxValues\\":{\\"v\\":)\d+', r"\g<1>3"), "maxValues of v is 3, and must be 2"),
    ("DEL-DV-1B", VECTORS, IN_A, in_commit('("add":.*?"dataChange":)true', r"\1false"), "dataChange is false"),
    ("DEL-DV-1D", VECTORS, IN_A, in_commit(r'(nullCount\\": ?{\\"v\\": ?)\d+', r"\g<1>0"), "nullCount of v is 0, and 1"),
    ("DEL-MAP-1B", MAPPED, IN_A, spoiling(NEW, scribble), "cannot be read"),
]
# fmt: on


@pytest.mark.parametrize(
    ("id", "table", "step", "tamper", "words"), WRONG, ids=[f"{row[0]}-{number}" for number, row in enumerate(WRONG)]
)
def test_a_clause_reports_what_is_wrong(
    id: str, table: Table, step: Step, tamper: Tamper, words: str, tmp_path: Path
) -> None:
    _, violations = judged_by(table, tmp_path / "right", id, (step, right))
    assert not violations, "nothing is wrong with a right DELETE"
    _, violations = judged_by(table, tmp_path / "wrong", id, (step, tamper))
    assert [violation.message for violation in violations if words in violation.message], (violations, words)


def of_type(type: Type, *values: Value) -> Table:
    """A file with these values in one column, and a NULL, which the DELETE deletes."""
    rows = tuple((value,) for value in (*values, None))
    return Table((Column("v", type),), (), (DataFile(0, (), rows, -WEEK),), (Commit(-HOUR, adds=(0,)),))


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        (of_type(Type.FLOAT, -1.5, 0.10000000149011612), ("-1.5", "-1.4"), ("0.1", "0.09")),
        (of_type(Type.DOUBLE, 0.1, 2.5), ("0.1", "0.11"), ("2.5", "2.4")),
        (of_type(Type.DOUBLE, 1.0, NAN), ("1.0", "1.1"), ('"NaN"', "9.0")),
        (of_type(Type.STRING, "B", "\U0001f600"), ('"B"', '"b"'), ('"\U0001f600"', '"\uffee"')),
        (
            of_type(Type.DATE, date(2020, 1, 1), date(2020, 3, 1)),
            ('"2020-01-01"', '"2020-01-02"'),
            ('"2020-03-01"', '"2020-02-01"'),
        ),
        (
            of_type(Type.TIMESTAMP_NTZ, datetime(2020, 1, 1), datetime(2020, 1, 1, 0, 0, 0, 1999)),
            ('"2020-01-01T00:00:00.000"', '"2020-01-01T00:00:00.001"'),
            ('"2020-01-01T00:00:00.001"', '"2020-01-01T00:00:00.000"'),
        ),
        (
            of_type(
                Type.TIMESTAMP, datetime(2020, 1, 1, tzinfo=timezone.utc), datetime(2020, 1, 2, tzinfo=timezone.utc)
            ),
            ('"2020-01-01T01:00:00.000+01:00"', '"2020-01-01T00:00:00.001Z"'),
            ('"2020-01-02T00:00:00.000Z"', '"2020-01-02T00:00:00.000+01:00"'),
        ),
    ],
    ids=["float", "double", "nan", "string", "date", "timestamp_ntz", "timestamp"],
)
def test_bounds_are_compared_in_the_order_of_their_type(
    table: Table, low: tuple[str, str], high: tuple[str, str], tmp_path: Path
) -> None:
    """Each bound as it may be written, and one that is too narrow."""

    def stating(low: str, high: str) -> Tamper:
        count = len(table.files[0].rows) - 1
        stats = f'{{"numRecords":{count},"nullCount":{{"v":0}},"minValues":{{"v":{low}}},"maxValues":{{"v":{high}}}}}'

        return actions.every(actions.of("add"), put(stats=stats))

    step = Delete(IsNull("v"))
    for bounds, words in (
        ((low[0], high[0]), ""),
        ((low[1], high[0]), "minimum of v"),
        ((low[0], high[1]), "maximum of v"),
    ):
        subjects, violations = judged_by(table, tmp_path / (words or "true"), "DEL-ADD-1D", (step, stating(*bounds)))
        assert subjects == 1 and [words in violation.message for violation in violations] == (
            [True] if words else []
        ), violations


def test_files_with_names_that_an_engine_made_up_are_checked_by_the_rows_that_are_left(tmp_path: Path) -> None:
    tallies, _ = judged(PLAIN, tmp_path, (IN_A, right), (Delete(PA), in_commit(r'\{"remove".*\n', "")))
    (violation,) = (violation for violation in tallies["DEL-META-1"].violations)
    assert isinstance(violation.expectation, RowsAre) and violation.expectation.of is expectations.RowsOf.TABLE
    assert sorted(violation.expectation.rows, key=repr) == [[1, "b"], [1, None], [9, None]]


@pytest.mark.parametrize(("length", "subjects"), [(0, 1), (1, 0), (32, 0), (33, 1)])
def test_only_long_and_empty_texts_exercise_del_gen_1b(length: int, subjects: int, tmp_path: Path) -> None:
    found, _ = judged_by(of_type(Type.STRING, "x" * length), tmp_path, "DEL-GEN-1B", (Delete(IsNull("v")), right))
    assert found == subjects


def of_columns(*columns: Column) -> Table:
    """A table of two rows: of ones, and of twos."""
    rows = tuple(tuple(float(n) if one.type is Type.DOUBLE else n for one in columns) for n in (1, 2))
    return Table(columns, (), (DataFile(0, (), rows, -WEEK),), (Commit(-HOUR, adds=(0,)),))


def emptying(place: int) -> Tamper:
    """The column at this place of the rewritten file is NULL."""

    def empty(path: Path) -> None:
        rows = pq.read_table(path)
        field = rows.schema.field(place)
        pq.write_table(rows.set_column(place, field, pa.nulls(rows.num_rows, field.type)), path)

    return spoiling(NEW, empty)


#: Of each clause on a kind of column a table, with the places of a column of that kind and of another.
KINDS: dict[str, tuple[Table, int, int]] = {
    "DEL-GEN-1A": (of_columns(Column("v", Type.LONG), Column("w", Type.LONG, default=True)), 1, 0),
    "DEL-GEN-1B": (of_columns(Column("v", Type.LONG), Column("w", Type.DOUBLE)), 1, 0),
    "DEL-GEN-1C": (of_columns(Column("v", Type.LONG), Column("w w", Type.LONG)), 1, 0),
    "DEL-GEN-1D": (of_columns(*(Column(f"v{number}", Type.LONG) for number in range(100))), 32, 31),
}


@pytest.mark.parametrize("id", KINDS)
def test_a_clause_on_a_kind_of_column_judges_its_values_alone(id: str, tmp_path: Path) -> None:
    made, own, other = KINDS[id]
    step = Delete(Compare(made.columns[0].name, Op.EQ, 1, Type.LONG))
    _, (violation,) = judged_by(made, tmp_path / "own", id, (step, emptying(own)))
    assert f"The values of {made.columns[own].name}" in violation.message
    assert judged_by(made, tmp_path / "other", id, (step, emptying(other))) == (1, [])
    _, (lost,) = judged_by(made, tmp_path / "lost", id, (step, in_commit(r'\{"add".*\n', "")))
    assert "0 rows: 1 of the 1 expected are missing" in lost.message


def test_a_refusal_is_an_error_and_no_needless_rewrite_also_where_no_row_matches(tmp_path: Path) -> None:
    nothing = dataclasses.replace(BY_LINK, where=Compare("v", Op.EQ, 50, Type.INTEGER))
    _, (violation,) = judged_by(PLAIN, tmp_path, "DEL-NAME-2", (nothing, refused))
    assert violation.by_error, violation.cause


@pytest.mark.parametrize(
    ("type", "indexed", "wrong"),
    [(Type.BOOLEAN, (), False), (Type.INTEGER, (), True), (Type.INTEGER, ("v",), False)],
    ids=["of a type without bounds", "indexed", "not indexed"],
)
def test_bounds_that_another_writer_had_collected_may_go(
    type: Type, indexed: tuple[str, ...], wrong: bool, tmp_path: Path
) -> None:
    """Delta reads the statistics by its own schema of them when it writes a deletion vector."""
    made = of_columns(Column("v", Type.INTEGER))
    rows = ((1, None), (2, None), (3, None))
    table = dataclasses.replace(
        made,
        columns=(*made.columns, Column("w", type)),
        files=(dataclasses.replace(made.files[0], rows=rows),),
        features=(Feature.DELETION_VECTORS.value,),
        indexed_columns=indexed,
    )
    steps = [Delete(Compare("v", Op.EQ, value, Type.INTEGER)) for value in (1, 2)]
    bounds = r'(minValues\\": ?\{)'
    collected = in_commit(bounds, r"\1\"w\":null,")
    _, found = judged_by(
        table, tmp_path, "DEL-DV-1D", (steps[0], collected), (steps[1], in_commit(r'\\"w\\":null,', ""))
    )
    assert ["minValues of columns are gone" in one.message for one in found] == ([True] if wrong else [])


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        ({"v": 1, "gone": 7}, {"v": 1}, False),
        ({"v": 1, "w": True}, {"v": 1}, False),
        ({"t": "2024-06-01T12:00:00.123456Z"}, {"t": "2024-06-01T12:00:00.123Z"}, False),
        ({"v": 1, "w": True}, {"w": True}, True),
        ({"t": "2024-06-01T12:00:00.123456Z"}, {"t": "2024-06-01T12:00:00.124Z"}, True),
        ({"t": "noon"}, {}, True),
    ],
    ids=["of a column that is gone", "of a type without bounds", "microseconds", "v is gone", "later", "no timestamp"],
)
def test_a_checksum_may_lack_statistics_that_a_struct_has_no_place_for(
    before: dict[str, object], after: dict[str, object], wrong: bool
) -> None:
    """Delta reads the statistics that a checkpoint has as a struct alone by its own schema of them."""
    columns = [Field("v", "integer"), Field("w", "boolean"), Field("t", "timestamp"), Field("x", "variant")]
    metadata = Metadata("x", schema_string=schema_string(columns))
    add, listed = (
        Add("a", {}, 1, 1, data_change=False, stats=json.dumps({"minValues": bounds})) for bounds in (before, after)
    )
    state = replay([(0, (Protocol(1, 2), metadata, add))])
    fields = {"allFiles": [to_json(listed)["add"]]}
    assert bool([*check_files(VersionChecksum(0, fields, state, {}, "file:///t"))]) is wrong


@pytest.mark.parametrize(
    ("features", "edit", "wrong"),
    [
        ((Feature.STRUCT_STATISTICS,), None, False),
        ((Feature.STRUCT_STATISTICS,), r'"minValues":{[^}]*}', True),
        ((), None, True),
    ],
    ids=["structs only", "without a bound that a struct has", "as JSON"],
)
def test_a_checkpoint_of_structs_lacks_statistics_of_columns_that_are_gone(
    features: tuple[Feature, ...], edit: str | None, wrong: bool, tmp_path: Path
) -> None:
    """DROP COLUMN leaves the statistics in the log; Delta's struct has the columns of the table."""
    made = of_columns(Column("v", Type.INTEGER), Column("w", Type.INTEGER))
    names = (Feature.COLUMN_MAPPING_NAME, *features)
    table = dataclasses.replace(made, features=tuple(feature.value for feature in names))

    def as_structs(t: Tampering) -> None:
        (path,) = t.root.glob("_delta_log/*.checkpoint.parquet")
        path.unlink()
        state = read_log(t.root).snapshot()
        if edit is not None:
            adds = {
                key: dataclasses.replace(add, stats=re.sub(edit, '"minValues":{}', add.stats or ""))
                for key, add in state.adds.items()
            }
            state = dataclasses.replace(state, adds=adds)
        write_checkpoint(t.root, state, struct_statistics=True)

    steps = ((OtherCommand(DropColumn("w")), right), (OtherCommand(Checkpoint()), as_structs))
    subjects, found = judged_by(table, tmp_path, "LIFE-3C", *steps)
    assert (subjects, bool(found)) == (1, wrong)

"""The columns of which files have statistics: as the model says, as the suite's writer writes them, and as properties say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from deltalog.log import read_log
from model import codec
from model.semantics.definitions import table_after
from model.semantics.indexed_columns import indexed_columns
from model.vocabulary.commands import Command, DropColumn, RenameColumn
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Delete, OtherCommand
from model.vocabulary.table import DAY, HOUR, Column, Commit, DataFile, Feature, Table
from model.vocabulary.values import ArrayOf, StructOf, Type
from tests.builders.observations import make
from tests.builders.read_back import table_read_back
from tests.harness.test_conditions import observed

PAIR = StructOf((("x", Type.LONG), ("y", Type.LONG)))
COLUMNS = (
    Column("p", Type.STRING),
    Column("a b", Type.LONG),
    Column("s", PAIR),
    Column("l", ArrayOf(Type.LONG)),
    Column("b`t", Type.STRING),
)
ROWS = ((1, (2, 3), (4,), "u"), (5, (6, 7), (8,), "v"))
TABLE = Table(
    COLUMNS,
    ("p",),
    (DataFile(0, ("x",), ROWS, -DAY),),
    (Commit(-HOUR, adds=(0,)),),
    features=(Feature.COLUMN_MAPPING_NAME.value,),
)


@pytest.mark.parametrize(
    ("leaves", "columns", "names"),
    [
        (None, (), ["a b", "b`t"]),
        (0, (), []),
        (1, (), ["a b"]),
        (4, (), ["a b"]),
        (5, (), ["a b", "b`t"]),
        (-1, (), ["a b", "b`t"]),
        (None, ("b`t",), ["b`t"]),
        (0, ("b`t", "a b"), ["a b", "b`t"]),
    ],
)
def test_files_have_statistics_of_the_indexed_columns(
    leaves: int | None, columns: tuple[str, ...], names: list[str], tmp_path: Path
) -> None:
    table = replace(TABLE, indexed_leaves=leaves, indexed_columns=columns)
    assert table_read_back(table) == table
    assert [column.name for column in indexed_columns(table)] == names
    stored = {f"col-{COLUMNS.index(one):08x}-0000-4000-8000-000000000000": one.name for one in COLUMNS}
    (add,) = read_log(make(table, tmp_path / "initial")).snapshot().adds.values()
    assert _minima(add.stats, stored) == names
    where = Compare("a b", Op.EQ, 1, Type.LONG)
    seen = observed(table, tmp_path / "deleted", Delete(where))
    (add,) = seen.after.snapshot.adds.values()
    assert _minima(add.stats, stored) == names, "of a file that an engine writes"


@pytest.mark.parametrize(
    ("command", "names"),
    [
        (RenameColumn("b`t", "o#?"), ["a b", "o#?"]),
        (RenameColumn("a b", "c.d"), ["c.d", "b`t"]),
        (RenameColumn("p", "q"), ["a b", "b`t"]),
        (DropColumn("a b"), ["b`t"]),
    ],
)
def test_a_new_name_keeps_its_statistics(command: Command, names: list[str], tmp_path: Path) -> None:
    table = replace(TABLE, indexed_columns=("b`t", "a b"))
    after = table_after(command, table)
    assert [column.name for column in indexed_columns(after)] == names
    where = Compare(names[-1], Op.EQ, "u", Type.STRING)
    seen = observed(table, tmp_path, OtherCommand(command), Delete(where))
    assert set(names) == set(indexed_by(seen.after.snapshot.metadata.configuration))
    (add,) = seen.after.snapshot.adds.values()
    assert len(json.loads(add.stats or "{}")["minValues"]) == len(names), "of a file that an engine writes"


def indexed_by(configuration: Mapping[str, str]) -> list[str]:
    text = configuration["delta.dataSkippingStatsColumns"]
    return [name[1:-1].replace("``", "`") for name in text.split(",")]


def _minima(stats: str | None, stored: dict[str, str]) -> list[str]:
    found = json.loads(stats or "{}")
    assert found["numRecords"] in (1, 2)
    return [stored[name] for name in found["minValues"] if stored[name] != "s"]


def test_files_from_before_the_properties_were_set_have_statistics_of_all(tmp_path: Path) -> None:
    table = replace(
        TABLE,
        files=(*TABLE.files, DataFile(1, ("x",), ROWS, -DAY)),
        commits=(Commit(-DAY, adds=(0,)), Commit(-HOUR, adds=(1,))),
        features=(Feature.ALTERED.value,),
        columns=tuple(Column(one.name.replace(" ", "_"), one.type) for one in COLUMNS),
        indexed_leaves=0,
    )
    log = read_log(make(table, tmp_path / "table"))
    adds = sorted(log.snapshot().adds.values(), key=lambda add: add.path)
    assert [len(json.loads(add.stats or "{}")["nullCount"]) for add in adds] == [4, 0]
    properties = [log.snapshot(version).metadata.configuration for version in (0, 1)]
    assert [one.get("delta.dataSkippingNumIndexedCols") for one in properties] == [None, "0"]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"indexed_leaves": -2}, "must be at least -1"),
        ({"indexed_columns": ("p",)}, "no data column of a type that has bounds"),
        ({"indexed_columns": ("l",)}, "no data column of a type that has bounds"),
        ({"indexed_columns": ("b`t", "b`t")}, "nothing twice"),
    ],
)
def test_properties_that_no_writer_can_follow_are_refused(fields: dict[str, object], problem: str) -> None:
    with pytest.raises(codec.InvalidCase, match=problem):
        table_read_back(replace(TABLE, **fields))  # type: ignore[arg-type]

"""What commands make of a table's definition."""

from __future__ import annotations

from dataclasses import replace

import pytest

from model.codec.plain import InvalidCase
from model.codec.validation.commands import check_command
from model.semantics.definitions import definitions, table_after
from model.vocabulary.commands import (
    AddColumn,
    DropColumn,
    DropFeature,
    Optimize,
    RenameColumn,
    Restore,
    SetRetention,
    Switch,
    WidenColumn,
)
from model.vocabulary.steps import Delete, OtherCommand, Step
from model.vocabulary.table import Column, Feature, Table
from model.vocabulary.values import Type
from tests.builders.merges import evolving
from tests.model.codec_cases import TABLE

PLAIN = replace(TABLE, features=())


def test_columns_and_the_rows_of_files_change_together() -> None:
    added = table_after(AddColumn(Column("late", Type.DOUBLE)), TABLE)
    assert [column.name for column in added.columns] == ["p", "i", "l", "b", "d", "late"]
    assert [row[-1] for row in added.files[0].rows] == [None, None]
    merged = table_after(evolving(Column("late", Type.DOUBLE), "i"), TABLE)
    assert merged == added
    dropped = table_after(DropColumn("l"), TABLE)
    assert [column.name for column in dropped.columns] == ["p", "i", "b", "d"]
    assert dropped.files[0].rows == tuple((row[0], *row[2:]) for row in TABLE.files[0].rows)
    assert table_after(WidenColumn("i"), TABLE).columns[1] == Column("i", Type.LONG)
    floats = replace(TABLE, columns=(*TABLE.columns, Column("f", Type.FLOAT)))
    assert table_after(WidenColumn("f"), floats).columns[-1] == Column("f", Type.DOUBLE)


def test_a_partition_column_of_floats_is_not_widened() -> None:
    columns = (Column("f", Type.FLOAT), Column("i", Type.INTEGER))
    of_data = Table(columns, ("i",), (), ())
    check_command(WidenColumn("f"), (), [of_data])
    check_command(WidenColumn("i"), (), [of_data])
    with pytest.raises(InvalidCase, match="'f' is a partition column, whose texts"):
        check_command(WidenColumn("f"), (), [replace(of_data, partition_by=("f",))])


def test_a_partition_column_has_its_new_name_in_the_partitioning_too() -> None:
    renamed = table_after(RenameColumn("p", "q"), TABLE)
    assert renamed.partition_by == ("q",) and renamed.partition_columns == (Column("q", Type.STRING),)
    assert table_after(RenameColumn("i", "j"), TABLE).partition_by == ("p",)


def test_deletion_vectors_stay_supported_until_they_are_dropped() -> None:
    on, off, gone = (
        *(Switch(Feature.DELETION_VECTORS, on=on) for on in (True, False)),
        DropFeature(Feature.DELETION_VECTORS),
    )
    assert table_after(off, PLAIN).features == ()
    assert table_after(on, PLAIN).features == ("deletionVectors",)
    assert table_after(off, table_after(on, PLAIN)).features == ("deletionVectorsOff",)
    assert table_after(gone, table_after(off, TABLE)).features == ()


def test_a_restore_goes_back_to_the_definition_before_its_step() -> None:
    steps: list[Step] = [
        OtherCommand(SetRetention(24)),
        OtherCommand(SetRetention(48, of_log=True)),
        OtherCommand(Switch(Feature.CHANGE_DATA_FEED, on=True)),
        OtherCommand(AddColumn(Column("late", Type.LONG))),
        Delete(),
        OtherCommand(Restore(2)),
        OtherCommand(Optimize()),
    ]
    found = definitions(PLAIN, steps)
    assert [table.retention_hours for table in found] == [0, *(24,) * 7]
    assert [len(table.columns) for table in found] == [5, 5, 5, 5, 6, 6, 5, 5]
    assert [table.features for table in found] == [(), (), (), *(("changeDataFeed",),) * 3, (), ()]

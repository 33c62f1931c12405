"""The log reader gives back the tables that were written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from deltalog.log import read_log
from tests.builders.made_tables import EVERYTHING, MadeTable, made, made_tables, same_rows
from tests.table_rows import read_rows


@pytest.mark.long
@given(made_tables())
@settings(max_examples=60)
def test_every_version_reads_back(table: MadeTable) -> None:
    with made(table) as root:
        log = read_log(root)
        assert log.version == len(table.commits) - 1, "the latest version is that of the last commit"
        for version in range(table.first_version, log.version + 1):
            snapshot = log.snapshot(version)
            files = sorted(add.file for add in snapshot.adds.values())
            assert files == sorted(table.file_path(file) for file in table.live(version)), f"live files of {version}"
            assert same_rows(read_rows(root, snapshot), table.rows(version)), f"rows of version {version}"


@pytest.mark.long
@given(made_tables())
@settings(max_examples=60)
def test_a_pruned_log_leads_to_the_same_state(table: MadeTable) -> None:
    whole = MadeTable(table.partition_types, table.files, table.commits, pruned=False)
    pruned = MadeTable(table.partition_types, table.files, table.commits, pruned=True)
    with made(whole) as first, made(pruned) as second:
        one, other = read_log(first).snapshot(), read_log(second).snapshot()
        assert one == other, "a state that was read through a checkpoint is the state of the commits"


def test_the_table_with_everything_is_read_back(tmp_path: Path) -> None:
    EVERYTHING.write(tmp_path / "t")
    assert same_rows(read_rows(tmp_path / "t", read_log(tmp_path / "t").snapshot()), EVERYTHING.rows(3))

"""Stray files: no path is used twice, all names are valid for file systems and Hadoop, every kind is drawn often enough."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.text.layout import file_path
from model.vocabulary.table import DAY, Kind, StrayFile, Table
from strategies.steps.vacuums import supports_inventories
from strategies.tables.initial_tables import tables
from strategies.tables.paths import FLAT_DEPTH, joined
from strategies.tables.schemas import schemas
from strategies.tables.stray_files import stray_files, with_stray_files
from tests.builders.read_back import table_read_back
from tests.sampling import check_shares, sample

AGE = 3 * DAY


@pytest.mark.long
@given(st.data())
def test_paths_do_not_conflict(data: st.DataObject) -> None:
    table = data.draw(tables())
    first = data.draw(stray_files(table, cutoff_age=AGE, max_size=14))
    second = data.draw(stray_files(table, cutoff_age=AGE, max_size=14, taken=first))
    grown = replace(table, stray_files=first + second)
    # The codec refuses a path that is taken, and a file where a directory must be.
    assert table_read_back(grown) == grown


@given(st.data())
def test_names_are_valid(data: st.DataObject) -> None:
    table = data.draw(tables())
    drawn = data.draw(stray_files(table, cutoff_age=AGE, max_size=14))
    data_files = {file_path(table, file) for file in table.files}
    for stray in drawn:
        parts = stray.path.split("/")
        assert parts[0] != "_delta_log"
        # With the name of its checksum, ".….crc", it is no longer than 255 bytes.
        assert all(len(part.encode()) <= 250 for part in parts)
        assert (stray.kind is Kind.DIRECTORY) <= (stray.size == 0)
        if ":" in stray.path:
            # VACUUM fails on a visible file with a colon, and on anything visible in the root.
            assert hidden(table, stray) or (stray.kind is Kind.DIRECTORY and ":" not in parts[0])
        name = parts[-1]
        if name.startswith(".") and name.endswith(".crc"):
            # A data file with an invalid checksum could not be read.
            assert joined(*parts[:-1], name[1:-4]) not in data_files


@given(st.data())
def test_inventories_can_hold_flat_stray_files(data: st.DataObject) -> None:
    table = data.draw(tables(schema=schemas(partition_counts=st.integers(0, 2))))
    drawn = data.draw(stray_files(table, cutoff_age=AGE, max_size=14, flat=True, hidden_deeper=False))
    assert all(stray.path.count("/") <= FLAT_DEPTH - (stray.kind is Kind.DIRECTORY) for stray in drawn)
    assert not any(":" in stray.path for stray in drawn)
    grown = replace(table, stray_files=drawn)
    assert supports_inventories(grown)
    for stray in drawn:
        first = replace(stray, path=stray.path.split("/")[0])
        assert hidden(table, first) or not hidden(table, stray)


@given(st.data())
def test_existing_stray_files_are_kept(data: st.DataObject) -> None:
    table = replace(data.draw(tables()), stray_files=(StrayFile("before"),))
    grown = data.draw(with_stray_files(table, stray_files(table, cutoff_age=AGE, min_size=1)))
    assert grown.stray_files[0] == StrayFile("before")
    assert replace(grown, stray_files=table.stray_files) == table


def hidden(table: Table, stray: StrayFile) -> bool:
    """Whether a part of the path is hidden from VACUUM."""
    visible = ("_delta_index", "_change_data", *(f"{name}=" for name in table.partition_by))
    return any(part[0] in "_." and not part.startswith(visible) for part in stray.path.split("/"))


def name(stray: StrayFile) -> str:
    return stray.path.rpartition("/")[2]


def begins(strays: Iterable[StrayFile], beginnings: Collection[str]) -> bool:
    """Whether a part of a path begins with one of these."""
    return any(part.startswith(tuple(beginnings)) for stray in strays for part in stray.path.split("/"))


@st.composite
def tables_with_strays(draw: st.DrawFn) -> tuple[Table, tuple[StrayFile, ...]]:
    table = draw(tables())
    return table, draw(stray_files(table, cutoff_age=AGE, min_size=8, max_size=14))


@pytest.mark.slow
def test_every_kind_is_frequent() -> None:
    def conditions(example: tuple[Table, tuple[StrayFile, ...]]) -> dict[str, tuple[float, bool]]:
        table, drawn = example
        orphans = [stray for stray in drawn if stray.kind is Kind.FILE and not hidden(table, stray)]
        empty = [stray for stray in drawn if stray.kind is Kind.DIRECTORY]
        existing = {file_path(table, file).rpartition("/")[0] for file in table.files} - {""}
        underscored = tuple(name for name in table.partition_by if name[0] in "_.")
        names = set(map(name, orphans))
        return {
            "at least six": (25, len(drawn) >= 6),
            "orphan in the root": (25, any("/" not in stray.path for stray in orphans)),
            "orphan in an existing partition": (15, any(s.path.rpartition("/")[0] in existing for s in orphans)),
            "orphan in a plain directory": (15, any(stray.path.startswith(("dir/", "deep/")) for stray in orphans)),
            "orphan in a partition with a hidden prefix": (10, begins(orphans, [f"{name}=" for name in underscored])),
            "hidden directory similar to such a partition": (5, begins(drawn, [f"{name}s" for name in underscored])),
            "in _change_data": (18, any(stray.path.startswith("_change_data/") for stray in orphans)),
            "in _delta_index": (18, any(stray.path.startswith("_delta_index/") for stray in orphans)),
            "hidden file": (25, any(s.kind is Kind.FILE and hidden(table, s) for s in drawn)),
            "hidden inside a partition": (25, any("=" in s.path.split("/")[0] and hidden(table, s) for s in drawn)),
            "empty directory": (25, any(not hidden(table, stray) for stray in empty)),
            "nested empty directory": (15, any(stray.path.endswith("empty/nested/deeper") for stray in empty)),
            "hidden empty directory": (25, any(hidden(table, stray) for stray in empty)),
            "on the cutoff": (25, any(stray.modified == -AGE for stray in orphans)),
            "1 ms older": (15, any(stray.modified == -AGE - 1 for stray in orphans)),
            "1 ms younger": (15, any(stray.modified == -AGE + 1 for stray in orphans)),
            "old": (25, any(stray.modified < -AGE - 1 for stray in orphans)),
            "young": (25, any(-AGE + 1 < stray.modified <= 0 for stray in orphans)),
            "future": (25, any(stray.modified > 0 for stray in drawn)),
            "checksum of a stray file": (8, bool({name(s)[1:-4] for s in drawn if s.path.endswith(".crc")} & names)),
            "a table inside": (3, any("inner/" in stray.path for stray in drawn)),
            "metadata": (8, any("metadata" in stray.path.split("/") for stray in drawn)),
            "a log that is not the table's": (8, any("_delta_log" in stray.path.split("/") for stray in drawn)),
            "url-encoded": (10, any("%20" in stray.path or "%41" in stray.path for stray in drawn)),
            "a long name": (8, any(len(stray.path) > 200 for stray in drawn)),
            "a colon": (8, any(":" in stray.path for stray in drawn)),
            "odd name": (25, any(set(stray.path) & set(" %+#?") for stray in drawn)),
            "beyond ASCII": (25, any(not stray.path.isascii() for stray in drawn)),
            "empty file": (25, any(stray.kind is Kind.FILE and stray.size == 0 for stray in drawn)),
        }

    check_shares(sample(tables_with_strays()), conditions)

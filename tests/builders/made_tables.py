"""Tables with known contents for the tests of ``deltalog``, which also writes them.

They have unusual features: partition values with every character that is escaped somewhere, NULLs, empty files, all kinds
of statistics, removes, files that are added again, checkpoints, and pruned logs.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pyarrow as pa
from hypothesis import strategies as st

from deltalog.checkpoints.writing import write_checkpoint
from deltalog.entries.actions import Action, Add, CommitInfo, Metadata, Protocol, Remove
from deltalog.entries.commits import write_commit
from deltalog.log import read_log
from deltalog.storage.names import LOG_DIRECTORY, commit_name
from deltalog.storage.parquet import write_data_file
from deltalog.storage.paths import encode
from deltalog.values.schemas import arrow_schema, schema_string
from deltalog.values.statistics import count_statistics, full_statistics
from model.text.layout import NULL_DIRECTORY, escape

START = 1_700_000_000_000  # ms since the epoch

DATA_COLUMNS = (("id", "long"), ("text", "string"), ("flag", "boolean"), ("day", "date"), ("small", "integer"))

ODD_TEXTS = (
    "a", "a b", " ", "%", "100%", "%20", "a=b", "a/b", "a:b", "a+b", "a&b", "x,y;z", "'q'", '"q"', "#?", "\\", "{}[]^",
    "ü", "日本", "e\u0301", "\u00a0", "\U0001f600", "~!@$*()", ".", "..", "_x", "__HIVE__", "\t", "\x7f", "null", "-0",
)  # fmt: skip


@dataclass(frozen=True)
class MadeFile:
    partition: tuple[object, ...]
    rows: tuple[tuple[object, ...], ...]
    statistics: str  # "none", "count" or "full"


@dataclass(frozen=True)
class MadeCommit:
    adds: tuple[int, ...] = ()
    removes: tuple[int, ...] = ()
    checkpoint: int = 0  # number of parts; 0: none


@dataclass(frozen=True)
class MadeTable:
    """A table. ``partition_types`` are the types of its partition columns; its other columns are fixed."""

    partition_types: tuple[str, ...]
    files: tuple[MadeFile, ...]
    commits: tuple[MadeCommit, ...]
    pruned: bool  # whether the commits before the last checkpoint are deleted

    @property
    def columns(self) -> tuple[tuple[str, str], ...]:
        """Partition columns are between the others, so that a wrong order is noticed."""
        partition = tuple((name, kind) for name, kind in zip(self.partition_names, self.partition_types))
        return (DATA_COLUMNS[0], *partition, *DATA_COLUMNS[1:])

    @property
    def partition_names(self) -> tuple[str, ...]:
        return tuple(f"part {kind}=%" for kind in self.partition_types)

    def live(self, version: int) -> list[int]:
        """The live files at ``version``."""
        live: set[int] = set()
        for commit in self.commits[: version + 1]:
            live = (live - set(commit.removes)) | set(commit.adds)
        return sorted(live)

    def rows(self, version: int) -> list[tuple[object, ...]]:
        """The rows at ``version``, in schema order."""
        return [
            (row[0], *self.files[file].partition, *row[1:])
            for file in self.live(version)
            for row in self.files[file].rows
        ]

    def file_path(self, file: int) -> str:
        """The path of a file relative to the root, as on storage."""
        directories = [
            f"{escape(name)}={NULL_DIRECTORY if value is None else escape(str(value))}"
            for name, value in zip(self.partition_names, self.files[file].partition)
        ]
        return "/".join([*directories, f"part-{file:05d}.c000.snappy.parquet"])

    @property
    def first_version(self) -> int:
        """The earliest version that can be read."""
        checkpoints = [version for version, commit in enumerate(self.commits) if commit.checkpoint]
        return checkpoints[-1] if self.pruned and checkpoints else 0

    def write(self, root: Path) -> None:
        """Write the table below ``root``, with a minute between commits, all in the past."""
        sizes = {file: self._write_file(root, file) for file in range(len(self.files))}
        for version, commit in enumerate(self.commits):
            at = START + version * 60_000
            actions: list[Action] = [CommitInfo({"timestamp": at, "operation": "WRITE", "operationParameters": {}})]
            if version == 0:
                actions += [
                    Protocol(1, 2),
                    Metadata("00000000-0000-4000-8000-000000000000", schema_string(self.columns), self.partition_names),
                ]
            actions += [self._remove(file, at, sizes[file][0]) for file in commit.removes]
            actions += [self._add(file, at, *sizes[file]) for file in commit.adds]
            write_commit(root, version, actions, modified=at)
            if commit.checkpoint:
                write_checkpoint(root, read_log(root).snapshot(version), parts=commit.checkpoint, modified=at)
        for version in range(self.first_version):
            (root / LOG_DIRECTORY / commit_name(version)).unlink()

    def _write_file(self, root: Path, file: int) -> tuple[int, str | None]:
        made = self.files[file]
        columns = list(zip(*made.rows)) if made.rows else [()] * len(DATA_COLUMNS)
        table = pa.Table.from_arrays(
            [pa.array(list(values), type=kind) for values, kind in zip(columns, arrow_schema(DATA_COLUMNS).types)],
            schema=arrow_schema(DATA_COLUMNS),
        )
        size = write_data_file(root / self.file_path(file), table, modified=START + file)
        statistics = {"none": None, "count": count_statistics(table), "full": full_statistics(table)}
        return size, statistics[made.statistics]

    def _partition_values(self, file: int) -> dict[str, str | None]:
        values = self.files[file].partition
        return {name: None if value is None else str(value) for name, value in zip(self.partition_names, values)}

    def _add(self, file: int, at: int, size: int, statistics: str | None) -> Add:
        return Add(encode(self.file_path(file)), self._partition_values(file), size, at, True, statistics)

    def _remove(self, file: int, at: int, size: int) -> Remove:
        return Remove(encode(self.file_path(file)), at, True, True, self._partition_values(file), size)


def partition_values(kind: str) -> st.SearchStrategy[object]:
    values: dict[str, st.SearchStrategy[object]] = {
        "string": st.sampled_from(ODD_TEXTS),
        "integer": st.sampled_from((0, 1, -1, 2**31 - 1, -(2**31))),
        "date": st.dates(date(1, 1, 1), date(9999, 12, 31)),
    }
    return st.none() | values[kind]


def rows() -> st.SearchStrategy[tuple[object, ...]]:
    texts = st.text(st.characters(codec="utf-8"), max_size=70) | st.sampled_from(ODD_TEXTS)
    return st.tuples(
        st.none() | st.integers(-(2**63), 2**63 - 1),
        st.none() | texts,
        st.none() | st.booleans(),
        st.none() | st.dates(date(1600, 1, 1), date(9999, 12, 31)),
        st.none() | st.integers(-(2**31), 2**31 - 1),
    )


@st.composite
def made_tables(draw: st.DrawFn) -> MadeTable:
    types = draw(st.sampled_from([(), ("string",), ("integer",), ("date",), ("string", "integer", "date")]))
    files = draw(
        st.lists(
            st.builds(
                MadeFile,
                st.tuples(*(partition_values(kind) for kind in types)),
                st.lists(rows(), max_size=3).map(tuple),
                st.sampled_from(("none", "count", "full")),
            ),
            min_size=1,
            max_size=6,
        )
    )
    commits = []
    alive: set[int] = set()
    for version in range(draw(st.integers(1, 5))):
        removes = draw(st.sets(st.sampled_from(sorted(alive)))) if alive else set()
        absent = sorted(set(range(len(files))) - alive)
        adds = draw(st.sets(st.sampled_from(absent), min_size=1 if version == 0 else 0)) if absent else set()
        alive = (alive - removes) | adds
        commits.append(MadeCommit(tuple(sorted(adds)), tuple(sorted(removes)), draw(st.sampled_from((0, 0, 1, 2)))))
    return MadeTable(types, tuple(files), tuple(commits), draw(st.booleans()))


#: A table with every odd partition value, for readers that are too slow for many tables.
EVERYTHING = MadeTable(
    ("string",),
    tuple(
        MadeFile(
            (value,), ((number, value, None, None, number), (None, None, True, date(2024, 2, 29), None)), statistics
        )
        for number, (value, statistics) in enumerate(
            zip((*ODD_TEXTS, None), ("full", "count", "none") * len(ODD_TEXTS))
        )
    ),
    (
        MadeCommit(adds=tuple(range(len(ODD_TEXTS) + 1))),
        MadeCommit(removes=(0, 1, 2)),
        MadeCommit(adds=(1,), checkpoint=1),
        MadeCommit(removes=(5, 6), adds=(2,)),
    ),
    pruned=True,
)


@contextmanager
def made(table: MadeTable) -> Iterator[Path]:
    """The table in a temporary directory."""
    with tempfile.TemporaryDirectory(prefix="deltalog ") as directory:
        root = Path(directory) / "t"
        table.write(root)
        yield root


def same_rows(left: Iterable[tuple[object, ...]], right: Iterable[tuple[object, ...]]) -> bool:
    """Whether two lists have the same rows, in any order. TRUE differs from 1, unlike in Python."""

    def typed(rows: Iterable[tuple[object, ...]]) -> Counter[object]:
        return Counter(tuple((type(value), value) for value in row) for row in rows)

    return typed(left) == typed(right)

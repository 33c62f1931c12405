"""Initial tables: schema, files, and a log of adds, removes and deletion vectors of any age."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.prediction.history import hidden_rows, live_ids, visible_rows
from model.vocabulary.predicate import Predicate
from model.vocabulary.table import (
    DAY,
    FEATURES,
    HOUR,
    SECOND,
    WEEK,
    Commit,
    DataFile,
    DeletionVector,
    Feature,
    Removal,
    Statistics,
    Table,
)
from model.vocabulary.values import AnyType, Row
from strategies.instants import instants
from strategies.tables.column_values import rows, values
from strategies.tables.contents import BOUNDED, bound, draw_file, draw_partition, draw_pools
from strategies.tables.deletion_vectors import draw_deletion_vectors
from strategies.tables.features import feature_sets
from strategies.tables.schemas import Schema, ruled_schemas, schemas
from strategies.tables.types import PARTITIONABLE, PLAIN
from strategies.weights import odds, one_in, weighted

#: Retentions of tables in hours. None: the table does not set it, and the default of a week applies.
RETENTIONS = (None, None, 168, 24, 1, 240, 1.5, 30.0125)
#: The default retention.
_NOT_SET = st.none()

_FEATURE_SETS, _SCHEMAS = feature_sets(), schemas()


@dataclass(frozen=True, kw_only=True)
class History:
    """How many files a table has, and what its commits do with them.

    The ages of tombstones and files are ``instants`` of ``cutoff_age`` (ms). ``removed`` draws for each file whether a later
    commit removes it, ``with_vectors`` whether it gets deletion vectors, which the features must allow.
    """

    cutoff_age: int = WEEK
    file_counts: SearchStrategy[int] = odds((2, 1), (2, 2), (3, 3), (2, 4), (2, 5), (1, 6))
    removed: SearchStrategy[bool] = one_in(3)
    with_vectors: SearchStrategy[bool] = st.just(False)
    min_commits: int = 1


@st.composite
def tables(
    draw: DrawFn,
    *,
    schema: SearchStrategy[Schema] = _SCHEMAS,
    history: History = History(),
    retentions: SearchStrategy[float | None] = _NOT_SET,
    features: SearchStrategy[tuple[str, ...]] = st.just(()),
) -> Table:
    """Tables of plain types: 1 to 6 files in 1 to 3 partitions and up to 5 commits, without stray files.

    One table in twenty has all files removed, one in thirty never had any. ``retentions`` are in hours. Shrinks to one commit
    that adds few small files, without removes.

    >>> table = draw(tables(history=History(cutoff_age=DAY, removed=st.booleans(), min_commits=2)))
    """
    columns, partition_by = draw(schema)
    empty = Table(columns=columns, partition_by=partition_by, files=(), commits=())
    count = draw(_partition_counts(empty))
    partitions = draw(st.lists(partitions_of(empty), min_size=count, max_size=count, unique=True))

    def file(id: int, places: SearchStrategy[Row], modified: int) -> DataFile:
        return draw(data_files(empty, id=id, partitions=places, modified=st.just(modified)))

    table = _filled(draw, empty, partitions, file, history)
    return replace(table, retention_hours=draw(retentions), features=draw(features))


@st.composite
def ruled_tables(
    draw: DrawFn,
    *,
    schema: Schema,
    history: History,
    retentions: SearchStrategy[float | None] = _NOT_SET,
    features: tuple[str, ...] = (),
    checked: SearchStrategy[bool] = st.just(False),
) -> Table:
    """Tables with a ``schema`` of any types: the rows follow its rules and use the values of ``domain``; else as ``tables``.

    In one of eight with several commits the last one sets properties or adds a column. ``checked`` draws whether the table has a
    CHECK constraint. Shrinks as ``tables``.
    """
    columns, partition_by = schema
    empty = Table(columns=columns, partition_by=partition_by, files=(), commits=())
    pools = draw_pools(draw, empty)
    count = draw(_partition_counts(empty))
    partitions = list(dict.fromkeys(draw_partition(draw, empty, pools) for _ in range(count)))

    def file(id: int, places: SearchStrategy[Row], modified: int) -> DataFile:
        return draw_file(draw, empty, pools, id=id, partition=draw(places), modified=modified)

    table = _filled(draw, empty, partitions, file, history)
    table = replace(table, retention_hours=draw(retentions), features=features)
    if len(table.commits) > 1 and draw(one_in(8)):
        table = _altered(draw, table)
    return replace(table, checks=_checks(draw, table)) if draw(checked) else table


def _partition_counts(table: Table) -> SearchStrategy[int]:
    return odds((1, 1), (3, 2), (3, 3)) if table.partition_by else st.just(1)


@dataclass
class _Log:
    """What the commits of a table do, while its files are drawn."""

    times: list[int]
    adds: list[list[int]] = field(init=False)
    removes: list[list[Removal]] = field(init=False)
    vectors: list[list[DeletionVector]] = field(init=False)

    def __post_init__(self) -> None:
        self.adds, self.removes, self.vectors = (
            [[] for _ in self.times],
            [[] for _ in self.times],
            [[] for _ in self.times],
        )

    def place(
        self, draw: DrawFn, id: int, *, is_removed: bool, has_vector: bool, ages: SearchStrategy[int]
    ) -> tuple[int, int]:
        """Add a file, and remove it if it is to be removed: the places of both commits, the second the end if it stays."""
        end = len(self.times)
        # Leave commits for the removal and the deletion vector, if there are enough.
        added_at = draw(st.integers(0, max(end - 1 - is_removed - has_vector, 0)))
        self.adds[added_at].append(id)
        if not is_removed or added_at == end - 1:
            return added_at, end
        removed_at = draw(st.integers(min(added_at + 1 + has_vector, end - 1), end - 1))
        # Usually the deletionTimestamp is the commit's time, but any other is valid too.
        deleted = draw(weighted((3, ages), (1, st.just(self.times[removed_at]))))
        self.removes[removed_at].append(Removal(file=id, deleted=deleted))
        return added_at, removed_at

    def commits(self, checkpoints: Iterable[bool]) -> tuple[Commit, ...]:
        return tuple(
            Commit(at=at, adds=tuple(adds), removes=tuple(removes), deletion_vectors=tuple(vectors), checkpoint=one)
            for at, adds, removes, vectors, one in zip(
                self.times, self.adds, self.removes, self.vectors, checkpoints, strict=True
            )
        )


def _filled(
    draw: DrawFn,
    empty: Table,
    partitions: Sequence[Row],
    draw_rows: Callable[[int, SearchStrategy[Row], int], DataFile],
    history: History,
) -> Table:
    """The table with files and commits. ``draw_rows``: a file with this id, one of these partitions and this time."""
    versions = draw(st.integers(history.min_commits, 5))
    count = 0 if draw(one_in(30)) else draw(history.file_counts)
    all_removed = draw(one_in(20)) and versions > 1
    log = _Log(draw(_commit_times(versions)))
    ages = instants(cutoff_age=history.cutoff_age)
    files: list[DataFile] = []
    for id in range(count):
        is_removed = all_removed or draw(history.removed)
        has_vector = draw(history.with_vectors)
        added_at, removed_at = log.place(draw, id, is_removed=is_removed, has_vector=has_vector, ages=ages)
        modified = draw(ages)
        if draw(odds((3, True), (1, False))):
            # A file is written before it is committed. One in four is touched or copied later.
            modified = min(modified, log.times[added_at])
        # Mostly in turn: with random partitions alone, most tables would have all live files in one partition.
        places = weighted((2, st.just(partitions[id % len(partitions)])), (1, st.sampled_from(partitions)))
        file = draw_rows(id, places, modified)
        if has_vector and file.rows and added_at + 1 < removed_at:
            # A file with a deletion vector must have numRecords (PROTOCOL.md, "Per-file Statistics").
            file = replace(file, statistics=Statistics.COUNT) if file.statistics is Statistics.NONE else file
            for version, vector in draw_deletion_vectors(draw, file, log.times, after=added_at, before=removed_at):
                log.vectors[version].append(vector)
        files.append(file)
    return replace(empty, files=tuple(files), commits=log.commits([draw(one_in(6)) for _ in range(versions)]))


def _altered(draw: DrawFn, table: Table) -> Table:
    """The table, whose last commit sets its properties; in two of three it also adds a column, if one can be added."""
    chosen = {*table.features, Feature.ALTERED.value}
    table = replace(table, features=tuple(name for name in FEATURES if name in chosen))
    if draw(one_in(3)):
        return table
    early = table.early_files
    for place in range(len(table.data_columns) - 1, 0, -1):
        files = tuple(
            replace(file, rows=tuple((*row[:place], None, *row[place + 1 :]) for row in file.rows))
            if file.id in early
            else file
            for file in table.files
        )
        if (one := replace(table, files=files)).added_column == table.data_columns[place]:
            return one
    return table


def _checks(draw: DrawFn, table: Table) -> tuple[Predicate, ...]:
    """A CHECK constraint that holds for the table's rows, on a column of a type in ``BOUNDED``; none without one."""
    bounded = [column for column in table.columns if column.type in BOUNDED]
    return (bound(table, draw(st.sampled_from(bounded)), upper=draw(st.booleans())),) if bounded else ()


@st.composite
def feature_tables(
    draw: DrawFn,
    *,
    features: SearchStrategy[tuple[str, ...]] = _FEATURE_SETS,
    types: SearchStrategy[AnyType] = st.sampled_from(PLAIN),
    partition_types: SearchStrategy[AnyType] = st.sampled_from(PARTITIONABLE),
    partition_counts: SearchStrategy[int] | None = None,
    data_counts: SearchStrategy[int] = odds((3, 1), (3, 2), (2, 3)),
    rules: bool = True,
    wide: SearchStrategy[bool] = st.just(False),
    file_counts: SearchStrategy[int] = odds((1, 1), (2, 2), (3, 3), (2, 4), (1, 5)),
) -> Table:
    """Tables of 1 to 5 files with features, columns of any type, column rules, and deletion vectors.

    Three in four files of a table with deletion vectors have one, some of these two in turn; one file in five is removed
    later. With ``rules`` one table in five has a CHECK constraint. Shrinks to a table without features, rules and vectors.

    >>> table = draw(feature_tables(features=st.just(("deletionVectors",)), rules=False))
    """
    chosen = draw(features)
    with_vectors = Feature.DELETION_VECTORS.value in chosen or Feature.DELETION_VECTORS_OFF.value in chosen
    schema = draw(
        ruled_schemas(
            features=chosen,
            partition_counts=partition_counts,
            partition_types=partition_types,
            types=types,
            data_counts=data_counts,
            rules=rules,
            wide=wide,
        )
    )
    return draw(
        ruled_tables(
            schema=schema,
            history=History(
                file_counts=file_counts,
                removed=one_in(5),
                min_commits=3 if with_vectors else 1,
                with_vectors=odds((1, False), (3, True)) if with_vectors else st.just(False),
            ),
            features=chosen,
            checked=one_in(5) if rules else st.just(False),
        )
    )


@st.composite
def tables_with_empty_nulls(draw: DrawFn, table: Table) -> Table:
    """The table; in one of four with a NULL partition value the log has ``""`` in its place, in half of the files with one.

    Shrinks to the table.
    """
    if not any(None in file.partition for file in table.files) or not draw(one_in(4)):
        return table
    files = (
        replace(file, empty_nulls=None in file.partition and draw(odds((1, True), (1, False)))) for file in table.files
    )
    return replace(table, files=tuple(files))


def partitions_of(table: Table) -> SearchStrategy[Row]:
    """Partition values for a table: a quarter are NULL, none is the empty string."""
    return _partitions(tuple(column.type for column in table.partition_columns))


@cache
def _partitions(types: tuple[AnyType, ...]) -> SearchStrategy[Row]:
    return st.tuples(*(values(type, nulls=3, empty=False) for type in types))


@st.composite
def data_files(
    draw: DrawFn, table: Table, *, id: int, partitions: SearchStrategy[Row], modified: SearchStrategy[int]
) -> DataFile:
    """A data file of ``table`` with 0 to 6 rows, most often 3 or 4; in one of six all rows are equal.

    Shrinks to few rows and full statistics.
    """
    size = draw(odds((1, 1), (3, 2), (4, 3), (4, 4), (3, 5), (2, 6), (1, 0)))
    contents = rows(tuple(column.type for column in table.data_columns))
    return DataFile(
        id=id,
        partition=draw(partitions),
        # With equal rows a predicate matches the whole file or nothing.
        rows=(draw(contents),) * size if draw(one_in(6)) else tuple(draw(contents) for _ in range(size)),
        modified=draw(modified),
        statistics=draw(odds((3, Statistics.FULL), (1, Statistics.COUNT), (1, Statistics.NONE))),
    )


@st.composite
def _commit_times(draw: DrawFn, count: int) -> list[int]:
    """Increasing times of ``count`` commits, ms, none after the start of the case. Gaps from 1 ms to two days."""
    last = draw(st.sampled_from([-HOUR, -DAY, -SECOND, -1, -9 * DAY]))
    gaps = [draw(st.sampled_from([HOUR, DAY, 1, SECOND, 2 * DAY])) for _ in range(count - 1)]
    return [last - gap for gap in accumulate(gaps, initial=0)][::-1]


def live_files(table: Table) -> tuple[DataFile, ...]:
    """The live files of the table's last version, in the order of ``Table.files``."""
    live = set(live_ids(table))
    return tuple(file for file in table.files if file.id in live)


def live_rows(table: Table) -> Iterator[Row]:
    """The visible rows of the live files, as full rows in schema order."""
    hidden = hidden_rows(table)
    for file in live_files(table):
        for row in visible_rows(file, hidden.get(file.id, frozenset())):
            yield table.row(file.partition, row)

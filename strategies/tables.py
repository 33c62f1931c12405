"""Initial tables: schema, files, and a history of adds and removes of any age."""

from __future__ import annotations

from functools import cache
from itertools import accumulate

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.table import DAY, HOUR, SECOND, WEEK, Column, Commit, DataFile, Removal, Statistics, Table
from model.values import Row, Type
from strategies.instants import instants
from strategies.values import rows, values
from strategies.weights import odds, one_in, weighted

#: Names of partition columns. VACUUM must not take the directories of ``_date`` and ``.x`` for hidden ones (facts 1.2,
#: step 9). Spark and Delta take both names, as no character in them is one that parquet's schema refuses.
PARTITION_NAMES = ("p", "q", "_date", "country", ".x")

#: Names of data columns, some like Delta's own fields. No name equals another in any case.
DATA_NAMES = ("id", "v", "name", "path", "a.b", "größe", "select", "_w")

PARTITION_TYPES = (Type.STRING, Type.INTEGER, Type.DATE)
DATA_TYPES = (Type.INTEGER, Type.STRING, Type.LONG, Type.BOOLEAN, Type.DATE)

#: The retentions that a table may set, in hours; None, twice as often as the others: it sets none, a week holds.
RETENTIONS = (None, None, 168, 24, 1, 240)

_ROW_COUNTS = odds((1, 1), (3, 2), (4, 3), (4, 4), (3, 5), (2, 6), (1, 0))
_FILE_COUNTS = odds((2, 1), (2, 2), (3, 3), (2, 4), (2, 5), (1, 6))
_STATISTICS = odds((3, Statistics.FULL), (1, Statistics.COUNT), (1, Statistics.NONE))
_PARTITION_COUNTS = odds((2, 0), (4, 1), (2, 2), (1, 3))
_PARTITIONS_AMONG = odds((1, 1), (3, 2), (3, 3))
_DATA_COUNTS = odds((3, 1), (3, 2), (2, 3))
_PARTITION_TYPES = st.sampled_from(PARTITION_TYPES)
_DATA_TYPES = st.sampled_from(DATA_TYPES)
_ONE_IN_THREE, _ONE_IN_SIX = one_in(3), one_in(6)
_ONE_IN_TWENTY, _ONE_IN_THIRTY = one_in(20), one_in(30)
_THREE_IN_FOUR = odds((3, True), (1, False))
_LAST_COMMITS = st.sampled_from([-HOUR, -DAY, -SECOND, -1, -9 * DAY])
_GAPS = st.sampled_from([HOUR, DAY, 1, SECOND, 2 * DAY])


@st.composite
def schemas(
    draw: DrawFn,
    *,
    partition_counts: SearchStrategy[int] | None = None,
    partition_names: tuple[str, ...] = PARTITION_NAMES,
) -> tuple[tuple[Column, ...], tuple[str, ...]]:
    """The columns of a table, and the names of its partition columns in their order.

    0 to 3 partition columns unless ``partition_counts`` says otherwise, 1 to 3 data columns; the two kinds stand in any
    order in the schema, and the order of partitioning is not always the schema's. Shrinks to few columns, plain names.
    """
    count = draw(_PARTITION_COUNTS if partition_counts is None else partition_counts)
    partition_by = draw(_names(partition_names, count))
    data = draw(_names(DATA_NAMES, draw(_DATA_COUNTS)))
    columns = [Column(name, draw(_PARTITION_TYPES)) for name in partition_by]
    columns += [Column(name, draw(_DATA_TYPES)) for name in data]
    if draw(_ONE_IN_THREE):
        columns = draw(st.permutations(columns))
    return tuple(columns), partition_by


@cache
def _names(pool: tuple[str, ...], count: int) -> SearchStrategy[tuple[str, ...]]:
    names = st.lists(st.sampled_from(pool), min_size=count, max_size=count, unique=True)
    return names.map(tuple)


@st.composite
def tables(
    draw: DrawFn,
    *,
    cutoff_age: int = WEEK,
    partition_counts: SearchStrategy[int] | None = None,
    partition_names: tuple[str, ...] = PARTITION_NAMES,
    file_counts: SearchStrategy[int] | None = None,
    removed: SearchStrategy[bool] | None = None,
    min_commits: int = 1,
    retentions: SearchStrategy[int | None] | None = None,
    features: SearchStrategy[tuple[str, ...]] | None = None,
) -> Table:
    """Tables of 1 to 6 files (``file_counts``) in 1 to 3 partitions and up to 5 commits, without strays.

    ``cutoff_age`` (ms before the start of the case) is where the ages of tombstones and files gather. ``removed`` says
    of each file whether a later commit removes it (one in three unless given); one table in twenty loses all its files,
    one in thirty never had one. ``retentions`` are hours or None, None unless given; ``features`` none unless given.
    Files and commits are drawn independently, so dropping a file shrinks no other; shrinks to one commit that adds few
    small files, and to no removes.
    """
    columns, partition_by = draw(schemas(partition_counts=partition_counts, partition_names=partition_names))
    schema = Table(columns=columns, partition_by=partition_by, files=(), commits=())
    among = draw(_PARTITIONS_AMONG) if partition_by else 1
    partitions = draw(st.lists(partitions_of(schema), min_size=among, max_size=among, unique=True))
    versions = draw(st.integers(min_commits, 5))
    count = 0 if draw(_ONE_IN_THIRTY) else draw(_FILE_COUNTS if file_counts is None else file_counts)
    all_removed = draw(_ONE_IN_TWENTY) and versions > 1
    times = draw(_commit_times(versions))
    ages = instants(cutoff_age=cutoff_age)

    files: list[DataFile] = []
    adds: list[list[int]] = [[] for _ in range(versions)]
    removes: list[list[Removal]] = [[] for _ in range(versions)]
    for id in range(count):
        goes = all_removed or draw(_ONE_IN_THREE if removed is None else removed)
        born = draw(st.integers(0, max(versions - 2, 0) if goes else versions - 1))
        adds[born].append(id)
        if goes and born < versions - 1:
            gone = draw(st.integers(born + 1, versions - 1))
            # The log's own stamp is the usual one; any other is as valid, and more telling beside the cutoff.
            deleted = draw(weighted((3, ages), (1, st.just(times[gone]))))
            removes[gone].append(Removal(file=id, deleted=deleted))
        modified = draw(ages)
        if draw(_THREE_IN_FOUR):
            # A file is written before it is committed. One in four is touched or copied later.
            modified = min(modified, times[born])
        # By turns mostly: left to chance alone, most tables would have all their live files in one partition.
        places = weighted((2, st.just(partitions[id % among])), (1, st.sampled_from(partitions)))
        files.append(draw(data_files(schema, id=id, partitions=places, modified=st.just(modified))))

    return Table(
        columns=columns,
        partition_by=partition_by,
        files=tuple(files),
        commits=tuple(
            Commit(at=times[version], adds=tuple(adds[version]), removes=tuple(removes[version]), checkpoint=checkpoint)
            for version, checkpoint in enumerate([draw(_ONE_IN_SIX) for _ in range(versions)])
        ),
        retention_hours=None if retentions is None else draw(retentions),
        features=() if features is None else draw(features),
    )


def partitions_of(table: Table) -> SearchStrategy[Row]:
    """Partition values for a table: one of each partition column, NULL one time in four, never the empty string."""
    return _partitions(tuple(column.type for column in table.partition_columns))


@cache
def _partitions(types: tuple[Type, ...]) -> SearchStrategy[Row]:
    return st.tuples(*(values(type, nulls=3, empty=False) for type in types))


@st.composite
def data_files(
    draw: DrawFn, table: Table, *, id: int, partitions: SearchStrategy[Row], modified: SearchStrategy[int]
) -> DataFile:
    """A data file of ``table`` with 0 to 6 rows, most often 3 or 4; in one of six all rows are the same.

    Shrinks to few rows and full statistics.
    """
    size = draw(_ROW_COUNTS)
    contents = rows(tuple(column.type for column in table.data_columns))
    return DataFile(
        id=id,
        partition=draw(partitions),
        # Where all rows are alike a predicate takes the whole file or nothing of it.
        rows=(draw(contents),) * size if draw(_ONE_IN_SIX) else tuple(draw(contents) for _ in range(size)),
        modified=draw(modified),
        statistics=draw(_STATISTICS),
    )


@st.composite
def _commit_times(draw: DrawFn, count: int) -> list[int]:
    """Rising times of ``count`` commits, ms, none after the start of the case. Gaps from 1 ms to two days."""
    last = draw(_LAST_COMMITS)
    gaps = [draw(_GAPS) for _ in range(count - 1)]
    return [last - gap for gap in accumulate(gaps, initial=0)][::-1]


def live_files(table: Table) -> tuple[DataFile, ...]:
    """The files that the table's last version refers to, in the order of their ids in ``Table.files``."""
    live: set[int] = set()
    for commit in table.commits:
        live.difference_update(removal.file for removal in commit.removes)
        live.update(commit.adds)
    return tuple(file for file in table.files if file.id in live)

"""Initial tables: schema, files, and a log of adds, removes and deletion vectors of any age."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
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
from strategies.tables.schemas import PARTITION_NAMES, Schema, ruled_schemas, schemas
from strategies.tables.types import PARTITIONABLE, PLAIN
from strategies.weights import odds, one_in, weighted

#: Retentions of tables in hours. None: the table does not set it, and the default of a week applies.
RETENTIONS = (None, None, 168, 24, 1, 240, 1.5, 30.0125)
_FEATURE_SETS = feature_sets()


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
    retentions: SearchStrategy[float | None] | None = None,
    features: SearchStrategy[tuple[str, ...]] | None = None,
    schema: Schema | None = None,
    with_vectors: SearchStrategy[bool] | None = None,
    checked: SearchStrategy[bool] | None = None,
) -> Table:
    """Tables of 1 to 6 files (``file_counts``) in 1 to 3 partitions and up to 5 commits, without stray files.

    The ages of tombstones and files are ``instants`` of ``cutoff_age``. ``removed`` draws for each file whether a later
    commit removes it (default: one in three); one table in twenty has all files removed, one in thirty never had any.
    ``retentions`` are in hours (default: None); ``features`` default to none. Shrinks to one commit that adds few small
    files, without removes.

    With a ``schema`` of any types, the rows follow its rules and use the values of ``domain``. ``with_vectors`` draws
    for each file whether it gets a deletion vector (only if the features allow them), ``checked`` whether the table has
    a CHECK constraint; both need a schema.

    >>> table = draw(tables(cutoff_age=DAY, removed=st.booleans(), min_commits=2))
    """
    if schema is None:
        columns, partition_by = draw(schemas(partition_counts=partition_counts, partition_names=partition_names))
    else:
        columns, partition_by = schema
    empty = Table(columns=columns, partition_by=partition_by, files=(), commits=())
    pools = None if schema is None else draw_pools(draw, empty)
    partition_count = draw(odds((1, 1), (3, 2), (3, 3))) if partition_by else 1
    if pools is None:
        of_table = partitions_of(empty)
        partitions = draw(st.lists(of_table, min_size=partition_count, max_size=partition_count, unique=True))
    else:
        partitions = list(dict.fromkeys(draw_partition(draw, empty, pools) for _ in range(partition_count)))
    versions = draw(st.integers(min_commits, 5))
    if file_counts is None:
        file_counts = odds((2, 1), (2, 2), (3, 3), (2, 4), (2, 5), (1, 6))
    count = 0 if draw(one_in(30)) else draw(file_counts)
    all_removed = draw(one_in(20)) and versions > 1
    times = draw(_commit_times(versions))
    ages = instants(cutoff_age=cutoff_age)

    files: list[DataFile] = []
    adds: list[list[int]] = [[] for _ in range(versions)]
    removes: list[list[Removal]] = [[] for _ in range(versions)]
    deletion_vectors: list[list[DeletionVector]] = [[] for _ in range(versions)]
    for id in range(count):
        is_removed = all_removed or draw(one_in(3) if removed is None else removed)
        has_vector = with_vectors is not None and draw(with_vectors)
        # Leave commits for the removal and the deletion vector, if there are enough.
        added_at = draw(st.integers(0, max(versions - 1 - is_removed - has_vector, 0)))
        adds[added_at].append(id)
        removed_at = versions
        if is_removed and added_at < versions - 1:
            removed_at = draw(st.integers(min(added_at + 1 + has_vector, versions - 1), versions - 1))
            # Usually the deletionTimestamp is the commit's time, but any other is valid too.
            deleted = draw(weighted((3, ages), (1, st.just(times[removed_at]))))
            removes[removed_at].append(Removal(file=id, deleted=deleted))
        modified = draw(ages)
        if draw(odds((3, True), (1, False))):
            # A file is written before it is committed. One in four is touched or copied later.
            modified = min(modified, times[added_at])
        # Mostly in turn: with random partitions alone, most tables would have all live files in one partition.
        places = weighted((2, st.just(partitions[id % len(partitions)])), (1, st.sampled_from(partitions)))
        if pools is None:
            file = draw(data_files(empty, id=id, partitions=places, modified=st.just(modified)))
        else:
            file = draw_file(draw, empty, pools, id=id, partition=draw(places), modified=modified)
        if has_vector and file.rows and added_at + 1 < removed_at:
            # A file with a deletion vector must have numRecords (PROTOCOL.md, "Per-file Statistics").
            file = replace(file, statistics=Statistics.COUNT) if file.statistics is Statistics.NONE else file
            for version, vector in draw_deletion_vectors(draw, file, times, after=added_at, before=removed_at):
                deletion_vectors[version].append(vector)
        files.append(file)

    table = Table(
        columns=columns,
        partition_by=partition_by,
        files=tuple(files),
        commits=tuple(
            Commit(
                at=times[version],
                adds=tuple(adds[version]),
                removes=tuple(removes[version]),
                deletion_vectors=tuple(deletion_vectors[version]),
                checkpoint=checkpoint,
            )
            for version, checkpoint in enumerate([draw(one_in(6)) for _ in range(versions)])
        ),
        retention_hours=None if retentions is None else draw(retentions),
        features=() if features is None else draw(features),
    )
    if schema is not None and versions > 1 and draw(one_in(8)):
        table = _altered(draw, table)
    return replace(table, checks=_checks(draw, table)) if checked is not None and draw(checked) else table


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
        tables(
            schema=schema,
            features=st.just(chosen),
            file_counts=file_counts,
            removed=one_in(5),
            min_commits=3 if with_vectors else 1,
            with_vectors=odds((1, False), (3, True)) if with_vectors else None,
            checked=one_in(5) if rules else None,
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

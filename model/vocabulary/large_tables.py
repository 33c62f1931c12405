"""Tables that are made from a few numbers, so that a case on a hundred thousand files is written in one line.

``model.codec`` writes such a table by its ``Size``. What ``large_table`` makes of a size must therefore never change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from model.vocabulary.limits import Limit, Natural, Positive
from model.vocabulary.table import DAY, Column, Commit, DataFile, FeatureName, Kind, Removal, StrayFile, Table
from model.vocabulary.values import Type

#: Of the files of each commit, one in so many is removed by the next.
_REMOVED = 10

#: Fewer things than these are no large table.
_LARGE = 500


@dataclass(frozen=True)
class Size:
    """The size of a table.

    ``parts``: the files of a checkpoint. ``days``: the age of the oldest commit; after 30, Delta cleans up its log
    (delta.logRetentionDuration), and VACUUM LITE has too short a log.
    """

    files: Positive
    versions: Positive = 10
    partitions: Positive = 10
    stray_files: Natural = 10
    parts: Positive = 4
    days: Annotated[int, Limit("minimum", 8)] = 20
    features: tuple[FeatureName, ...] = ()


def large_table(size: Size) -> Table:
    """A table with the columns ``p``, of its partitions, and ``id``: file n has the rows 2n and 2n + 1.

    Its files are spread evenly over its versions and its partitions, its versions over all days but the last eight. One in ten
    files is removed again, half of them longer ago than the retention. Half of the stray files are old; one in ten is an empty
    directory. There is a checkpoint of the version in the middle, and one of the last but one.
    """
    return Table(
        (Column("p", Type.INTEGER), Column("id", Type.LONG)),
        ("p",),
        tuple(
            DataFile(file, (file % size.partitions,), ((2 * file,), (2 * file + 1,)), -90 * DAY)
            for file in range(size.files)
        ),
        tuple(_commit(size, version) for version in range(size.versions)),
        tuple(_stray_file(size, number) for number in range(size.stray_files)),
        features=size.features,
    )


def size_of(table: Table) -> Size | None:
    """The size from which ``large_table`` makes this table; None for any other table, and for a small one."""
    if len(table.files) + len(table.commits) + len(table.stray_files) < _LARGE or not table.files:
        return None
    partitions = {file.partition for file in table.files}
    parts = max(commit.parts for commit in table.commits)
    days = -table.commits[0].at // DAY
    size = Size(
        len(table.files), len(table.commits), len(partitions), len(table.stray_files), parts, days, table.features
    )
    return size if large_table(size) == table else None


def _added(size: Size, version: int) -> range:
    """The files that a version adds."""
    return range(size.files * version // size.versions, size.files * (version + 1) // size.versions)


def _commit(size: Size, version: int) -> Commit:
    before = _added(size, version - 1) if version else range(0)
    removed = (file for file in before if file % _REMOVED == 0)
    checkpoint = version in (size.versions // 2, size.versions - 2)
    return Commit(
        -size.days * DAY + version * ((size.days - 8) * DAY // size.versions),
        tuple(_added(size, version)),
        tuple(Removal(file, -10 * DAY if file % (2 * _REMOVED) else -3 * DAY) for file in removed),
        checkpoint=checkpoint,
        parts=size.parts if checkpoint else 1,
    )


def _stray_file(size: Size, number: int) -> StrayFile:
    modified = -20 * DAY if number % 2 else -1 * DAY
    if number % 10 == 9:
        return StrayFile(f"empty-{number:05d}", Kind.DIRECTORY, modified, 0)
    return StrayFile(f"p={number % size.partitions}/orphan-{number:05d}.parquet", Kind.FILE, modified)

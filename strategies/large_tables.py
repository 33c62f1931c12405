"""Cases on tables of a given size: not drawn, but made from a few numbers, so that the same size is always the same case."""

from __future__ import annotations

from dataclasses import dataclass

from model.vocabulary.case import Case
from model.vocabulary.predicate import Between, Compare, Op
from model.vocabulary.steps import Delete, Mode, Moment, Read, SetClock, Step, Vacuum
from model.vocabulary.table import DAY, Column, Commit, DataFile, Feature, Kind, Removal, StrayFile, Table
from model.vocabulary.values import Type

#: Of the files of each commit, one in so many is removed by the next.
_REMOVED = 10


@dataclass(frozen=True)
class Size:
    """The size of a table. ``parts`` is the number of files of its newest checkpoint."""

    files: int
    versions: int = 10
    partitions: int = 10
    stray_files: int = 10
    parts: int = 4


def large_table(size: Size, *features: Feature) -> Table:
    """A table of two rows in each file.

    Its files are spread evenly over its versions and its partitions. One in ten is removed again, half of them longer ago than
    the retention. Half of the stray files are old; one in ten is an empty directory. There is a checkpoint of the version in the
    middle, and one of the last but one.
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
        features=tuple(feature.value for feature in features),
    )


def _added(size: Size, version: int) -> range:
    """The files that a version adds."""
    return range(size.files * version // size.versions, size.files * (version + 1) // size.versions)


def _commit(size: Size, version: int) -> Commit:
    at = -80 * DAY + version * (60 * DAY // size.versions)
    before = _added(size, version - 1) if version else range(0)
    removed = (file for file in before if file % _REMOVED == 0)
    checkpoint = version in (size.versions // 2, size.versions - 2)
    return Commit(
        at,
        tuple(_added(size, version)),
        tuple(Removal(file, -10 * DAY if file % (2 * _REMOVED) else -3 * DAY) for file in removed),
        checkpoint=checkpoint,
        parts=size.parts if checkpoint else 1,
    )


def _stray_file(size: Size, number: int) -> StrayFile:
    modified = -30 * DAY if number % 2 else -1 * DAY
    if number % 10 == 9:
        return StrayFile(f"empty-{number:05d}", Kind.DIRECTORY, modified, 0)
    return StrayFile(f"p={number % size.partitions}/orphan-{number:05d}.parquet", Kind.FILE, modified)


def deletes(size: Size) -> tuple[Step, ...]:
    """A DELETE of a whole partition, and one of some rows, with a read of what is left."""
    middle = size.files
    return (
        Delete(Compare("p", Op.EQ, 1, Type.INTEGER)),
        Delete(Between("id", middle, middle + 20, Type.LONG)),
        Read(),
    )


def vacuums() -> tuple[Step, ...]:
    """What a VACUUM would delete, the VACUUM, and one by the log when the removes of earlier steps have expired."""
    return (
        Vacuum(dry_run=True),
        Vacuum(),
        SetClock(Moment(8 * DAY)),
        Vacuum(mode=Mode.LITE),
        Read(),
    )


def large_case(size: Size, *features: Feature) -> Case:
    return Case(large_table(size, *features), (*deletes(size), *vacuums()))

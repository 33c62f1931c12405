"""Cases on large tables: not drawn, but made from the size of the table."""

from __future__ import annotations

from model.vocabulary.case import Case
from model.vocabulary.large_tables import Size, large_table
from model.vocabulary.predicate import Between, Compare, Op
from model.vocabulary.steps import Delete, Mode, Moment, Read, SetClock, Step, Vacuum
from model.vocabulary.table import DAY, Feature
from model.vocabulary.values import Type


def deletes(size: Size) -> tuple[Step, ...]:
    """A DELETE of a whole partition, and one of all rows of the files in the middle, one in a hundred; of the first and of the
    last of them a row stays."""
    first = size.files // 2 // 10 * 10 + 2  # no removed file
    last = first + max(1, size.files // 1_000) * 10
    return (
        Delete(Compare("p", Op.EQ, min(1, size.partitions - 1), Type.INTEGER)),
        Delete(Between("id", 2 * first + 1, 2 * last, Type.LONG)),
    )


def vacuums() -> tuple[Step, ...]:
    """What a VACUUM would delete, that VACUUM, and one by the log when the removes of all steps before have expired."""
    return Vacuum(dry_run=True), Vacuum(), SetClock(Moment(9 * DAY)), Vacuum(mode=Mode.LITE)


def large_case(size: Size) -> Case:
    """Both, with what is read after each."""
    return Case(large_table(size), (*deletes(size), Read(), *vacuums(), Read()))


#: The tables of the profile scale: each large in one respect, the smallest first, so that a fault shows early.
SIZES = (
    Size(500, stray_files=10_000),
    Size(1_000, partitions=1_000, versions=20),
    Size(2_000, versions=1_000),
    Size(2_000, stray_files=500, features=(Feature.DELETION_VECTORS.value,)),
    Size(2_000, parts=1, days=80, features=(Feature.FREQUENT_CHECKPOINTS.value, Feature.V2_CHECKPOINTS.value)),
    Size(100_000, partitions=100, stray_files=1_000, parts=8),
)


def large_cases() -> tuple[Case, ...]:
    """The cases of the profile scale."""
    return tuple(map(large_case, SIZES))

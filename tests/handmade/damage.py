"""Small tables with a live file that nobody can read whole, and DELETEs from them."""

from __future__ import annotations

from dataclasses import replace

from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.settings import Setting
from model.vocabulary.steps import Delete, Vacuum
from model.vocabulary.table import DAY, HOUR, Column, Commit, Damage, DataFile, Feature, Table
from model.vocabulary.values import Type

#: Two row groups of two rows each, and a whole file. One row of each file has a w of 1.
_FILES = (
    DataFile(0, (), ((1, 1), (2, 2), (3, 3), (4, 4)), -9 * DAY, group_rows=2),
    DataFile(1, (), ((5, 1), (6, 6)), -9 * DAY),
)

LENIENT = (Setting.IGNORE_CORRUPT_FILES, Setting.IGNORE_MISSING_FILES)


def damaged(damage: Damage, *features: Feature) -> Table:
    """The table, whose first file is damaged."""
    return Table(
        columns=(Column("v", Type.INTEGER), Column("w", Type.INTEGER)),
        partition_by=(),
        files=(replace(_FILES[0], damage=damage), *_FILES[1:]),
        commits=(Commit(-HOUR, adds=(0, 1)),),
        features=tuple(feature.value for feature in features),
    )


def equal(column: str, value: int) -> Compare:
    return Compare(column, Op.EQ, value, Type.INTEGER)


def case(damage: Damage, where: Compare | None, settings: tuple[Setting, ...] = (), *features: Feature) -> Case:
    """A DELETE, and a VACUUM, which must keep the damaged file."""
    return Case(damaged(damage, *features), (Delete(where, settings=settings), Vacuum()))


#: By kind of damage and sort of session: a row that can be read is deleted in both files.
DAMAGED = {
    f"{damage.value}, {'lenient' if settings else 'strict'}, {'vectors' if features else 'rewrites'}": case(
        damage, equal("w", 1), settings, *features
    )
    for damage in Damage
    for settings in ((), LENIENT)
    for features in ((), (Feature.DELETION_VECTORS,))
}

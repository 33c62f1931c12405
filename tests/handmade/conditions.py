"""DELETEs whose condition goes through a user's function."""

from __future__ import annotations

from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op, Wrapped, Wrapper
from model.vocabulary.settings import Setting
from model.vocabulary.steps import Delete, Read
from model.vocabulary.table import HOUR, Column, Commit, DataFile, Table
from model.vocabulary.values import Type

#: Three files, each with a row that the conditions below match, one that they do not, and a NULL.
FILES = Table(
    columns=(Column("v", Type.INTEGER), Column("w", Type.INTEGER)),
    partition_by=(),
    files=tuple(DataFile(id, (), ((1, id), (2, id), (None, id)), -2 * HOUR) for id in range(3)),
    commits=(Commit(-HOUR, adds=(0, 1, 2)),),
)

ONE = Compare("v", Op.EQ, 1, Type.INTEGER)


def called(by: Wrapper) -> Case:
    """One task reads all files."""
    return Case(FILES, (Delete(Wrapped(ONE, by), settings=(Setting.FILES_TOGETHER,)), Read()))

"""A DELETE and a VACUUM under every session setting at once."""

from __future__ import annotations

from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.settings import Setting
from model.vocabulary.steps import Delete, Read, Vacuum
from model.vocabulary.values import Type
from tests.handmade.steps import PARTITIONED
from tests.handmade.vacuums import LISTED

_ALL = tuple(Setting)

#: Removes whole files of several partitions, and rewrites one.
MOST = Case(PARTITIONED, (Delete(Compare("v", Op.NE, 2, Type.INTEGER), settings=_ALL), Read()))

#: Deletes expired files, orphans and directories.
VACUUMED = Case(LISTED.table, (Vacuum(settings=_ALL), Read()))

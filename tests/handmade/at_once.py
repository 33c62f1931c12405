"""Small cases made by hand: two sessions at once, and how they end."""

from __future__ import annotations

from model.vocabulary.case import Case
from model.vocabulary.commands import Assignment, SetRetention, Update
from model.vocabulary.predicate import And, Compare, Op, Predicate
from model.vocabulary.steps import AtOnce, CrashPoint, Delete, Insert, Mode, OtherCommand, Read, SessionStep, Vacuum
from model.vocabulary.table import Feature
from model.vocabulary.values import Type
from tests.handmade.crashes import PARTITION, ROW, TABLE, with_features

#: A DELETE of a row of the other file of the partition of ROW, and one in the other partition, told by its condition.
OTHER_ROW = Delete(Compare("id", Op.EQ, 30, Type.INTEGER))
_B: Predicate = Compare("p", Op.EQ, "b", Type.STRING)
ELSEWHERE = Delete(And(_B, Compare("id", Op.EQ, 20, Type.INTEGER)))
OTHER_PARTITION = Delete(_B)
APPEND = Insert((("a", 99),))
UPDATE = OtherCommand(Update(Assignment("id", Type.INTEGER, 77), Compare("id", Op.EQ, 30, Type.INTEGER)))


def pair(first: SessionStep, second: SessionStep, *features: Feature, point: CrashPoint = AtOnce.point) -> Case:
    """Both at once, then a read."""
    return Case(with_features(*features) if features else TABLE, (AtOnce(first, second, point), Read()))


BOTH_COMMIT = pair(ROW, OTHER_PARTITION)
_CONFLICT = pair(ROW, OTHER_ROW)

#: Pairs, each with what becomes of the first: the exception, or None if it succeeds.
ENDS: tuple[tuple[Case, str | None], ...] = (
    (BOTH_COMMIT, None),
    (_CONFLICT, "ConcurrentAppendException"),
    (pair(PARTITION, ROW), "ConcurrentAppendException"),
    (pair(ROW, PARTITION), "ConcurrentDeleteReadException"),
    (pair(ROW, APPEND), "ConcurrentAppendException"),
    (pair(APPEND, PARTITION), None),
    (pair(ROW, UPDATE), "ConcurrentAppendException"),
    (pair(ROW, OtherCommand(SetRetention(200))), "MetadataChangedException"),
    (pair(ROW, Vacuum()), None),
    (pair(Vacuum(), ROW, point=CrashPoint.START), None),
    (pair(Vacuum(mode=Mode.LITE), ROW, point=CrashPoint.END), None),
    (pair(Read(), ROW), None),
)

"""What both versions ask of storage: which differences are reported, and for which commands."""

from __future__ import annotations

import pytest

from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Delete, Mode, Vacuum
from model.vocabulary.table import Column, Feature, Table
from model.vocabulary.values import Type
from records.run import Asked, Observed, RecordedError, RecordedOutcome, RecordedStep
from reports.comparison.requests import Measure, RequestChange, RequestWalk, kind_of

TABLE = Table(columns=(Column("v", Type.INTEGER), Column("p", Type.STRING)), partition_by=("p",), files=(), commits=())
ROWS, PARTITION = (Delete(Compare(name, Op.EQ, value, kind)) for name, value, kind in (
    ("v", 1, Type.INTEGER), ("p", "a", Type.STRING)))  # fmt: skip
VACUUM = Case(TABLE, (Vacuum(),))


def step(asked: dict[str, Asked] | None, *, error: RecordedError | None = None) -> RecordedStep:
    return RecordedStep(0, "vacuum", "VACUUM t", 0, RecordedOutcome((), error), Observed((0, 0)), asked=asked)


def lists(calls: int) -> dict[str, Asked]:
    return {"list directories of data": Asked(calls, calls)}


def changes(*pairs: tuple[RecordedStep, RecordedStep]) -> tuple[RequestChange, ...]:
    walk = RequestWalk()
    for base, candidate in pairs:
        walk.take(VACUUM, base, candidate)
    return walk.changes()


def test_what_steps_ask_more_is_one_change() -> None:
    (found,) = changes(*((step(lists(one)), step(lists(2 * one))) for one in (1, 2, 3)))
    assert found == RequestChange("VACUUM", "list directories of data", Measure.CALLS, 3, 3, 6, 12)
    assert (found.more, found.growth) == (6, 2.0)
    assert [len(bar) for bar in found.bars] == [10, 20]


def test_bytes_are_told_beside_requests_and_after_them() -> None:
    base, candidate = (step({"open checkpoints": Asked(calls, 1, size)}) for calls, size in ((1, 100), (2, 301)))
    found = changes(*[(base, candidate)] * 3)
    assert [(one.measure, one.base, one.candidate) for one in found] == [
        (Measure.CALLS, 3, 6),
        (Measure.BYTES, 300, 903),
    ]


_FAILED = RecordedError("SparkException", None, "")


@pytest.mark.parametrize(
    "pairs",
    [
        pytest.param([(step(lists(1)), step(lists(2)))] * 2, id="fewer than three steps"),
        pytest.param([(step(lists(1)), step(lists(2)))] * 3 + [(step(lists(2)), step(lists(1)))], id="less in another"),
        pytest.param([(step(lists(100)), step(lists(101)))] * 3, id="one in a hundred"),
        pytest.param([(step(None), step(lists(2)))] * 3, id="not counted on one side"),
        pytest.param([(step(lists(1)), step(lists(2), error=_FAILED))] * 3, id="failed on one side"),
    ],
)
def test_no_rule_is_no_change(pairs: list[tuple[RecordedStep, RecordedStep]]) -> None:
    assert changes(*pairs) == ()


def test_what_only_one_side_asks_is_a_change() -> None:
    (found,) = changes(*[(step({}), step(lists(2)))] * 3, (step(lists(1)), step(lists(1))))
    assert (found.steps, found.differing, found.base, found.growth) == (4, 3, 1, 7.0)


@pytest.mark.parametrize(
    ("case", "kind"),
    [
        (Case(TABLE, (ROWS,)), "DELETE of rows"),
        (Case(TABLE, (PARTITION,)), "DELETE of whole files"),
        (Case(Table(TABLE.columns, ("p",), (), (), features=(Feature.DELETION_VECTORS.value,)), (ROWS,)),
         "DELETE of rows with deletion vectors"),
        (Case(TABLE, (Vacuum(mode=Mode.LITE, retain_hours=0, dry_run=True),)), "VACUUM LITE, DRY RUN"),
    ],
)  # fmt: skip
def test_steps_are_told_apart_by_what_they_must_ask(case: Case, kind: str) -> None:
    assert kind_of(case, 0) == kind

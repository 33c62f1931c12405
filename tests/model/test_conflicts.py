"""Which conflicts two sessions at once may have, by what one of them has committed meanwhile."""

from __future__ import annotations

import pytest

from model.prediction.conflicts import Changed, Conflict, conflicts_named, is_founded, reads
from model.vocabulary.commands import (
    Assignment,
    Optimize,
    Restore,
    SetRetention,
    StreamAppend,
    Update,
    When,
)
from model.vocabulary.predicate import And, Compare, IsNull, Op, Or, Predicate
from model.vocabulary.steps import Delete, Insert, OtherCommand, SessionStep, Vacuum
from model.vocabulary.table import Column, Commit, Table
from model.vocabulary.values import Type
from tests.builders.merges import merge

TABLE = Table(
    columns=(Column("p", Type.STRING), Column("id", Type.INTEGER)),
    partition_by=("p",),
    files=(),
    commits=(Commit(0),),
)
A, B, NONE = ("a",), ("b",), (None,)
IN_A: Predicate = Compare("p", Op.EQ, "a", Type.STRING)
ID: Predicate = Compare("id", Op.EQ, 1, Type.INTEGER)
SET = Assignment("id", Type.INTEGER, 2)


@pytest.mark.parametrize(
    ("step", "partitions"),
    [
        (Delete(), {A, B, NONE}),
        (Delete(IN_A), {A}),
        (Delete(ID), {A, B, NONE}),
        (Delete(And(ID, IN_A)), {A}),
        (Delete(Or(ID, IN_A)), {A, B, NONE}),  # no part of it must hold
        (Delete(IsNull("p")), {NONE}),
        (OtherCommand(Update(SET, And(IN_A, ID))), {A}),
        (OtherCommand(merge(IN_A)), {A}),
        (OtherCommand(merge(IN_A, when=When.MATCHED)), {A, B, NONE}),
        (OtherCommand(merge(IN_A, when=When.BY_SOURCE)), {A, B, NONE}),
        (OtherCommand(Optimize(IN_A)), {A}),
        (OtherCommand(Restore(0)), {A, B, NONE}),
        (Insert((("a", 1),)), set()),
        (OtherCommand(StreamAppend((("a", 1),))), set()),
        (Vacuum(), set()),
    ],
)
def test_a_command_reads_the_partitions_that_its_condition_leaves(step: SessionStep, partitions: set[object]) -> None:
    assert {one for one in (A, B, NONE) if reads(step, TABLE, one)} == partitions


@pytest.mark.parametrize(
    ("conflict", "changed", "step", "founded"),
    [
        (Conflict.APPEND, Changed(added=frozenset({A})), Delete(IN_A), True),
        (Conflict.APPEND, Changed(added=frozenset({B})), Delete(IN_A), False),
        (Conflict.APPEND, Changed(removed=frozenset({A})), Delete(IN_A), False),
        (Conflict.APPEND, Changed(added=frozenset({A})), Insert((("a", 1),)), False),
        (Conflict.DELETE_READ, Changed(removed=frozenset({A})), Delete(), True),
        (Conflict.DELETE_DELETE, Changed(removed=frozenset({A})), Delete(IN_A), True),
        (Conflict.DELETE_DELETE, Changed(added=frozenset({A})), Delete(IN_A), False),
        (Conflict.METADATA, Changed(metadata=True), Insert((("a", 1),)), True),
        (Conflict.METADATA, Changed(added=frozenset({A}), protocol=True), Delete(), False),
        (Conflict.PROTOCOL, Changed(protocol=True), Vacuum(), True),
        (Conflict.TRANSACTION, Changed(transactions=True), OtherCommand(StreamAppend((("a", 1),))), True),
        (Conflict.TRANSACTION, Changed(transactions=True), Delete(), False),
        (Conflict.WRITE, Changed(anything=True), OtherCommand(Restore(0)), True),
        (Conflict.WRITE, Changed(), OtherCommand(Restore(0)), False),
        (Conflict.WRITE, Changed(anything=True), OtherCommand(SetRetention(24)), False),
    ],
)
def test_a_conflict_needs_what_it_is_about(
    conflict: Conflict, changed: Changed, step: SessionStep, founded: bool
) -> None:
    assert is_founded(conflict, step, TABLE, changed) is founded


def test_a_conflict_is_told_by_its_exception_or_its_error_class() -> None:
    hint = "DELTA_CONCURRENT_DELETE_READ.WITH_PARTITION_HINT"
    assert conflicts_named("ConcurrentDeleteReadException", None, classes=True) == {Conflict.DELETE_READ}
    assert conflicts_named("AnalysisException", hint, classes=True) == {Conflict.DELETE_READ}
    assert conflicts_named("SparkException", "INTERNAL_ERROR", classes=True) == frozenset()
    assert conflicts_named("CommitFailedError", None, classes=False) == set(Conflict)
    assert conflicts_named("DeltaError", None, classes=False) == frozenset()

"""The model of DELETE: removed files, surviving rows, and NULL."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from model.prediction.delete import (
    ConditionScope,
    DeleteMethod,
    DeletePrediction,
    LiveFile,
    is_constant,
    matches,
    may_fail,
    predict_delete,
    scope_of,
)
from model.vocabulary.predicate import (
    And,
    Cast,
    Compare,
    Constant,
    IsNull,
    Literal,
    Not,
    Of,
    Op,
    Or,
    Predicate,
    Relate,
)
from model.vocabulary.steps import Delete
from model.vocabulary.table import Column, Feature, Table
from model.vocabulary.values import StructOf, Type

PARTITION_BY = ("q", "p")  # not in the order of the schema


def live_file(path: str, p: str | None, q: int | None, *values: int | None) -> LiveFile:
    return LiveFile(path, (q, p), tuple((value, p, q) for value in values))


ONE = live_file("one", "a", 1, 1, 2, None)
TWO = live_file("two", "a", 2, 2, 2)
THREE = live_file("three", None, 1, 3)
EMPTY = live_file("empty", "a", 1)
FILES = (ONE, TWO, THREE, EMPTY)


TABLE = Table(
    columns=(Column("v", Type.INTEGER), Column("p", Type.STRING), Column("q", Type.INTEGER)),
    partition_by=PARTITION_BY,
    files=(),
    commits=(),
)
WITH_VECTORS = replace(TABLE, features=(Feature.DELETION_VECTORS.value,))


def predict(
    where: Predicate | None, files: tuple[LiveFile, ...] = FILES, table: Table = TABLE, *, whole_files: bool = False
) -> DeletePrediction:
    return predict_delete(files, Delete(where), table, whole_files=whole_files)


def v(op: Op, value: int | None) -> Compare:
    return Compare("v", op, value, Type.INTEGER)


def p(op: Op, value: str | None) -> Compare:
    return Compare("p", op, value, Type.STRING)


def q(op: Op, value: int | None) -> Compare:
    return Compare("q", op, value, Type.INTEGER)


@pytest.mark.parametrize(
    ("where", "scope"),
    [
        (None, ConditionScope.TABLE),
        (p(Op.EQ, "a"), ConditionScope.PARTITIONS),
        (And(p(Op.EQ, "a"), Not(q(Op.EQ, 1))), ConditionScope.PARTITIONS),
        (Constant(True), ConditionScope.PARTITIONS),  # it speaks of no column, so no file need be read
        (Constant(None), ConditionScope.PARTITIONS),
        (v(Op.EQ, 1), ConditionScope.ROWS),
        (And(p(Op.EQ, "a"), v(Op.EQ, 1)), ConditionScope.ROWS),
        (Or(Constant(True), v(Op.EQ, 1)), ConditionScope.ROWS),
    ],
)
def test_the_scope_of_a_condition(where: Predicate | None, scope: ConditionScope) -> None:
    assert scope_of(where, PARTITION_BY) is scope
    assert predict(where).scope is scope


def test_deletion_vectors_hide_the_matching_rows_of_a_file() -> None:
    predicted = predict(v(Op.EQ, 2), table=WITH_VECTORS)
    assert predicted.method is DeleteMethod.DELETION_VECTORS
    assert predicted.hidden_rows == {"one": frozenset({1})}
    assert predicted.removed_paths == {"two"}, "no row of it is left"
    assert predicted.touched == {"one", "two"}
    assert predicted.survivors == Counter({((1, "a"), (1, "a", 1)): 1, ((1, "a"), (None, "a", 1)): 1})


def test_hidden_rows_are_ignored() -> None:
    half = replace(ONE, hidden=frozenset({0}))
    assert half.visible == ((2, "a", 1), (None, "a", 1))
    assert not predict(v(Op.EQ, 1), (half,)).commits
    assert predict(v(Op.EQ, 2), (half,), WITH_VECTORS).hidden_rows == {"one": frozenset({0, 1})}
    assert predict(None, (half,)).deleted.total() == 2
    gone = replace(TWO, hidden=frozenset({0}))
    assert predict(v(Op.EQ, 2), (gone,), WITH_VECTORS).removed_paths == {"two"}


def test_a_file_without_num_records_is_never_removed_by_vectors() -> None:
    uncounted = replace(TWO, counted=False)
    predicted = predict(v(Op.EQ, 2), (uncounted,), WITH_VECTORS)
    assert not predicted.removed and predicted.hidden_rows == {"two": frozenset({0, 1})}
    assert predict(v(Op.EQ, 2), (uncounted,)).removed_paths == {"two"}, "a rewrite sees that it is"


def test_an_engine_may_keep_a_file_of_which_all_rows_are_hidden() -> None:
    """PROTOCOL.md, "Deletion Vectors", does not say that it must go."""
    predicted = predict_delete((TWO,), Delete(v(Op.EQ, 2)), WITH_VECTORS, keeps_emptied_files=True)
    assert predicted.touched == set(predicted.hidden_rows) == {"two"} and not predicted.removed_paths
    rewritten = predict_delete((TWO,), Delete(v(Op.EQ, 2)), TABLE, keeps_emptied_files=True)
    assert rewritten.removed_paths == {"two"}, "without deletion vectors there is nothing to hide them by"


def test_a_constant_condition_may_be_treated_as_a_partition_condition() -> None:
    always = Or(IsNull("v"), Not(IsNull("v")))
    assert is_constant(FILES, Delete(always), TABLE)
    assert predict(always).removed_paths == {"one", "two", "three"}, "an empty file holds no matching row"
    assert predict(always, whole_files=True).removed_paths == {"one", "two", "three", "empty"}
    assert not is_constant(FILES, Delete(v(Op.EQ, 2)), TABLE)
    assert not is_constant((TWO, THREE), Delete(v(Op.EQ, 2)), TABLE), "alike for all rows of each file, but not of any"
    in_a = And(p(Op.EQ, "a"), always)
    assert predict(in_a, whole_files=True).removed_paths == {"one", "two", "empty"}


BAD_NUMBER = Relate(Cast(Of("p"), Type.INTEGER), Op.GT, Literal(3, Type.INTEGER))


def test_a_condition_on_a_column_of_nulls_is_not_constant() -> None:
    columns = Column("p", Type.INTEGER), Column("v", Type.INTEGER)
    table = Table(columns=columns, partition_by=("p",), files=(), commits=())
    nulls = LiveFile("a", (1,), ((1, None),))
    assert not is_constant((nulls,), Delete(IsNull("v")), table)


def test_an_error_may_fail_the_delete_or_keep_the_row() -> None:
    row = (1, "a", 1)
    assert may_fail(Delete(BAD_NUMBER), TABLE, [row])
    assert not may_fail(Delete(BAD_NUMBER), TABLE, [(1, "7", 1), (1, None, 1)])
    assert not may_fail(Delete(), TABLE, [row])
    assert matches(Delete(BAD_NUMBER), TABLE, row) is None
    assert matches(Delete(Or(BAD_NUMBER, v(Op.EQ, 1))), TABLE, row) is True, "TRUE whatever the other side is"


def test_only_a_rewrite_writes_null_structs_with_required_fields() -> None:
    kind = StructOf((("x", Type.INTEGER),), ("x",))
    table = Table((Column("v", Type.INTEGER), Column("s", kind)), (), (), ())
    files = (LiveFile("one", (), ((1, None), (2, (3,)))),)
    keeps, deletes = Delete(v(Op.EQ, 2)), Delete(v(Op.EQ, 1))
    assert predict_delete(files, keeps, table).writes_required_null(table)
    assert not predict_delete(files, deletes, table).writes_required_null(table), "the NULL goes"
    nullable = replace(table, columns=(table.columns[0], Column("s", StructOf(kind.fields))))
    assert not predict_delete(files, keeps, nullable).writes_required_null(nullable)
    with_vectors = replace(table, features=(Feature.DELETION_VECTORS.value,))
    assert not predict_delete(files, keeps, with_vectors).writes_required_null(with_vectors)

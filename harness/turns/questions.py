"""What a case is asked beside its own steps, when two engines run it in turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harness.observing.steps.expected_versions import ExpectedVersions
from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Delete, Insert, OtherCommand
from model.vocabulary.table import Column, Feature, Table
from model.vocabulary.values import DecimalOf, Row, Type, Value

#: Types whose statistics depend on who wrote them, the most delicate first.
_DELICATE = (Type.TIMESTAMP, Type.TIMESTAMP_NTZ, Type.DATE)

#: Types that a DELETE compares with a value.
_COMPARED = (
    *_DELICATE,
    Type.STRING,
    Type.LONG,
    Type.INTEGER,
    Type.SHORT,
    Type.BYTE,
    Type.DOUBLE,
    Type.FLOAT,
)

#: How many DELETEs of a value follow a case.
QUESTIONS = 2


def with_questions(case: Case) -> Case:
    """The case, and then DELETEs of values that the table has, as far as its own steps tell.

    They ask whether an engine finds a row by the statistics that another one wrote. A table that no engine may write has none.
    """
    if case.table.has(Feature.UNKNOWN_WRITER, Feature.UNKNOWN_READER):
        return case
    own = [step for step in case.steps if isinstance(step, (Delete, Insert, OtherCommand))]
    after = ExpectedVersions(case.table, start=0).one_after_another(own, None)[-1]
    return replace(case, steps=(*case.steps, *questions_about(after.table, after.rows)[:QUESTIONS]))


def questions_about(table: Table, rows: Iterable[Row]) -> list[Delete]:
    """DELETEs of one value each: the least and the greatest of each column, data columns before partitions."""
    rows, found = list(rows), list[tuple[tuple[bool, int], Delete]]()
    for place, column in enumerate(table.columns):
        if not isinstance(column.type, DecimalOf) and column.type not in _COMPARED:
            continue
        values = [row[place] for row in rows if row[place] is not None and row[place] == row[place]]
        order = column.name in table.partition_by, _rank(column)
        ends: list[Value] = [] if not values else [min(values), max(values)]  # type: ignore[type-var]
        found += [(order, Delete(Compare(column.name, Op.EQ, value, column.type))) for value in dict.fromkeys(ends)]
    return [delete for _, delete in sorted(found, key=lambda one: one[0])]


def _rank(column: Column) -> int:
    if isinstance(column.type, DecimalOf):
        return len(_DELICATE)
    return _DELICATE.index(column.type) if column.type in _DELICATE else len(_DELICATE) + 1

"""What the sides of a table are asked beside the steps of a case."""

from __future__ import annotations

from harness.observing.steps.expected_versions import ExpectedVersions
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.commands import Checkpoint, CommandKind, Overwrite
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Delete, EngineStep, Insert, OtherCommand
from model.vocabulary.table import Column, Feature
from model.vocabulary.values import DecimalOf, Type, Value

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


def questions_about(expected: ExpectedVersions) -> list[Delete]:
    """DELETEs of one value each that the table has: the least and the greatest of each column, data columns before partitions.

    They ask whether an engine finds a row by the statistics that another one wrote.
    """
    table, found = expected.table, list[tuple[tuple[bool, int], Delete]]()
    for place, column in enumerate(table.columns):
        if not isinstance(column.type, DecimalOf) and column.type not in _COMPARED:
            continue
        values = [row[place] for row in expected.rows if row[place] is not None and row[place] == row[place]]
        order = column.name in table.partition_by, _rank(column)
        ends: list[Value] = [] if not values else [min(values), max(values)]  # type: ignore[type-var]
        found += [(order, Delete(Compare(column.name, Op.EQ, value, column.type))) for value in dict.fromkeys(ends)]
    return [delete for _, delete in sorted(found, key=lambda one: one[0])]


def _rank(column: Column) -> int:
    if isinstance(column.type, DecimalOf):
        return len(_DELICATE)
    return _DELICATE.index(column.type) if column.type in _DELICATE else len(_DELICATE) + 1


#: Tables that an engine cannot write again by an overwrite of its rows.
_NOT_REWRITTEN = (Feature.APPEND_ONLY,)


def prelude_of(expected: ExpectedVersions, capabilities: Capabilities) -> list[EngineStep]:
    """Steps by which an engine writes the table itself: half of its rows by an overwrite, the others by an INSERT, a checkpoint.

    A table with rules for writers is left as it is, except for the checkpoint.
    """
    table, steps = expected.table, list[EngineStep]()
    rows = tuple(expected.rows.elements())
    ruled = table.checks or any(
        one.identity or one.generated_from is not None or not one.nullable for one in table.columns
    )
    half = (len(rows) + 1) // 2
    if rows and not ruled and not table.has(*_NOT_REWRITTEN) and CommandKind.OVERWRITE in capabilities.commands:
        steps.append(OtherCommand(Overwrite(rows[:half])))
        if rows[half:]:
            steps.append(Insert(rows[half:]))
    if CommandKind.CHECKPOINT in capabilities.commands:
        steps.append(OtherCommand(Checkpoint()))
    return steps

"""Files for a condition: their rows tell it apart from its mutants (``model.semantics.condition_mutants``).

The values of a drawn table seldom lie at the bounds of a drawn condition, so that most small changes of it would not show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain, islice

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.semantics.condition_mutants import mutants
from model.semantics.domains import combined, domain
from model.semantics.evaluate import evaluate_avoiding_errors
from model.vocabulary.case import Case
from model.vocabulary.predicate import Predicate, columns_of
from model.vocabulary.steps import Delete
from model.vocabulary.table import Commit, DataFile, Table
from model.vocabulary.values import AnyType, Row, Type, Value
from strategies.tables.initial_tables import live_rows

#: Of the values of a condition's columns, so many combinations are tried for each file.
_COMBINATIONS = 75

_Values = Mapping[str, Value]


@st.composite
def told_apart(draw: DrawFn, cases: SearchStrategy[Case]) -> Case:
    """Half of the cases as they are, half with files for the conditions of their DELETEs. Shrinks to those as they are."""
    case = draw(cases)
    if draw(st.booleans()):
        for step in case.steps:
            if isinstance(step, Delete):
                case = replace(case, table=with_telling_files(case.table, step.where, zone=step.zone))
    return case


def with_telling_files(table: Table, where: Predicate | None, *, zone: str = "UTC", most: int = 4) -> Table:
    """The table, with up to ``most`` more live files for ``where``, added by its last commit.

    Each holds a row for which mutants of the condition have another result than the condition, beside one that it matches, so
    that no engine skips the file, and one that it does not match. The rows follow the columns' rules and the constraints. The
    table is unchanged where no such row is found.
    """
    if where is None or table.damaged_files or any(column.identity for column in table.columns):
        return table
    types = {column.name: column.type for column in table.columns}
    bases = list(_rows_of(table))
    if not bases:
        return table
    choices = _choices(table, where, bases)
    candidates = [
        row
        for base in bases[:2]
        for values in combined(choices, most * _COMBINATIONS)
        if _is_valid(table, row := _generated(table, {**base, **values}), types, zone)
    ]
    changed = [mutant.where for mutant in mutants(where, types)]
    told = [_told(where, changed, row, types, zone) for row in candidates]
    due = [_is_true(where, row, types, zone) for row in candidates]
    others = [[row for row, matches in zip(candidates, due) if matches is wanted] for wanted in (True, False)]
    left = set(range(len(changed))) - frozenset().union(*(_told(where, changed, row, types, zone) for row in bases))
    files: list[DataFile] = []
    while len(files) < most and candidates:
        best = max(range(len(candidates)), key=lambda place: (len(told[place] & left), -place))
        if not told[best] & left:
            break
        left -= told[best]
        files.append(_file(table, _next_id(table) + len(files), candidates[best], others))
    return _added(table, files)


def _next_id(table: Table) -> int:
    """The least id that no file of the table has or had."""
    return max((file.id for file in table.files), default=-1) + 1


def _rows_of(table: Table) -> Iterator[_Values]:
    """The visible rows of the live files."""
    names = [column.name for column in table.columns]
    yield from (dict(zip(names, row)) for row in live_rows(table))


def _choices(table: Table, where: Predicate, rows: Sequence[_Values]) -> dict[str, list[Value]]:
    """The values to try for each column that the condition uses, without those that tables never have."""
    return {
        column.name: [
            value
            for value in domain(column, (where,), [row[column.name] for row in rows])
            if _is_drawn(value, column.type, partition=column.name in table.partition_by)
        ]
        or [rows[0][column.name]]
        for column in table.columns
        if column.name in columns_of(where)
    }


def _is_drawn(value: Value, type: AnyType, *, partition: bool) -> bool:
    """Whether tables may have the value (docs/coverage.md): no empty string as a partition value, no day of October 1582, whose
    calendars differ, and no moment as a partition value but those that the strategies know."""
    if isinstance(value, date):
        moment = type in (Type.TIMESTAMP, Type.TIMESTAMP_NTZ)
        return (value.year, value.month) != (1582, 10) and 1 < value.year < 9999 and not (partition and moment)
    return not (partition and value == "")


def _generated(table: Table, row: _Values) -> _Values:
    """The row with its generated columns, which have the value of their source."""
    return {**row, **{column.name: row[column.generated_from] for column in table.columns if column.generated_from}}


def _is_valid(table: Table, row: _Values, types: Mapping[str, AnyType], zone: str) -> bool:
    """Whether the row follows the constraints of the table."""
    required = all(row[column.name] is not None for column in table.columns if not column.nullable)
    return required and all(_is_true(check, row, types, zone) for check in table.checks)


def _told(
    where: Predicate, changed: Iterable[Predicate], row: _Values, types: Mapping[str, AnyType], zone: str
) -> frozenset[int]:
    """The places of the changed conditions that have another result for the row."""
    due = _is_true(where, row, types, zone)
    return frozenset(place for place, other in enumerate(changed) if _is_true(other, row, types, zone) != due)


def _is_true(where: Predicate, row: _Values, types: Mapping[str, AnyType], zone: str) -> bool:
    return evaluate_avoiding_errors(where, row, types=types, zone=zone) is True


def _file(table: Table, id: int, row: _Values, others: Sequence[Sequence[_Values]]) -> DataFile:
    """A file of the row, and of each kind of ``others`` the first that can be in its partition, or is once it has its values."""
    partition: Row = tuple(row[name] for name in table.partition_by)

    def is_inside(one: _Values) -> bool:
        return partition == tuple(one[name] for name in table.partition_by)

    found = [row]
    for some in others:
        moved = (_generated(table, {**one, **dict(zip(table.partition_by, partition))}) for one in some[:1])
        found += islice(filter(is_inside, chain(some, moved)), 1)
    rows = tuple(tuple(one[column.name] for column in table.data_columns) for one in found)
    return DataFile(id=id, partition=partition, rows=rows, modified=table.commits[-1].at)


def _added(table: Table, files: Sequence[DataFile]) -> Table:
    if not files:
        return table
    last: Commit = table.commits[-1]
    last = replace(last, adds=(*last.adds, *(file.id for file in files)))
    return replace(table, files=(*table.files, *files), commits=(*table.commits[:-1], last))

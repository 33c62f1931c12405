"""The rows of data files. They follow the rules of the columns, and files share values."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.vocabulary.predicate import Compare, IsNull, Op, Or, Predicate
from model.vocabulary.table import Column, DataFile, Statistics, Table
from model.vocabulary.values import Row, Type, Value
from strategies.tables.column_values import POOL, comes_after, domain, pools
from strategies.weights import odds, one_in

#: The values of each column except NULL, by its name.
Pools = dict[str, tuple[Value, ...]]
#: Only so many columns of a wide table are drawn; the values of the others follow a pattern.
_DRAWN_COLUMNS = 8
_STARTS = st.integers(0, 15)

#: The types whose columns a CHECK constraint may bound.
BOUNDED = (Type.BYTE, Type.SHORT, Type.INTEGER, Type.LONG, Type.STRING, Type.DATE)


def draw_pools(draw: DrawFn, table: Table) -> Pools:
    """The values of each column of ``table``."""
    partition, data = table.partition_columns, table.data_columns
    found = {column.name: draw(pools(column.type, partition=True)) for column in partition}
    found.update({column.name: draw(pools(column.type)) for column in data[:_DRAWN_COLUMNS]})
    found.update({column.name: domain(column.type)[: 2 * POOL] for column in data[_DRAWN_COLUMNS:]})
    return found


def draw_partition(draw: DrawFn, table: Table, pools: Pools) -> Row:
    """The partition values of a file: about a quarter are NULL, none is the empty string."""
    places = odds((3, 0), (3, 1), (2, 2), (2, 3), (3, None))
    return tuple(_cell(pools[name], draw(places)) for name in table.partition_by)


_PLAIN = odds((4, Statistics.FULL), (1, Statistics.COUNT), (1, Statistics.NONE))

#: Of files with TIMESTAMPs.
_TIMED = odds((3, Statistics.FULL), (3, Statistics.ZONED), (1, Statistics.COUNT), (1, Statistics.NONE))


def draw_file(draw: DrawFn, table: Table, pools: Pools, *, id: int, partition: Row, modified: int) -> DataFile:
    """A data file with 0 to 5 rows, most often 3, whose rows follow the columns' rules. In one of eight all are equal.

    One in four has row groups of one or two rows. Shrinks to few rows, full statistics, one row group.
    """
    size = draw(odds((1, 1), (3, 2), (5, 3), (4, 4), (1, 5), (1, 0)))
    rows = [_draw_row(draw, table, pools, partition)] if size else []
    equal = size > 1 and draw(one_in(8))
    rows += [rows[0] if equal else _draw_row(draw, table, pools, partition) for _ in range(size - 1)]
    if len(table.data_columns) > _DRAWN_COLUMNS:
        start = draw(_STARTS)
        rows = [_filled(table, pools, row, start + 3 * index) for index, row in enumerate(rows)]
    return DataFile(
        id=id,
        partition=partition,
        rows=tuple(_with_identity(table, row, first=10 * id + 1, index=index) for index, row in enumerate(rows)),
        modified=modified,
        statistics=draw(_TIMED if any(column.type is Type.TIMESTAMP for column in table.data_columns) else _PLAIN),
        group_rows=draw(odds((6, None), (1, 1), (1, 2))) if size > 1 else None,
    )


def _draw_row(draw: DrawFn, table: Table, pools: Pools, partition: Row) -> Row:
    columns = table.data_columns
    drawn = {
        column.name: _cell(pools[column.name], draw(_places(nullable=column.nullable)))
        for column in columns[:_DRAWN_COLUMNS]
        if column.generated_from is None and not column.identity
    }
    # The source of a generated partition column has the same value in all rows of a file.
    for column, value in zip(table.partition_columns, partition):
        if column.generated_from is not None:
            drawn[column.generated_from] = value
    drawn.update({column.name: drawn[column.generated_from] for column in columns if column.generated_from})
    return tuple(drawn.get(column.name) for column in columns)


def _places(*, nullable: bool) -> SearchStrategy[int | None]:
    """The index of a value in its column's pool, the first one most frequently. None stands for NULL."""
    frequent = ((5, 0), (3, 1), (2, 2), (2, 3))
    return odds(*frequent, (2, None)) if nullable else odds(*frequent)


def _cell(pool: tuple[Value, ...], place: int | None) -> Value:
    return None if place is None else pool[place % len(pool)]


def _filled(table: Table, pools: Pools, row: Row, start: int) -> Row:
    """The row with the values of the remaining columns. About one in seven is NULL."""
    more = table.data_columns[_DRAWN_COLUMNS:]
    filled = (
        _cell(pools[column.name], None if (start + 5 * place) % 7 == 6 and column.nullable else start + place)
        for place, column in enumerate(more)
    )
    return row[:_DRAWN_COLUMNS] + tuple(filled)


def _with_identity(table: Table, row: Row, *, first: int, index: int) -> Row:
    """The row with the value of its identity column, unique in the table."""
    return tuple(first + index if column.identity else value for column, value in zip(table.data_columns, row))


def bound(table: Table, column: Column, *, upper: bool) -> Predicate:
    """``column IS NULL OR column <= the greatest value`` (or ``>=`` the least): TRUE for all rows of all files.

    A writer accepts only rows for which a constraint is TRUE, not NULL (PROTOCOL.md, "CHECK Constraints").
    """
    place = [other.name for other in table.columns].index(column.name)
    found = [table.row(file.partition, row)[place] for file in table.files for row in file.rows]
    end = _end((value for value in found if value is not None), upper=upper)
    is_null = IsNull(column.name)
    if end is None:
        return is_null
    return Or(is_null, Compare(column.name, Op.LE if upper else Op.GE, end, column.type))


def _end(values: Iterable[Value], *, upper: bool) -> Value:
    end: Value = None
    for value in values:
        if end is None or comes_after(value, end) == upper:
            end = value
    return end

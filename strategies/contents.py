"""What the files of a table hold: rows that keep to the rules of its columns, and share values with one another."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.predicate import Compare, IsNull, Op, Or, Predicate
from model.table import Column, DataFile, Statistics, Table
from model.values import Row, Type, Value
from strategies.column_values import POOL, comes_after, domain, pools
from strategies.weights import odds, one_in

#: Of each column, by its name, the values that its rows take, beside NULL.
Pools = dict[str, tuple[Value, ...]]
_ALL_DRAWN = 8
_STARTS = st.integers(0, 15)

#: The types whose columns a CHECK constraint may bound.
BOUNDED = (Type.BYTE, Type.SHORT, Type.INTEGER, Type.LONG, Type.STRING, Type.DATE)


def draw_pools(draw: DrawFn, table: Table) -> Pools:
    """The values of each column of ``table``. Those of columns that are counted on, not drawn, take no draw."""
    partition, data = table.partition_columns, table.data_columns
    found = {column.name: draw(pools(column.type, partition=True)) for column in partition}
    found.update({column.name: draw(pools(column.type)) for column in data[:_ALL_DRAWN]})
    found.update({column.name: domain(column.type)[: 2 * POOL] for column in data[_ALL_DRAWN:]})
    return found


def draw_partition(draw: DrawFn, table: Table, pools: Pools) -> Row:
    """The partition values of a file: NULL one time in four or so, never the empty string."""
    places = odds((3, 0), (3, 1), (2, 2), (2, 3), (3, None))
    return tuple(_cell(pools[name], draw(places)) for name in table.partition_by)


def draw_file(draw: DrawFn, table: Table, pools: Pools, *, id: int, partition: Row, modified: int) -> DataFile:
    """A data file with 0 to 5 rows, most often 3, all the same in one of eight. Its rows keep to the columns' rules.

    One in four has row groups of one or two rows. Shrinks to few rows, full statistics, one row group.
    """
    size = draw(odds((1, 1), (3, 2), (5, 3), (4, 4), (1, 5), (1, 0)))
    rows = [_draw_row(draw, table, pools, partition)] if size else []
    alike = size > 1 and draw(one_in(8))
    rows += [rows[0] if alike else _draw_row(draw, table, pools, partition) for _ in range(size - 1)]
    if len(table.data_columns) > _ALL_DRAWN:
        start = draw(_STARTS)
        rows = [_counted(table, pools, row, start + 3 * index) for index, row in enumerate(rows)]
    return DataFile(
        id=id,
        partition=partition,
        rows=tuple(_numbered(table, row, first=10 * id + 1, index=index) for index, row in enumerate(rows)),
        modified=modified,
        statistics=draw(odds((4, Statistics.FULL), (1, Statistics.COUNT), (1, Statistics.NONE))),
        group_rows=draw(odds((6, None), (1, 1), (1, 2))) if size > 1 else None,
    )


def _draw_row(draw: DrawFn, table: Table, pools: Pools, partition: Row) -> Row:
    columns = table.data_columns
    drawn = {
        column.name: _cell(pools[column.name], draw(_places(nullable=column.nullable)))
        for column in columns[:_ALL_DRAWN]
        if column.generated_from is None and not column.identity
    }
    # A partition column that is generated from a data column: its value is the same in all rows of a file.
    for column, value in zip(table.partition_columns, partition):
        if column.generated_from is not None:
            drawn[column.generated_from] = value
    drawn.update({column.name: drawn[column.generated_from] for column in columns if column.generated_from})
    return tuple(drawn.get(column.name) for column in columns)


def _places(*, nullable: bool) -> SearchStrategy[int | None]:
    """The place of a value in its column's pool: the first is the most frequent. None stands for NULL."""
    frequent = ((5, 0), (3, 1), (2, 2), (2, 3))
    return odds(*frequent, (2, None)) if nullable else odds(*frequent)


def _cell(pool: tuple[Value, ...], place: int | None) -> Value:
    return None if place is None else pool[place % len(pool)]


def _counted(table: Table, pools: Pools, row: Row, start: int) -> Row:
    """The row with its further columns filled: every seventh value or so is NULL."""
    more = table.data_columns[_ALL_DRAWN:]
    counted = (
        _cell(pools[column.name], None if (start + 5 * place) % 7 == 6 and column.nullable else start + place)
        for place, column in enumerate(more)
    )
    return row[:_ALL_DRAWN] + tuple(counted)


def _numbered(table: Table, row: Row, *, first: int, index: int) -> Row:
    """The row with its number in an identity column: no two rows of a table share one."""
    return tuple(first + index if column.identity else value for column, value in zip(table.data_columns, row))


def bound(table: Table, column: Column, *, upper: bool) -> Predicate:
    """``column IS NULL OR column <= the greatest value`` (or ``>=`` the least): TRUE of all rows in all files.

    NULL would not do: a writer takes only rows for which a constraint is TRUE (PROTOCOL.md, "CHECK Constraints").
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

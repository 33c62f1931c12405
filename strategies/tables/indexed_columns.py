"""Tables with the properties that name the columns with statistics."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.semantics.indexed_columns import may_be_listed
from model.vocabulary.table import Table
from strategies.weights import odds, one_in

#: Of delta.dataSkippingNumIndexedCols: of no column, of the first one or two, of all.
_LEAVES = odds((3, 1), (2, 0), (2, 2), (1, -1))


@st.composite
def indexed_tables(draw: DrawFn, table: Table) -> Table:
    """The table; one in six has delta.dataSkippingNumIndexedCols or, as often, delta.dataSkippingStatsColumns, or both.

    The table's own files have the statistics that a writer collects by them, except those from before they were set. Shrinks
    to the table.
    """
    if not draw(one_in(6)):
        return table
    kind = draw(odds((3, "leaves"), (3, "columns"), (1, "both")))
    if kind != "columns":
        table = replace(table, indexed_leaves=draw(_LEAVES))
    names = [column.name for column in table.data_columns if may_be_listed(column.type)][:8]
    if kind != "leaves" and names:
        chosen = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
        table = replace(table, indexed_columns=tuple(chosen))
    return table

"""Cases on files that the engine itself has written, with its own sizes, statistics and names."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.vocabulary.case import Case
from model.vocabulary.commands import Overwrite
from model.vocabulary.steps import OtherCommand, renumbered
from model.vocabulary.table import Feature, Table
from strategies.steps.new_rows import takes_rows
from strategies.tables.initial_tables import live_rows
from strategies.weights import one_in

#: The engine writes at most so many rows: its statement names each.
_MOST_ROWS = 200


@st.composite
def on_engine_files(draw: DrawFn, cases: SearchStrategy[Case]) -> Case:
    """The cases; one in three begins with an overwrite by the rows that the table has. Shrinks to those without."""
    case = draw(cases)
    return with_engine_files(case) if draw(one_in(3)) and can_be_overwritten(case.table) else case


def with_engine_files(case: Case) -> Case:
    """The case after an overwrite of all rows by themselves."""
    first = OtherCommand(Overwrite(tuple(live_rows(case.table))))
    return replace(case, steps=(first, *(renumbered(step, lambda place: place + 1) for step in case.steps)))


def can_be_overwritten(table: Table) -> bool:
    """Whether an engine takes the rows of the table as they are."""
    is_odd = table.has(Feature.APPEND_ONLY) or bool(table.damaged_files) or any(one.declared for one in table.columns)
    return takes_rows(table) and not is_odd and 0 < len(list(live_rows(table))) <= _MOST_ROWS

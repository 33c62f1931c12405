"""The files and rows that are appended to the table of a program."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.vocabulary.table import HOUR, DataFile, Table
from model.vocabulary.values import Row
from strategies.steps.program_state import Program
from strategies.tables.initial_tables import data_files, live_files, partitions_of
from strategies.weights import odds, weighted


@st.composite
def new_files(draw: DrawFn, program: Program) -> tuple[DataFile, ...]:
    """One or two new files, at most an hour old, in existing or new partitions."""
    table = program.table
    existing = [file.partition for file in live_files(table)]
    places = weighted((2 if existing else 0, st.sampled_from(existing or [()])), (1, partitions_of(table)))
    written = st.sampled_from([program.clock, max(program.clock - 1, 0), max(program.clock - HOUR, 0)])
    first = program.next_file()
    count = draw(odds((2, 1), (1, 2)))
    return tuple(
        draw(data_files(table, id=id, partitions=places, modified=written)) for id in range(first, first + count)
    )


@st.composite
def new_rows(draw: DrawFn, program: Program) -> tuple[Row, ...]:
    """The rows of one or two files, at least one, in existing or new partitions."""
    files = draw(new_files(program).filter(lambda files: any(file.rows for file in files)))
    return tuple(program.table.row(file.partition, row) for file in files for row in file.rows)


def takes_rows(table: Table) -> bool:
    """Whether no rule of the table is about what is written: rows of a program follow none."""
    ruled = any(column.identity or column.generated_from or not column.nullable for column in table.columns)
    return not ruled and not table.checks

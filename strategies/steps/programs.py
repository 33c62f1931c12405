"""Programs: fixed-length lists of weighted operations (``strategies.steps.operations``)."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.vocabulary.operations import COMMANDS, Operation
from model.vocabulary.steps import Read, Step
from model.vocabulary.table import Table
from strategies.steps.operations import allows, operations
from strategies.steps.program_state import Program
from strategies.weights import odds, weighted

#: What is drawn instead of an operation that the program does not allow.
_INSTEAD = Operation.DELETE

_OPERATIONS = odds(
    (8, Operation.DELETE),
    (6, Operation.VACUUM),
    (6, Operation.CLOCK),
    (6, Operation.INSERT),
    (4, Operation.APPEND),
    (5, Operation.STRAY_FILES),
    (3, Operation.DRY_RUN),
    (3, Operation.LITE),
    (3, Operation.RETAIN),
    (3, Operation.READ_BEFORE),
    (2, Operation.READ_CHANGES),
    (2, Operation.INVENTORY),
    (1, Operation.IO_FAULT),
    (1, Operation.KILLED_DELETE),
    (1, Operation.KILLED_VACUUM),
    (1, Operation.READ),
    (1, Operation.INVALID_DELETE),
    (1, Operation.INVALID_VACUUM),
)
#: Two in three programs contain these operations in this order.
_SEQUENCE = (Operation.DELETE, Operation.CLOCK, Operation.VACUUM)


@st.composite
def programs(draw: DrawFn, table: Table, *, length: int = 7, engine_steps: int = 6) -> tuple[Step, ...]:
    """Programs of ``length`` operations on ``table`` and a final read: at most ``engine_steps`` steps of the engine.

    Operations are those of ``model.vocabulary.operations`` without other commands; a DELETE is instead of one that the program
    does not allow. Steps beyond ``engine_steps`` are left out. The length is fixed because Hypothesis prefers short lists, and
    short programs rarely have a DELETE before a VACUUM. Two in three programs contain a DELETE, a clock setting and a VACUUM in
    this order, with any operations around them. The clock never goes back. Shrinks operation by operation.

    >>> case = Case(table, draw(programs(table, length=5)))
    """
    sequence: tuple[Operation, ...] = ()
    if length >= len(_SEQUENCE) and engine_steps > _engine_steps(_SEQUENCE) and draw(odds((2, True), (1, False))):
        sequence = _SEQUENCE
    return _draw_steps(draw, table, _OPERATIONS, sequence, length=length, engine_steps=engine_steps)


#: Every command other than DELETE and VACUUM, those that rewrite files more often.
_COMMANDS = odds(
    (5, Operation.OPTIMIZE),
    (3, Operation.PURGE),
    (4, Operation.RESTORE),
    (5, Operation.UPDATE),
    (6, Operation.MERGE),
    (5, Operation.OVERWRITE),
    (3, Operation.STREAM_APPEND),
    (3, Operation.CHECKPOINT),
    (2, Operation.COMPACT_LOG),
    (2, Operation.CLEAN_UP_LOG),
    (3, Operation.SET_RETENTION),
    (5, Operation.SWITCH),
    (4, Operation.DROP_FEATURE),
    (4, Operation.ADD_COLUMN),
    (9, Operation.RENAME_COLUMN),
    (10, Operation.DROP_COLUMN),
    (11, Operation.WIDEN_COLUMN),
    (2, Operation.SHALLOW_CLONE),
    (3, Operation.VACUUM_CLONE),
)
_BESIDE_COMMANDS = odds(
    (8, Operation.DELETE),
    (4, Operation.VACUUM),
    (3, Operation.CLOCK),
    (3, Operation.INSERT),
    (2, Operation.APPEND),
    (1, Operation.STRAY_FILES),
    (1, Operation.LITE),
    (3, Operation.READ_BEFORE),
    (1, Operation.READ_CHANGES),
)

#: What programs of commands contain in this order; None is any command.
_COMMAND_SEQUENCES: tuple[tuple[Operation | None, ...], ...] = (
    (Operation.DELETE, None, Operation.DELETE),
    (None, Operation.DELETE, Operation.READ_BEFORE),
    (Operation.DELETE, None, Operation.CLOCK, Operation.VACUUM),
    (Operation.DELETE, Operation.OPTIMIZE, Operation.RESTORE),
    (Operation.DELETE, Operation.CLOCK, Operation.VACUUM, Operation.RESTORE),
    (Operation.SHALLOW_CLONE, Operation.DELETE, Operation.CLOCK, Operation.VACUUM),
    (Operation.SHALLOW_CLONE, Operation.DELETE, Operation.VACUUM_CLONE),
)


@st.composite
def command_programs(draw: DrawFn, table: Table, *, length: int = 8, engine_steps: int = 7) -> tuple[Step, ...]:
    """Programs as those of ``programs``, of which half of the operations are other commands; instead of a command that the
    program does not allow is any that it does.

    Each contains one of ``_COMMAND_SEQUENCES``, the first three of them three times as often as another.
    """
    often = tuple((3, sequence) for sequence in _COMMAND_SEQUENCES[:3])
    chosen = draw(odds(*often, *((1, sequence) for sequence in _COMMAND_SEQUENCES[3:])))
    sequence = tuple(draw(_COMMANDS) if operation is None else operation for operation in chosen)
    any_operation = weighted((1, _COMMANDS), (1, _BESIDE_COMMANDS))
    return _draw_steps(draw, table, any_operation, sequence, length=length, engine_steps=engine_steps)


#: The steps of a table in use, in the proportions of ordinary work.
_EVERYDAY = odds(
    (6, Operation.INSERT),
    (6, Operation.MERGE),
    (6, Operation.DELETE),
    (4, Operation.UPDATE),
    (3, Operation.OPTIMIZE),
    (3, Operation.CLOCK),
    (3, Operation.VACUUM),
    (2, Operation.OVERWRITE),
    (2, Operation.READ),
    (2, Operation.READ_BEFORE),
    (1, Operation.STREAM_APPEND),
    (1, Operation.CHECKPOINT),
    (1, Operation.LITE),
    (1, Operation.DRY_RUN),
    (1, Operation.READ_CHANGES),
    (1, Operation.RESTORE),
    (1, Operation.ADD_COLUMN),
)


@st.composite
def everyday_programs(draw: DrawFn, table: Table) -> tuple[Step, ...]:
    """Eight to fifteen operations of ordinary work and a final read. The engine writes rows first, so that it deletes from files
    of its own. Shrinks operation by operation.
    """
    length = draw(st.sampled_from((8, 10, 12, 15)))
    first = draw(st.sampled_from(((Operation.INSERT,), (Operation.OVERWRITE, Operation.INSERT))))
    rest = draw(st.lists(_EVERYDAY, min_size=length - len(first), max_size=length - len(first)))
    program = Program(table, engine_steps=length)
    for operation in (*first, *rest):
        _take(draw, program, operation)
    return (*program.steps, Read())


def _engine_steps(sequence: tuple[Operation, ...]) -> int:
    return sum(operation is not Operation.CLOCK for operation in sequence)


def _draw_steps(
    draw: DrawFn,
    table: Table,
    any_operation: SearchStrategy[Operation],
    sequence: tuple[Operation, ...],
    *,
    length: int,
    engine_steps: int,
) -> tuple[Step, ...]:
    """The steps of ``length`` operations, among them those of the ``sequence`` in this order, and a read."""
    placed: dict[int, Operation] = {}
    if sequence:
        places = draw(st.sampled_from(list(combinations(range(length), len(sequence)))))
        placed = dict(zip(places, sequence))
    # Engine steps for the final read and for the sequence are reserved.
    program = Program(table, engine_steps=engine_steps - 1 - _engine_steps(sequence))
    for place, operation in enumerate([placed.get(place) or draw(any_operation) for place in range(length)]):
        if place in placed and operation is not Operation.CLOCK:
            program.engine_steps += 1
        _take(draw, program, operation)
    return (*program.steps, Read())


def _take(draw: DrawFn, program: Program, operation: Operation) -> None:
    """The steps of the operation, or of one instead of it that the program allows."""
    if not allows(program, operation):
        possible = [one for one in COMMANDS if allows(program, one)] if operation in COMMANDS else [_INSTEAD]
        operation = draw(st.sampled_from(possible))
    for step in draw(operations(program, operation)):
        program.take(step)

"""Programs: fixed-length lists of weighted operations (``strategies.operations``)."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.vocabulary.operations import Operation
from model.vocabulary.steps import Read, Step
from model.vocabulary.table import Table
from strategies.operations import Program, allows, operations
from strategies.weights import odds

#: What is drawn in place of an operation that the program does not allow.
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
    (1, Operation.READ),
    (1, Operation.INVALID_DELETE),
    (1, Operation.INVALID_VACUUM),
)
#: Two in three programs contain these operations in this order; the engine runs two of them.
_SEQUENCE = (Operation.DELETE, Operation.CLOCK, Operation.VACUUM)
_SEQUENCE_STEPS = 2


@st.composite
def programs(draw: DrawFn, table: Table, *, length: int = 7, engine_steps: int = 6) -> tuple[Step, ...]:
    """Programs of ``length`` operations on ``table`` and a final read: at most ``engine_steps`` steps of the engine.

    Operations are those of ``model.vocabulary.operations``; a DELETE is in place of one that the program does not allow. Steps
    beyond ``engine_steps`` are left out. The length is fixed because Hypothesis prefers short lists, and short programs rarely
    have a DELETE before a VACUUM. Two in three programs contain a DELETE, a clock setting and a VACUUM in this order,
    with any operations around them. The clock never goes back. Shrinks operation by operation.

    >>> case = Case(table, draw(programs(table, length=5)))
    """
    sequence: dict[int, Operation] = {}
    if length >= len(_SEQUENCE) and engine_steps > _SEQUENCE_STEPS and draw(odds((2, True), (1, False))):
        places = draw(st.sampled_from(list(combinations(range(length), len(_SEQUENCE)))))
        sequence = dict(zip(places, _SEQUENCE))
    # Engine steps for the final read and for the sequence are reserved.
    program = Program(table, engine_steps=engine_steps - 1 - (_SEQUENCE_STEPS if sequence else 0))
    for place, operation in enumerate([sequence.get(place) or draw(_OPERATIONS) for place in range(length)]):
        if place in sequence and operation is not Operation.CLOCK:
            program.engine_steps += 1
        for step in draw(operations(program, operation if allows(program, operation) else _INSTEAD)):
            program.take(step)
    return (*program.steps, Read())

"""Cases in which a session opens the table, others commit, and the session goes on with what it has opened."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.vocabulary.case import Case
from model.vocabulary.operations import Operation
from model.vocabulary.steps import Delete, Mode, OpenSession, Read, Step, Vacuum, VacuumForm
from strategies.steps.operations import allows, deletes, operations
from strategies.steps.program_state import Program
from strategies.steps.vacuums import RETAIN_CLAUSES, vacuums
from strategies.tables.program_tables import program_tables
from strategies.weights import odds, weighted

#: What others do meanwhile.
_OTHERS = odds(
    (4, Operation.APPEND),
    (3, Operation.INSERT),
    (4, Operation.DELETE),
    (2, Operation.VACUUM),
    (2, Operation.CLOCK),
    (1, Operation.STRAY_FILES),
)


@st.composite
def earlier_sessions(draw: DrawFn) -> Case:
    """A session opens the table, others take one to three steps, the session then issues a DELETE, a VACUUM or reads: one or two
    of these. A read of the current version ends the case. A third of the sessions read the table as a stream, which most of
    their steps then go on with.

    VACUUMs of the session have a RETAIN of zero hours half the time: what is young is then no longer protected by its age.
    Shrinks to a DELETE.
    """
    table = draw(program_tables())
    program = Program(table, engine_steps=8)
    streams = draw(odds((2, False), (1, True)))
    program.take(OpenSession(streams))
    for operation in [draw(_OTHERS) for _ in range(draw(odds((2, 1), (2, 2), (1, 3))))]:
        possible = operation if allows(program, operation) else Operation.DELETE
        for step in draw(operations(program, possible)):
            program.take(step)
    for _ in range(draw(odds((3, 1), (2, 2)))):
        program.take(draw(_by_the_session(program, reads=12 if streams else 2)))
    return Case(table, (*program.steps, Read()))


def _by_the_session(program: Program, *, reads: int) -> st.SearchStrategy[Step]:
    commands = deletes(program.table).map(lambda step: Delete(step.where, by_earlier=True))
    return weighted((3, commands), (3, _vacuums()), (reads, st.just(Read(by_earlier=True))))


@st.composite
def _vacuums(draw: DrawFn) -> Vacuum:
    """VACUUMs of the API: half with zero hours and without the check, a quarter each with any RETAIN and with none."""
    retain = weighted((2, st.just(("zero", False))), (1, st.sampled_from(RETAIN_CLAUSES)), (1, st.none()))
    step = draw(vacuums(mode=Mode.DEFAULT, retain=draw(retain), forms=(VacuumForm.SQL_PATH,)))
    return Vacuum(step.retain_hours, safety_check=step.safety_check, logging=step.logging, by_earlier=True)

"""Conditions that go through a user's function, as a whole or in part, and cases in which it gets rows of several files."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.vocabulary.case import Case
from model.vocabulary.predicate import And, Not, Or, Predicate, Wrapped, Wrapper
from model.vocabulary.settings import Setting
from model.vocabulary.steps import Delete, Form, Read, Step
from model.vocabulary.table import Feature
from strategies.conditions.predicates import picks, predicates
from strategies.tables.initial_tables import History, tables
from strategies.tables.schemas import schemas
from strategies.weights import odds, one_in, weighted

_WRAPPERS = st.sampled_from(Wrapper)
_FEATURES = odds(
    (5, ()),
    (1, (Feature.CHANGE_DATA_FEED.value,)),
    (1, (Feature.DELETION_VECTORS.value,)),
)
_FORMS = odds((6, Form.SQL_PATH), (1, Form.API_PATH), (1, Form.API_PATH_COLUMN), (1, Form.SQL_NAME))


@st.composite
def wrapped(draw: DrawFn, where: Predicate) -> Predicate:
    """The condition through a function; half of those that AND, OR or NOT joins have one of their operands alone in it.

    Each kind of function is as frequent. Shrinks to the whole in Python.
    """
    if isinstance(where, (And, Or)) and draw(st.booleans()):
        if draw(st.booleans()):
            left, right = draw(wrapped(where.left)), where.right
        else:
            left, right = where.left, draw(wrapped(where.right))
        return And(left, right) if isinstance(where, And) else Or(left, right)
    if isinstance(where, Not) and draw(st.booleans()):
        return Not(draw(wrapped(where.operand)))
    return Wrapped(where, draw(_WRAPPERS))


@st.composite
def sometimes_wrapped(draw: DrawFn, where: Predicate, *, one: int) -> Predicate:
    """The condition, through a function in ``one`` of so many cases (``wrapped``). Shrinks to the condition without it."""
    return draw(wrapped(where)) if draw(one_in(one)) else where


@st.composite
def wrapped_deletes(draw: DrawFn) -> Case:
    """DELETEs whose condition goes through a function, of tables with several small files: one or two, each followed by a read.

    Five in seven tables have no features, one the change data feed, one deletion vectors. In four of five cases one task reads
    all files of the table, whatever the number of processors, so that a batch of rows for Python spans files. One condition in
    three selects rows of one file. 2 to 4 engine steps. Shrinks to one DELETE with one test on a table without features.
    """
    table = draw(
        tables(
            schema=schemas(partition_counts=odds((3, 0), (1, 1))),
            history=History(file_counts=odds((2, 2), (3, 3), (2, 4), (1, 6)), removed=one_in(6)),
            features=_FEATURES,
        )
    )
    over_data = predicates(table, over="data")
    conditions: SearchStrategy[Predicate] = weighted((1, over_data), (1, predicates(table)), (1, picks(table)))
    settings = (Setting.FILES_TOGETHER,) if draw(odds((4, True), (1, False))) else ()
    steps: list[Step] = []
    for _ in range(draw(odds((2, 1), (1, 2)))):
        steps += [Delete(draw(wrapped(draw(conditions))), form=draw(_FORMS), settings=settings), Read()]
    return Case(table, tuple(steps))

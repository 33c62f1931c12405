"""Cases whose DELETEs call any function of an engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.vocabulary.case import Case
from model.vocabulary.predicate import And, Language, Not, Or, Predicate
from model.vocabulary.steps import Delete, Form, Read
from model.vocabulary.table import Feature, Statistics, Table
from model.vocabulary.values import AnyType, ArrayOf, DecimalOf, Row, Type
from strategies.conditions.predicates import predicates
from strategies.conditions.verbatim_forms import verbatim_forms
from strategies.conditions.verbatim_tests import verbatim_tests
from strategies.tables.initial_tables import feature_tables, live_rows
from strategies.weights import odds, one_in, weighted

#: The types of arguments of functions (``model.vocabulary.signatures``).
_TYPES: tuple[AnyType, ...] = (
    Type.STRING,
    Type.INTEGER,
    Type.LONG,
    Type.DATE,
    Type.DOUBLE,
    Type.TIMESTAMP,
    DecimalOf(10, 2),
    Type.BOOLEAN,
    Type.BINARY,
    ArrayOf(Type.STRING),
)
_FEATURES = st.sampled_from(
    ((), (Feature.DELETION_VECTORS.value,), (Feature.CHANGE_DATA_FEED.value,), (Feature.COLUMN_MAPPING_NAME.value,))
)
_FORMS = odds((4, Form.SQL_PATH), (1, Form.SQL_NAME), (1, Form.API_PATH), (1, Form.API_PATH_COLUMN))
_JOINED = odds((5, "alone"), (1, "not"), (2, "and"), (2, "or"))


@st.composite
def verbatim_deletes(draw: DrawFn, *, language: Language) -> Case:
    """Two to four DELETEs by functions or forms of SQL that the model does not know, alone or joined with another test, on
    tables of three to six data columns; and a read. The model evaluates half of the other tests. Shrinks to two DELETEs by one
    function.
    """
    table = draw(
        feature_tables(
            features=_FEATURES,
            rules=False,
            types=st.sampled_from(_TYPES),
            partition_types=st.sampled_from((Type.INTEGER, Type.STRING, Type.DATE)),
            data_counts=odds((2, 3), (2, 4), (1, 6)),
        )
    )
    table = _without_empty_files(table)
    rows = list(live_rows(table))
    if not rows:
        return Case(table, (Delete(), Read()))
    steps = []
    for _ in range(draw(odds((2, 2), (2, 3), (1, 4)))):
        test: Predicate = draw(_tests(table, rows, language=language))
        joined = draw(_JOINED)
        if joined == "not":
            test = Not(test)
        elif joined != "alone":
            another = _tests(table, rows, language=language) if draw(st.booleans()) else predicates(table)
            other = draw(another)
            left, right = (test, other) if draw(st.booleans()) else (other, test)
            test = And(left, right) if joined == "and" else Or(left, right)
        steps.append(Delete(test, form=draw(_FORMS) if draw(one_in(3)) else Form.SQL_PATH))
    return Case(table, (*steps, Read()))


def _tests(table: Table, rows: Sequence[Row], *, language: Language) -> SearchStrategy[Predicate]:
    """Three in four call functions, the others have a form of SQL that the model does not have."""
    calls = verbatim_tests(table, rows, language=language)
    return weighted((3, calls), (1, verbatim_forms(table, rows, language=language)))


def _without_empty_files(table: Table) -> Table:
    """The table with at least one row in each file, and with their number: of a file without rows an engine cannot say
    whether it is removed."""
    files = tuple(
        replace(
            file,
            rows=file.rows or ((None,) * len(table.data_columns),),
            statistics=Statistics.COUNT if file.statistics is Statistics.NONE else file.statistics,
        )
        for file in table.files
    )
    return replace(table, files=files)

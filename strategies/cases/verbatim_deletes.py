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
    if draw(one_in(4)):
        table = draw(_declared(table))
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
    """Three in four call functions, the others have a form of SQL that the model does not have; with a CHAR or VARCHAR the other
    way round."""
    calls, forms = verbatim_tests(table, rows, language=language), verbatim_forms(table, rows, language=language)
    is_declared = any(column.declared for column in table.columns)
    return weighted((1, calls), (3, forms)) if is_declared else weighted((3, calls), (1, forms))


@st.composite
def _declared(draw: DrawFn, table: Table) -> Table:
    """The table with a STRING of its data columns as CHAR(n) or VARCHAR(n), with n from the length of its longest value on.
    Values of a CHAR have n characters. Shrinks to CHAR."""
    places = [place for place, column in enumerate(table.data_columns) if column.type is Type.STRING]
    if not places:
        return table
    chosen = draw(st.sampled_from(places))
    longest = max((len(str(row[chosen] or "")) for file in table.files for row in file.rows), default=0)
    length, kind = max(1, longest + draw(st.sampled_from((1, 2, 0)))), draw(odds((2, "char"), (1, "varchar")))

    def padded(row: Row) -> Row:
        return tuple(
            value.ljust(length) if place == chosen and isinstance(value, str) else value
            for place, value in enumerate(row)
        )

    files = table.files
    if kind == "char":
        files = tuple(replace(file, rows=tuple(map(padded, file.rows))) for file in files)
    name = table.data_columns[chosen].name
    columns = (replace(one, declared=f"{kind}({length})") if one.name == name else one for one in table.columns)
    return replace(table, columns=tuple(columns), files=files)


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

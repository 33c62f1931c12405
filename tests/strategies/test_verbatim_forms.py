"""Tests in forms of SQL that the model does not have."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.vocabulary.predicate import Language, Verbatim, names_metadata
from model.vocabulary.table import Column, Table
from model.vocabulary.values import ArrayOf, Type
from strategies.conditions.verbatim_forms import FORMS, METADATA, verbatim_forms
from tests.sampling import sample

TABLE = Table(
    (Column("p", Type.STRING), Column("{s}", Type.STRING), Column("d", Type.DATE), Column("w", ArrayOf(Type.STRING))),
    ("p",),
    (),
    (),
)
ROWS = [("q", "a", date(2020, 1, 31), ("a", None)), ("q", None, None, None)]


@pytest.mark.parametrize("language", Language)
def test_every_form_is_of_its_column(language: Language) -> None:
    for forms in (*FORMS[language].values(), METADATA):
        assert len(set(forms)) == len(forms)
        for form in forms:
            text = form.format(c="<column>", v="<v>", w="<w>", text="<text>")
            assert "<column>" in text


@given(st.data(), st.sampled_from(tuple(Language)))
def test_a_test_names_its_column_alone(data: st.DataObject, language: Language) -> None:
    test = data.draw(verbatim_forms(TABLE, ROWS, language=language))
    (name,) = test.columns
    assert name in test.text and test.language is language
    assert name != "p" or language is Language.SPARK


def test_only_spark_tests_the_file_of_a_row_and_only_where_no_column_has_its_name() -> None:
    own = replace(TABLE, columns=(*TABLE.columns, Column("_metadata", Type.LONG)))
    for table, language, expected in (
        (TABLE, Language.SPARK, True),
        (TABLE, Language.DATAFUSION, False),
        (own, Language.SPARK, False),
    ):
        rows = [(*row, 1)[: len(table.columns)] for row in ROWS]
        drawn = sample(verbatim_forms(table, rows, language=language))
        assert any(map(names_metadata, drawn)) is expected


def test_a_table_without_such_a_column_has_a_test_for_null() -> None:
    table = Table((Column("b", Type.BINARY),), (), (), ())
    strategy = verbatim_forms(table, [(b"",)], language=Language.DATAFUSION)

    @given(strategy)
    def drawn(test: Verbatim) -> None:
        assert test == Verbatim('"b" IS NULL', ("b",), Language.DATAFUSION)

    drawn()

"""The DELETEs that must be refused, and the answers to them."""

from __future__ import annotations

import pytest

from model.refusals import APPEND_ONLY, bad_delete_sql, expected_refusal, view_sql
from model.steps import Blunder


@pytest.mark.parametrize("blunder", Blunder)
def test_every_blunder_has_a_text_and_a_documented_answer(blunder: Blunder) -> None:
    assert bad_delete_sql(blunder, "t").startswith("DELETE FROM t")
    refusal = expected_refusal(blunder)
    assert refusal.conditions and refusal.exceptions and refusal.source
    assert all(len(state) == 5 for state in refusal.sqlstates)


def test_blunders_of_the_target_have_no_condition() -> None:
    of_the_target = {Blunder.PARTITION_DIRECTORY, Blunder.NOT_A_TABLE, Blunder.MISSING_PATH, Blunder.VIEW}
    assert {blunder for blunder in Blunder if " WHERE " not in bad_delete_sql(blunder, "t")} == of_the_target


def test_texts_are_distinct() -> None:
    texts = {bad_delete_sql(blunder, blunder.name) for blunder in Blunder}
    assert len(texts) == len(Blunder)


def test_an_append_only_table_says_so_before_it_looks_at_the_type_of_a_condition() -> None:
    changed = {
        blunder for blunder in Blunder if expected_refusal(blunder, append_only=True) != expected_refusal(blunder)
    }
    assert changed == {Blunder.NOT_BOOLEAN}
    assert expected_refusal(Blunder.NOT_BOOLEAN, append_only=True) is APPEND_ONLY
    assert APPEND_ONLY.conditions == {"DELTA_CANNOT_MODIFY_APPEND_ONLY"}
    assert APPEND_ONLY.sqlstates == {"42809"}
    assert APPEND_ONLY.exceptions == {"UnsupportedOperationException"}


def test_without_partitions_another_class_answers() -> None:
    changed = {b for b in Blunder if expected_refusal(b, has_partitions=False) != expected_refusal(b)}
    assert changed == {Blunder.PARTITION_DIRECTORY}


def test_the_view_is_one_that_no_row_of_the_table_stands_behind() -> None:
    assert view_sql("v", "t") == "CREATE OR REPLACE TEMPORARY VIEW v AS SELECT count(*) AS n FROM t"

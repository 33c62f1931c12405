"""The DELETEs and VACUUMs that must be refused, and the answers to them."""

from __future__ import annotations

import pytest

from model.refusals import (
    APPEND_ONLY,
    BEYOND_RETENTION,
    CANNOT_VACUUM_LITE,
    TOO_SHORT,
    UNKNOWN_PROTOCOL,
    Refusal,
    bad_delete_sql,
    bad_vacuum_sql,
    expected_refusal,
    expected_vacuum_refusal,
    view_sql,
)
from model.steps import Blunder, VacuumBlunder
from model.table import Feature


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


# VACUUM -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize("blunder", VacuumBlunder)
def test_every_vacuum_blunder_has_a_text_and_a_documented_answer(blunder: VacuumBlunder, dry_run: bool) -> None:
    text = bad_vacuum_sql(blunder, "t", dry_run)
    assert text.startswith("VACUUM t") and text.endswith(" DRY RUN") is dry_run
    refusal = expected_vacuum_refusal(blunder)
    assert refusal.conditions and refusal.exceptions and refusal.source
    assert all(len(state) == 5 for state in refusal.sqlstates)


def test_vacuum_blunders_of_the_target_have_no_clause() -> None:
    of_the_target = {
        VacuumBlunder.PARTITION_DIRECTORY,
        VacuumBlunder.NOT_A_TABLE,
        VacuumBlunder.MISSING_PATH,
        VacuumBlunder.TEMPORARY_VIEW,
    }
    assert {blunder for blunder in VacuumBlunder if bad_vacuum_sql(blunder, "t") == "VACUUM t"} == of_the_target


def test_a_bad_inventory_is_bad_in_the_one_way_that_is_meant() -> None:
    good = (
        "(SELECT nullif('', '') AS path, nullif(0L, 0L) AS length, nullif(true, true) AS isDir, "
        "nullif(0L, 0L) AS modificationTime)"
    )
    assert bad_vacuum_sql(VacuumBlunder.LITE_WITH_INVENTORY, "t") == f"VACUUM t LITE USING INVENTORY {good}"
    shorter = good.replace(", nullif(0L, 0L) AS modificationTime", "")
    assert bad_vacuum_sql(VacuumBlunder.INVENTORY_WITHOUT_COLUMN, "t") == f"VACUUM t USING INVENTORY {shorter}"
    other = good.replace("nullif(0L, 0L) AS length", "nullif(0, 0) AS length")
    assert bad_vacuum_sql(VacuumBlunder.INVENTORY_OF_OTHER_TYPE, "t") == f"VACUUM t USING INVENTORY {other}"
    twice = bad_vacuum_sql(VacuumBlunder.CLAUSE_TWICE, "t", dry_run=True)
    assert twice == "VACUUM t RETAIN 168 HOURS RETAIN 168 HOURS DRY RUN"


@pytest.mark.parametrize("refusal", [TOO_SHORT, CANNOT_VACUUM_LITE, BEYOND_RETENTION, *UNKNOWN_PROTOCOL.values()])
def test_a_refusal_is_met_by_its_own_class_and_state_only(refusal: Refusal) -> None:
    (condition,), (state,) = refusal.conditions, refusal.sqlstates
    assert refusal.is_met_by(condition, state)
    assert not refusal.is_met_by(condition, None) and not refusal.is_met_by(None, state)
    assert not refusal.is_met_by(condition, "XXKST") and not refusal.is_met_by("DELTA_OTHER", state)


def test_a_refusal_without_a_state_is_met_without_one() -> None:
    refusal = expected_vacuum_refusal(VacuumBlunder.LITE_WITH_INVENTORY)
    (condition,) = refusal.conditions
    assert refusal.is_met_by(condition, None)
    assert not refusal.is_met_by(condition, "42601") and not refusal.is_met_by(None, None)


def test_both_unknown_features_have_their_answer() -> None:
    assert set(UNKNOWN_PROTOCOL) == {Feature.UNKNOWN_WRITER, Feature.UNKNOWN_READER}

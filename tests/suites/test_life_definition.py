"""LIFE-1D on the protocol that a switched feature leaves, and on the list of the columns with statistics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from faults.machinery.fault import Tamper
from model.vocabulary.commands import RenameColumn, Switch
from model.vocabulary.steps import OtherCommand
from model.vocabulary.table import Feature, Table
from tests.handmade.steps import PARTITIONED, in_commit, judged_by, right

VECTORS = replace(PARTITIONED, features=(Feature.DELETION_VECTORS.value,))
MAPPED = replace(PARTITIONED, features=(Feature.COLUMN_MAPPING_NAME.value,))
LISTED = replace(MAPPED, indexed_columns=("v",))


@pytest.mark.parametrize(
    ("table", "feature", "tamper", "problem"),
    [
        (VECTORS, Feature.CHANGE_DATA_FEED, right, None),
        (MAPPED, Feature.DELETION_VECTORS, right, None),
        (
            VECTORS,
            Feature.CHANGE_DATA_FEED,
            in_commit(r'"readerFeatures":\[', '"readerFeatures":["variantType",'),
            "readers must know variantType",
        ),
        (
            VECTORS,
            Feature.CHANGE_DATA_FEED,
            in_commit(r'"writerFeatures":\[[^]]*\]', '"writerFeatures":["changeDataFeed"]'),
            "the protocol no longer has appendOnly, deletionVectors, invariants",
        ),
        (
            MAPPED,
            Feature.DELETION_VECTORS,
            in_commit(r'"writerFeatures":\[[^]]*\]', '"writerFeatures":["deletionVectors"]'),
            "the protocol no longer has columnMapping",
        ),
    ],
    ids=[
        "right",
        "right with column mapping",
        "another for readers",
        "others are gone",
        "column mapping is gone",
    ],
)
def test_a_switch_drops_no_feature_and_asks_readers_for_its_own(
    table: Table, feature: Feature, tamper: Tamper, problem: str | None, tmp_path: Path
) -> None:
    switched = OtherCommand(Switch(feature, on=True))
    subjects, violations = judged_by(table, tmp_path, "LIFE-1D", (switched, tamper))
    assert subjects == 1
    assert [str(problem) in violation.message for violation in violations] == ([True] if problem else []), violations


@pytest.mark.parametrize(
    ("to", "tamper", "problem"),
    [
        ("x#1", right, None),
        ("added", in_commit("`added`", "added"), None),
        ("x#1", in_commit("`x#1`", "`v`"), "lists v, and must list x#1"),
        ("c.d", in_commit("`c.d`", "c.d"), "lists c, d, and must list c.d"),
        ("x", in_commit('Columns":"`x`"', 'Columns":""'), "lists , and must list x"),
    ],
    ids=["right", "without quotes", "the old name", "a path", "none"],
)
def test_a_renamed_column_keeps_its_place_among_those_with_statistics(
    to: str, tamper: Tamper, problem: str | None, tmp_path: Path
) -> None:
    renamed = OtherCommand(RenameColumn("v", to))
    subjects, violations = judged_by(LISTED, tmp_path, "LIFE-1D", (renamed, tamper))
    assert subjects == 1
    assert [str(problem) in violation.message for violation in violations] == ([True] if problem else []), violations

"""The capabilities and rules of each release of Delta on Spark."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from engines.spark.releases import capabilities_of, rules_of
from engines.spark.versions import JUDGED
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.predicate import Language
from model.vocabulary.rules import SPARK, Retain
from model.vocabulary.steps import Form, Mode
from model.vocabulary.table import Feature
from model.vocabulary.versions import parse


def test_the_newest_supports_everything() -> None:
    assert capabilities_of("4.4.0") == replace(EVERYTHING, languages=frozenset({Language.SPARK}), keeps_versions=False)
    assert rules_of("4.4.0") == SPARK


def test_capabilities_only_grow() -> None:
    for older, newer in pairwise(JUDGED):
        assert parse(older) < parse(newer)
        assert capabilities_of(older).shared(capabilities_of(newer)) == capabilities_of(older)


@pytest.mark.parametrize(
    ("before", "since", "name", "member"),
    [
        ("3.1.0", "3.2.0", "modes", Mode.INVENTORY_QUERY),
        ("3.2.1", "3.3.0", "modes", Mode.LITE),
        ("3.2.1", "3.3.0", "features", Feature.IN_COMMIT_TIMESTAMPS),
        ("2.4.0", "3.0.0", "features", Feature.V2_CHECKPOINTS),
        ("4.2.0", "4.3.0", "delete_forms", Form.TRUNCATE),
        ("3.2.1", "3.3.0", "switchable", Feature.ROW_TRACKING),
        ("4.0.0", "4.0.1", "droppable", Feature.DELETION_VECTORS),
        ("4.0.1", "4.1.0", "droppable", Feature.ROW_TRACKING),
    ],
)
def test_when_a_capability_was_introduced(before: str, since: str, name: str, member: object) -> None:
    assert member not in getattr(capabilities_of(before), name)
    assert member in getattr(capabilities_of(since), name)


def test_retain_moves_the_cutoff_before_4_1_only() -> None:
    assert rules_of("4.0.1").retain is Retain.ANY and not rules_of("4.0.1").blocks_expired_versions
    assert rules_of("4.1.0").retain is Retain.ZERO and rules_of("4.1.0").blocks_expired_versions


def test_metadata_is_a_hidden_name_from_3_1_to_3_2() -> None:
    hidden = [version for version in JUDGED if "metadata" in rules_of(version).reserved_names]
    assert hidden == ["3.1.0", "3.2.1"]

"""The predictions for the comparison of two runs: each rule that a release changed changes what the reference engine does."""

from __future__ import annotations

from functools import cache

import pytest

from engines.spark.releases import RULE_CHANGES, rules_of
from engines.versions import JUDGED
from model.case import Case
from model.codec import to_json
from model.rules import DELTA_RS, RuleChange, changes_to_delta_rs
from model.versions import parse
from selfcheck.prediction import prediction_between
from tests.model_streams import drawn

OLDEST, NEWEST = ("spark", "2.4.0"), ("spark", "4.4.0")


@cache
def cases() -> list[Case]:
    return [case for _, case in drawn(10)]


def fields(older: str, newer: str) -> list[str]:
    prediction = prediction_between(("spark", older), ("spark", newer))
    assert prediction is not None
    return [change.field for change in prediction.changes]


def test_the_rules_that_differ_between_two_versions() -> None:
    assert fields("3.2.1", "3.3.2") == ["reserved_names"]
    assert fields("3.0.0", "3.3.2") == ["checks_write_protocol"], "names were hidden in between only"
    assert fields("4.0.0", "4.4.0") == ["retain", "retain_error_class", "blocks_expired_versions", "random_directories"]
    assert fields("4.1.0", "4.4.0") == [] and fields("2.4.0", "2.4.0") == []
    assert prediction_between(("other", "1.0"), NEWEST) is None


def test_all_changes_up_to_a_release_give_its_rules() -> None:
    for version in JUDGED:
        prediction = prediction_between(OLDEST, ("spark", version))
        assert prediction is not None
        rules = rules_of("2.4.0")
        for change in prediction.changes:
            rules = change.applied_to(rules)
        assert {name for name, value in vars(rules).items() if value != getattr(rules_of(version), name)} <= {"release"}


def test_each_difference_of_delta_rs_has_a_sentence() -> None:
    for version in ("2.4.0", "3.1.0", "4.4.0"):
        spark = rules_of(version)
        named = {change.field for change in changes_to_delta_rs(spark, DELTA_RS)}
        differing = {name for name, value in vars(spark).items() if value != getattr(DELTA_RS, name)}
        # The reference engine has Spark's classes of errors in any case.
        assert differing - named <= {
            "error_classes",
            "retain_error_class",
            "release",
            "counts_vectors",
            "cleans_up_anytime",
        }


@pytest.mark.parametrize("change", RULE_CHANGES, ids=lambda change: f"{change.since} {change.field}")
def test_each_change_changes_what_the_reference_engine_does(change: RuleChange) -> None:
    before = [one for one in JUDGED if parse(one) < parse(change.since)][-1]
    prediction = prediction_between(("spark", before), ("spark", f"{change.since}.9"))
    assert prediction is not None and change in prediction.changes
    for case in cases():
        given = to_json(case)
        one, other = (
            [{**step, "seconds": 0} for step in prediction.steps(given, changes)] for changes in ((), (change,))
        )
        assert one, "the case can be run"
        if one != other:
            return
    pytest.fail("no case shows the rule")

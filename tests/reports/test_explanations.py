"""A rule explains a difference only if both sides did what their rules predict, and the rule alone makes the difference."""

from __future__ import annotations

from typing import Any

import pytest

from model.vocabulary.rules import RuleChange
from records.run import RecordedCase
from reports.comparison.comparison import Comparison, compare
from reports.comparison.explanations import ExplanationKind, Right
from tests.builders.small_streams import READ, VACUUM, case, error, header, run, step
from tests.reports.test_comparison import IGNORED, Foretold, breaking, broken

OTHER = RuleChange("4.1", "blocks_expired_versions", True, "Old versions are refused.", "https://example.org/5022")


def seen(**observed: Any) -> dict[str, Any]:
    return step(VACUUM, **observed)


def found(base: RecordedCase, candidate: RecordedCase, predictor: Any, *, backwards: bool = False) -> Comparison:
    sides = (run(base, first=header("4.0.1")), run(candidate, first=header("4.1.0")))
    one, other = reversed(sides) if backwards else sides
    return compare(one, other, lambda older, newer: predictor)


def reasons(comparison: Comparison) -> list[tuple[str, list[str]] | None]:
    """By group: the kind of its explanation and the sentences."""
    return [
        None if found is None else (found.kind.value, [one.sentence for one in found.reasons])
        for found in (group.explanation for group in comparison.groups)
    ]


@pytest.mark.parametrize("backwards", [False, True])
def test_a_rule_explains_what_it_alone_changes(backwards: bool) -> None:
    predictor = Foretold(1, {(): seen(vanished=["a"]), (IGNORED,): seen()})
    comparison = found(case(1, seen(vanished=["a"])), case(1, seen()), predictor, backwards=backwards)
    assert reasons(comparison) == [("rule", ["RETAIN is ignored."])]
    assert predictor.asked == [(1, ()), (1, (IGNORED,))], "each set of rules is predicted once"


@pytest.mark.parametrize(
    ("base", "candidate", "right"),
    [
        (["a"], ["c"], Right.BASE),  # the candidate deleted what no rule lets it delete
        ([], ["a"], Right.UNKNOWN),  # the other way round
    ],
)
def test_a_neighbouring_difference_stays_unexplained(base: list[str], candidate: list[str], right: Right) -> None:
    predictor = Foretold(1, {(): seen(vanished=["a"]), (IGNORED,): seen()})
    comparison = found(case(1, seen(vanished=base)), case(1, seen(vanished=candidate)), predictor)
    assert reasons(comparison) == [None] and [one.right for one in comparison.groups] == [right]


@pytest.mark.parametrize("backwards", [False, True])
def test_where_the_model_says_that_only_one_side_is_right_it_is_said_and_explained_if_that_is_the_candidate(
    backwards: bool,
) -> None:
    """More than any rule predicts vanished on the older side, and no clause is about it."""
    predictor = Foretold(1, {(): seen(vanished=["a"]), (IGNORED,): seen()})
    comparison = found(case(1, seen(vanished=["a", "b"])), case(1, seen()), predictor, backwards=backwards)
    told = "Delta 4.1.0 does what the model predicts, and Delta 4.0.1 does not."
    assert reasons(comparison) == ([None] if backwards else [("prediction", [told])])
    assert [one.right for one in comparison.groups] == [Right.BASE if backwards else Right.CANDIDATE]
    assert comparison.exit == (3 if backwards else 0)


def test_each_field_is_explained_by_itself() -> None:
    predictor = Foretold(1, {(): seen(vanished=["a"]), (IGNORED,): seen()})
    comparison = found(case(1, seen(vanished=["a"], checkpoints=[1])), case(1, seen(checkpoints=[2])), predictor)
    assert reasons(comparison) == [None, ("rule", ["RETAIN is ignored."])]
    assert [one.field.path for one in comparison.unexplained[0].differences] == ["checkpoints"]


def test_an_error_is_compared_by_its_class() -> None:
    predictor = Foretold(1, {(): step(READ), (IGNORED,): step(READ, error=error("A"))})
    assert reasons(found(case(1, step(READ)), case(1, step(READ, error=error("A"))), predictor)) == [
        ("rule", ["RETAIN is ignored."])
    ]
    assert reasons(found(case(1, step(READ)), case(1, step(READ, error=error("B"))), predictor)) == [None]


def test_the_smallest_set_of_rules_is_named() -> None:
    third = RuleChange("4.1", "retain_error_class", True, "An error has a class.", "https://example.org/5722")

    def foretold(**by_rules: Any) -> Foretold:
        records = {
            (): "none",
            (IGNORED,): "one",
            (OTHER,): "other",
            (third,): "third",
            (IGNORED, OTHER): "both",
            (OTHER, third): "last",
            (IGNORED, third): "ends",
            (IGNORED, OTHER, third): "all",
        }
        made = {changes: seen(vanished=by_rules.get(name, ["a"])) for changes, name in records.items()}
        return Foretold(1, made, IGNORED, OTHER, third)

    sides = case(1, seen(vanished=["a"])), case(1, seen())
    together = foretold(both=[], all=[])
    assert reasons(found(*sides, together)) == [("rule", ["RETAIN is ignored.", "Old versions are refused."])]
    alone = foretold(other=[], both=[], last=[], all=[])
    assert reasons(found(*sides, alone)) == [("rule", ["Old versions are refused."])]
    none = foretold(other=[], both=[], last=[])
    assert reasons(found(*sides, none)) == [None], "the newer version's own rules predict something else"


def test_no_rule_explains_a_step_in_which_a_side_breaks_a_clause() -> None:
    predictor = Foretold(1, {(): seen(vanished=["a"]), (IGNORED,): seen()})
    base = breaking(1, broken("gone"), vanished=["a"])
    assert reasons(found(base, case(1, seen()), predictor)) == [None]


def test_a_clause_that_one_side_breaks_explains_what_its_rules_do_not_predict() -> None:
    same = {(): seen(vanished=["a"]), (IGNORED,): seen(vanished=["a"])}
    candidate = breaking(1, broken("gone"), vanished=["a", "b"])
    comparison = found(case(1, seen(vanished=["a"])), candidate, Foretold(1, same))
    assert reasons(comparison) == [(ExplanationKind.VIOLATION.value, ["Delta 4.1.0 breaks VAC-SAFE-1."])]
    assert comparison.exit == 1
    known = breaking(1, broken("gone", excused="It is known."), vanished=["a", "b"])
    comparison = found(known, case(1, seen(vanished=["a"])), Foretold(1, same))
    assert reasons(comparison) == [(ExplanationKind.KNOWN_FAULT.value, ["Delta 4.0.1: It is known."])]
    # Not if the other side, too, does what its rules do not predict; nor if both break the clause.
    assert reasons(found(known, case(1, seen(vanished=["c"])), Foretold(1, same))) == [None]
    both = breaking(1, broken("gone", excused="It is known."), vanished=["a"])
    assert reasons(found(known, both, Foretold(1, same))) == [None]


def test_without_a_prediction_nothing_is_explained() -> None:
    sides = case(1, seen(vanished=["a"])), case(1, seen())
    assert reasons(found(*sides, None)) == [None]
    assert reasons(found(*sides, Foretold(2, {}))) == [None], "a case that could not be predicted"

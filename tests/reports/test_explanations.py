"""A rule explains a difference only if both sides did what their rules predict, and the rule alone makes the difference."""

from __future__ import annotations

from typing import Any

import pytest

from model.vocabulary.rules import RuleChange
from records.run import RecordedCase
from reports.comparison.comparison import compare
from reports.comparison.explanations import ExplanationKind, Right
from tests.builders.small_streams import READ, VACUUM, case, error, header, run, step
from tests.reports.test_comparison import IGNORED, Foretold, breaking, broken

OTHER = RuleChange("4.1", "blocks_expired_versions", True, "Old versions are refused.", "https://example.org/5022")


THIRD = RuleChange("4.1", "retain_error_class", True, "An error has a class.", "https://example.org/5722")


def gone(*vanished: str, **observed: Any) -> dict[str, Any]:
    return step(VACUUM, vanished=list(vanished), **observed)


def breaks(*vanished: str, excused: str | None = None) -> RecordedCase:
    return breaking(1, broken("gone", excused=excused), vanished=vanished)


def foretold(number: int = 1, **by_rules: list[str]) -> Foretold:
    """By three rules, with what vanishes by each set of them; by the others ``a`` does."""
    sets = {
        "none": (),
        "one": (IGNORED,),
        "other": (OTHER,),
        "third": (THIRD,),
        "both": (IGNORED, OTHER),
        "last": (OTHER, THIRD),
        "ends": (IGNORED, THIRD),
        "all": (IGNORED, OTHER, THIRD),
    }
    made = {rules: gone(*by_rules.get(name, ["a"])) for name, rules in sets.items()}
    return Foretold(number, made, IGNORED, OTHER, THIRD)


A = case(1, gone("a"))
NOTHING = case(1, gone())
#: By the rule nothing vanishes; by no rule something else.
BY_RULE, BY_NONE = ({(): gone("a"), (IGNORED,): one} for one in (gone(), gone("a")))
TWICE = Foretold(1, {(): gone("b", "b"), (IGNORED,): gone("b", "b")})
REFUSED = {(): step(READ), (IGNORED,): step(READ, error=error("A"))}
RULE = ("rule", ["RETAIN is ignored."])
PREDICTION = ("prediction", ["Delta 4.1.0 does what the model predicts, and Delta 4.0.1 does not."])


@pytest.mark.parametrize(
    ("base", "candidate", "predictor", "reasons", "right", "exit"),
    [
        (A, NOTHING, Foretold(1, BY_RULE), [RULE], Right.BOTH, 0),
        (A, case(1, gone("c")), Foretold(1, BY_RULE), [None], Right.BASE, 3),  # no rule lets the candidate delete it
        (NOTHING, A, Foretold(1, BY_RULE), [None], Right.UNKNOWN, 3),  # the other way round
        # More than any rule predicts vanishes on one side, and no clause is about it.
        (case(1, gone("a", "b")), NOTHING, Foretold(1, BY_RULE), [PREDICTION], Right.CANDIDATE, 0),
        # An error is compared by its class.
        (case(1, step(READ)), case(1, step(READ, error=error("A"))), Foretold(1, REFUSED), [RULE], Right.BOTH, 0),
        (case(1, step(READ)), case(1, step(READ, error=error("B"))), Foretold(1, REFUSED), [None], Right.BASE, 3),
        (case(1, step(READ)), case(1, step(READ, error=error(None, "B"))), Foretold(1, REFUSED), [RULE], Right.BOTH, 0),
        # Of files those that differ: that "a" stays on both sides is no reason for "b".
        (case(1, gone("b")), NOTHING, Foretold(1, BY_NONE), [PREDICTION], Right.CANDIDATE, 0),
        # ... and how often: names of the engine's own files are all the same.
        (case(1, gone("b", "b")), case(1, gone("b")), TWICE, [None], Right.BASE, 3),
        # The smallest set of rules is named; by its own rules the newer version does what it did.
        (
            *(A, NOTHING, foretold(both=[], all=[])),
            *([("rule", ["RETAIN is ignored.", "Old versions are refused."])], Right.BOTH, 0),
        ),
        (
            *(A, NOTHING, foretold(other=[], both=[], last=[], all=[])),
            *([("rule", ["Old versions are refused."])], Right.BOTH, 0),
        ),
        (A, NOTHING, foretold(other=[], both=[], last=[]), [None], Right.BASE, 3),
        # A clause that one side breaks explains what its rules do not predict, and no rule does.
        (breaks("a"), NOTHING, Foretold(1, BY_RULE), [None], Right.BOTH, 3),
        (A, breaks("a", "b"), Foretold(1, BY_NONE), [("violation", ["Delta 4.1.0 breaks VAC-SAFE-1."])], Right.BASE, 1),
        (
            *(breaks("a", "b", excused="It is known."), A, Foretold(1, BY_NONE)),
            *([("known fault", ["Delta 4.0.1: It is known."])], Right.CANDIDATE, 0),
        ),
        # Not if the other side, too, does what its rules do not predict; nor if both break the clause.
        (breaks("a", "b", excused="R"), case(1, gone("c")), Foretold(1, BY_NONE), [None], Right.CANDIDATE, 3),
        (breaks("a", "b", excused="R"), breaks("a", excused="R"), Foretold(1, BY_NONE), [None], Right.CANDIDATE, 3),
        # Without a prediction nothing is explained.
        (A, NOTHING, None, [None], Right.UNKNOWN, 3),
        (A, NOTHING, Foretold(2, {}), [None], Right.UNKNOWN, 3),
        # Each field is explained by itself.
        (
            *(case(1, gone("a", checkpoints=[1])), case(1, gone(checkpoints=[2])), Foretold(1, BY_RULE)),
            *([None, RULE], Right.UNKNOWN, 3),
        ),
    ],
)
def test_what_explains_a_difference(
    base: RecordedCase,
    candidate: RecordedCase,
    predictor: Any,
    reasons: list[tuple[str, list[str]] | None],
    right: Right,
    exit: int,
) -> None:
    found = compare(
        run(base, first=header("4.0.1")), run(candidate, first=header("4.1.0")), lambda older, newer: predictor
    )
    told = [
        one.explanation and (one.explanation.kind.value, [by.sentence for by in one.explanation.reasons])
        for one in found.groups
    ]
    assert (told, found.groups[0].right, found.exit) == (reasons, right, exit)


def test_it_is_the_same_the_other_way_round() -> None:
    predictor = Foretold(1, BY_RULE)
    found = compare(run(NOTHING, first=header("4.1.0")), run(A, first=header("4.0.1")), lambda older, newer: predictor)
    (group,) = found.groups
    assert group.explanation is not None and group.explanation.kind is ExplanationKind.RULE
    assert predictor.asked == [(1, ()), (1, (IGNORED,))], "each set of rules is predicted once"
    back = run(NOTHING, first=header("4.1.0")), run(case(1, gone("a", "b")), first=header("4.0.1"))
    (group,) = compare(*back, lambda older, newer: predictor).groups
    assert (group.explanation, group.right) == (None, Right.BASE), "only the newer does what the model predicts"

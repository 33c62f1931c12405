"""How an upgrade is weighed: what gets worse and what gets better, what is withdrawn, and what a user accepts of it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.spark.releases import RULE_CHANGES
from model.vocabulary.rules import Retain
from model.vocabulary.severity import Severity
from model.vocabulary.withdrawals import OLD_VERSIONS_REFUSED, RETAIN_IGNORED, WITHDRAWALS
from records.run import Header, RecordedCase
from reports.comparison.acceptance import Acceptance, acceptance_in
from reports.comparison.cases import VerdictChange
from reports.comparison.comparison import Comparison, compare
from reports.comparison.explanations import ExplanationKind, Right
from reports.comparison.proposal import proposal
from reports.comparison.wording import right_words, signature
from reports.render.comparison.files import as_json
from reports.stream.reading import Run
from suites.catalogue import CATALOGUE
from tests.builders.small_streams import DELETE, READ, VACUUM, case, error, header, run, step
from tests.reports.test_comparison import Foretold, breaking, broken


def failing(number: int, severity: Severity, **other: Any) -> RecordedCase:
    """A case with a violation of this severity, by a cause of its own."""
    return breaking(number, broken(f"cause {number}") | {"severity": severity.value, **other})


# Promises that are withdrawn ----------------------------------------------------------------------------------------------

PROMISED = ("VAC-KEEP-2C", "VAC-SAFE-1")


def without(version: str, *clauses: str) -> Header:
    """The header of a version that does not promise these clauses."""
    first = header(version, clauses=PROMISED)
    listed = [
        replace(one, status="not applicable", reason="It holds before 4.1 only.") if one.id in clauses else one
        for one in first.clauses
    ]
    return replace(first, clauses=tuple(listed))


KEPT = run(case(1, clauses=PROMISED), first=without("3.3.2"))
GONE = run(case(1, clauses=PROMISED[1:]), first=without("4.4.0", "VAC-KEEP-2C"))


def test_what_did_not_hold_before_is_not_withdrawn() -> None:
    never = run(case(1, clauses=PROMISED[1:]), first=without("3.3.2", "VAC-KEEP-2C"))
    fails = run(breaking(1, broken("gone", clause="VAC-KEEP-2C"), clauses=PROMISED), first=without("3.3.2"))
    for base in (never, fails, GONE):
        assert compare(base, GONE).withdrawn == ()


def test_a_promise_of_a_later_release_is_withdrawn_by_going_back() -> None:
    first = header("4.4.0", clauses=("VAC-KEEP-2B",))
    (listed,) = first.clauses
    older = replace(
        header("3.3.2"), clauses=(replace(listed, status="not applicable", reason="It holds from 4.1 only."),)
    )
    comparison = compare(run(case(1, clauses=("VAC-KEEP-2B",)), first=first), run(case(1, clauses=()), first=older))
    (found,) = comparison.withdrawn
    assert found.sentence == "No longer promised: The sentence of VAC-KEEP-2B. It holds from 4.1 only."
    assert found.severity is listed.severity and comparison.exit == 3


def test_a_rule_that_withdraws_a_promise_does_where_it_makes_a_difference() -> None:
    blocked = next(one for one in RULE_CHANGES if one.field == "blocks_expired_versions")
    refused = error("DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION")
    records = {(): step(READ, rows=[[1]]), (blocked,): step(READ, error=refused)}
    sides = case(1, step(READ, rows=[[1]])), case(1, step(READ, error=refused))
    runs = run(sides[0], first=header("4.0.1")), run(sides[1], first=header("4.1.0"))
    comparison = compare(*runs, lambda older, newer: Foretold(1, records, blocked))
    (found,) = comparison.withdrawn
    assert found.sentence == OLD_VERSIONS_REFUSED.sentence and found.case_ids == {f"{1:012x}"}
    assert comparison.exit == 3 and comparison.unexplained == ()
    back = compare(runs[1], runs[0], lambda older, newer: Foretold(1, records, blocked))
    assert (back.withdrawn, back.exit) == ((), 0), "an older release gives the promise again"


def test_the_words_of_what_is_withdrawn_are_those_of_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "docs" / "upgrades.md").read_text(encoding="utf-8")
    sections = {found[1]: found[2] for found in re.finditer(r"(?ms)^## From (.*?)\n(.*?)(?=^## |\Z)", text)}
    for one in WITHDRAWALS:
        plain = " ".join(re.sub(r"[*`]", "", sections[f"before {one.since}"]).split())
        assert f"{one.sentence} " in plain
        assert f"{one.harm} Before the upgrade: {one.remedy}" in plain


def test_each_clause_that_a_release_no_longer_promises_and_each_rule_that_withdraws_has_words() -> None:
    ending = [one for one in CATALOGUE.values() if one.before is not None]
    assert ending and all(one.withdrawal is not None and one.withdrawal.since == one.before for one in ending)
    withdrawing = [one for one in RULE_CHANGES if one.withdrawal is not None]
    assert all(one.withdrawal is not None and one.withdrawal.since == one.since for one in withdrawing)
    found = {one.withdrawal for one in ending} | {one.withdrawal for one in withdrawing}
    assert found == set(WITHDRAWALS)
    assert [one.withdrawal for one in RULE_CHANGES if one.value is Retain.ZERO] == [RETAIN_IGNORED]


# Differences that nothing explains ----------------------------------------------------------------------------------------


def differing() -> tuple[Run, Run]:
    """Texts in three cases, a VACUUM that deletes more in one, and a metric of OPTIMIZE."""
    base = [case(number, step(DELETE, error=error(None, "X"))) for number in (1, 2, 3)]
    candidate = [case(number, step(DELETE, error=error(None, "Y"))) for number in (1, 2, 3)]
    base.append(case(4, step(VACUUM)))
    candidate.append(case(4, step(VACUUM, vanished=["a"])))
    return run(*base, first=header("4.0.0")), run(*candidate)


def test_a_side_is_right_where_only_the_other_breaks_a_clause() -> None:
    wrong = breaking(1, broken("gone"), vanished=["a"])
    for base, candidate, right in ((case(1), wrong, Right.BASE), (wrong, case(1), Right.CANDIDATE)):
        (group,) = compare(run(base), run(candidate)).groups
        assert group.right is right and group.explanation is None, "no model is asked"
        words = right_words(group, compare(run(base, first=header("4.0.0")), run(candidate)))
        sides = ("Delta 4.0.0", "Delta 4.4.0") if right is Right.BASE else ("Delta 4.4.0", "Delta 4.0.0")
        assert words == f"{sides[0]} holds, {sides[1]} fails VAC-SAFE-1"


ACCEPTED = """
[[difference]]
differences = ["{0}"]
versions = ">=4.4"
reason = "We can live with it: {0}"
link = "https://example.org/2"
until = {1}
"""


def accepted(tmp_path: Path, text: str) -> Acceptance:
    (tmp_path / "ours.toml").write_text(text, encoding="utf-8")
    return replace(acceptance_in(tmp_path / "ours.toml"), file=Path("ours.toml"))


VACUUMS, DELETES = "VACUUM: deletes more files from storage", "DELETE: error X → Y"


@pytest.mark.parametrize(
    ("entries", "exit", "accepted_ones", "unused"),
    [
        ({VACUUMS: "2999-01-01"}, 3, [VACUUMS], 0),
        ({VACUUMS: "2999-01-01", DELETES: '"4.5"'}, 0, [DELETES, VACUUMS], 0),
        ({VACUUMS: "2999-01-01", DELETES: '"4.3"'}, 3, [VACUUMS], 1),
        ({VACUUMS: "2999-01-01", "VACUUM: never seen": '"4.5"'}, 3, [VACUUMS], 1),
    ],
)
def test_one_difference_is_accepted_and_no_other_until_its_end(
    entries: dict[str, str], exit: int, accepted_ones: list[str], unused: int, tmp_path: Path
) -> None:
    ours = accepted(tmp_path, "".join(ACCEPTED.format(*one) for one in entries.items()))
    comparison = compare(*differing(), acceptance=ours)
    kinds = {group.explanation.kind for group in comparison.explained if group.explanation}
    assert (comparison.exit, kinds) == (exit, {ExplanationKind.ACCEPTED})
    assert sorted(signature(one) for one in comparison.explained) == accepted_ones
    assert len(comparison.unused_texts) == unused


# What is proposed ---------------------------------------------------------------------------------------------------------


def proposed(tmp_path: Path, base: Run, candidate: Run) -> Comparison:
    """The comparison with all accepted that the one without proposes."""
    text = proposal(compare(base, candidate))
    return compare(base, candidate, acceptance=accepted(tmp_path, text))


def test_what_is_proposed_is_accepted(tmp_path: Path) -> None:
    whole = error("C", "X", "A long message of 17 files.")
    refused = replace(failing(1, Severity.WRONG_ANSWERS, by_error=True), steps=case(1, step(error=whole)).steps)
    regressed = breaking(2, broken('gone: "quoted"\nand \\ more'), broken("gone", clause="DEL-ROW-1"))
    known = [{"reason": "It is known.", "clauses": ["VAC-SAFE-2"]}]
    expected = breaking(3, broken("deleted", clause="VAC-SAFE-2", excused="It is known."))
    late = breaking(4, broken("late", index=1), steps=2)
    cut = breaking(4, broken("gone", clause="VAC-SAFE-2"), case=late.document)
    base, candidate = differing()
    others = [case(number) for number in (1, 2, 3)]
    before = run(*others, cut, first=header("4.0.0"))
    after = run(refused, regressed, expected, late, first=header(known_faults=known))
    comparison = compare(before, after)
    changes = {one.change for one in comparison.shifts}
    assert {VerdictChange.REGRESSED, VerdictChange.KNOWN, VerdictChange.UNCOMPARED} <= changes and comparison.exit == 1
    assert proposed(tmp_path, before, after).exit == 0
    assert proposed(tmp_path, base, candidate).exit == 0, "single differences that nothing explains"
    assert proposed(tmp_path, KEPT, GONE).exit == 0


def test_what_is_proposed_accepts_no_other_error(tmp_path: Path) -> None:
    def refusing(condition: str) -> Run:
        steps = case(1, step(error=error(condition))).steps
        return run(replace(breaking(1, broken("an error instead of a result") | {"by_error": True}), steps=steps))

    base = run(case(1, step(error=error("C"))), first=header("4.0.0"))
    ours = accepted(tmp_path, proposal(compare(base, refusing("C"))))
    assert 'symptom.errors = ["C"]' in (tmp_path / "ours.toml").read_text(encoding="utf-8")
    assert compare(base, refusing("C"), acceptance=ours).exit == 0
    assert compare(base, refusing("OTHER"), acceptance=ours).exit == 1


def test_the_report_has_the_symptom_that_an_entry_asks_for() -> None:
    known = [{"reason": "It is known.", "clauses": ["VAC-SAFE-1"]}]
    comparison = compare(
        run(case(1), first=header("4.0.0", known_faults=[])),
        run(breaking(1, broken("deleted: old", excused="It is known.")), first=header(known_faults=known)),
    )
    (found,) = as_json(comparison)["shifts"]
    assert found["cause"] == "It is known." and found["symptom"] == {"causes": ["deleted: old"], "errors": []}

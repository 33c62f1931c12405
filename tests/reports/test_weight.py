"""How an upgrade is weighed: what gets worse and what gets better, what is withdrawn, and what a user accepts of it."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.spark.releases import RULE_CHANGES
from model.vocabulary.rules import Retain
from model.vocabulary.severity import Severity
from model.vocabulary.withdrawals import OLD_VERSIONS_REFUSED, RETAIN_IGNORED, WITHDRAWALS
from records.run import Footer, Header, RecordedCase
from reports.command import main
from reports.comparison.acceptance import Acceptance, acceptance_in
from reports.comparison.answer import next_steps
from reports.comparison.cases import VerdictChange
from reports.comparison.comparison import Comparison, compare
from reports.comparison.explanations import ExplanationKind, Right
from reports.comparison.proposal import proposal
from reports.comparison.wording import right_words
from reports.document.markdown import markdown
from reports.render.comparison.document import comparison_document
from reports.stream.reading import Run
from suites.catalogue import CATALOGUE
from tests.builders.small_streams import DELETE, READ, VACUUM, case, error, footer, header, run, step, written
from tests.reports.test_comparison import Foretold, breaking, broken
from tests.reports.test_comparison_accepted import shown, verdict

LOSS, ANSWERS, UNREADABLE = Severity.DATA_LOSS, Severity.WRONG_ANSWERS, Severity.UNREADABLE
SPACE, NUMBERS, WORDS = Severity.SPACE_KEPT, Severity.WRONG_NUMBERS, Severity.WRONG_WORDS


def failing(number: int, severity: Severity, **other: Any) -> RecordedCase:
    """A case with a violation of this severity, by a cause of its own."""
    return breaking(number, broken(f"cause {number}") | {"severity": severity.value, **other})


def weighed(worse: Sequence[Severity], better: Sequence[Severity]) -> Comparison:
    """What the candidate fails and the base does not, and the other way round: each in a case of its own."""
    ways = [*worse, *better]
    fails = [failing(number, one) for number, one in enumerate(ways, start=1)]
    holds = [case(number) for number, _ in enumerate(ways, start=1)]
    base = [*holds[: len(worse)], *fails[len(worse) :]]
    candidate = [*fails[: len(worse)], *holds[len(worse) :]]
    return compare(run(*base, first=header("4.0.0")), run(*candidate))


# The rule -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("worse", "better", "exit"),
    [
        ([], [LOSS], 0),
        # A new way to lose data, whatever gets better.
        ([LOSS], [], 1),
        ([LOSS], [LOSS, LOSS, LOSS], 1),
        ([WORDS, LOSS], [LOSS], 1),
        # What gets worse is graver than all that gets better.
        ([WORDS], [], 1),
        ([ANSWERS], [UNREADABLE, WORDS], 1),
        ([NUMBERS], [WORDS], 1),
        # It is not.
        ([ANSWERS], [LOSS], 3),
        ([ANSWERS], [WORDS, ANSWERS], 3),
        ([WORDS, NUMBERS], [NUMBERS], 3),
        ([WORDS], [WORDS], 3),
        # As in the upgrades of delta-rs: 1.5.1 -> 1.5.0, 1.5.0 -> 1.5.1, 1.5.1 -> 1.6.6, 1.6.3 -> 1.6.6.
        ([LOSS, LOSS, LOSS, ANSWERS, ANSWERS, UNREADABLE, SPACE, NUMBERS, WORDS], [LOSS, ANSWERS], 1),
        ([LOSS, ANSWERS, NUMBERS], [LOSS, LOSS, LOSS, ANSWERS, ANSWERS, UNREADABLE, SPACE, NUMBERS, WORDS], 1),
        ([ANSWERS, UNREADABLE], [LOSS, LOSS, LOSS, LOSS, LOSS, ANSWERS], 3),
        ([ANSWERS, UNREADABLE], [LOSS, LOSS, LOSS, LOSS, LOSS, WORDS], 3),
    ],
)
def test_the_rule(worse: list[Severity], better: list[Severity], exit: int) -> None:
    comparison = weighed(worse, better)
    assert comparison.exit == exit
    word = {0: "UPGRADE: ", 1: "DO NOT UPGRADE: ", 3: "LOOK FIRST: "}[exit]
    assert verdict(comparison).startswith(word)
    if better:
        losses = better.count(LOSS)
        half = f"; better in {len(better)}" + (f", {losses} of them data loss" if losses else "")
        assert verdict(comparison).endswith(half), "the other half is in the first line, too"
    shown(comparison)


def test_both_halves_are_in_the_first_line() -> None:
    assert verdict(weighed([ANSWERS, WORDS], [LOSS, LOSS, SPACE])) == (
        "LOOK FIRST: Delta 4.4.0 is worse than 4.0.0 in 2 ways, the worst: gives wrong answers: cause 1; "
        "better in 3, 2 of them data loss"
    )
    assert verdict(weighed([LOSS, WORDS], [LOSS])) == (
        "DO NOT UPGRADE: Delta 4.4.0 loses data in 1 way that 4.0.0 does not, and is worse in 1 lesser way; "
        "better in 1, 1 of them data loss"
    )
    assert verdict(weighed([], [SPACE])) == "UPGRADE: nothing is worse on Delta 4.4.0 than on 4.0.0; better in 1"


def test_changes_that_are_allowed_allow_what_is_outweighed() -> None:
    comparison = replace(weighed([ANSWERS], [LOSS]), allows_changes=True)
    assert comparison.exit == 0 and verdict(comparison).startswith("LOOK FIRST: ")
    assert replace(weighed([LOSS], [LOSS]), allows_changes=True).exit == 1


@pytest.mark.parametrize("exception", ["Aborted", "PanicException"])
def test_a_crash_is_called_a_crash(exception: str) -> None:
    crashing = replace(
        failing(1, ANSWERS, by_error=True), steps=case(1, step(error=error(None, exception, "ended"))).steps
    )
    base, candidate = run(case(1), failing(2, LOSS), first=header("4.0.0")), run(crashing, case(2))
    comparison = compare(base, candidate)
    assert "the worst: crashes, and gives wrong answers: cause 1; 1 difference" in verdict(comparison)
    assert "\n1. crashes, and gives wrong answers: cause 1\n" in shown(comparison)
    alone = compare(run(case(1), first=header("4.0.0")), run(crashing))
    assert verdict(alone).endswith("gives wrong answers in 1 way that 4.0.0 does not (1 by a crash)")
    assert "no longer crashes: cause 1\n" in shown(compare(run(crashing), run(case(1))))
    refused = replace(failing(1, ANSWERS, by_error=True), steps=case(1, step(error=error(None))).steps)
    assert "crash" not in verdict(compare(run(case(1)), run(refused)))


# Promises that are withdrawn ----------------------------------------------------------------------------------------------

CLAUSES = ("VAC-KEEP-2C", "VAC-SAFE-1")


def without(version: str, *clauses: str) -> Header:
    """The header of a version that does not promise these clauses."""
    first = header(version, clauses=CLAUSES)
    listed = [
        replace(one, status="not applicable", reason="It holds before 4.1 only.") if one.id in clauses else one
        for one in first.clauses
    ]
    return replace(first, clauses=tuple(listed))


KEPT = run(case(1, clauses=CLAUSES), first=without("3.3.2"))
GONE = run(case(1, clauses=CLAUSES[1:]), first=without("4.4.0", "VAC-KEEP-2C"))


def test_a_promise_that_is_withdrawn_is_in_the_first_line_and_then_what_to_do() -> None:
    comparison = compare(KEPT, GONE)
    (found,) = comparison.withdrawn
    assert (found.name, found.clauses, found.severity) == ("VAC-KEEP-2C", ("VAC-KEEP-2C",), LOSS)
    assert verdict(comparison) == (
        "LOOK FIRST: Delta 4.4.0 withdraws 1 promise, which can lose data: "
        f"{RETAIN_IGNORED.sentence[:-1]}; nothing is worse on Delta 4.4.0 than on 3.3.2"
    )
    text = shown(comparison)
    assert f"  - before the upgrade: {RETAIN_IGNORED.remedy}\n" in text and "\nPromises withdrawn:\n" in text
    assert "## Promises withdrawn" in markdown(comparison_document(comparison))
    assert [one.change for one in comparison.clauses if one.clause == "VAC-KEEP-2C"] == [VerdictChange.WITHDRAWN]


def test_the_first_line_begins_with_what_can_cost_most() -> None:
    """Whatever kind of reason it is: a promise that is withdrawn, then a command that fails, which is no matter of words."""
    fails = broken("BETWEEN fails") | {"severity": Severity.FAILS.value}
    loses = breaking(2, broken("gone"), clauses=CLAUSES[1:])
    base = run(case(1, clauses=CLAUSES), loses, first=KEPT.header)
    worse = run(breaking(1, fails, clauses=CLAUSES[1:]), case(2, clauses=CLAUSES[1:]), first=GONE.header)
    assert verdict(compare(base, worse)) == (
        f"LOOK FIRST: Delta 4.4.0 withdraws 1 promise, which can lose data: {RETAIN_IGNORED.sentence[:-1]}; worse in "
        "1 way, the worst: fails at commands; better in 1, 1 of them data loss"
    )


@pytest.mark.parametrize(
    "cause", ["BETWEEN fails", "In Spark 4 BETWEEN has no nullability before it is resolved. " * 4]
)
def test_the_first_line_is_three_lines_at_most(cause: str) -> None:
    fails = broken(cause.strip()) | {"severity": Severity.FAILS.value}
    loses = breaking(2, broken("gone"), clauses=CLAUSES[1:])
    base = run(case(1, clauses=CLAUSES), loses, first=KEPT.header)
    alone = run(case(1, clauses=CLAUSES[1:]), loses, first=GONE.header)
    for one, other in ((base, alone), (alone, base)):
        for worse in (other, run(breaking(1, fails, clauses=CLAUSES[1:]), case(2), first=other.header)):
            assert len(textwrap.wrap(verdict(compare(one, worse)), 80)) <= 3


def test_a_promise_that_is_withdrawn_is_said_whatever_else_is_so() -> None:
    worse = run(breaking(1, broken("gone"), clauses=CLAUSES[1:]), first=GONE.header)
    comparison = compare(KEPT, worse)
    assert comparison.exit == 1 and "; Delta 4.4.0 withdraws 1 promise, which can lose data: RETAIN" in verdict(
        comparison
    )
    assert compare(KEPT, GONE, allows_changes=True).exit == 0, "it is documented"


def test_what_did_not_hold_before_is_not_withdrawn() -> None:
    never = run(case(1, clauses=CLAUSES[1:]), first=without("3.3.2", "VAC-KEEP-2C"))
    fails = run(breaking(1, broken("gone", clause="VAC-KEEP-2C"), clauses=CLAUSES), first=without("3.3.2"))
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
    base = [case(number, step(DELETE, error=error(None, message="m"))) for number in (1, 2, 3)]
    candidate = [case(number, step(DELETE, error=error(None, message="n"))) for number in (1, 2, 3)]
    base.append(case(4, step(VACUUM)))
    candidate.append(case(4, step(VACUUM, vanished=["a"])))
    return run(*base, first=header("4.0.0")), run(*candidate)


def test_unexplained_differences_are_in_the_order_of_their_harm_and_mere_texts_apart() -> None:
    comparison = compare(*differing())
    assert [(one.severity, one.cases) for one in comparison.unexplained] == [(LOSS, 1), (WORDS, 3)]
    first = "LOOK FIRST: 2 differences are unexplained, the worst can lose data; nothing is worse on Delta 4.4.0"
    assert verdict(comparison).startswith(first)
    assert next(next_steps(comparison)).startswith("look at the unexplained differences, the first at the top: ")
    before, after = (run(*one.cases[:3], first=one.header) for one in differing())
    texts = compare(before, after)
    assert verdict(texts).endswith("; 1 difference is unexplained, in words alone")


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
differences = ["{}"]
versions = ">=4.4"
reason = "We delete nothing there."
link = "https://example.org/2"
until = {}
"""


def accepted(tmp_path: Path, text: str) -> Acceptance:
    (tmp_path / "ours.toml").write_text(text, encoding="utf-8")
    return replace(acceptance_in(tmp_path / "ours.toml"), file=Path("ours.toml"))


def test_one_difference_is_accepted_and_no_other_until_its_end(tmp_path: Path) -> None:
    one = ACCEPTED.format("VACUUM: deletes more files from storage", "2999-01-01")
    comparison = compare(*differing(), acceptance=accepted(tmp_path, one))
    assert [group.severity for group in comparison.unexplained] == [WORDS] and comparison.exit == 3
    (explained,) = comparison.explained
    assert explained.explanation is not None
    assert (explained.explanation.kind, explained.explanation.sentence) == (
        ExplanationKind.ACCEPTED,
        "We delete nothing there.",
    )
    both = one + ACCEPTED.format("DELETE: error X: different message", '"4.5"')
    comparison = compare(*differing(), acceptance=accepted(tmp_path, both))
    assert verdict(comparison) == (
        "UPGRADE: nothing is worse on Delta 4.4.0 than on 4.0.0, except for 2 differences that ours.toml accepts (the worst: "
        "data loss)"
    )
    past = both.replace('"4.5"', '"4.3"')
    assert compare(*differing(), acceptance=accepted(tmp_path, past)).exit == 3
    unneeded = one + ACCEPTED.format("VACUUM: never seen", '"4.5"').replace("We delete", "We see")
    comparison = compare(*differing(), acceptance=accepted(tmp_path, unneeded))
    assert "Not needed in " in shown(comparison) and "VACUUM: never seen (We see nothing there.)" in shown(comparison)


# What is proposed ---------------------------------------------------------------------------------------------------------


def proposed(tmp_path: Path, base: Run, candidate: Run) -> Comparison:
    """The comparison with all accepted that the one without proposes."""
    text = proposal(compare(base, candidate))
    return compare(base, candidate, acceptance=accepted(tmp_path, text))


def test_what_is_proposed_is_accepted(tmp_path: Path) -> None:
    whole = error("C", "X", "A long message of 17 files.")
    refused = replace(failing(1, ANSWERS, by_error=True), steps=case(1, step(error=whole)).steps)
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
    withdrawing = proposed(tmp_path, KEPT, GONE)
    assert withdrawing.exit == 0 and "except for 1 withdrawn promise that " in verdict(withdrawing)


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
    from reports.render.comparison.files import as_json

    known = [{"reason": "It is known.", "clauses": ["VAC-SAFE-1"]}]
    comparison = compare(
        run(case(1), first=header("4.0.0", known_faults=[])),
        run(breaking(1, broken("deleted: old", excused="It is known.")), first=header(known_faults=known)),
    )
    (found,) = as_json(comparison)["shifts"]
    assert found["cause"] == "It is known." and found["symptom"] == {"causes": ["deleted: old"], "errors": []}


def test_the_command_proposes_and_takes_the_proposal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, one in zip(("base", "candidate"), (KEPT, GONE), strict=True):
        (tmp_path / name).mkdir()
        lines: list[Header | RecordedCase | Footer] = [one.header, *one.cases, footer(one.header, one.cases)]
        (tmp_path / name / "run.jsonl").write_bytes(written(lines))
    command = ["compare", str(tmp_path / "base"), str(tmp_path / "candidate"), "--out", str(tmp_path / "out")]
    ours = tmp_path / "accepted.toml"
    assert main([*command, "--propose-accept", str(ours)]) == 3
    assert main([*command, "--accept", str(ours)]) == 0
    assert "UPGRADE: nothing is worse" in capsys.readouterr().out
    assert json.loads((tmp_path / "out" / "comparison.json").read_text())["withdrawn"][0]["accepted"]["link"]
    assert main([*command, "--accept", str(ours), "--propose-accept", str(tmp_path)]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert main([*command, "--accept", str(ours), "--propose-accept", str(ours)]) == 0
    assert "[[" not in ours.read_text(encoding="utf-8"), "nothing is left to accept"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[difference]]\nreason = 'r'\nlink = 'l'\n", "Difference 1 of .* has differences = None: write a list"),
        ("[[withdrawn]]\npromises = ['A']\nlink = 'l'\n", "Withdrawn 1 of .* needs 'reason'"),
        ("[[withdrawn]]\npromises = ['A']\nreason = 'r'\nlink = 'l'\nwhen = 'x'\n", "unknown key 'when'"),
        ("[[other]]\n", r"only \[\[known_fault\]\] and \[\[withdrawn\]\] and \[\[difference\]\] entries"),
        ("[[difference]]\ndifferences = ['A']\nreason = 'r'\nlink = 'l'\nversions = 'x'\n", "write a range"),
    ],
)
def test_a_malformed_entry_is_refused_in_one_sentence(text: str, words: str, tmp_path: Path) -> None:
    from records.mistakes import UsageMistake

    with pytest.raises(UsageMistake, match=words):
        accepted(tmp_path, text)

"""What makes a candidate worse: faults, known to the suite or not, that the base lacks; and what a user accepts of them."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator
from rich.console import Console

from faults import FAULTS, KnownBadEngine
from model.vocabulary.case import Case
from model.vocabulary.steps import Vacuum
from records.known_fault import KnownFault, Symptom
from records.run import RecordedCase
from reference_engine import ReferenceEngine
from reports.command import main
from reports.comparison.acceptance import Acceptance, AcceptedEntries, covering
from reports.comparison.answer import answer_to
from reports.comparison.cases import VerdictChange
from reports.comparison.comparison import Comparison, compare
from reports.document.markdown import markdown
from reports.document.terminal import show
from reports.render.comparison.document import comparison_document
from reports.render.comparison.files import as_json
from reports.stream.reading import Run
from tests.builders.small_streams import VACUUM, case, case_document, changed, error, footer, header, run, step, written
from tests.handmade.vacuums import LISTED_TABLE
from tests.reports.model_streams import run_of
from tests.reports.test_comparison import NAME, SCHEMA, breaking, broken, lesser

TODAY = date(2027, 6, 30)
R, S = "Old files are deleted.", "Names are refused."


def knowing(reasons: dict[str, list[str]], *cases: RecordedCase, version: str = "4.4.0", **other: Any) -> Run:
    """A run whose version is known to have these faults: clauses by reason."""
    listed = [{"reason": reason, "clauses": clauses} for reason, clauses in reasons.items()]
    return run(*cases, first=header(version, known_faults=listed, **other))


def accepting(*entries: KnownFault) -> Acceptance:
    return Acceptance(Path("ours.toml"), entries, TODAY)


def entry(clause: str = NAME, *causes: str, reason: str = "We can live with it.", **other: Any) -> KnownFault:
    return KnownFault(clause, reason, "https://example.org/1", Symptom(causes or ("gone",)), **other)


def verdict(comparison: Comparison) -> str:
    """The first line of every view."""
    return str(answer_to(comparison))


def shown(comparison: Comparison) -> str:
    """What the terminal shows. The Markdown has the same first line, and the JSON is by its schema."""
    console = Console(file=io.StringIO(), width=500)
    show(comparison_document(comparison, directory=Path("out")), console)
    stated = json.loads(json.dumps(as_json(comparison)))
    assert not list(Draft202012Validator(SCHEMA).iter_errors(stated))
    assert (stated["exit"], "{word}: {reason}".format(**stated["answer"])) == (comparison.exit, verdict(comparison))
    mark = {0: "✅", 1: "❌", 3: "⚠️"}[comparison.exit]
    assert markdown(comparison_document(comparison)).startswith(f"# {mark} {verdict(comparison)}\n")
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert text.startswith(verdict(comparison) + "\n")
    return str(text)


# Which side has a known fault -----------------------------------------------------------------------------------------


def test_a_fault_that_both_versions_are_known_to_have_is_neutral_whichever_shows_it() -> None:
    """Where outcomes vary, it shows on one side by chance: the entries decide."""
    holds, fails = knowing({R: [NAME]}, case(1)), knowing({R: [NAME]}, breaking(1, broken("gone", excused=R)))
    for pair in ((holds, fails), (fails, holds), (fails, fails)):
        comparison = compare(*pair)
        assert (comparison.exit, comparison.shifts) == (0, ())
        assert comparison.known_faults[0].on_base
        assert shown(comparison).startswith("UPGRADE: nothing is worse on Delta 4.4.0 than on the base\n")


def test_a_fault_that_only_the_candidate_is_known_to_have_is_worse_and_its_end_is_an_improvement() -> None:
    base = knowing({}, case(1), version="4.0.0")
    candidate = knowing({R: [NAME], S: ["DEL-ROW-1"]}, breaking(1, broken("gone", excused=R)))
    comparison = compare(base, candidate)
    assert comparison.exit == 1 and [one.change for one in comparison.shifts] == [VerdictChange.KNOWN]
    assert verdict(comparison) == "DO NOT UPGRADE: Delta 4.4.0 loses data in 1 way that 4.0.0 does not"
    assert f"\n1. known, loses data: {R}\n" in shown(comparison)
    back = compare(candidate, base)
    assert back.exit == 0 and [one.change for one in back.shifts] == [VerdictChange.IMPROVED]
    assert verdict(back) == "UPGRADE: nothing is worse on Delta 4.0.0 than on 4.4.0; better in 1, 1 of them data loss"


def test_an_entry_of_another_clause_with_the_same_reason_is_another_fault() -> None:
    base = knowing({R: ["DEL-ROW-1"]}, case(1))
    assert compare(base, knowing({R: [NAME]}, breaking(1, broken("gone", excused=R)))).exit == 1


def test_another_known_fault_of_a_clause_that_the_base_violates_too_is_worse() -> None:
    base = knowing({S: [NAME]}, breaking(1, broken("gone", excused=S)))
    candidate = knowing({R: [NAME], S: [NAME]}, breaking(1, broken("gone", excused=R)))
    comparison = compare(base, candidate)
    (found,) = comparison.shifts
    assert (comparison.exit, found.change, found.before) == (1, VerdictChange.KNOWN, f"known fault: {S}")
    assert compare(candidate, base).exit == 0, "S is known of both"


def test_what_the_base_fails_for_the_same_cause_is_not_worse_by_being_known() -> None:
    failing = knowing({}, breaking(1, broken("gone")))
    assert compare(failing, knowing({R: [NAME]}, breaking(1, broken("gone", excused=R)))).exit == 0
    other = knowing({R: [NAME]}, breaking(1, broken("gone", excused=R), broken("kept", excused=R)))
    (found,) = compare(failing, other).shifts
    assert (found.change, found.message) == (VerdictChange.KNOWN, f"{NAME} is violated: kept.")


def test_a_known_fault_in_a_step_that_the_base_did_not_reach_is_not_compared() -> None:
    base = breaking(1, broken("gone", clause="VAC-SAFE-2"), case=case_document(1, [VACUUM] * 2))
    candidate = knowing({R: [NAME]}, breaking(1, broken("late", excused=R, index=1), steps=2))
    comparison = compare(run(base), candidate)
    assert comparison.exit == 3 and VerdictChange.UNCOMPARED in {one.change for one in comparison.shifts}
    known = knowing({R: [NAME]}, base)
    assert compare(known, candidate).exit == 0, "by its entry the base has it too"


def test_the_gravest_of_the_new_known_faults_is_in_the_first_line_and_the_lesser_ones_are_counted() -> None:
    first = lesser(header("4.0.0"))
    base = run(case(1), first=first)
    worse = breaking(1, broken("gone", excused=R), broken("said", clause="DEL-ROW-1", excused=S))
    listed = [{"reason": R, "clauses": [NAME]}, {"reason": S, "clauses": ["DEL-ROW-1"]}]
    both = compare(base, run(worse, first=changed(first, versions={"delta": "4.4.0"}, known_faults=listed)))
    assert verdict(both) == (
        "DO NOT UPGRADE: Delta 4.4.0 loses data in 1 way that 4.0.0 does not, and is worse in 1 lesser way"
    )
    words = breaking(1, broken("said", clause="DEL-ROW-1", excused=S))
    slight = compare(base, run(words, first=changed(first, versions={"delta": "4.4.0"})))
    assert slight.exit == 1 and "Delta 4.4.0 uses other words in 1 way that 4.0.0 does not" in verdict(slight)
    regressed = breaking(1, broken("gone", excused=R), broken("said", clause="DEL-ROW-1"))
    mixed = compare(base, run(regressed, first=changed(first, versions={"delta": "4.4.0"})))
    assert verdict(mixed) == verdict(both), "known to the suite or not"
    for one in (both, slight, mixed):
        shown(one)


# What a user accepts --------------------------------------------------------------------------------------------------


GOOD = knowing({}, case(1), version="4.0.0")
KNOWN = knowing({R: [NAME]}, breaking(1, broken("gone", excused=R)))
UNKNOWN = knowing({}, breaking(1, broken("gone")))


@pytest.mark.parametrize("worse", [KNOWN, UNKNOWN])
def test_what_is_worse_can_be_accepted_until_its_end(worse: Run) -> None:
    for until in (None, TODAY, "4.4.0"):
        comparison = compare(GOOD, worse, acceptance=accepting(entry(until=until)))
        assert (comparison.exit, [one.change for one in comparison.shifts]) == (0, [VerdictChange.ACCEPTED])
        assert verdict(comparison) == (
            "UPGRADE: nothing is worse on Delta 4.4.0 than on 4.0.0, "
            "except for 1 fault that ours.toml accepts (the worst: data loss)"
        )
        end = f"until {until}" if until else "without an end"
        assert "\nWorse, and accepted by ours.toml:\n" in shown(comparison)
        assert f": {end}: We can live with it.\n" in shown(comparison)
        assert "## Worse, and accepted by ours.toml" in markdown(comparison_document(comparison))
    for until in (date(2027, 6, 29), "4.3"):
        comparison = compare(GOOD, worse, acceptance=accepting(entry(until=until)))
        assert comparison.exit == 1
        assert f"ours.toml accepted it until {until}, which is past" in shown(comparison)
        assert not comparison.unused, "it is said once"
        assert [one["until"] for one in as_json(comparison)["acceptance"]["ended"]] == [str(until)]


@pytest.mark.parametrize(
    "other",
    [
        entry("DEL-ROW-1"),
        entry(NAME, "kept"),
        entry(versions="<4.4"),
        entry(when="change feed"),
        KnownFault(NAME, "r", "l", Symptom(("gone",), of="encoded path")),
        KnownFault(NAME, "r", "l", Symptom(errors=("Boom",))),
    ],
)
def test_what_an_entry_does_not_describe_is_not_accepted_and_the_entry_is_not_needed(other: KnownFault) -> None:
    comparison = compare(GOOD, KNOWN, acceptance=accepting(other))
    assert comparison.exit == 1
    assert f"Not needed in ours.toml: {other.clause} ({other.reason})\n" in shown(comparison)


def test_an_entry_is_matched_by_all_that_it_gives() -> None:
    found = broken("refused") | {"by_error": True, "circumstances": ["change feed"], "kinds": ["encoded path"]}
    refused = case(1, step(error=error("C", "X", "It went Boom."))).steps
    failing = replace(breaking(1, found), steps=refused)
    whole = KnownFault(NAME, "r", "l", Symptom(errors=("Boom",), of="encoded path"), ">=4.4", when="change feed")
    assert compare(GOOD, run(failing), acceptance=accepting(whole), allows_changes=True).exit == 0
    for text, code in (("C", 0), ("X", 0), ("went", 0), ("other", 1)):
        symptom = Symptom(("refused",), (text,))
        accepted = accepting(KnownFault(NAME, "r", "l", symptom))
        assert compare(GOOD, run(failing), acceptance=accepted, allows_changes=True).exit == code
    failing = replace(breaking(1, {**found, "by_error": False}), steps=refused)
    assert compare(GOOD, run(failing), acceptance=accepting(whole)).exit == 1, (
        "no cause, and no error instead of a result"
    )


def test_one_violation_of_a_case_that_no_entry_accepts_is_worse() -> None:
    """Both have the same clause, cause and case, but not the same kind of path."""
    encoded, plain = broken("gone") | {"kinds": ["encoded path"]}, broken("gone")
    narrow = accepting(KnownFault(NAME, "r", "l", Symptom(("gone",), of="encoded path")))
    comparison = compare(GOOD, run(breaking(1, encoded, plain)), acceptance=narrow)
    assert comparison.exit == 1 and {one.change for one in comparison.shifts} == {
        VerdictChange.REGRESSED,
        VerdictChange.ACCEPTED,
    }
    assert compare(GOOD, run(breaking(1, encoded, encoded)), acceptance=narrow).exit == 0


def test_what_the_base_did_not_judge_can_be_accepted_too() -> None:
    base = breaking(1, broken("gone", clause="VAC-SAFE-2"), case=case_document(1, [VACUUM] * 2))
    candidate = run(breaking(1, broken("late", index=1), steps=2))
    assert compare(run(base), candidate).exit == 3
    assert compare(run(base), candidate, acceptance=accepting(entry(NAME, "late"))).exit == 0


def test_what_was_not_judged_is_not_accepted() -> None:
    lacking = knowing({R: [NAME]}, breaking(1, broken("gone", excused=R), clauses=("VAC-SAFE-1", "VAC-SAFE-2")))
    comparison = compare(GOOD, lacking, acceptance=accepting(entry()))
    assert comparison.exit == 3
    assert shown(comparison).startswith(
        "LOOK FIRST: nothing is worse on Delta 4.4.0 than on 4.0.0, except for 1 fault that ours.toml accepts (the worst: data "
        "loss); 1 clause was not judged on one of the two\n"
    )


def test_a_table_of_the_file_is_needed_if_one_of_its_clauses_is() -> None:
    entries = [entry(clause, reason="one table") for clause in (NAME, "DEL-ROW-1")]
    comparison = compare(GOOD, KNOWN, acceptance=accepting(*entries, entry("VAC-SAFE-2", reason="another")))
    assert comparison.exit == 0
    assert [(table.reason, clauses) for table, clauses in comparison.unused.items()] == [("another", ("VAC-SAFE-2",))]


@pytest.mark.long
def test_an_entry_accepts_what_the_harness_excuses_by_it(tmp_path: Path) -> None:
    """The stream has all by which a judge decides."""
    engine = KnownBadEngine(ReferenceEngine(), FAULTS["vacuums-inside-retention"])
    cases = [("vacuums", Case(LISTED_TABLE, (Vacuum(),)))]
    wrong = [one for line in run_of(engine, cases, tmp_path / "all").cases for one in line.violations]
    kinds = {kind for one in wrong for kind in one.kinds}
    assert "file of a young tombstone" in kinds and {one.by_error for one in wrong} == {False}
    causes = tuple({one.cause for one in wrong})
    symptoms = [
        Symptom(causes[:1]),
        Symptom(causes),
        *(Symptom(causes, of=kind) for kind in sorted({"young orphan", *kinds})),
    ]
    for number, (symptom, when) in enumerate(product(symptoms, (None, "young tombstone", "encoded path"))):
        entries = tuple(KnownFault(one, "r", "l", symptom, when=when) for one in {one.clause for one in wrong})
        current = AcceptedEntries.by(accepting(*entries), "4.4.0").current
        for judged in run_of(engine, cases, tmp_path / str(number), listed=entries).cases:
            for one in judged.violations:
                assert (one.excused is not None) == (covering(current, judged, one) is not None)


# The command ----------------------------------------------------------------------------------------------------------

ENTRY = f"""
[[known_fault]]
clause = "{NAME}"
symptom.causes = ["gone"]
reason = "We can live with it."
link = "https://example.org/1"
"""


def reports(directory: Path) -> list[str]:
    for name, one in (("base", GOOD), ("candidate", KNOWN)):
        (directory / name).mkdir()
        lines = [one.header, *one.cases, footer(one.header, one.cases)]  # type: ignore[list-item, arg-type]
        (directory / name / "run.jsonl").write_bytes(written(lines))  # type: ignore[arg-type]
    return ["compare", str(directory / "base"), str(directory / "candidate"), "--out", str(directory / "out")]


def test_the_command_takes_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command, ours = reports(tmp_path), tmp_path / "ours.toml"
    assert main(command) == 1
    ours.write_text(ENTRY, encoding="utf-8")
    assert main([*command, "--accept", str(ours)]) == 0
    assert f"Worse, and accepted by {ours}: " in " ".join(capsys.readouterr().out.split())
    ours.write_text(f"{ENTRY}until = 2020-01-01\n", encoding="utf-8")
    assert main([*command, "--accept", str(ours)]) == 1
    stated = json.loads((tmp_path / "out" / "comparison.json").read_text(encoding="utf-8"))
    assert [one["until"] for one in stated["acceptance"]["ended"]] == ["2020-01-01"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "is not a file: name an existing one.\n"),
        ("x", "is not TOML"),
        (ENTRY.replace("symptom", "symptoms"), "has the unknown key 'symptoms'"),
        (ENTRY.replace(NAME, "VAC-NONE-1"), "lists VAC-NONE-1, which is not a clause"),
        (f'{ENTRY}when = "it rains"', "which is not a condition"),
        (f'{ENTRY}symptom.of = "bread"', "which is not a kind of subject"),
    ],
)
def test_a_wrong_file_is_refused_in_one_sentence(
    text: str | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = tmp_path / "ours.toml"
    if text is not None:
        ours.write_text(text, encoding="utf-8")
    assert main([*reports(tmp_path), "--accept", str(ours)]) == 2
    captured = capsys.readouterr()
    assert message in captured.err and captured.err.count("\n") == 1 and captured.out == ""
    assert not (tmp_path / "out").exists()

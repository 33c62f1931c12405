"""What makes a candidate worse: faults, known to the suite or not, that the base lacks; and what a user accepts of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from faults import FAULTS, KnownBadEngine
from model.vocabulary.case import Case
from model.vocabulary.steps import Vacuum
from records.known_fault import KnownFault, Symptom
from reference_engine import ReferenceEngine
from reports.comparison.acceptance import Acceptance, AcceptedEntries, covering
from reports.comparison.cases import VerdictChange
from reports.comparison.comparison import compare
from reports.render.comparison.files import as_json
from reports.stream.reading import Run
from tests.builders.small_streams import case, error, run, step
from tests.handmade.vacuums import LISTED_TABLE
from tests.reports.model_streams import run_of
from tests.reports.test_comparison import ENDED, LATE, NAME, R, breaking, broken, knowing

TODAY = date(2027, 6, 30)


def accepting(*entries: KnownFault) -> Acceptance:
    return Acceptance(Path("ours.toml"), entries, TODAY)


def entry(clause: str = NAME, *causes: str, reason: str = "We can live with it.", **other: Any) -> KnownFault:
    return KnownFault(clause, reason, "https://example.org/1", Symptom(causes or ("gone",)), **other)


GOOD = knowing({}, case(1), version="4.0.0")
KNOWN = knowing({R: [NAME]}, breaking(1, broken("gone", excused=R)))
UNKNOWN = knowing({}, breaking(1, broken("gone")))


def refusing(*, by_error: bool = True) -> Run:
    """An error where a table has a change feed, about an encoded path."""
    found = broken("refused") | {"circumstances": ["change feed"], "kinds": ["encoded path"], "by_error": by_error}
    return run(replace(breaking(1, found), steps=case(1, step(error=error("C", "X", "It went Boom."))).steps))


def symptom(*causes: str, **other: Any) -> KnownFault:
    return KnownFault(NAME, "r", "l", Symptom(causes, **other))


WHOLE = KnownFault(NAME, "r", "l", Symptom(errors=("Boom",), of="encoded path"), ">=4.4", when="change feed")
ENCODED = broken("gone") | {"kinds": ["encoded path"]}


@pytest.mark.parametrize(
    ("worse", "accepted", "exit"),
    [
        *((worse, entry(until=until), 0) for worse in (KNOWN, UNKNOWN) for until in (None, TODAY, "4.4.0")),
        *((worse, entry(until=until), 1) for worse in (KNOWN, UNKNOWN) for until in (date(2027, 6, 29), "4.3")),
        # An entry accepts what it describes, by all that it gives.
        (KNOWN, entry("DEL-ROW-1"), 1),
        (KNOWN, entry(NAME, "kept"), 1),
        (KNOWN, entry(versions="<4.4"), 1),
        (KNOWN, entry(when="change feed"), 1),
        (KNOWN, symptom("gone", of="encoded path"), 1),
        (KNOWN, symptom(errors=("Boom",)), 1),
        (refusing(), WHOLE, 0),
        (refusing(by_error=False), WHOLE, 1),  # there is no cause, and no error instead of a result
        *((refusing(), symptom("refused", errors=(text,)), 0) for text in ("C", "X", "went")),
        (refusing(), symptom("refused", errors=("other",)), 1),
        # All violations of a case, of one clause and by one cause, have an entry, or it is worse.
        (run(breaking(1, ENCODED, broken("gone"))), symptom("gone", of="encoded path"), 1),
        (run(breaking(1, ENCODED, ENCODED)), symptom("gone", of="encoded path"), 0),
    ],
)
def test_what_a_user_accepts(worse: Run, accepted: KnownFault, exit: int) -> None:
    comparison = compare(GOOD, worse, acceptance=accepting(accepted), allows_changes=True)
    assert comparison.exit == exit
    assert (VerdictChange.ACCEPTED in {one.change for one in comparison.shifts}) == (
        exit == 0 or len(worse.cases[0].violations) > 1
    )
    ended = [one["until"] for one in as_json(comparison)["acceptance"]["ended"]]
    assert ended == ([str(accepted.until)] if accepted.until and exit else [])
    needed = exit == 0 or ended or len(worse.cases[0].violations) > 1
    assert list(comparison.unused) == ([] if needed else [replace(accepted, clause="")])


def test_what_the_base_did_not_judge_can_be_accepted_too() -> None:
    assert compare(run(ENDED), run(LATE), acceptance=accepting(entry(NAME, "late"))).exit == 0


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

"""What is asked of every violation, whatever it is about: a person can read it, and a script can check it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from harness.clause import Violation
from harness.expectations import expectation_to_json
from harness.step_judge import Tally
from reports.counterexamples.expectations import KINDS


def must_be_well_told(tallies: Mapping[str, Tally]) -> None:
    """Raises AssertionError for a violation without a sentence, or one whose expectation no script could check."""
    for id, tally in tallies.items():
        for _, violation in tally.violations:
            _must_be_well_told(id, violation)


def _must_be_well_told(id: str, violation: Violation) -> None:
    for told in (violation.subject, violation.message, *violation.evidence):
        assert isinstance(told, str) and told, f"{id}: {told!r} is no text"
    assert violation.message.endswith("."), f"{id}: {violation.message!r} is no sentence"
    expectation = expectation_to_json(violation.expectation)
    assert expectation["kind"] in KINDS
    json.dumps(expectation)

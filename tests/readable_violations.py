"""Every violation must be readable for a person, and its expectation known to the reproduction scripts."""

from __future__ import annotations

import json
from collections.abc import Mapping

from harness.judging.step_judge import Tally
from records.json_form import KINDS, expectation_to_json
from records.run import RecordedViolation


def check_violations_readable(tallies: Mapping[str, Tally]) -> None:
    """Raises AssertionError for a violation without a sentence, or one whose expectation no script could check."""
    for id, tally in tallies.items():
        for violation in tally.violations:
            _check_readable(id, violation)


def _check_readable(id: str, violation: RecordedViolation) -> None:
    for text in (violation.subject, violation.message, *violation.evidence):
        assert isinstance(text, str) and text, f"{id}: {text!r} is not a text"
    assert violation.message.endswith("."), f"{id}: {violation.message!r} is not a sentence"
    expectation = expectation_to_json(violation.expectation)
    assert expectation is not None and expectation["kind"] in KINDS
    json.dumps(expectation)

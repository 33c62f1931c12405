"""The model and the clauses judge fixed cases as recorded (``tests.recorded``)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.recorded import KINDS, cases, recorded, verdict


@pytest.mark.long
@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in cases(kind)], ids=str)
def test_a_case_is_judged_as_recorded(kind: str, name: str, tmp_path: Path) -> None:
    found = json.loads(json.dumps(verdict(kind, name, tmp_path)))
    assert found == recorded(kind)[name], "if the change is intended, run python -m tests.recorded"


@pytest.mark.parametrize("kind", KINDS)
def test_every_case_is_recorded_none_failed_and_no_healthy_engine_violates_a_clause(kind: str) -> None:
    assert set(recorded(kind)) == set(cases(kind))
    assert not any("failure" in found for found in recorded(kind).values())
    if kind != "faulty":
        violations = {
            name: [id for id, (_, wrong) in found["clauses"].items() if wrong] for name, found in recorded(kind).items()
        }
        assert {name: ids for name, ids in violations.items() if ids} == {}

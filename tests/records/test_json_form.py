"""The records of a run as JSON, and the schema that is made of them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta

from records.expectations import Gone
from records.json_form import from_json, to_json
from records.schema import FILE, LINES, line_schema, run_schema
from runner.demo import KEPT
from tests.builders.small_streams import violation
from tests.reports.test_failures import failing

STREAMS = sorted(KEPT.rglob("run.jsonl.gz"))


def test_the_published_schema_is_that_of_the_records() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == json.loads(json.dumps(run_schema())), (
        "it is stale: run python -m records.schema"
    )
    meta.validate(run_schema())


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.parent.name)
def test_a_kept_stream_is_valid_and_its_records_are_written_as_they_were_read(path: Path) -> None:
    any_line = Draft202012Validator(run_schema())
    own = {kind: Draft202012Validator(line_schema(kind)) for kind in LINES}
    with gzip.open(path) as lines:
        for line in map(json.loads, lines):
            kind = line["type"]
            assert any_line.is_valid(line) and own[kind].is_valid(line)
            record = from_json(line, LINES[kind])
            assert record == from_json(to_json(record), LINES[kind])
            assert comparable(json.loads(json.dumps(to_json(record)))) == comparable(line)


def comparable(line: dict[str, Any]) -> dict[str, Any]:
    """A line without its expectations: their kinds are no part of the schema, and those of another release become null."""
    violations = [{**one, "expectation": None} for one in line.get("violations", ())]
    return {**line, "violations": violations}


@pytest.mark.parametrize(
    "of_another_release", [{"kind": "hoped", "expects": {}}, {"kind": "gone", "expects": {"times": True}}]
)
def test_what_another_release_expected_is_read_as_unknown(of_another_release: dict[str, Any]) -> None:
    wrong = violation("VAC-SAFE-1", expectation=of_another_release)
    (read,) = failing(1, wrong).violations
    assert read.expectation is None


def test_an_expectation_has_its_kind_and_members() -> None:
    (read,) = failing(1, violation("VAC-SAFE-1", expectation={"kind": "gone", "expects": {"path": "a"}})).violations
    assert read.expectation == Gone("a")

"""The typed records of the run stream have the fields of its schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reports import stream

SCHEMA = Path(stream.__file__).parent / "schema" / f"run-{stream.SCHEMA_VERSION}.json"


@pytest.mark.parametrize(
    ("record", "path"),
    [
        (stream.Header, "header"),
        (stream.ClauseEntry, "header.properties.clauses.items"),
        (stream.CampaignEntry, "header.properties.campaigns.items"),
        (stream.CaseRecord, "case"),
        (stream.StepRecord, "case.properties.steps.items"),
        (stream.ClauseRecord, "case.properties.clauses.additionalProperties"),
        (stream.ViolationRecord, "case.properties.violations.items"),
        (stream.Footer, "footer"),
        (stream.VerdictRecord, "footer.properties.verdicts.additionalProperties"),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_a_record_has_the_fields_of_the_schema(record: Any, path: str) -> None:
    place = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    for name in path.split("."):
        place = place[name]
    assert list(record.__annotations__) == list(place["properties"])

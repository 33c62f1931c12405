"""What was drawn for a clause: how many cases exercised it, and with which features."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from records.run import RecordedCase
from reports.findings.drawn import Drawing
from tests.builders.small_streams import case, taken


def line(number: int, campaign: str, features: list[str], *met: str, **other: Any) -> RecordedCase:
    made = case(number, campaign=campaign, features=features, **other)
    return replace(made, clauses={id: replace(one, met=int(id in met)) for id, one in made.clauses.items()})


LINES = [
    line(1, "a", ["partitions"], "VAC-SAFE-1"),
    line(2, "a", ["partitions", "checkpoint"], "VAC-SAFE-1", "VAC-SAFE-2"),
    line(3, "b", [], "VAC-SAFE-1"),
    *(line(number, "c", [f"feature {number}"], "VAC-SAFE-2") for number in range(4, 24)),
    line(99, "a", ["partitions"], "DEL-ROW-1", origin="shrunk"),
]


def test_the_cases_of_a_clause_and_their_features() -> None:
    found = taken(Drawing(), LINES).of_clauses()
    assert set(found) == {"VAC-SAFE-1", "VAC-SAFE-2"}, "no case exercised the other, but one made by shrinking"
    one = found["VAC-SAFE-1"]
    assert (one.cases, one.features) == (3, ("checkpoint", "partitions"))
    assert (found["VAC-SAFE-2"].cases, len(found["VAC-SAFE-2"].features)) == (21, 22)

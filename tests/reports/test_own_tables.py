"""What the views of a run and of a comparison say of the user's tables."""

from __future__ import annotations

from typing import Any

import pytest

from records.run import ConcernedTables, Header, RecordedCase
from reports.comparison.comparison import Comparison, compare
from reports.document import Finding, plain
from reports.document.markdown import markdown
from reports.findings.like import NotCovered, covered_words
from reports.findings.of_run import findings_of
from reports.render.comparison.document import comparison_document
from reports.render.run import run_document
from reports.stream.reading import Run
from reports.text.own_tables import concerned
from tests.builders import small_streams as streams
from tests.builders.blocks import blocks_of
from tests.reports.test_comparison import breaking, broken

PLAIN = ["column long", "files 1", "path relative"]

OF_RUN: dict[str, Any] = {
    "tables": 40_000,
    "unreadable": 5,
    "entries": [*PLAIN, "feature clustering", "files 1000"],
    "conditions": ["deletion vectors", "change feed"],
    "shapes": [
        {"id": "a" * 12, "tables": 39_969, "entries": [0, 1, 2], "lacks": [0, 1], "spared": [0]},
        {
            "id": "b" * 12,
            "tables": 31,
            "entries": [0, 2, 3, 4],
            "has": [0],
            "lacks": [1],
            "faults": [1],
            "spared": [0],
        },
    ],
}
FAULTS = [
    {"reason": "Feeds lose rows.", "clauses": ["DEL-ROW-1"], "tables": {"certain": 0, "possible": 0}},
    {"reason": "Vectors lose rows.", "clauses": ["VAC-SAFE-1"], "tables": {"certain": 31, "possible": 31}},
]


def _case(number: int, *excused: str, **other: Any) -> RecordedCase:
    violations = [streams.violation("DEL-ROW-1", excused=why) for why in excused]
    return streams.case(number, violations=violations, shape=PLAIN, **other)


@pytest.fixture(scope="module")
def run() -> Run:
    cases = [_case(1, "Feeds lose rows."), _case(2, "Vectors lose rows."), *map(_case, range(3, 12))]
    return streams.run(*cases, first=streams.header(like=OF_RUN, known_faults=FAULTS))


def test_shapes_are_covered_by_cases_like_them(run: Run) -> None:
    found = findings_of(run).like
    assert found is not None
    assert [(one.tables, one.cases, one.faults) for one in found.shapes] == [
        (39_969, 11, ()),
        (31, 0, ("Vectors lose rows.",)),
    ]
    assert found.missing == (NotCovered("clustering", 31),)
    assert covered_words(found) == (
        "99 % of your 40,000 tables have a shape that at least 10 cases resemble; not covered: clustering (31 tables); "
        "5 tables could not be read, and are not counted"
    )


def test_cases_made_by_shrinking_do_not_count() -> None:
    shrunk = [_case(number, origin="shrunk") for number in range(20)]
    found = findings_of(streams.run(*shrunk, first=streams.header(like=OF_RUN, known_faults=FAULTS))).like
    assert found is not None and (found.covered, found.compared) == (0, 0)


def test_without_shapes_nothing_is_said_of_tables() -> None:
    found = streams.run(_case(1, "Feeds lose rows."), first=streams.header())
    assert findings_of(found).like is None and "our tables" not in markdown(run_document(found))


def test_what_a_shape_does_not_tell_is_said() -> None:
    assert concerned(ConcernedTables(0, 2), 7) == "May concern 2 of your 7 tables; a shape does not tell."
    assert concerned(ConcernedTables(0, 7), 7) == "Whether it concerns your tables, a shape does not tell."


# A comparison ------------------------------------------------------------------------------------------------------------

LIKE: dict[str, Any] = {
    "tables": 40_000,
    "unreadable": 0,
    "entries": ["column long", "files 1", "feature deletionVectors"],
    "conditions": ["deletion vectors", "change feed", "retain", "random_directories", "blocks_expired_versions"],
    "shapes": [
        {"id": "a" * 12, "tables": 39_588, "entries": [0, 1], "lacks": [0, 1, 3]},
        {"id": "b" * 12, "tables": 412, "entries": [0, 1, 2], "has": [0, 2], "lacks": [1, 3]},
    ],
}
FEEDS = {"reason": "Feeds lose rows.", "clauses": ["VAC-SAFE-1"], "tables": {"certain": 0, "possible": 0}}
VECTORS = {"reason": "Vectors lose rows.", "clauses": ["VAC-SAFE-1"], "tables": {"certain": 412, "possible": 412}}


def like(version: str, *known: dict[str, Any]) -> Header:
    return streams.header(version, like=LIKE, known_faults=list(known))


def known(number: int, reason: str) -> Any:
    return breaking(number, broken("x", excused=reason, clause="VAC-SAFE-1"))


def with_known_faults(*reasons: str) -> Comparison:
    """Known faults of the candidate alone, each in a case of its own."""
    base = [streams.case(number) for number, _ in enumerate(reasons)]
    candidate = [known(number, reason) for number, reason in enumerate(reasons)]
    return compare(
        streams.run(*base, first=like("4.0.0")), streams.run(*candidate, first=like("4.4.0", FEEDS, VECTORS))
    )


def test_a_new_fault_concerns_the_tables_that_meet_the_conditions_of_its_smallest_case() -> None:
    def failing(number: int, **other: Any) -> Any:
        own = broken("gone", clause="VAC-SAFE-1") | {"circumstances": ["deletion vectors", "whole files"]}
        return breaking(number, own, **other)

    def told(*more: Any) -> str:
        candidate = streams.run(failing(1), *more, first=like("4.4.0"))
        document = comparison_document(compare(streams.run(streams.case(1), first=like("4.0.0")), candidate))
        (way,) = blocks_of(document, Finding)
        return plain(dict(way.facts.facts).get("your tables", ""))

    assert told(failing(2, origin="shrunk")) == "Concerns 412 of your 40,000 tables."
    assert told() == "", "a case that is not shrunk has conditions that do not matter"


def test_without_shapes_on_both_sides_nothing_is_said() -> None:
    sides = (
        streams.run(streams.case(1), first=streams.header("4.0.0")),
        streams.run(known(1, "Vectors lose rows."), first=like("4.4.0", VECTORS)),
    )
    assert compare(*sides).own is None

"""What a comparison says of the user's tables."""

from __future__ import annotations

from typing import Any

from records.run import Header
from reports.comparison.comparison import Comparison, compare
from reports.document import Finding, plain
from reports.render.comparison.document import comparison_document
from tests.builders.blocks import blocks_of
from tests.builders.small_streams import case, header, run
from tests.reports.test_comparison import breaking, broken

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
    return header(version, like=LIKE, known_faults=list(known))


def known(number: int, reason: str) -> Any:
    return breaking(number, broken("x", excused=reason, clause="VAC-SAFE-1"))


def with_known_faults(*reasons: str) -> Comparison:
    """Known faults of the candidate alone, each in a case of its own."""
    base = [case(number) for number, _ in enumerate(reasons)]
    candidate = [known(number, reason) for number, reason in enumerate(reasons)]
    return compare(run(*base, first=like("4.0.0")), run(*candidate, first=like("4.4.0", FEEDS, VECTORS)))


def test_a_new_fault_concerns_the_tables_that_meet_the_conditions_of_its_smallest_case() -> None:
    def failing(number: int, **other: Any) -> Any:
        own = broken("gone", clause="VAC-SAFE-1") | {"circumstances": ["deletion vectors", "whole files"]}
        return breaking(number, own, **other)

    def told(*more: Any) -> str:
        candidate = run(failing(1), *more, first=like("4.4.0"))
        document = comparison_document(compare(run(case(1), first=like("4.0.0")), candidate))
        (way,) = blocks_of(document, Finding)
        return plain(dict(way.facts.facts).get("your tables", ""))

    assert told(failing(2, origin="shrunk")) == "Concerns 412 of your 40,000 tables."
    assert told() == "", "a case that is not shrunk has conditions that do not matter"


def test_without_shapes_on_both_sides_nothing_is_said() -> None:
    sides = run(case(1), first=header("4.0.0")), run(known(1, "Vectors lose rows."), first=like("4.4.0", VECTORS))
    assert compare(*sides).own is None

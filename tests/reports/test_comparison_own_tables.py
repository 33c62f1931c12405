"""What a comparison says of the user's tables."""

from __future__ import annotations

from typing import Any

import pytest

from engines.spark.releases import RULE_CHANGES
from records.run import Header
from reports.comparison.comparison import Comparison, compare
from reports.document import Finding, plain
from reports.document.markdown import markdown
from reports.render.comparison.document import comparison_document
from tests.builders.blocks import blocks_of
from tests.builders.small_streams import READ, case, header, run, step
from tests.reports.test_comparison import Foretold, breaking, broken

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


def test_what_concerns_none_of_the_tables_is_last() -> None:
    comparison = with_known_faults("Feeds lose rows.", "Vectors lose rows.")
    assert [one.lead.cause for one in comparison.worse] == ["Vectors lose rows.", "Feeds lose rows."]
    assert comparison.exit == 1, "a shape is of one day: the answer is the same"


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


@pytest.mark.parametrize(
    ("field", "concerned"),
    [("blocks_expired_versions", ""), ("random_directories", "Concerns none of your 40,000 tables.")],
)
def test_an_explained_difference_says_which_tables_it_concerns(field: str, concerned: str) -> None:
    """Where a shape tells it."""
    change = next(one for one in RULE_CHANGES if one.field == field)
    records = {(): step(READ, rows=[[1]]), (change,): step(READ, rows=[[2]])}
    base, candidate = (
        run(case(1, step(READ, rows=[[row]])), first=like(version)) for row, version in ((1, "4.0.1"), (2, "4.1.0"))
    )
    comparison = compare(base, candidate, lambda older, newer: Foretold(1, records, change))
    found = markdown(comparison_document(comparison)).partition("## Explained differences")[2]
    assert found and ("your 40,000 tables." in found) == bool(concerned) and concerned in found


def test_without_shapes_on_both_sides_nothing_is_said() -> None:
    sides = run(case(1), first=header("4.0.0")), run(known(1, "Vectors lose rows."), first=like("4.4.0", VECTORS))
    assert compare(*sides).own is None

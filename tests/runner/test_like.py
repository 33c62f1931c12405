"""The cases that a run with ``--like`` judges, and what they show that others do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from faults import FAULTS, KnownBadEngine
from harness.campaigns.campaign import Batch, Profile
from harness.campaigns.drawing import Choice, fixed_cases
from harness.running.judge import Judge
from harness.tables.case_shape import table_entries
from model.codec import case_id
from model.vocabulary.case import Case
from model.vocabulary.table import ColumnRule, Feature, Reference
from reference_engine import ReferenceEngine
from runner.plugin import ROOT
from runner.run.controller import FIXED_SEED
from runner.run.drawn_to_shapes import capabilities_like, drawn_to
from runner.run.ranking import nearest_first
from shapes.document import read_shapes
from shapes.entries import EntryGroup, entries_of, group_of
from shapes.likeness import likeness
from shapes.shape import Counted
from suites.campaigns import CAMPAIGNS, Order, batches
from suites.catalogue import CATALOGUE
from suites.profiles import PROFILES
from tests.slow import slow_after

#: Shapes of tables that others made: delta-rs' cdf-table-with-cdc-and-dvs, and Delta's golden table parquet-all-types.
SHAPES = ROOT / "examples" / "shapes"

#: A tenth of smoke: some twenty cases, and the regression cases.
BUDGET = 0.1


@cache
def order(name: str) -> Order:
    return nearest_first(read_shapes(SHAPES / f"{name}.json", option="--like"))


def cases_of(profile: Profile, order: Order | None) -> list[Case]:
    return [case for batch in batches(profile, (), order=order) for case in fixed_cases(batch, FIXED_SEED)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "shapes"), slow_after(1, [("skips-by-local-bounds", "types"), ("update-forgets-a-vector", "vectors")])
)
def test_cases_like_the_users_tables_show_a_fault_that_as_many_others_do_not(
    fault: str, shapes: str, tmp_path: Path
) -> None:
    judge = Judge(KnownBadEngine(ReferenceEngine(), FAULTS[fault]), list(CATALOGUE.values()), tmp_path)

    def shown(cases: Sequence[Case]) -> list[Case]:
        return [case for case in cases if {*judge.judge(case).violated} & {*FAULTS[fault].caught_by}]

    small = PROFILES["smoke"].scaled(BUDGET)
    assert not shown(cases_of(small, None))
    assert shown(cases_of(small, order(shapes)))


def test_each_shape_gets_its_nearest_cases_in_turn() -> None:
    """Though one has a thousand times the tables of the other."""
    both = [read_shapes(SHAPES / f"{name}.json", option="--like") for name in ("vectors", "types")]
    many, few = (one.shapes[0] for one in both)
    shapes = replace(both[0], tables=1001, shapes=(replace(many, count=1000), replace(few, count=1)))
    cases = cases_of(PROFILES["smoke"], None)
    nearest = nearest_first(shapes)(cases)
    assert sorted(map(case_id, nearest)) == sorted(map(case_id, cases))

    def alike(case: Case, one: Counted) -> float:
        return likeness(table_entries(case.table) or (), entries_of(one.shape))

    for place, one in enumerate((many, few)):
        assert alike(nearest[place], one) == max(alike(case, one) for case in cases)


def drawn(campaign: str, choice: Choice | None) -> list[Case]:
    (own,) = (one for one in CAMPAIGNS if one.name == campaign)
    return fixed_cases(Batch(own, 0, 6), FIXED_SEED, choice=choice)


@pytest.mark.long
@pytest.mark.parametrize("campaign", slow_after(1, ["feature-deletes", "vacuum-vectors", "programs"]))
def test_cases_are_drawn_to_the_users_tables(campaign: str) -> None:
    shapes = read_shapes(SHAPES / "vectors.json", option="--like")
    wanted = entries_of(shapes.shapes[0].shape)

    def alike(cases: Sequence[Case]) -> float:
        found = [entries for case in cases if (entries := table_entries(case.table))]
        return sum(likeness(one, wanted) for one in found) / len(found)

    near = drawn(campaign, drawn_to(shapes))
    assert near == drawn(campaign, drawn_to(shapes)), "the seed decides all"
    assert alike(near) > alike(drawn(campaign, None)) + 0.1


@pytest.mark.long
def test_a_case_that_is_drawn_to_a_table_has_only_features_that_the_table_has() -> None:
    shapes = read_shapes(SHAPES / "types.json", option="--like")
    has = {*entries_of(shapes.shapes[0].shape)}
    by_type = {"feature timestampNtz"}
    for case in drawn("feature-deletes", drawn_to(shapes)):
        entries = table_entries(case.table) or ()
        assert {one for one in entries if group_of(one) is EntryGroup.FEATURE} <= has | by_type
    assert any("feature" in " ".join(table_entries(case.table) or ()) for case in drawn("feature-deletes", None))


def test_what_a_shape_has_a_case_may_have() -> None:
    """Each feature, rule and form of a path that is left out of cases is there for a table that has it."""
    (plain,) = read_shapes(SHAPES / "types.json", option="--like").shapes
    names = (
        "deletionVectors",
        "rowTracking",
        "inCommitTimestamp",
        "v2Checkpoint",
        "vacuumProtocolCheck",
        "typeWidening",
    )
    rules = ("allowColumnDefaults", "generatedColumns", "identityColumns")
    known = {
        "delta.enableChangeDataFeed": "true",
        "delta.appendOnly": "true",
        "delta.checkpoint.writeStatsAsJson": "false",
    }
    shape = plain.shape
    rich = replace(
        shape,
        protocol=replace(shape.protocol, features=(*names, *rules), unknown_features=1),
        properties=replace(shape.properties, known=known, constraints=1),
        paths=replace(shape.paths, forms=("outside", "uri")),
    )
    found: set[object] = set()
    for mode in ("name", "id"):
        mapped = replace(rich.properties, known={**known, "delta.columnMapping.mode": mode})
        allowed = capabilities_like(replace(rich, properties=mapped))
        found |= {*allowed.features, *allowed.column_rules, *allowed.references}
    assert found == {*Feature, *ColumnRule, *Reference}
    allowed = capabilities_like(plain.shape)
    lacking = found - {*allowed.features, *allowed.column_rules, *allowed.references}
    assert len(lacking) == 15 + 4 + 2

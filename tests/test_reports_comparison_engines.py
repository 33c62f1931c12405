"""The comparison of real streams: of the reference engine with other rules or a fault, and of delta-rs."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engines.deltalake.adapter import DeltalakeEngine
from engines.deltalake.capabilities import NEWEST
from engines.port import Engine
from engines.spark.releases import rules_of
from model.case import Case
from model.codec import from_json
from model.rules import DELTA_RS, SPARK
from reports.__main__ import main
from reports.compare.comparison import Change, Comparison, compare
from reports.compare.files import as_json
from reports.compare.known_changes import BY_PAIR
from reports.compare.markdown import comparison_markdown
from reports.stream import Run
from selfcheck.faults import FAULTS, KnownBadEngine
from selfcheck.reference_engine import ReferenceEngine
from tests.model_streams import drawn, run_of
from tests.test_reports_comparison import SCHEMA, Draft202012Validator

pytestmark = pytest.mark.xdist_group("comparison")


@cache
def cases() -> list[tuple[str, Case]]:
    """A few cases of every campaign."""
    return drawn(4)


@cache
def shared_cases() -> list[tuple[str, Case]]:
    """Cases that both Delta on Spark and delta-rs support."""
    return drawn(3, NEWEST)


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_of(ReferenceEngine(), cases(), tmp_path_factory.mktemp("healthy"))


def without_seconds(run: Run) -> list[Any]:
    return [[{**step, "seconds": 0} for step in line["steps"]] for line in run.cases]


def checked(comparison: Comparison) -> Comparison:
    """The comparison, whose views can be made."""
    assert not list(Draft202012Validator(SCHEMA).iter_errors(json.loads(json.dumps(as_json(comparison)))))
    assert len(comparison_markdown(comparison).encode()) <= 1_000_000
    for group in comparison.groups:
        from_json(group.base["case"])
    return comparison


def test_two_runs_of_one_engine_are_the_same(healthy: Run, tmp_path: Path) -> None:
    again = run_of(ReferenceEngine(), cases(), tmp_path)
    assert without_seconds(again) == without_seconds(healthy)
    comparison = checked(compare(healthy, again))
    assert comparison.groups == () and comparison.exit == 0
    assert comparison.compared == len({line["id"] for line in healthy.cases}) >= 50
    assert {one.change for one in comparison.clauses} == {Change.SAME}


def test_two_runs_of_delta_rs_are_the_same(tmp_path: Path) -> None:
    runs = []
    for name in ("one", "another one"):
        engine: Engine = DeltalakeEngine(time_limit=60)
        try:
            runs.append(run_of(engine, shared_cases(), tmp_path / name))
        finally:
            engine.close()
    assert without_seconds(runs[0]) == without_seconds(runs[1])
    assert checked(compare(*runs)).groups == ()


def test_records_contain_what_an_upgrade_may_change(healthy: Run) -> None:
    fields: dict[str, set[str]] = {}
    for line in healthy.cases:
        for step in line["steps"]:
            fields.setdefault(step["kind"], set()).update(step["observed"])
    both = {"version", "operations", "vanished", "commits", "checkpoints"}
    assert fields["delete"] >= both | {"removed", "added", "changed", "appeared", "remove_fields", "add_fields"}
    assert fields["vacuum"] >= (both - {"checkpoints"}) | {"last_vacuum"}
    commits = [one for line in healthy.cases for step in line["steps"] for one in step["observed"].get("commits", ())]
    start, end, delete = (
        next(one for one in commits if one["operation"] == name and one["metrics"])
        for name in ("VACUUM START", "VACUUM END", "DELETE")
    )
    assert start["parameters"]["retentionCheckEnabled"] in ("true", "false") and start["metrics"].keys() == {
        "numFilesToDelete",
        "sizeOfDataToDelete",
    }
    assert end["parameters"] == {"status": "COMPLETED"} and end["metrics"]["numDeletedFiles"].isdigit()
    assert delete["parameters"] == {"predicate": "…"} and delete["metrics"]["executionTimeMs"] == "…"
    assert delete["values"]["isBlindAppend"] is False


@pytest.mark.parametrize("name", ["vacuums-inside-retention", "loses-a-survivor"])
def test_a_fault_is_a_regression(name: str, healthy: Run, tmp_path: Path) -> None:
    fault = FAULTS[name]
    bad = run_of(KnownBadEngine(ReferenceEngine(), fault), cases(), tmp_path / "bad", known_bad=name)
    comparison = checked(compare(healthy, bad))
    regressed = {one.clause for one in comparison.of(Change.REGRESSED)}
    assert comparison.exit == 1 and regressed & set(fault.caught_by)
    assert comparison.groups and comparison.unexplained == comparison.groups
    assert f"with the fault {name}" in comparison_markdown(comparison).splitlines()[0]
    back = compare(bad, healthy)
    assert back.exit == 0 and {one.clause for one in back.of(Change.IMPROVED)} == regressed
    assert main(["compare", str(tmp_path / "bad"), str(tmp_path / "bad"), "--out", str(tmp_path / "out")]) == 0


@pytest.mark.parametrize(
    ("version", "besides"), [("3.3.2", {"apache/spark v4.0.0: error-conditions.json"}), ("4.0.1", set[str]())]
)
def test_the_changes_of_4_1_are_found_and_known(version: str, besides: set[str], healthy: Run, tmp_path: Path) -> None:
    old = run_of(ReferenceEngine(rules=rules_of(version)), cases(), tmp_path, versions={"delta": version})
    comparison = checked(compare(old, healthy))
    assert comparison.unexplained == () and comparison.known
    sources = {group.known.source for group in comparison.known if group.known}
    assert sources == {"delta-io/delta#5022 (v4.1.0)", "delta-io/delta#5028 (v4.1.0)"} | besides
    backwards = compare(healthy, old)
    assert backwards.unexplained == () and len(backwards.known) == len(comparison.known)
    # Between two later versions nothing explains the same differences.
    later = Run({**old.header, "versions": {"delta": "4.2.0"}}, old.cases, old.footer)
    assert compare(later, healthy).known == ()


def test_only_known_differences_between_two_engines_are_explained(tmp_path: Path) -> None:
    engines = [ReferenceEngine(rules=rules, capabilities=NEWEST) for rules in (SPARK, DELTA_RS)]
    one, other = (run_of(engine, shared_cases(), tmp_path / str(place)) for place, engine in enumerate(engines))
    comparison = checked(compare(one, other))
    assert comparison.exit == 0 and comparison.unexplained and comparison.known
    assert {group.known for group in comparison.known} <= set(BY_PAIR["spark", "deltalake"])
    assert any(group.subject.startswith("VACUUM LITE") for group in comparison.groups)
    assert comparison.of(Change.ONLY_BASE)
    assert all("engine" in one.reason for one in comparison.of(Change.ONLY_BASE))

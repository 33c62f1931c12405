"""The comparison of real streams: of the reference engine with other rules or a fault, and of delta-rs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from engines.deltalake.adapter import DeltalakeEngine
from engines.deltalake.capabilities import NEWEST
from engines.port import Engine
from engines.spark.releases import RULE_CHANGES, rules_of
from faults import FAULTS, KnownBadEngine
from known_faults.known import known, known_faults_in
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from model.vocabulary.rules import DELTA_RS, RuleChange
from model.vocabulary.steps import InvalidVacuum, VacuumMistake
from model.vocabulary.withdrawals import OLD_VERSIONS_REFUSED, RETAIN_IGNORED
from records import run as recorded
from records.json_form import to_json
from records.run import Header
from reference_engine import ReferenceEngine, ReferenceOptions
from reports.comparison.answer import answer_to
from reports.comparison.cases import VerdictChange
from reports.comparison.comparison import Comparison, compare
from reports.comparison.explanations import ExplanationKind, ExplanationReason
from reports.comparison.prediction import Prediction, prediction_between, prediction_of
from reports.document.markdown import markdown
from reports.render.comparison.document import comparison_document
from reports.render.comparison.files import as_json
from reports.stream.reading import Run
from runner.plugin import ROOT
from tests.handmade.vacuums import LISTED_TABLE
from tests.reports.model_streams import drawn, run_of
from tests.reports.test_comparison import SCHEMA
from tests.slow import slow_after

pytestmark = pytest.mark.xdist_group("comparison")


@cache
def cases() -> list[tuple[str, Case]]:
    """A few cases of every campaign, and one whose answer Spark 4 gave an SQLSTATE, and no other release changed."""
    return [*drawn(1), ("clause-twice", Case(LISTED_TABLE, (InvalidVacuum(VacuumMistake.CLAUSE_TWICE),)))]


@cache
def shared_cases() -> list[tuple[str, Case]]:
    """Cases that both Delta on Spark and delta-rs support, of every second campaign."""
    return drawn(1, NEWEST)[::2]


def healthy_spark(version: str = "4.4.0", capabilities: Capabilities = EVERYTHING) -> ReferenceEngine:
    """The reference engine with the rules of this version of Delta, and what the file system of Hadoop does with links."""
    habits = ReferenceOptions(deletes_links=True)
    return ReferenceEngine(habits, rules=rules_of(version), capabilities=capabilities, version=version)


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_of(healthy_spark(), cases(), tmp_path_factory.mktemp("healthy"))


class Remembering:
    """Predicts each case once for each set of changes: the tests of a module compare the same cases again and again."""

    def __init__(self, predictor: Prediction) -> None:
        self.changes = predictor.changes
        self._steps = cache(predictor.steps)

    def steps(self, case: Case, changes: Sequence[RuleChange]) -> Sequence[recorded.RecordedStep]:
        return self._steps(case, tuple(changes))


_PREDICTORS: dict[tuple[str, ...], Remembering | None] = {}


def predicted(older: Header, newer: Header) -> Remembering | None:
    """What ``prediction_between`` makes, once for each pair of versions."""
    key = (older.engine, older.version, newer.engine, newer.version)
    if key not in _PREDICTORS:
        found = prediction_between(older, newer)
        _PREDICTORS[key] = None if found is None else Remembering(found)
    return _PREDICTORS[key]


def without_seconds(run: Run) -> list[Any]:
    return [[replace(step, seconds=0, clock=None, cutoff=None) for step in line.steps] for line in run.cases]


def checked(comparison: Comparison) -> Comparison:
    """The comparison, whose views can be made."""
    assert not list(Draft202012Validator(SCHEMA).iter_errors(json.loads(json.dumps(as_json(comparison)))))
    assert len(markdown(comparison_document(comparison)).encode()) <= 1_000_000
    for group in comparison.groups:
        assert group.base.case
    return comparison


def test_two_runs_of_one_engine_are_the_same(healthy: Run, tmp_path: Path) -> None:
    again = run_of(healthy_spark(), cases(), tmp_path)
    assert without_seconds(again) == without_seconds(healthy)
    comparison = checked(compare(healthy, again))
    assert comparison.groups == () and comparison.shifts == ()
    assert comparison.compared == len({line.id for line in healthy.cases}) >= 25
    assert {one.change for one in comparison.clauses} == {VerdictChange.SAME}


def test_two_runs_of_delta_rs_are_the_same(tmp_path: Path) -> None:
    runs = []
    for name in ("one", "another one"):
        engine: Engine = DeltalakeEngine(time_limit=60)
        try:
            runs.append(run_of(engine, shared_cases(), tmp_path / name))
        finally:
            engine.close()
    one, other = runs
    assert without_seconds(one) == without_seconds(other)
    assert checked(compare(one, other)).groups == ()


def test_records_contain_what_an_upgrade_may_change_and_nothing_random(healthy: Run) -> None:
    taken = [one.observed for line in healthy.cases for one in line.steps]
    fields = {name for one in taken for name in to_json(one)}
    assert fields >= {
        "vanished",
        "removed",
        "added",
        "changed",
        "appeared",
        "remove_fields",
        "add_fields",
        "last_vacuum",
    }
    written = {one.operation: one for found in taken for one in found.commits if one.metrics}
    start, end, delete = (written[name] for name in ("VACUUM START", "VACUUM END", "DELETE"))
    assert start.parameters["retentionCheckEnabled"] in ("true", "false")
    assert end.parameters == {"status": "COMPLETED"} and end.metrics["numDeletedFiles"].isdigit()
    assert delete.parameters == {"predicate": "…"} and delete.metrics["executionTimeMs"] == "…"
    assert delete.values["isBlindAppend"] is False


def loses_data(comparison: Comparison) -> bool:
    """Whether the answer says so."""
    return "loses data" in str(answer_to(comparison))


def explanations(comparison: Comparison) -> dict[ExplanationKind | None, set[str]]:
    """The sentences of what explains differences, by kind; None: unexplained ones."""
    found: dict[ExplanationKind | None, set[str]] = {}
    for group in comparison.groups:
        kind = group.explanation.kind if group.explanation else None
        reasons = group.explanation.reasons if group.explanation else ()
        found.setdefault(kind, set()).update(one.sentence for one in reasons)
    return found


INSIDE = "vacuums-inside-retention"


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_of(
        KnownBadEngine(healthy_spark(), FAULTS[INSIDE]), cases(), tmp_path_factory.mktemp("faulty"), known_bad=INSIDE
    )


def test_a_fault_is_a_regression(healthy: Run, faulty: Run, tmp_path: Path) -> None:
    comparison = checked(compare(healthy, faulty, predicted))
    regressed = {one.clause for one in comparison.of(VerdictChange.REGRESSED)}
    assert comparison.exit == 1 and loses_data(comparison) and regressed & set(FAULTS[INSIDE].caught_by)
    assert explanations(comparison).keys() == {ExplanationKind.VIOLATION}, (
        "the clauses that the fault breaks explain what it did"
    )
    assert f"with the fault {INSIDE}" in markdown(comparison_document(comparison)).splitlines()[0]
    back = compare(faulty, healthy, predicted)
    assert not back.shifted(VerdictChange.REGRESSED)
    assert {one.clause for one in back.of(VerdictChange.IMPROVED)} == regressed
    same = compare(faulty, faulty, predicted)
    assert not same.shifts and not same.groups


@pytest.mark.parametrize(
    ("version", "since"),
    slow_after(1, [("4.0.1", {"4.1"}), ("2.4.0", {"3.0", "4.0", "4.1"})]),
)
def test_what_changed_between_two_releases_is_explained_by_their_rules(
    version: str, since: set[str], healthy: Run, tmp_path: Path
) -> None:
    listed = known(known_faults_in(ROOT / "known_faults" / "spark.toml"), version)
    old = run_of(healthy_spark(version), cases(), tmp_path, listed=listed)
    comparison = checked(compare(old, healthy, predicted))
    # TIMESTAMP partition values in the session's time zone are a known fault before 3.3.
    assert comparison.unexplained == () and {shift.change for shift in comparison.shifts} <= {VerdictChange.IMPROVED}
    found = {reason for group in comparison.groups if group.explanation for reason in group.explanation.reasons}
    assert {reason.since for reason in found} == since
    assert found >= {
        ExplanationReason(one.since, one.sentence, one.source, one.withdrawal, one.field)
        for one in RULE_CHANGES
        if one.field in ("retain", "blocks_expired_versions")
    }
    assert {one.sentence for one in comparison.lost} == {RETAIN_IGNORED.sentence, OLD_VERSIONS_REFUSED.sentence}
    assert comparison.exit == 3 and RETAIN_IGNORED.sentence[:-1] in str(answer_to(comparison)), (
        "nothing is worse, and yet"
    )
    backwards = compare(healthy, old, predicted)
    assert backwards.unexplained == () and len(backwards.explained) == len(comparison.explained)
    # Between two later versions no change explains the same differences, but that only the second does as the model predicts.
    later = Run(replace(old.header, versions={"delta": "4.2.0"}), old.cases, old.footer)
    assert explanations(compare(later, healthy, predicted)).keys() <= {None, ExplanationKind.PREDICTION}
    assert compare(healthy, later, predicted).explained == ()


def test_the_prediction_for_delta_rs_writes_the_rows_of_a_partition_into_one_file(tmp_path: Path) -> None:
    engine = ReferenceEngine(ReferenceOptions(one_file=True), rules=DELTA_RS, capabilities=NEWEST, version="1.6.6")
    run = run_of(engine, shared_cases(), tmp_path)
    prediction = prediction_of("deltalake", "1.6.6", "1.6.6")
    assert prediction.changes == ()
    for line in run.cases:
        without: dict[str, Any] = {"seconds": 0, "clock": None, "cutoff": None, "asked": None}
        made = [replace(one, **without) for one in prediction.steps(line.case, ())]
        assert made == [replace(one, **without) for one in line.steps]

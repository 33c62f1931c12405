"""Which clauses apply to which engine, and why the others do not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from engines.deltalake.capabilities import capabilities_of
from harness.judging.clause import Clause, holds_for, not_applicable
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.rules import DELTA_RS, DELTA_RS_ON_S3, SPARK, Rules, with_changes
from model.vocabulary.steps import Mode
from model.vocabulary.table import Feature
from reference_engine import ReferenceEngine
from suites.catalogue import CATALOGUE, unsupported

CLAUSE: Clause[Any] = CATALOGUE["VAC-SAFE-1"]


@dataclass(frozen=True)
class Engine:
    version: str = "4.4.0"
    capabilities: Capabilities = EVERYTHING
    rules: Rules = SPARK

    def why_not(self, clause: Clause[Any]) -> str | None:
        return not_applicable(clause, self.version, self.capabilities, self.rules)


def lacking(**more: Any) -> Engine:
    return Engine(capabilities=replace(EVERYTHING, **more))


OF_DELTA_RS = Engine("1.6.6", rules=DELTA_RS)
IN_A_BUCKET = Engine(rules=with_changes(DELTA_RS, DELTA_RS_ON_S3))
HIDES_NOTHING = Engine(rules=replace(DELTA_RS, hides_names=False))
ALONE = "promised by the engine spark alone"
ABOUT = "cannot be asked for what it is about: parallel or rowTracking"


@pytest.mark.parametrize(
    ("changes", "engine", "reason"),
    [
        ({}, Engine(), None),
        ({"since": "4.1"}, Engine("4.0.1"), "It holds from 4.1 only."),
        ({"since": "4.1"}, Engine("4.1.0"), None),
        ({"before": "4.1"}, Engine("4.1.0"), "It holds before 4.1 only."),
        ({"since": "3.1", "before": "4.1"}, Engine("2.4.0"), "It holds from 3.1 and before 4.1 only."),
        ({"since": "4.1", "before": "4.2"}, OF_DELTA_RS, None),
        ({}, lacking(vacuum=False), "The engine has no VACUUM."),
        ({"implementation": "spark"}, Engine(), None),
        ({"implementation": "spark"}, OF_DELTA_RS, ALONE),
        ({"implementation": "spark"}, Engine(rules=Rules()), ALONE),
        ({"exact_clock": True}, OF_DELTA_RS, "single milliseconds"),
        ({"of_directories": True}, Engine(), None),
        ({"of_directories": True}, IN_A_BUCKET, "there are none in a bucket"),
        ({"of_hidden_names": True}, Engine(), None),
        ({"of_hidden_names": True}, HIDES_NOTHING, "hides nothing but the table's log"),
        ({"needs": ("parallel",)}, Engine(), None),
        ({"needs": ("parallel", Feature.ROW_TRACKING)}, lacking(parallel=False, features=frozenset()), ABOUT),
        ({"needs": (Mode.LITE, Mode.FULL)}, lacking(modes=frozenset({Mode.LITE})), None),
    ],
)
def test_a_clause_applies_to_the_engines_that_promise_it(
    changes: dict[str, Any], engine: Engine, reason: str | None
) -> None:
    found = engine.why_not(replace(CLAUSE, **changes))
    assert found is None if reason is None else found is not None and reason in found


def test_all_but_two_clauses_apply_to_the_newest_delta_on_spark() -> None:
    of_delta_rs = {id for id, clause in CATALOGUE.items() if clause.implementation == "deltalake"}
    assert unsupported(ReferenceEngine()).keys() == {"VAC-KEEP-2C", "VAC-SAFE-4B"} | of_delta_rs


def test_all_but_three_clauses_of_safety_apply_to_delta_rs() -> None:
    left_out = unsupported(ReferenceEngine(rules=DELTA_RS, capabilities=capabilities_of("1.6.6")))
    safety = {id for id in CATALOGUE if id.startswith("VAC-SAFE")}
    assert safety & left_out.keys() == {"VAC-SAFE-6C", "VAC-SAFE-7B", "VAC-SAFE-10E"}


def test_what_a_clause_holds_for_in_words() -> None:
    for changes, words in (
        ({}, ""),
        ({"since": "3.1", "before": "4.0"}, "Delta on Spark from 3.1 and before 4.0"),
        (
            {"implementation": "deltalake", "exact_clock": True},
            "the engine deltalake alone, engines whose clock can be set",
        ),
        ({"needs": (Mode.LITE, Mode.FULL)}, "engines that can be asked for FULL or LITE"),
        ({"of_directories": True}, "storage with directories"),
        ({"of_hidden_names": True}, "engines whose VACUUM hides names"),
    ):
        assert holds_for(replace(CLAUSE, **changes)) == words  # type: ignore[arg-type]

"""The example of an engine from outside, Sail, as far as it can be tested without it: `tox -e gate-sail` judges it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from examples.sail_engine import ENGINE
from known_faults.known import known_faults_in
from model.vocabulary.capabilities import mistake_in
from reference_engine import ReferenceEngine
from runner.finding.entries import findings
from runner.plugin import ROOT
from tests.smoke_shows import unexercised

FOLDER = ROOT / "examples" / "sail_engine"
CAPABILITIES, RULES = ENGINE.capabilities_of(None), ENGINE.rules_of("0.7.2")


@pytest.mark.long
def test_a_healthy_engine_by_its_rules_raises_no_alarm_and_smoke_exercises_every_clause(tmp_path: Path) -> None:
    assert mistake_in(CAPABILITIES) is None
    engine = ReferenceEngine(rules=RULES, capabilities=CAPABILITIES)
    assert unexercised(engine, tmp_path) == set()


def test_each_known_fault_has_a_finding_or_a_kept_case() -> None:
    reasons = {one.reason for one in known_faults_in(FOLDER / "known_faults.toml")}
    named = {name for reason in reasons for name in re.findall(r"tombstone finding (\w+)", reason)}
    kept = {case for reason in reasons for case in re.findall(r"regressions/[\w/-]+\.json", reason)}
    assert named <= findings().keys() and all((ROOT / case).is_file() for case in kept)
    assert len(named) + len(kept) == len(reasons)


def test_an_engine_from_outside_needs_no_pyspark_of_the_project() -> None:
    """PySpark's client, which is a package of the same name, has no JVM."""
    lines = [
        "import sys, runner.plugin, suites.campaigns",
        "from engines.provider import kind_of",
        "kind_of('examples.sail_engine:ENGINE')",
        "assert not {'pyspark', 'py4j', 'delta', 'deltalake'} & set(sys.modules)",
    ]
    subprocess.run([sys.executable, "-c", "\n".join(lines)], cwd=ROOT, check=True, timeout=60)

"""Small handmade cases: known-bad VACUUMs violate the clauses that their witnesses do not, the healthy engine violates none."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from engines.deltalake.capabilities import capabilities_of
from engines.port import Outcome
from engines.spark import releases
from faults import FAULTS, KnownBadEngine
from harness.running.judge import Judge
from model.codec import from_json, to_json
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from model.vocabulary.rules import DELTA_RS, SPARK, Rules
from model.vocabulary.steps import ENGINE_STEPS, InvalidVacuum, Vacuum
from reference_engine import ReferenceEngine, ReferenceOptions
from strategies.restriction.capabilities import restricted_to
from suites.catalogue import CATALOGUE, promised
from tests.builders.observations import full_judge
from tests.handmade.vacuums import HANDMADE
from tests.recorded import recorded
from tests.smoke_shows import on_healthy

HABITS = [ReferenceOptions(*choices) for choices in product((False, True), repeat=4)]

VACUUM_FAULTS = [fault for fault in FAULTS.values() if fault.on in (Vacuum, InvalidVacuum)] + [
    FAULTS["reads-beyond-retention"]
]

#: The clauses of a fault that its witness does not violate, by the fault: tests/suites/test_recorded.py has the others.
UNWITNESSED = {
    fault.name: left
    for fault in VACUUM_FAULTS
    if (left := set(fault.caught_by) - set(recorded("faulty")[fault.name]["violated"]))
}

#: Older releases of Delta on Spark.
OLDER = ("2.4.0", "3.2.1")

#: The engines and releases that the reference engine imitates.
IMITATED: dict[str, tuple[Rules, Capabilities]] = {
    "spark": (SPARK, EVERYTHING),
    "deltalake": (DELTA_RS, capabilities_of("1.6.6")),
    **{version: (releases.rules_of(version), releases.capabilities_of(version)) for version in OLDER},
}


def healthy(imitated: str, habits: ReferenceOptions | None = None) -> ReferenceEngine:
    rules, capabilities = IMITATED[imitated]
    version = imitated if imitated in OLDER else "4.4.0"
    return ReferenceEngine(habits, rules=rules, capabilities=capabilities, version=version)


def case_of(name: str, imitated: str) -> Case:
    return restricted_to(HANDMADE[name], capabilities=IMITATED[imitated][1])


@pytest.mark.parametrize("name", HANDMADE)
def test_the_healthy_engine_passes(name: str, tmp_path: Path) -> None:
    """On the newest Delta and on one of the others, with habits that differ from case to case.

    tests/suites/test_recorded.py has the engines without habits.
    """
    number = list(HANDMADE).index(name)
    for imitated in ("spark", list(IMITATED)[1 + number % 3]):
        case, engine = case_of(name, imitated), healthy(imitated, HABITS[number % len(HABITS)])
        assert from_json(to_json(case)) == case, "the case cannot be written to a file"
        (result,) = on_healthy([engine], [case], tmp_path / imitated)
        assert len(result.steps) == sum(isinstance(step, ENGINE_STEPS) for step in case.steps)


def exercised(name: str, imitated: str) -> set[str]:
    """The clauses that a case exercises, as recorded."""
    return set(recorded(f"handmade-{imitated}")[name]["clauses"])


def test_the_cases_exercise_every_clause_of_vacuum_that_no_witness_violates() -> None:
    met = {id for name in HANDMADE for imitated in ("spark", "deltalake") for id in exercised(name, imitated)}
    shown = {id for found in recorded("faulty").values() for id in found["violated"]}
    assert {id for id in CATALOGUE if id.startswith("VAC-")} - met - shown == set()


@pytest.mark.long
@pytest.mark.parametrize("name", UNWITNESSED)
def test_a_fault_violates_the_clauses_that_its_witness_does_not(name: str, tmp_path: Path) -> None:
    """Each clause on Delta if it promises it, or on delta-rs."""
    missing = set(UNWITNESSED[name])
    for imitated in ("spark", "deltalake"):
        engine = KnownBadEngine(healthy(imitated), FAULTS[name])
        wanted = missing & {clause.id for clause in promised(engine)}
        missing -= wanted
        bad = Judge(engine, promised(engine), tmp_path / imitated)
        for case in HANDMADE:
            if wanted & exercised(case, imitated):
                result = bad.judge(case_of(case, imitated))
                assert result.failure is None, result.failure
                wanted -= set(result.violated)
        assert not wanted, f"no case on {imitated} violates {sorted(wanted)}"
    assert not missing


# The copy of a fault -------------------------------------------------------------------------------------------------


def test_the_copy_of_a_known_bad_engine_is_not_beside_the_table(tmp_path: Path) -> None:
    found = []

    class Listing(ReferenceEngine):
        def run(self, root: Path, *args: object, **named: object) -> Outcome:
            found.append(sorted(path.name for path in root.parent.iterdir()))
            return super().run(root, *args, **named)  # type: ignore[arg-type]

    result = full_judge(KnownBadEngine(Listing(), FAULTS["breaks-the-log"]), tmp_path).judge(HANDMADE["elsewhere"])
    assert not result.violated
    assert found[0] == ["elsewhere", "other.parquet", "tab", "table", "table2"]
    assert not list(tmp_path.iterdir())

"""Small handmade cases: known-bad VACUUMs violate the clauses that their witnesses do not, the healthy engine violates none."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from engines.deltalake.capabilities import capabilities_of
from engines.port import Engine, Outcome
from engines.spark import releases
from faults import FAULTS, Fault, KnownBadEngine
from harness.judging.clause import Clause
from harness.running.judge import Judge, JudgedCase
from model.codec import from_json, to_json
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from model.vocabulary.rules import DELTA_RS, SPARK, Rules
from model.vocabulary.steps import ENGINE_STEPS, InvalidVacuum, Vacuum
from reference_engine import ReferenceEngine, ReferenceOptions
from strategies.restriction.capabilities import restricted_to
from suites.catalogue import CATALOGUE, unsupported
from tests.find_witnesses import imitating
from tests.handmade.vacuums import HANDMADE
from tests.recorded import recorded

pytestmark = pytest.mark.xdist_group("known-bad-vacuums")

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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every third fault by default."""
    if "fault" in metafunc.fixturenames:
        faults = VACUUM_FAULTS if metafunc.config.getoption("--slow") else VACUUM_FAULTS[::3]
        metafunc.parametrize("fault", faults, ids=[fault.name for fault in faults])


def healthy(imitated: str, habits: ReferenceOptions | None = None) -> ReferenceEngine:
    rules, capabilities = IMITATED[imitated]
    version = imitated if imitated in OLDER else "4.4.0"
    return ReferenceEngine(habits, rules=rules, capabilities=capabilities, version=version)


def promised(imitated: str) -> list[Clause[Any]]:
    """The clauses that this engine promises."""
    excluded = unsupported(healthy(imitated))
    return [clause for id, clause in CATALOGUE.items() if id not in excluded]


def judge(engine: Engine, directory: Path, imitated: str = "spark") -> Judge:
    return Judge(engine, promised(imitated), directory)


def case_of(name: str, imitated: str) -> Case:
    return restricted_to(HANDMADE[name], capabilities=IMITATED[imitated][1])


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("handmade")


@cache
def judged(name: str, directory: Path, imitated: str = "spark") -> JudgedCase:
    """A case on the healthy engine, with habits that differ from case to case."""
    habits = HABITS[list(HANDMADE).index(name) % len(HABITS)]
    directory = directory / f"healthy-{imitated}" / name
    return judge(healthy(imitated, habits), directory, imitated).judge(case_of(name, imitated))


@pytest.mark.parametrize("imitated", IMITATED)
@pytest.mark.parametrize("name", HANDMADE)
def test_the_healthy_engine_passes(name: str, imitated: str, directory: Path) -> None:
    case, result = case_of(name, imitated), judged(name, directory, imitated)
    assert from_json(to_json(case)) == case, "the case cannot be written to a file"
    assert result.failure is None, result.failure
    assert not result.violated, {id: result.tallies[id].violations for id in result.violated}
    assert len(result.steps) == sum(isinstance(step, ENGINE_STEPS) for step in case.steps)


def test_the_cases_exercise_every_clause_of_vacuum(directory: Path) -> None:
    exercised = {id for imitated in IMITATED for name in HANDMADE for id in judged(name, directory, imitated).tallies}
    assert {id for id in CATALOGUE if id.startswith("VAC-")} <= exercised


@pytest.mark.parametrize("name", UNWITNESSED)
def test_a_fault_violates_the_clauses_that_its_witness_does_not(name: str, directory: Path) -> None:
    """Each clause on the first of the imitated engines that promises it."""
    fault, missing = FAULTS[name], set(UNWITNESSED[name])
    for imitated in IMITATED:
        wanted = missing & {clause.id for clause in promised(imitated)}
        missing -= wanted
        bad = judge(KnownBadEngine(healthy(imitated), fault), directory / name, imitated)
        for case in HANDMADE:
            if wanted & judged(case, directory, imitated).tallies.keys():
                result = bad.judge(case_of(case, imitated))
                assert result.failure is None, result.failure
                wanted -= set(result.violated)
        assert not wanted, f"no case on {imitated} violates {sorted(wanted)}"
    assert not missing


def test_no_fault_crashes_on_other_cases(fault: Fault, directory: Path) -> None:
    """Each fault on a sample of the other cases: pruned logs, files outside, links, refusals, I/O faults."""
    bad = judge(KnownBadEngine(imitating(fault), fault), directory / f"{fault.name}-others")
    start = VACUUM_FAULTS.index(fault)
    for name in [*list(HANDMADE)[start % 47 :: 47], "pruned", "elsewhere"]:
        result = bad.judge(HANDMADE[name])
        assert result.failure is None, (name, result.failure)


# The copy of a fault -------------------------------------------------------------------------------------------------


def test_the_copy_of_a_known_bad_engine_is_not_beside_the_table(tmp_path: Path) -> None:
    found = []

    class Listing(ReferenceEngine):
        def run(self, root: Path, *args: object, **named: object) -> Outcome:
            found.append(sorted(path.name for path in root.parent.iterdir()))
            return super().run(root, *args, **named)  # type: ignore[arg-type]

    result = judge(KnownBadEngine(Listing(), FAULTS["breaks-the-log"]), tmp_path).judge(HANDMADE["elsewhere"])
    assert not result.violated
    assert found[0] == ["elsewhere", "other.parquet", "tab", "table", "table2"]
    assert not list(tmp_path.iterdir())

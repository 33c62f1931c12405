"""Every known-bad VACUUM on small cases made by hand: noticed by each of its clauses, and nothing on the healthy engine."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import suites.clauses  # noqa: F401 - fills the catalogue
from deltalog.log import read_log
from engines.deltalake.capabilities import capabilities_of
from selfcheck.faults import FAULTS, Fault, KnownBadEngine
from selfcheck.faults.logs import state_of
from selfcheck.faults.tampering import Tampering
from engines.port import Outcome
from engines.spark import releases
from engines.spark.releases import rules_of
from model.capabilities import EVERYTHING
from model.case import Case
from model.codec import from_json, to_json
from model.rules import DELTA_RS, SPARK
from model.steps import ENGINE_STEPS, InvalidVacuum, Vacuum
from model.table import Table
from selfcheck.reference_engine import Habits, ReferenceEngine
from strategies.restricted import restricted_to
from harness.clause import CATALOGUE, Clause, unsupported
from harness.judge import Judge, JudgedCase
from harness.materialise import plan_table, write_table
from tests.handmade_vacuums import HANDMADE, PRUNED_TABLE, VECTORS

pytestmark = pytest.mark.xdist_group("known-bad-vacuums")

HABITS = [Habits(*choices) for choices in product((False, True), repeat=4)]

VACUUM_FAULTS = [fault for fault in FAULTS.values() if fault.on in (Vacuum, InvalidVacuum)] + [
    FAULTS["reads-beyond-retention"]
]
BY_CLAUSE = [(fault, clause) for fault in VACUUM_FAULTS for clause in fault.caught_by]


#: Older releases of Delta on Spark, by whose rules nothing may be noticed on an engine that goes by them.
OLDER = ("2.4.0", "3.2.1")

#: What a known-bad engine is built on: the reference engine by Spark's rules, or by those of delta-rs.
RULES = {"spark": SPARK, "deltalake": DELTA_RS, **{version: rules_of(version) for version in OLDER}}
CAPABLE = {
    "spark": EVERYTHING,
    "deltalake": capabilities_of("1.6.6"),
    **{version: releases.capabilities_of(version) for version in OLDER},
}


def promised(name: str) -> list[Clause[Any]]:
    """The clauses that are held against the reference engine by these rules."""
    left_out = unsupported(healthy(name))
    return [clause for id, clause in CATALOGUE.items() if id not in left_out]


def healthy(rules: str, habits: Habits | None = None) -> ReferenceEngine:
    version = rules if rules in OLDER else "4.4.0"
    return ReferenceEngine(habits, rules=RULES[rules], capabilities=CAPABLE[rules], version=version)


def judge(engine: KnownBadEngine | ReferenceEngine, directory: Path, rules: str = "spark") -> Judge:
    return Judge(engine, promised(rules), directory)


def case_of(name: str, rules: str) -> Case:
    return restricted_to(HANDMADE[name], capabilities=CAPABLE[rules])


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("handmade")


@cache
def judged(name: str, directory: Path, rules: str = "spark") -> JudgedCase:
    """A case on the healthy engine; its habits take turns."""
    habits = HABITS[list(HANDMADE).index(name) % len(HABITS)]
    engine = healthy(rules, habits)
    return judge(engine, directory / f"healthy-{rules}" / name, rules).judge(case_of(name, rules))


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("name", HANDMADE)
def test_nothing_is_noticed_on_the_healthy_engine(name: str, rules: str, directory: Path) -> None:
    case, result = case_of(name, rules), judged(name, directory, rules)
    assert from_json(to_json(case)) == case, "a case that no one can write down"
    assert result.failure is None, result.failure
    assert not result.violated, {id: result.tallies[id].violations for id in result.violated}
    assert len(result.steps) == sum(isinstance(step, ENGINE_STEPS) for step in case.steps)


def test_the_cases_meet_every_clause_of_vacuum(directory: Path) -> None:
    met = {id for rules in RULES for name in HANDMADE for id in judged(name, directory, rules).tallies}
    assert {id for id in CATALOGUE if id.startswith("VAC-")} <= met


@pytest.mark.parametrize(("fault", "clause"), BY_CLAUSE, ids=lambda value: getattr(value, "name", value))
def test_every_fault_is_noticed_by_each_of_its_clauses(fault: Fault, clause: str, directory: Path) -> None:
    rules = next(rules for rules in RULES if CATALOGUE[clause] in promised(rules))
    bad = judge(KnownBadEngine(healthy(rules), fault), directory / fault.name, rules)
    for name in HANDMADE:
        if clause in judged(name, directory, rules).tallies:
            result = bad.judge(case_of(name, rules))
            assert result.failure is None, result.failure
            if clause in result.violated:
                return
    pytest.fail(f"no case that meets {clause} shows it the fault {fault.name!r}")


@pytest.mark.parametrize("fault", VACUUM_FAULTS, ids=lambda fault: fault.name)
def test_no_fault_stumbles_over_what_it_was_not_made_for(fault: Fault, directory: Path) -> None:
    """Pruned logs, files outside, links, refusals, a file system that fails: another one for each fault."""
    bad = judge(KnownBadEngine(ReferenceEngine(), fault), directory / f"{fault.name}-others")
    start = VACUUM_FAULTS.index(fault)
    for name in [*list(HANDMADE)[start % 23 :: 23], "pruned", "elsewhere"]:
        result = bad.judge(HANDMADE[name])
        assert result.failure is None, (name, result.failure)


def test_every_clause_of_vacuum_has_its_fault() -> None:
    caught = {clause for fault in FAULTS.values() for clause in fault.caught_by}
    assert {id for id in CATALOGUE if id.startswith("VAC-")} <= caught


# What a fault has to work with ---------------------------------------------------------------------------------------


def tampering(root: Path) -> Tampering:
    return Tampering(root, root, Vacuum(), Outcome((), None, 0, 0), 0, 0, False, 0)


@pytest.mark.parametrize("table", [PRUNED_TABLE, VECTORS.table, HANDMADE["elsewhere"].table, HANDMADE["encoded"].table])
def test_a_fault_knows_the_state_as_our_reader_does(table: Table, tmp_path: Path) -> None:
    root = tmp_path / "case" / "table"
    root.parent.mkdir()
    write_table(plan_table(table), root, start=1_800_000_000_000)
    snapshot, state = read_log(root).snapshot(), state_of(root, root)
    assert len(state.adds) == len(snapshot.adds) and len(state.removes) == len(snapshot.removes)
    named = [add.file for add in snapshot.adds.values()] + [remove.file for remove in snapshot.removes.values()]
    found = {(root / path).resolve() for path, _ in (*state.adds, *state.removes)}
    assert found == {(root / path).resolve() for path in named}
    vectors = [add.deletion_vector for add in snapshot.adds.values() if add.deletion_vector]
    assert tampering(root).live_vectors == {vector.file for vector in vectors if vector.storage == "u"}


def test_the_copy_of_a_known_bad_engine_is_nowhere_beside_the_table(tmp_path: Path) -> None:
    seen = []

    class Looks(ReferenceEngine):
        def run(self, root: Path, *args: object, **named: object) -> Outcome:
            seen.append(sorted(path.name for path in root.parent.iterdir()))
            return super().run(root, *args, **named)  # type: ignore[arg-type]

    result = judge(KnownBadEngine(Looks(), FAULTS["breaks-the-log"]), tmp_path).judge(HANDMADE["elsewhere"])
    assert not result.violated
    assert seen[0] == ["elsewhere", "other.parquet", "tab", "table", "table2"]
    assert not list(tmp_path.iterdir())

"""``python -m tests.find_witnesses [NAME ...]``: for each known-bad engine, a small case that shows the fault.

Searches the present witness, the cases of the smoke profile, the handmade ones (``tests.handmade``), and the other witnesses
for the first in which the reference engine with the fault violates a clause of ``caught_by``, and shrinks it. Writes
tests/witnesses/NAME.json, which ``tests/faults/test_witnesses.py`` judges on the real engine. Exits with 1 if no case shows
a fault.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engines.deltalake.capabilities import NEWEST
from engines.spark.releases import capabilities_of
from engines.versions import judged_of
from faults import FAULTS, Fault, KnownBadEngine
from harness.campaigns.drawing import fixed_cases
from harness.campaigns.shrinking import reduce, truncated
from harness.running.judge import Judge
from known_faults.known import known, known_faults_in
from model.codec import loads, to_json
from model.vocabulary.capabilities import EVERYTHING, Capabilities, has
from model.vocabulary.case import Case
from model.vocabulary.rules import DELTA_RS, SPARK
from model.vocabulary.steps import AtOnce
from records.known_fault import KnownFault
from reference_engine import ReferenceEngine
from runner.plugin import ROOT
from runner.run.controller import FIXED_SEED
from strategies.restriction.capabilities import restricted_to
from suites.campaigns import batches
from suites.catalogue import CATALOGUE
from suites.profiles import PROFILES, on
from tests.handmade.crashes import CRASHES
from tests.handmade.damage import DAMAGED
from tests.handmade.vacuums import HANDMADE

#: How many smaller cases to try for each witness.
TRIES = 250

WITNESSES = Path(__file__).parent / "witnesses"

ON_SPARK = capabilities_of(judged_of("spark")[-1])


def witness(name: str) -> Case:
    """The kept case of a fault."""
    return loads((WITNESSES / f"{name}.json").read_text(encoding="utf-8"))


def cases_of(profile: str, capabilities: Capabilities = EVERYTHING) -> list[Case]:
    """The cases of a fixed profile on Spark, for an engine with these capabilities."""
    found = batches(on(PROFILES[profile], "spark"), (), capabilities)
    return [case for batch in found for case in fixed_cases(batch, FIXED_SEED, capabilities)]


def smoke_cases() -> list[Case]:
    """The cases of the smoke profile."""
    return cases_of("smoke")


@cache
def known_faults_of(engine: str, version: str) -> tuple[KnownFault, ...]:
    """The listed faults of an engine that hold for a version."""
    return tuple(known(known_faults_in(ROOT / "known_faults" / f"{engine}.toml"), version))


def imitating(fault: Fault) -> ReferenceEngine:
    """A healthy engine for which it is a fault: with the rules of delta-rs, or those of Delta on Spark."""
    beyond_spark = fault.needs and not any(has(ON_SPARK, need) for need in fault.needs)
    if beyond_spark or fault.rules.get("implementation") == DELTA_RS.implementation:
        return ReferenceEngine(rules=DELTA_RS, capabilities=NEWEST)
    return ReferenceEngine()


#: The faults of Delta on Spark, and those of other engines too.
OF_SPARK = tuple(name for name, fault in FAULTS.items() if imitating(fault).rules is SPARK)


@dataclass(frozen=True)
class Candidate:
    case: Case
    exercises: frozenset[str]  # ids of the clauses that it exercises on the healthy engine


def candidates(engine: ReferenceEngine, scratch: Path) -> list[Candidate]:
    """The cases that may show a fault of this engine, those of the smoke profile first."""
    healthy = Judge(engine, list(CATALOGUE.values()), scratch)
    handmade = (*HANDMADE.values(), *CRASHES.values(), *DAMAGED.values())
    cases = [*smoke_cases(), *handmade, *(witness(path.stem) for path in sorted(WITNESSES.glob("*.json")))]
    if engine.rules is not SPARK:
        cases = [restricted_to(case, capabilities=engine.capabilities) for case in cases]
    return [Candidate(case, frozenset(healthy.judge(case).tallies)) for case in cases]


def find(fault: Fault, cases: Sequence[Candidate], judge: Judge) -> Case | None:
    """The smallest case found in which the fault violates one of its clauses, the first of them if possible."""
    for clause in fault.caught_by:
        for candidate in cases:
            # What is refused in vain beside another is refused by the fault alone: healthy, the clause is not exercised.
            may_show = clause in candidate.exercises or fault.on is AtOnce
            judged = judge.judge(candidate.case) if may_show else None
            if judged is not None and clause in judged.violated:
                start = truncated(candidate.case, max(step.index for step in judged.steps))
                return reduce(start, lambda smaller: clause in judge.judge(smaller).violated, tries=TRIES)
    return None


def main(names: Sequence[str]) -> int:
    WITNESSES.mkdir(exist_ok=True)
    missing = []
    with tempfile.TemporaryDirectory(prefix="tombstone-witnesses-") as scratch:
        cases: dict[str, list[Candidate]] = {}  # by the rules' implementation
        for number, name in enumerate(names or list(FAULTS)):
            healthy = imitating(FAULTS[name])
            known = str(healthy.rules.implementation)
            engine = KnownBadEngine(healthy, FAULTS[name])
            judge = Judge(engine, list(CATALOGUE.values()), Path(scratch) / str(number))
            present = (
                [Candidate(witness(name), frozenset(FAULTS[name].caught_by))]
                if (WITNESSES / f"{name}.json").exists()
                else []
            )
            found = find(FAULTS[name], present, judge)
            if found is None:
                if known not in cases:
                    cases[known] = candidates(healthy, Path(scratch) / known)
                found = find(FAULTS[name], cases[known], judge)
            if found is None:
                missing.append(name)
                continue
            text = json.dumps(to_json(found), indent=1, ensure_ascii=False)
            (WITNESSES / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    if missing:
        print(f"No case of the smoke profile, no handmade one and no witness shows: {', '.join(missing)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""``python -m tests.recorded``: writes the verdicts of the model and of the clauses on fixed cases to ``tests/recorded/*.json``.

The reference engine uses the same model as the judge: where the model changes, both change, and no test of one by the other
notices. A recorded verdict, once checked, does not change with them. After an intended change of a rule, of a clause or of
a case, record again and read the diff: it shows what else has changed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

from engines.deltalake.capabilities import capabilities_of
from engines.port import Engine
from faults import FAULTS, KnownBadEngine
from harness.judging.clause import NOT_EXERCISED, Clause, Judgement
from harness.judging.step_judge import Tally
from harness.observing.steps.observation import DeleteObservation, Observation
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.running.judge import Judge
from model.codec import case_id
from model.vocabulary.case import Case
from model.vocabulary.rules import DELTA_RS
from records.expectations import Expectation
from reference_engine import ReferenceEngine
from strategies.restriction.capabilities import restricted_to
from suites.catalogue import CATALOGUE, unsupported
from tests.find_witnesses import OF_SPARK, imitating, known_faults_of, witness
from tests.handmade.vacuums import HANDMADE
from tests.readable_violations import check_violations_readable

DIRECTORY = Path(__file__).parent / "recorded"

#: The cases of the witnesses on a healthy engine, each once, and on the engine with their fault; the handmade ones on a
#: healthy engine with the rules of Spark and of delta-rs.
KINDS = ("healthy", "faulty", "handmade-spark", "handmade-deltalake")


@cache
def recorded(kind: str) -> dict[str, Any]:
    """The recorded verdicts by case."""
    return dict(json.loads((DIRECTORY / f"{kind}.json").read_text(encoding="utf-8")))


def _healthy(kind: str) -> ReferenceEngine:
    """An engine that has run nothing: it numbers the files that it writes."""
    if kind == "handmade-deltalake":
        return ReferenceEngine(rules=DELTA_RS, capabilities=capabilities_of("1.6.6"))
    return ReferenceEngine()


@cache
def cases(kind: str) -> Mapping[str, Case]:
    """The cases of a kind: handmade ones by name, those of faults by the fault, others by their id."""
    if kind == "faulty":
        return {name: witness(name) for name in FAULTS}
    if kind == "healthy":
        return {case_id(case): case for name, case in cases("faulty").items() if name in OF_SPARK}
    capabilities = _healthy(kind).capabilities
    return {name: restricted_to(case, capabilities=capabilities) for name, case in HANDMADE.items()}


def verdict(kind: str, name: str, directory: Path) -> dict[str, Any]:
    """The present verdict on a case: the model's predictions by step, and the subjects and violations of each clause.

    On an engine with a fault: the causes of the violations of each clause (how often is not the suite's business), the clauses
    that the known faults of Spark excuse, and the kinds of expectation that its scripts check.
    """
    engine: Engine = _healthy(kind)
    if kind == "faulty":
        engine = KnownBadEngine(imitating(FAULTS[name]), FAULTS[name])
    predictions: list[dict[str, int]] = []

    def record(observation: Observation) -> Judgement:
        predictions.append(_prediction(observation))
        return NOT_EXERCISED

    excluded = unsupported(engine)
    clauses: list[Clause[Any]] = [clause for id, clause in CATALOGUE.items() if id not in excluded]
    clauses.append(Clause("VAC-RECORD-1", "Records every observation.", (), Observation, record))
    listed = known_faults_of("spark", "4.4.0") if kind == "faulty" and name in OF_SPARK else ()
    judged = Judge(engine, clauses, directory, listed).judge(cases(kind)[name])
    if judged.failure is not None:
        return {"failure": judged.failure.message}
    check_violations_readable(judged.tallies)
    if kind == "faulty":
        return {
            "violated": {id: _causes(judged.tallies[id]) for id in sorted(judged.violated)},
            "excused": sorted(set(judged.violated) - set(judged.failed)),
            "expectations": sorted(
                {kind for id in judged.violated for kind in kinds_of(judged.tallies[id].violations[0].expectation)}
            ),
        }
    tallies = {id: [tally.subjects, len(tally.violations)] for id, tally in sorted(judged.tallies.items())}
    return {"steps": predictions, "clauses": tallies}


def _causes(tally: Tally) -> list[str]:
    """What went wrong with what kind of subject, in words without names and numbers."""
    return sorted({violation.cause for violation in tally.violations})


def kinds_of(expectation: Expectation | None) -> set[str]:
    """The kind of an expectation, and its choices within the kind."""
    return {type(expectation).__name__, *(str(one) for one in vars(expectation).values() if isinstance(one, Enum))}


def _prediction(observation: Observation) -> dict[str, int]:
    """The model's prediction of a step, counted."""
    if isinstance(observation, VacuumObservation):
        fates = observation.fates.values()
        counts = Counter(f"{fate.fate.value} {fate.reason.name} {fate.listed}" for fate in fates)
        counts["fails"] += observation.fails
        return dict(sorted(counts.items()))
    if isinstance(observation, DeleteObservation):
        predicted = observation.prediction
        return {
            f"{predicted.scope.value} {predicted.method.value} removed": len(predicted.removed),
            "vectors": len(predicted.hidden_rows),
            "hidden": sum(len(hidden) for hidden in predicted.hidden_rows.values()),
            "deleted": predicted.deleted.total(),
            "survivors": predicted.survivors.total(),
        }
    return {type(observation).__name__: 1}


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="tombstone-recorded-") as scratch:
        for kind in KINDS:
            verdicts = {name: verdict(kind, name, Path(scratch) / kind / name) for name in cases(kind)}
            # One case a line: a diff names the case.
            lines = [f"{json.dumps(name)}: {json.dumps(found)}" for name, found in verdicts.items()]
            text = "{\n" + ",\n".join(lines) + "\n}\n"
            (DIRECTORY / f"{kind}.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

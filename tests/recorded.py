"""``python -m tests.recorded``: what the model and the clauses said of cases that do not change, kept to compare with.

The reference engine asks the same model as the judge, so where the model changes both change, and nothing is noticed. What
was once found right and written down does not change with them: ``tests/recorded/*.json``. After a wanted change of a
rule, of a clause or of a case, write it anew, and read the difference: it says what else has changed.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engines.deltalake.capabilities import capabilities_of
from engines.port import Engine, Outcome
from harness.clause import NOT_EXERCISED, Clause, Judgement
from harness.judge import Judge
from harness.observation import DeleteObservation, Observation
from harness.vacuum_observation import VacuumObservation
from model.capabilities import EVERYTHING
from model.case import Case
from model.codec import from_json
from model.rules import DELTA_RS, SPARK
from model.steps import EngineStep
from selfcheck.faults import FAULTS, KnownBadEngine
from selfcheck.reference_engine import ReferenceEngine
from strategies.restricted import restricted_to
from suites.catalogue import CATALOGUE, unsupported
from tests.find_witnesses import WITNESSES
from tests.handmade_vacuums import HANDMADE
from tests.well_told import must_be_well_told

DIRECTORY = Path(__file__).parent / "recorded"

RULES = {"spark": SPARK, "deltalake": DELTA_RS}
CAPABLE = {"spark": EVERYTHING, "deltalake": capabilities_of("1.6.6")}

#: What is recorded: the cases of the witnesses on a healthy engine and on that with their fault, those made by hand on a
#: healthy engine by the rules of Spark and of delta-rs.
KINDS = ("healthy", "faulty", "handmade-spark", "handmade-deltalake")


class _Unhurried:
    """An engine that takes a millisecond at least: that a step now and then takes none may not decide what is said."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.name, self.versions = engine.name, engine.versions
        self.capabilities, self.rules = engine.capabilities, engine.rules

    def run(self, root: Path, step: EngineStep, *, clock: int, version: int | None) -> Outcome:
        outcome = self._engine.run(root, step, clock=clock, version=version)
        return dataclasses.replace(outcome, started=outcome.started - 1)

    def close(self) -> None:
        self._engine.close()


def names(kind: str) -> Iterator[str]:
    """The cases of a kind."""
    return iter(HANDMADE if kind.startswith("handmade") else FAULTS)


def told(kind: str, name: str, directory: Path) -> dict[str, Any]:
    """What is said of a case now: the model's word on each step, and of each clause its subjects and violations."""
    rules = "deltalake" if kind.endswith("deltalake") else "spark"
    engine: Engine = ReferenceEngine(rules=RULES[rules], capabilities=CAPABLE[rules])
    left_out = unsupported(engine)
    if kind == "faulty":
        engine = KnownBadEngine(engine, FAULTS[name])
    words: list[dict[str, int]] = []

    def listen(seen: Observation) -> Judgement:
        words.append(_word(seen))
        return NOT_EXERCISED

    clauses: list[Clause[Any]] = [clause for id, clause in CATALOGUE.items() if id not in left_out]
    clauses.append(Clause("VAC-KEPT-1", "It hears all.", (), Observation, listen))
    judged = Judge(_Unhurried(engine), clauses, directory).judge(_case(kind, name, rules))
    if judged.failure is not None:
        return {"failure": judged.failure.message}
    must_be_well_told(judged.tallies)
    tallies = {id: [tally.subjects, len(tally.violations)] for id, tally in sorted(judged.tallies.items())}
    # What a fault does is noticed or not; how often, and which others it touches, is its own affair.
    return {"violated": sorted(judged.violated)} if kind == "faulty" else {"steps": words, "clauses": tallies}


def _case(kind: str, name: str, rules: str) -> Case:
    if kind.startswith("handmade"):
        return restricted_to(HANDMADE[name], capabilities=CAPABLE[rules])
    return from_json(json.loads((WITNESSES / f"{name}.json").read_text(encoding="utf-8")))


def _word(seen: Observation) -> dict[str, int]:
    """What the model says of a step, counted."""
    if isinstance(seen, VacuumObservation):
        fates = seen.fates.values()
        found = Counter(f"{one.fate.value} {one.reason.name} {one.listed}" for one in fates)
        found["fails"] += seen.fails
        return dict(sorted(found.items()))
    if isinstance(seen, DeleteObservation):
        said = seen.prediction
        rows = sum(len(hidden) for hidden in said.hidden_rows.values())
        return {
            f"{said.scope.value} {said.method.value} removed": len(said.removed),
            "masked": len(said.hidden_rows),
            "hidden": rows,
            "deleted": said.deleted.total(),
            "survivors": said.survivors.total(),
        }
    return {type(seen).__name__: 1}


def recorded(kind: str) -> dict[str, Any]:
    """What was said of the cases of a kind, by name."""
    found: dict[str, Any] = json.loads((DIRECTORY / f"{kind}.json").read_text(encoding="utf-8"))
    return found


def main() -> int:
    DIRECTORY.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tombstone-recorded-") as scratch:
        for kind in KINDS:
            rows = {name: told(kind, name, Path(scratch) / kind / name) for name in names(kind)}
            # One case a line: a difference names the case.
            lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()]
            text = "{\n" + ",\n".join(lines) + "\n}\n"
            (DIRECTORY / f"{kind}.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

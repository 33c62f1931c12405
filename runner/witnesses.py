"""``python -m runner.witnesses [NAME ...]``: for each known-bad engine, the smallest case that shows it.

Goes through the cases of the smoke profile, in its order; the first that a clause of the fault's ``caught_by`` notices is
made smaller and written to tests/witnesses/NAME.json, which the selftest replays. A fault that no case of the smoke
profile shows ends the command with 1.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import suites.clauses  # noqa: F401 - fills the catalogue
from engines.known_bad import FAULTS, Fault, KnownBadEngine
from engines.provider import Provider
from engines.spark.adapter import SparkEngine
from model.case import Case
from model.codec import to_json
from runner.controller import FIXED_SEED
from runner.plugin import ROOT
from runner.workspace import Workspace
from suites.campaigns import shards
from suites.clause import CATALOGUE
from suites.drawing import fixed_cases
from suites.judge import Judge
from suites.profiles import PROFILES
from suites.reduction import reduce, truncated

WITNESSES = ROOT / "tests" / "witnesses"


def smoke_cases() -> Iterator[Case]:
    """The cases of the smoke profile."""
    for shard in shards(PROFILES["smoke"], ()):
        yield from fixed_cases(shard, FIXED_SEED)


def find(fault: Fault, cases: list[tuple[Case, frozenset[str]]], judge: Judge) -> Case | None:
    """The smallest case found that shows the fault. ``cases`` come with the clauses that they meet on the healthy engine."""
    wanted = frozenset(fault.caught_by)
    for case, met in cases:
        if not met & wanted:
            continue
        judged = judge.judge(case)
        noticed = [id for id in judged.violated if id in wanted]
        if noticed:
            start = truncated(case, max(step["index"] for step in judged.steps))
            return reduce(start, lambda smaller: noticed[0] in judge.judge(smaller).violated, tries=25)
    return None


def main(names: list[str]) -> int:
    workspace = Workspace(None)
    provider = Provider(
        "spark",
        directory=workspace.directory,
        started=workspace.started,
        spark_conf={},
        extra_classpath=(),
        jars=(),
        master="local[*]",
    )
    missing = []
    try:
        provider.start()
        engine = SparkEngine(provider.lease)
        clauses = list(CATALOGUE.values())
        healthy = Judge(engine, clauses, workspace.directory / "healthy", listed=CATALOGUE)
        cases = []
        for case in smoke_cases():
            tallies = healthy.judge(case).tallies
            cases.append((case, frozenset(id for id, tally in tallies.items() if tally.met)))
        print(
            f"{len(cases)} cases; met by none: {sorted(set(CATALOGUE) - frozenset().union(*(met for _, met in cases)))}",
            flush=True,
        )
        WITNESSES.mkdir(exist_ok=True)
        for number, name in enumerate(names or list(FAULTS)):
            bad = KnownBadEngine(engine, FAULTS[name])
            witness = find(FAULTS[name], cases, Judge(bad, clauses, workspace.directory / f"bad-{number}"))
            if witness is None:
                missing.append(name)
                print(f"{name}: NOT NOTICED", flush=True)
                continue
            text = json.dumps(to_json(witness), indent=1, ensure_ascii=False)
            (WITNESSES / f"{name}.json").write_text(text + "\n", encoding="utf-8")
            print(f"{name}: {len(witness.steps)} steps, {len(text)} characters", flush=True)
    finally:
        provider.close()
        workspace.close()
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

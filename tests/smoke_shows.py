"""``python -m tests.smoke_shows [FAULT…]``: writes which cases show each fault of Spark to ``tests/recorded/smoke-shows.json``.

With names, only these are looked for, and the others stay as they are recorded.

They are cases of smoke, and of the gate where smoke has none. ``tests/suites/test_profiles.py`` judges them.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path

from engines.port import Engine
from engines.working_copy import WorkingCopy
from faults import FAULTS, Fault, KnownBadEngine
from harness.running.judge import Judge, JudgedCase
from model.codec import case_id
from model.vocabulary.case import Case
from model.vocabulary.steps import AtOnce, InvalidVacuum, Vacuum
from records.known_fault import KnownFault
from reference_engine import ReferenceEngine
from selfcheck.processes import processes
from suites.catalogue import CATALOGUE, promised
from tests.find_witnesses import OF_SPARK, cases_of

FILE = Path(__file__).parent / "recorded" / "smoke-shows.json"


@cache
def shows() -> dict[str, list[str]]:
    """The ids of the cases that show a fault by its clauses, by the fault."""
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


@cache
def by_id(profile: str) -> dict[str, Case]:
    return {case_id(case): case for case in cases_of(profile)}


def shown_by(fault: str) -> list[Case]:
    """The cases that show a fault, as recorded."""
    return [by_id("smoke").get(id) or by_id("gate")[id] for id in shows()[fault]]


def on_healthy(
    engines: Iterable[Engine],
    cases: Iterable[Case],
    directory: Path,
    *,
    listed: Iterable[KnownFault] = (),
    copy: WorkingCopy | None = None,
) -> Iterator[JudgedCase]:
    """Cases, judged on one of these engines in turn. Raises AssertionError if it violates more than what is listed."""
    judges = [Judge(one, promised(one), directory / str(number), listed, copy) for number, one in enumerate(engines)]
    for number, case in enumerate(cases):
        judged = judges[number % len(judges)].judge(case)
        assert judged.failure is None, judged.failure
        assert not judged.failed, (case, {id: judged.tallies[id].violations for id in judged.failed})
        yield judged


def met(judged: JudgedCase) -> Counter[str]:
    """How many steps exercise each clause."""
    return Counter({id: tally.met for id, tally in judged.tallies.items()})


def unexercised(
    engine: Engine, directory: Path, *, listed: Iterable[KnownFault] = (), copy: WorkingCopy | None = None
) -> set[str]:
    """The clauses that a healthy engine promises, of which no case of smoke exercises one."""
    found = {clause.id for clause in promised(engine)}
    for judged in on_healthy([engine], cases_of("smoke", engine.capabilities), directory, listed=listed, copy=copy):
        found -= (+met(judged)).keys()
    return found


def showing(fault: Fault, healthy: Iterable[JudgedCase], directory: Path) -> tuple[list[Case], set[str]]:
    """The cases that show the fault, judged on an engine with it, and the clauses that noticed it in none.

    ``healthy`` are the cases judged on an engine without it. A fault of VACUUM is to be noticed by one of its clauses, any other
    by all of them.
    """
    judge = Judge(KnownBadEngine(ReferenceEngine(), fault), list(CATALOGUE.values()), directory)
    missing, found = set(fault.caught_by), list[Case]()
    for one in healthy:
        # What is refused in vain beside another is refused by the fault alone: healthy, the clause is not exercised.
        told = missing if fault.on is not AtOnce else one.tallies.keys()
        if not told & one.tallies.keys() or not any(isinstance(step, fault.on) for step in one.case.steps):
            continue
        judged = judge.judge(one.case)
        assert judged.failure is None, judged.failure
        if missing & set(judged.violated):
            found.append(judged.case)
            missing -= set(judged.violated)
        if not missing or (found and by_one_clause(fault)):
            return found, set()
    return found, missing


def by_one_clause(fault: Fault) -> bool:
    """Whether one of the clauses of a fault is enough to show it; otherwise all must."""
    return fault.on in (Vacuum, InvalidVacuum)


@cache
def _judged(profile: str, directory: Path) -> list[JudgedCase]:
    return list(on_healthy([ReferenceEngine()], by_id(profile).values(), directory / f"{profile}-{os.getpid()}"))


def _ids(name: str, directory: Path) -> list[str]:
    found, missing = showing(FAULTS[name], _judged("smoke", directory), directory / name)
    if missing:
        found, missing = showing(
            FAULTS[name], _judged("smoke", directory) + _judged("gate", directory), directory / name
        )
        print(f"smoke does not show {name}: {f'the gate neither, by {missing}' if missing else 'the gate does'}")
    return [case_id(case) for case in found]


def main(names: list[str]) -> int:
    with (
        tempfile.TemporaryDirectory(prefix="tombstone-smoke-shows-") as scratch,
        processes(os.cpu_count() or 1) as workers,
    ):
        search = partial(_ids, directory=Path(scratch))
        sought = names or [*OF_SPARK]
        found = (shows() if names else {}) | dict(zip(sought, workers.map(search, sought, chunksize=8)))
    lines = [f"{json.dumps(name)}: {json.dumps(found[name])}" for name in OF_SPARK]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

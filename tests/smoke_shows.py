"""``python -m tests.smoke_shows``: writes which cases of smoke show each fault to ``tests/recorded/smoke-shows.json``.

The search through all cases takes ten times as long as to judge the cases that it found.
``tests/suites/test_profiles.py`` judges these first, and searches where they no longer show the fault: the file saves time and
decides nothing.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache, partial
from pathlib import Path

from faults import FAULTS, Fault, KnownBadEngine
from harness.running.judge import Judge, JudgedCase
from model.codec import case_id
from model.vocabulary.case import Case
from model.vocabulary.steps import InvalidVacuum, Together, Vacuum
from reference_engine import ReferenceEngine
from selfcheck.processes import processes
from suites.catalogue import CATALOGUE
from tests.find_witnesses import OF_SPARK, smoke_cases

FILE = Path(__file__).parent / "recorded" / "smoke-shows.json"


@cache
def shows() -> dict[str, list[str]]:
    """The ids of the cases that show a fault by its clauses, by the fault."""
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


def showing(fault: Fault, healthy: Iterable[JudgedCase], directory: Path) -> tuple[list[JudgedCase], set[str]]:
    """The cases that show the fault, judged on an engine with it, and the clauses that noticed it in none.

    ``healthy`` are the cases judged on an engine without it. A fault of VACUUM is to be noticed by one of its clauses, any other
    by all of them.
    """
    judge = Judge(KnownBadEngine(ReferenceEngine(), fault), list(CATALOGUE.values()), directory)
    missing, found = set(fault.caught_by), list[JudgedCase]()
    for one in healthy:
        # What is refused in vain beside another is refused by the fault alone: healthy, the clause is not exercised.
        told = missing if fault.on is not Together else one.tallies.keys()
        if not told & one.tallies.keys() or not any(isinstance(step, fault.on) for step in one.case.steps):
            continue
        judged = judge.judge(one.case)
        assert judged.failure is None, judged.failure
        if missing & set(judged.violated):
            found.append(judged)
            missing -= set(judged.violated)
        if not missing or (found and fault.on in (Vacuum, InvalidVacuum)):
            return found, set()
    return found, missing


def _healthy(cases: Sequence[Case], directory: Path) -> list[JudgedCase]:
    judge = Judge(ReferenceEngine(), list(CATALOGUE.values()), directory)
    return [judge.judge(case) for case in cases]


@cache
def _smoke(directory: Path) -> list[JudgedCase]:
    return _healthy(smoke_cases(), directory / f"healthy-{os.getpid()}")


def _ids(name: str, directory: Path) -> list[str]:
    found, missing = showing(FAULTS[name], _smoke(directory), directory / name)
    if missing:
        print(f"no case of smoke shows {name} by {', '.join(sorted(missing))}")
    return [case_id(judged.case) for judged in found]


def main() -> int:
    with (
        tempfile.TemporaryDirectory(prefix="tombstone-smoke-shows-") as scratch,
        processes(os.cpu_count() or 1) as workers,
    ):
        search = partial(_ids, directory=Path(scratch))
        found = dict(zip(OF_SPARK, workers.map(search, OF_SPARK, chunksize=8)))
    lines = [f"{json.dumps(name)}: {json.dumps(ids)}" for name, ids in found.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

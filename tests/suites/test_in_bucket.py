"""Smoke's cases on the reference engine behind objects: no time of a file is set, and yet the faults are noticed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache, reduce
from pathlib import Path

import pytest

from engines.object_store import Storage
from engines.port import Engine, now
from engines.provider import limits_in
from engines.working_copy import CopyingEngine, WorkingCopy
from faults import FAULTS, KnownBadEngine
from harness.campaigns.drawing import fixed_cases
from harness.running.judge import Judge
from model.codec import case_id
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from model.vocabulary.rules import SPARK, SPARK_ON_S3, with_changes
from model.vocabulary.steps import Delete
from reference_engine import ReferenceEngine
from runner.run.controller import FIXED_SEED
from strategies.restriction.capabilities import restricted_to
from suites.campaigns import batches
from suites.catalogue import CATALOGUE, unsupported
from suites.profiles import PROFILES
from tests.builders.memory_objects import MemoryObjects, ObjectsEngine
from tests.find_witnesses import smoke_cases
from tests.smoke_shows import shows

#: The times are in ms: the reference engine takes those of its files, which are no objects yet, into what it writes.
RULES = replace(with_changes(SPARK, SPARK_ON_S3), time_unit=1)


@cache
def supported() -> Capabilities:
    limits = limits_in("spark", Storage.BUCKET)
    return reduce(lambda found, one: found.shared(one.capabilities), limits, EVERYTHING)


@cache
def cases() -> tuple[Case, ...]:
    found = [fixed_cases(batch, FIXED_SEED, supported()) for batch in batches(PROFILES["smoke"], (), supported())]
    return tuple(case for batch in found for case in batch)


def judge(directory: Path, objects: MemoryObjects, fault: str | None = None) -> Judge:
    copy = WorkingCopy(objects)
    reference = ReferenceEngine(rules=RULES, capabilities=supported())
    engine: Engine = CopyingEngine(ObjectsEngine(reference, objects), copy)
    if fault is not None:
        engine = KnownBadEngine(engine, FAULTS[fault])
    clauses = [clause for id, clause in CATALOGUE.items() if id not in unsupported(reference)]
    return Judge(engine, clauses, directory, copy=copy)


def test_a_healthy_engine_violates_no_clause(tmp_path: Path) -> None:
    objects = MemoryObjects(now(), tick=1, unit=1)
    judging, met = judge(tmp_path, objects), Counter[str]()
    for case in cases():
        judged = judging.judge(case)
        assert judged.failure is None, judged.failure
        assert not judged.violated, (
            [one.message for id in judged.violated for one in judged.tallies[id].violations],
            case,
        )
        met.update({id: tally.met for id, tally in judged.tallies.items()})
    assert objects.content == {}
    assert {"VAC-SAFE-1", "VAC-SAFE-2", "VAC-LIVE-1"} <= (+met).keys()


#: Faults that the cases of smoke show on local files: ten of VACUUM and ten of DELETE.
NOTICED = (
    "vacuums-a-live-file",
    "keeps-orphans",
    "ignores-the-tables-retention",
    "dry-run-deletes",
    "cutoff-early-for-tombstones",
    "forgets-live-vectors",
    "forgets-retained-vectors",
    "skips-underscored-partitions",
    "takes-encoded-names-for-orphans",
    "obeys-retain",
    *[name for name, fault in FAULTS.items() if fault.on is Delete and not name.startswith("crash")][5::22][:10],
)


@pytest.mark.parametrize("name", NOTICED)
def test_a_fault_is_noticed(name: str, tmp_path: Path) -> None:
    judging = judge(tmp_path, MemoryObjects(now(), tick=1, unit=1), name)
    shown = [case for case in smoke_cases() if case_id(case) in shows()[name]]
    judged = [judging.judge(restricted_to(case, capabilities=supported())) for case in shown]
    assert set(FAULTS[name].caught_by) & {id for one in judged for id in one.violated}

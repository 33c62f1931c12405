"""Smoke's cases on the reference engine behind objects: no time of a file is set, and yet the faults are noticed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, reduce
from pathlib import Path

import pytest

from engines.kind import Given
from engines.object_store import Storage
from engines.port import Engine, now
from engines.provider import limits_in
from engines.working_copy import CopyingEngine, UploadingEngine, WorkingCopy
from faults import FAULTS, KnownBadEngine
from harness.running.judge import Judge
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.rules import SPARK, SPARK_ON_S3, with_changes
from model.vocabulary.steps import Delete
from reference_engine import ReferenceEngine
from strategies.restriction.capabilities import restricted_to
from suites.catalogue import promised
from tests.builders.memory_objects import MemoryObjects, ObjectsEngine
from tests.smoke_shows import shown_by, unexercised

#: The times are in ms: the reference engine takes those of its files, which are no objects yet, into what it writes.
RULES = replace(with_changes(SPARK, SPARK_ON_S3), time_unit=1)

#: What names the engine: Spark in this run, whose clock is set, or a server by the machine's.
SET_UPS: dict[str, Given] = {"clock": {}, "server": {"spark_remote": "sc://127.0.0.1:1"}}

#: How much the clock of the objects is behind the machine's, ms: no file is younger than a step.
BEHIND = 10 * 60 * 1000

by_set_up = pytest.mark.parametrize("set_up", SET_UPS)


@cache
def supported(set_up: str) -> Capabilities:
    limits = limits_in("spark", Storage.BUCKET, SET_UPS[set_up])
    return reduce(lambda found, one: found.shared(one.capabilities), limits, EVERYTHING)


def objects_of(set_up: str) -> MemoryObjects:
    return MemoryObjects(now() - (BEHIND if set_up == "server" else 0), tick=1, unit=1)


def engine_of(copy: WorkingCopy, objects: MemoryObjects, set_up: str) -> Engine:
    reference = ReferenceEngine(rules=replace(RULES, own_clock=set_up == "clock"), capabilities=supported(set_up))
    return CopyingEngine(ObjectsEngine(reference, objects), copy)


@pytest.mark.long
@by_set_up
def test_a_healthy_engine_violates_no_clause(set_up: str, tmp_path: Path) -> None:
    objects = objects_of(set_up)
    copy = WorkingCopy(objects)
    left = unexercised(engine_of(copy, objects, set_up), tmp_path, copy=copy)
    assert objects.content == {}
    assert left.isdisjoint({"VAC-SAFE-1", "VAC-SAFE-2", "VAC-SAFE-4", "VAC-LIVE-1", "VAC-LIVE-2"})


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

#: Those of them that need a clock that is set, as for an instant or a RETAIN that has no effect, or a table by its name.
NOT_ON_A_SERVER = ("cutoff-early-for-tombstones", "obeys-retain", "counts-otherwise-by-name")


@pytest.mark.long
@pytest.mark.parametrize(
    ("set_up", "name"),
    [(set_up, name) for set_up in SET_UPS for name in NOTICED if set_up == "clock" or name not in NOT_ON_A_SERVER],
)
def test_a_fault_is_noticed(set_up: str, name: str, tmp_path: Path) -> None:
    objects = objects_of(set_up)
    copy = WorkingCopy(objects)
    engine = UploadingEngine(KnownBadEngine(engine_of(copy, objects, set_up), FAULTS[name]), copy)
    judge = Judge(engine, promised(engine), tmp_path, copy=copy)
    judged = [judge.judge(restricted_to(case, capabilities=supported(set_up))) for case in shown_by(name)]
    assert set(FAULTS[name].caught_by) & {id for one in judged for id in one.violated}

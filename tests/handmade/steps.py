"""Steps of the reference engine on small tables, whose results a test changes before they are observed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

from deltalog.storage.names import LOG_DIRECTORY, checksum_name, commit_name
from engines.port import Outcome
from faults.machinery import files
from faults.machinery.disk import copied, kept_time
from faults.machinery.fault import Tamper
from faults.machinery.files import ChosenPaths
from faults.machinery.tampering import Tampering
from harness.judging.excusing.excuses import Excuses
from harness.judging.side import Side
from harness.judging.step_judge import Tally
from harness.observing.steps.observation import Observation
from harness.running.case_run import CaseRun
from model.vocabulary.predicate import And, Compare, Op
from model.vocabulary.steps import Ask, Delete, EngineStep, Request, Step, Vacuum
from model.vocabulary.table import HOUR, WEEK, Column, Commit, DataFile, Kind, Removal, StrayFile, Table
from model.vocabulary.values import Row, Type
from records.run import RecordedViolation
from reference_engine import ReferenceEngine
from suites.catalogue import CATALOGUE
from tests.builders.observations import listener
from tests.readable_violations import check_violations_readable


class TamperingEngine(ReferenceEngine):
    """The reference engine, with a tamper for each of its steps."""

    def __init__(self, *tampers: Tamper) -> None:
        super().__init__()
        self._tampers = list(tampers)

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        with copied(root) as before:
            outcome = super().run(root, step, clock=clock, version=version)
            assert not isinstance(step, Ask), "a step"
            t = Tampering(root, before, step, outcome, clock, 0, False, version)
            return self._tampers.pop(0)(t) or outcome


def judged(table: Table, directory: Path, *steps: tuple[Step, Tamper | None]) -> tuple[dict[str, Tally], Observation]:
    """The tallies of these steps on a new table, and the last observation. Steps that no engine runs have no tamper."""
    engine, kept = TamperingEngine(*(tamper for _, tamper in steps if tamper)), list[Observation]()
    side = Side(engine, (*CATALOGUE.values(), listener(kept.append)), Excuses(CATALOGUE))
    run = CaseRun(side, table, directory / "table")
    for step, _ in steps:
        run.take(step)
    check_violations_readable(run.tallies)
    return run.tallies, kept[-1]


def judged_by(
    table: Table, directory: Path, id: str, *steps: tuple[Step, Tamper | None]
) -> tuple[int, list[RecordedViolation]]:
    """The number of subjects of a clause in these steps, and its violations."""
    tallies, _ = judged(table, directory, *steps)
    if id not in tallies:
        return 0, []
    return tallies[id].subjects, tallies[id].violations


def take(table: Table, directory: Path, *steps: tuple[EngineStep, Tamper]) -> set[str]:
    """The clauses that these steps violate."""
    tallies, _ = judged(table, directory, *steps)
    return {id for id, tally in tallies.items() if tally.violations}


def violated(table: Table, step: EngineStep, tamper: Tamper, directory: Path) -> set[str]:
    """The clauses that one step on a new table violates."""
    return take(table, directory, (step, tamper))


# Tampers ----------------------------------------------------------------------------------------------------------


def right(t: Tampering) -> None:
    """Changes nothing."""


def refused(t: Tampering) -> Outcome:
    """Only the answer changes."""
    return t.refuse("SOME_CONDITION")


def answering(change: Callable[[tuple[Row, ...]], tuple[Row, ...]]) -> Tamper:
    return lambda t: t.answer(change(t.outcome.rows))


def in_text(paths: ChosenPaths, pattern: str, replacement: str) -> Tamper:
    """Replace something in the text of these files, but not their modification times."""

    def edit(path: Path) -> None:
        changed, count = re.subn(pattern, replacement, path.read_text(), count=1)
        assert count, f"{pattern} must be found in {path.read_text()}"
        with kept_time(path):
            path.write_text(changed)

    return files.in_each(paths, edit)


def in_commit(pattern: str, replacement: str, *, last: int = 1) -> Tamper:
    """Replace something in the ``last`` commit, from the end of the log. Its version checksum goes: it would contradict it."""

    def tamper(t: Tampering) -> None:
        version = max([*t.log.history, *t.log.written]) + 1 - last
        in_text(files.these(f"{LOG_DIRECTORY}/{commit_name(version)}"), pattern, replacement)(t)
        t.disk.delete(f"{LOG_DIRECTORY}/{checksum_name(version)}")

    return tamper


def leaving(path: str) -> Tamper:
    return files.write(path, b"xx")


def removing(*paths: str) -> Tamper:
    return files.in_each(files.these(*paths), lambda path: shutil.rmtree(path) if path.is_dir() else path.unlink())


def restoring(*paths: str) -> Tamper:
    return files.restore_all(files.these(*paths))


# Tables --------------------------------------------------------------------------------------------------------------

PARTITIONED = Table(
    columns=(Column("v", Type.INTEGER), Column("p", Type.STRING)),
    partition_by=("p",),
    files=(
        DataFile(0, ("a",), ((1,), (2,), (None,)), -WEEK),
        DataFile(1, ("a",), ((3,),), -WEEK),
        DataFile(2, ("b",), ((1,),), -WEEK),
        DataFile(3, (None,), ((1,), (9,)), -WEEK),
    ),
    commits=(Commit(-HOUR, adds=(0, 1, 2, 3)),),
    stray_files=(StrayFile("p=a/orphan", modified=-3 * WEEK),),
)
V1 = Compare("v", Op.EQ, 1, Type.INTEGER)
PA = Compare("p", Op.EQ, "a", Type.STRING)
IN_A = Delete(And(PA, V1))

AGED = Table(
    columns=(Column("v", Type.INTEGER), Column("_d", Type.INTEGER)),
    partition_by=("_d",),
    files=(
        DataFile(0, (1,), ((1,), (2,)), -9 * WEEK),
        DataFile(1, (1,), ((3,),), -9 * WEEK),
        DataFile(2, (2,), ((4,),), -9 * WEEK),
    ),
    commits=(
        Commit(-3 * HOUR, adds=(0, 1, 2)),
        Commit(-2 * HOUR, removes=(Removal(1, -WEEK), Removal(2, -WEEK + 1))),
    ),
    stray_files=(
        StrayFile("old", modified=-WEEK - 1),
        StrayFile("young", modified=-WEEK),
        StrayFile("_change_data/old", modified=-2 * WEEK),
        StrayFile("_d=1/old", modified=-2 * WEEK),
        StrayFile("_ds=1/old", modified=-2 * WEEK),
        StrayFile("_hidden", modified=-2 * WEEK),
        StrayFile("empty", kind=Kind.DIRECTORY, size=0),
        StrayFile("holds/young", modified=-HOUR),
    ),
)
PLAIN, DRY = Vacuum(), Vacuum(dry_run=True)


def data(id: int) -> str:
    """The path of a file of AGED."""
    return f"_d={1 if id < 2 else 2}/part-{id:05d}-{id:08x}-0000-4000-8000-000000000000.c000.snappy.parquet"

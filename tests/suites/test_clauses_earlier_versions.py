"""DEL-TT-2 and VAC-SAFE-10F: which earlier versions are judged, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.port import Engine
from faults import FAULTS, KnownBadEngine
from harness.running.judge import Judge, JudgedCase
from model.vocabulary.case import Case
from model.vocabulary.severity import Severity
from model.vocabulary.steps import Delete, Insert, Moment, Read, SetClock, Step, Vacuum
from model.vocabulary.table import DAY, Column, Commit, DataFile, DeletionVector, Feature, Removal, Table, VectorStorage
from model.vocabulary.values import Type
from reference_engine import ReferenceEngine
from suites.catalogue import CATALOGUE

#: Version 0 has two files, version 1 one of them, both are inside retention.
TABLE = Table(
    columns=(Column("v", Type.INTEGER),),
    partition_by=(),
    files=(DataFile(0, (), ((1,),), -2 * DAY), DataFile(1, (), ((2,), (3,)), -2 * DAY)),
    commits=(Commit(-2 * DAY, adds=(0, 1)), Commit(-DAY, removes=(Removal(0, -DAY),))),
)
BOTH = ("DEL-TT-2", "VAC-SAFE-10F")


def judge(engine: Engine, directory: Path, *steps: Step) -> JudgedCase:
    judged = Judge(engine, [CATALOGUE[id] for id in BOTH], directory).judge(Case(TABLE, steps))
    assert judged.failure is None
    return judged


def subjects(judged: JudgedCase) -> dict[str, int]:
    return {id: tally.subjects for id, tally in judged.tallies.items()}


def test_every_version_before_a_step_is_judged(tmp_path: Path) -> None:
    judged = judge(ReferenceEngine(), tmp_path, Insert(((4,),)), Delete(), Vacuum(), Read())
    assert subjects(judged) == {"DEL-TT-2": 3, "VAC-SAFE-10F": 4} and not judged.violated


def test_a_version_whose_file_may_be_deleted_is_not_judged(tmp_path: Path) -> None:
    judged = judge(ReferenceEngine(), tmp_path, SetClock(Moment(6 * DAY + 1)), Vacuum(), Delete())
    assert subjects(judged) == {"DEL-TT-2": 3, "VAC-SAFE-10F": 1}, "all but version 0"
    assert not judged.violated


def test_a_version_whose_vector_by_an_absolute_path_may_be_deleted_is_not_judged(tmp_path: Path) -> None:
    """Version 1 has such a vector, which version 2 replaces; its tombstone is expired."""
    absolute = DeletionVector(0, (0,), -50 * DAY, storage=VectorStorage.ABSOLUTE)
    table = Table(
        columns=TABLE.columns,
        partition_by=(),
        files=(DataFile(0, (), ((1,), (2,), (3,)), -60 * DAY),),
        commits=(
            Commit(-60 * DAY, adds=(0,)),
            Commit(-50 * DAY, deletion_vectors=(absolute,)),
            Commit(-40 * DAY, deletion_vectors=(DeletionVector(0, (0, 1), -40 * DAY),)),
        ),
        features=(Feature.DELETION_VECTORS.value,),
    )
    judged = Judge(ReferenceEngine(), [CATALOGUE["VAC-SAFE-10F"]], tmp_path).judge(Case(table, (Vacuum(),)))
    assert judged.failure is None and not judged.violated
    assert subjects(judged) == {"VAC-SAFE-10F": 2}, "all but version 1"


def test_a_delete_without_a_commit_is_not_judged(tmp_path: Path) -> None:
    assert subjects(judge(ReferenceEngine(), tmp_path, Delete(), Delete())) == {"DEL-TT-2": 2}


@pytest.mark.parametrize(
    ("fault", "step", "clause"),
    [
        ("deletes-an-earlier-file", Delete(), "DEL-TT-2"),
        ("vacuum-truncates-earlier-versions", Vacuum(), "VAC-SAFE-10F"),
    ],
)
def test_a_file_that_only_an_earlier_version_needs_must_stay(
    fault: str, step: Step, clause: str, tmp_path: Path
) -> None:
    (wrong,) = judge(KnownBadEngine(ReferenceEngine(), FAULTS[fault]), tmp_path, step).wrong
    assert (wrong.clause, wrong.severity, wrong.subject) == (clause, Severity.DATA_LOSS, "version 0")

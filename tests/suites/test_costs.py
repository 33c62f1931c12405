"""Which files the condition of a DELETE excludes, and of what kind a path is. The witnesses show the rest of the clauses."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.cost.storage import also, opens_live
from harness.observing.steps.accesses import kind_of_path
from model.vocabulary.accesses import PathKind
from model.vocabulary.predicate import And, Between, Compare, In, IsNull, Not, Op, Or, Predicate
from model.vocabulary.steps import Delete
from model.vocabulary.values import Type
from tests.handmade.steps import PA, PARTITIONED, V1, judged_by

#: By partition a file has these values of v: a: 1, 2, NULL; a: 3; b: 1; NULL: 1, 9.
EXCLUDED: list[tuple[str, Predicate, int]] = [
    ("DEL-COST-2", And(PA, V1), 2),
    ("DEL-COST-2", And(V1, In("p", ("b", "c"), Type.STRING)), 3),
    ("DEL-COST-2", And(IsNull("p"), V1), 3),
    ("DEL-COST-2", And(Between("p", "a", "b", Type.STRING), V1), 1),
    ("DEL-COST-2", Or(PA, V1), 0),
    ("DEL-COST-2", And(Not(PA), V1), 0),  # an engine need not see it
    ("DEL-COST-3", V1, 1),
    ("DEL-COST-3", Compare("v", Op.NULL_SAFE_EQ, 1, Type.INTEGER), 1),
    ("DEL-COST-3", Compare("v", Op.LT, 1, Type.INTEGER), 4),
    ("DEL-COST-3", Compare("v", Op.LE, 1, Type.INTEGER), 1),
    ("DEL-COST-3", Compare("v", Op.GT, 2, Type.INTEGER), 2),
    ("DEL-COST-3", Compare("v", Op.GE, 3, Type.INTEGER), 2),
    ("DEL-COST-3", Compare("v", Op.NE, 1, Type.INTEGER), 0),
    ("DEL-COST-3", And(V1, PA), 1),
    ("DEL-COST-3", Or(V1, PA), 0),
]


@pytest.mark.parametrize(("clause", "where", "excluded"), EXCLUDED)
def test_a_file_that_a_condition_excludes_must_stay_closed(
    clause: str, where: Predicate, excluded: int, tmp_path: Path
) -> None:
    subjects, violations = judged_by(PARTITIONED, tmp_path, clause, (Delete(where), also(opens_live)))
    assert (subjects, len(violations)) == (excluded, excluded)


@pytest.mark.parametrize(
    ("path", "is_directory", "kind"),
    [
        ("", False, PathKind.DIRECTORY),
        ("p=1", True, PathKind.DIRECTORY),
        ("p=1/part-0.parquet", False, PathKind.DATA_FILE),
        ("orphan", False, PathKind.DATA_FILE),
        ("_change_data/cdc-0.parquet", False, PathKind.CHANGE_FILE),
        ("p=1/cdc-0.parquet", False, PathKind.CHANGE_FILE),
        ("ab/deletion_vector_0.bin", False, PathKind.VECTOR),
        ("_delta_log", False, PathKind.LOG),
        ("_delta_log/_sidecars", True, PathKind.LOG),
        ("_delta_log/00000000000000000001.json", False, PathKind.COMMIT),
        ("_delta_log/00000000000000000001.00000000000000000002.compacted.json", False, PathKind.COMMIT),
        ("_delta_log/.00000000000000000001.json.c5dd8064-cbdb-4327-90e0-6eed12892b54.tmp", False, PathKind.COMMIT),
        ("_delta_log/00000000000000000001.crc", False, PathKind.CHECKSUM),
        ("_delta_log/00000000000000000001.checkpoint.parquet", False, PathKind.CHECKPOINT),
        ("_delta_log/_sidecars/x.parquet", False, PathKind.CHECKPOINT),
        ("_delta_log/_last_checkpoint", False, PathKind.CHECKPOINT),
        ("_delta_log/_last_vacuum_info", False, PathKind.OTHER),
    ],
)
def test_paths_are_of_kinds(path: str, is_directory: bool, kind: PathKind) -> None:
    assert kind_of_path(path, is_directory=is_directory) is kind

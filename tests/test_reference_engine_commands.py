"""The reference engine's other commands: our own reader sees what the model predicts, on tables with and without features."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.judging.judge import JudgedCase
from model.vocabulary.case import Case
from model.vocabulary.commands import (
    SWITCHED,
    AddColumn,
    Assignment,
    Checkpoint,
    CleanUpLog,
    Command,
    CompactLog,
    Merge,
    Optimize,
    Overwrite,
    Purge,
    Restore,
    SetRetention,
    ShallowClone,
    StreamAppend,
    Switch,
    Update,
    WidenColumn,
)
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import ENGINE_STEPS, Delete, OtherCommand, Read, Vacuum
from model.vocabulary.table import DAY, HOUR, WEEK, Column, Commit, DataFile, DeletionVector, Feature, Removal, Table
from model.vocabulary.values import Type, Value
from reference_engine import ReferenceEngine
from tests.builders.observations import full_judge

P, V, W = Column("p", Type.STRING), Column("v", Type.INTEGER), Column("w", Type.STRING)

IN_A = Compare("p", Op.EQ, "a", Type.STRING)
HIGH = Compare("v", Op.GT, 2, Type.INTEGER)

VECTORS = (Feature.DELETION_VECTORS,)
FEATURES: dict[str, tuple[Feature, ...]] = {
    "plain": (),
    "vectors": VECTORS,
    "mapped": (Feature.COLUMN_MAPPING_NAME,),
    "mapped by id": (Feature.COLUMN_MAPPING_ID, Feature.DELETION_VECTORS),
    "row tracking": (Feature.ROW_TRACKING, Feature.DELETION_VECTORS),
    "change feed": (Feature.CHANGE_DATA_FEED, Feature.DELETION_VECTORS),
    "commit times": (Feature.IN_COMMIT_TIMESTAMPS, Feature.CHECKSUMS, Feature.FREQUENT_CHECKPOINTS),
    "v2 checkpoints": (Feature.V2_CHECKPOINTS, Feature.FREQUENT_CHECKPOINTS, Feature.DELETION_VECTORS),
}


def table(*features: Feature) -> Table:
    """Three live files in two partitions and a removed one; with deletion vectors, the first live file has one."""
    vectors = (DeletionVector(0, (1,), -HOUR),) if Feature.DELETION_VECTORS in features else ()
    files = (
        DataFile(0, ("a",), ((1, "x"), (2, None), (3, "z")), -WEEK),
        DataFile(1, ("a",), ((4, "x"),), -WEEK),
        DataFile(2, ("b",), ((5, None), (6, "y")), -WEEK),
        DataFile(3, ("b",), ((7, "gone"),), -WEEK),
    )
    commits = (
        Commit(-WEEK, adds=(0, 1, 2, 3)),
        Commit(-DAY, removes=(Removal(3, -DAY),)),
        Commit(-HOUR, deletion_vectors=vectors),
    )
    return Table((P, V, W), ("p",), files, commits, features=tuple(feature.value for feature in features))


def _to(column: Column, value: Value) -> Assignment:
    return Assignment(column.name, column.type, value)


NEW = (("a", 10, "new"), ("c", 11, None))

COMMANDS: dict[str, Command] = {
    "optimize": Optimize(),
    "optimize a partition": Optimize(IN_A),
    "sort": Optimize(zorder_by=("v",)),
    "purge": Purge(),
    "update": Update(_to(W, "set"), HIGH),
    "update all": Update(_to(V, None)),
    "update partitions": Update(_to(P, "b"), IN_A),
    "update nothing": Update(_to(W, "set"), Compare("v", Op.GT, 99, Type.INTEGER)),
    "merge by update": Merge(HIGH, _to(W, "set"), NEW[:1]),
    "merge by delete": Merge(HIGH),
    "merge by insert": Merge(Compare("v", Op.GT, 99, Type.INTEGER), insert=NEW[:1]),
    "overwrite": Overwrite(NEW),
    "overwrite a partition": Overwrite(NEW[:1], IN_A),
    "overwrite by nothing": Overwrite(()),
    "stream": StreamAppend(NEW),
    "checkpoint": Checkpoint(),
    "compact the log": CompactLog(),
    "clean up the log": CleanUpLog(),
    "retention": SetRetention(240),
    "retention of the log": SetRetention(48, of_log=True),
    "clone": ShallowClone(),
    "add a column": AddColumn(Column("n", Type.TIMESTAMP_NTZ)),
    "widen": WidenColumn("v"),
    **{f"{feature.value} on": Switch(feature, True) for feature in SWITCHED},
    **{f"{feature.value} off": Switch(feature, False) for feature in SWITCHED},
}


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_does_as_predicted(command: str, features: str, tmp_path: Path) -> None:
    """And the DELETE and the VACUUM after it, the reads, and the RESTORE of the table before it."""
    steps = (
        OtherCommand(COMMANDS[command]),
        Read(),
        Delete(HIGH),
        OtherCommand(Restore(0)),
        Read(),
        Delete(IN_A),
        Vacuum(),
        Read(),
    )
    result = judged(Case(table(*FEATURES[features]), steps), tmp_path)
    assert "LIFE-1A" in result.tallies


def judged(case: Case, directory: Path) -> JudgedCase:
    """The case on the reference engine, which must violate no clause."""
    result = full_judge(ReferenceEngine(), directory).judge(case)
    assert result.failure is None, result.failure
    assert not result.violated, {id: result.tallies[id].violations for id in result.violated}
    assert len(result.steps) == len([step for step in case.steps if isinstance(step, ENGINE_STEPS)]), "it ended early"
    return result

"""Small cases made by hand with commands other than DELETE and VACUUM."""

from __future__ import annotations

from dataclasses import replace
from typing import Union

from model.vocabulary.case import Case
from model.vocabulary.commands import (
    SWITCHED,
    AddColumn,
    Assignment,
    Checkpoint,
    CleanUpLog,
    Command,
    CompactLog,
    DropColumn,
    DropFeature,
    Optimize,
    Overwrite,
    Purge,
    RenameColumn,
    Restore,
    SetRetention,
    ShallowClone,
    StreamAppend,
    Switch,
    Update,
    VacuumClone,
    When,
    WidenColumn,
)
from model.vocabulary.predicate import Cast, Compare, Literal, Of, Op, Relate
from model.vocabulary.steps import Delete, Moment, OpenSession, OtherCommand, Read, SetClock, Step, Vacuum
from model.vocabulary.table import DAY, HOUR, WEEK, Column, Commit, DataFile, DeletionVector, Feature, Removal, Table
from model.vocabulary.values import ArrayOf, StructOf, Type, Value
from tests.builders.merges import merge

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
    "merge by update": merge(HIGH, _to(W, "set"), NEW[:1]),
    "merge by delete": merge(HIGH),
    "merge by delete where matched": merge(HIGH, when=When.MATCHED),
    "merge by delete where not matched by the source": merge(HIGH, when=When.BY_SOURCE),
    "merge by update where not matched by the source": merge(HIGH, _to(W, "set"), when=When.BY_SOURCE),
    "merge by insert": merge(Compare("v", Op.GT, 99, Type.INTEGER), insert=NEW[:1]),
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
    "add a column": AddColumn(Column("n", Type.DATE)),
    "widen": WidenColumn("v"),
    **{f"{feature.value} on": Switch(feature, True) for feature in SWITCHED},
    **{f"{feature.value} off": Switch(feature, False) for feature in SWITCHED},
}


#: What a case is made of: steps, and commands for the steps that run them.
Part = Union[Command, Read, Delete, Vacuum, SetClock, OpenSession]


def _case(features: str, *parts: Part) -> Case:
    return Case(table(*FEATURES[features]), steps(*parts))


def steps(*parts: Part) -> tuple[Step, ...]:
    return tuple(
        part if isinstance(part, (Read, Delete, Vacuum, SetClock, OpenSession)) else OtherCommand(part)
        for part in parts
    )


_LATER = (Read(), Delete(IN_A), Restore(0), Read(), Delete(HIGH), Vacuum(), Read())

#: Each command on each table, and then the DELETE and the VACUUM, the reads, and the RESTORE of the table before it.
EACH: dict[str, Case] = {
    f"{name}, {features}": _case(features, command, *_LATER)
    for name, command in COMMANDS.items()
    for features in FEATURES
}


def _columns(features: str) -> Case:
    """A dropped column's name comes back: no value does."""
    struct = StructOf((("x", Type.LONG), ("y", ArrayOf(Type.STRING))))
    return _case(
        features,
        RenameColumn("w", "w w"),
        AddColumn(Column("s", struct)),
        Update(Assignment("s", struct, (1, ("z",))), IN_A),
        DropColumn("w w"),
        AddColumn(W),
        WidenColumn("v"),
        StreamAppend((("a", 2**40, (None, None), "w"),)),
        Read(),
        Delete(Compare("v", Op.GT, 5, Type.LONG)),
        Optimize(),
        Restore(3),
        Read(),
        Restore(0),
        Read(),
    )


def _feature(feature: Feature) -> Case:
    """It comes, goes, comes back with a RESTORE, goes, comes back, is switched off."""
    return _case(
        "plain",
        Switch(feature, True),
        Update(_to(W, "set"), HIGH),
        Delete(IN_A),
        DropFeature(feature),
        StreamAppend(NEW),
        Restore(2),
        Optimize(),
        DropFeature(feature),
        Switch(feature, True),
        merge(HIGH, _to(W, "again")),
        Switch(feature, False),
        Optimize(),
        Read(),
    )


def _clean_up(features: str) -> Case:
    """Of commits of 40 days ago, the checkpoint stays and what follows it."""
    made = _case(
        features, Checkpoint(), CleanUpLog(), Delete(HIGH), SetClock(Moment(DAY)), CompactLog(), CleanUpLog(), Read()
    )
    old = tuple(replace(commit, at=commit.at - 40 * DAY) for commit in made.table.commits)
    return replace(made, table=replace(made.table, commits=old))


def _clone(features: str) -> Case:
    return _case(features, ShallowClone(), Delete(HIGH), Vacuum(), VacuumClone(), Optimize(), VacuumClone(), Read())


#: The cases in which nothing is refused.
HANDMADE: dict[str, Case] = {
    **{f"columns, {features}": _columns(features) for features in ("mapped", "mapped by id")},
    **{f"feature {feature.value}": _feature(feature) for feature in SWITCHED},
    **{f"log clean-up, {name}": _clean_up(name) for name in ("plain", "vectors", "commit times", "v2 checkpoints")},
    **{f"clone, {name}": _clone(name) for name in ("plain", "vectors", "row tracking", "mapped by id")},
}

_FAILS = Relate(Cast(Of("w"), Type.INTEGER), Op.EQ, Literal(1, Type.INTEGER))
_ZERO = Vacuum(retain_hours=0, safety_check=False)

#: Cases, each with the steps that are refused.
REFUSED: dict[str, tuple[Case, list[int]]] = {
    "columns are not mapped to rename one": (_case("plain", RenameColumn("w", "u")), [0]),
    "columns are not mapped to drop one": (_case("plain", DropColumn("w")), [0]),
    "the table lacks the feature": (_case("plain", DropFeature(Feature.ROW_TRACKING), Read()), [0]),
    "log clean-up took the version": (
        _case(
            "plain",
            *(Delete(HIGH), SetRetention(40 * 24), Checkpoint(), SetClock(Moment(35 * DAY)), CleanUpLog()),
            *(Restore(0), Read()),
        ),
        [5],
    ),
    "VACUUM deleted the version": (_case("plain", Delete(IN_A), _ZERO, Restore(0), Read(), Restore(2), Read()), [2]),
    "the table only grows": (
        Case(
            table(Feature.APPEND_ONLY),
            steps(Update(_to(W, "set")), merge(HIGH), Overwrite(()), StreamAppend(NEW), Optimize()),
        ),
        [0, 1, 2],
    ),
    "the condition is an error for a row": (_case("plain", Update(_to(V, 1), _FAILS), merge(_FAILS), Read()), [0, 1]),
}

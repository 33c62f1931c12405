"""Small cases made by hand: each command that can be killed, at each of its effects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, In, Op
from model.vocabulary.steps import (
    Crash,
    CrashPoint,
    Delete,
    Mode,
    Moment,
    Read,
    SetClock,
    Step,
    Vacuum,
    Written,
)
from model.vocabulary.table import DAY, HOUR, WEEK, Column, Commit, DataFile, Feature, Removal, StrayFile, Table
from model.vocabulary.values import Type

OLD = -4 * WEEK

#: Of two partitions with two live files each, one file removed long ago, one an hour ago; two old orphans.
TABLE = Table(
    columns=(Column("p", Type.STRING), Column("id", Type.INTEGER)),
    partition_by=("p",),
    files=tuple(
        DataFile(id, ("a" if id % 2 else "b",), ((10 * id,), (10 * id + 1,)), OLD) for id in (1, 2, 3, 4, 5, 6)
    ),
    commits=(
        Commit(OLD, adds=(1, 2, 3)),
        Commit(OLD + DAY, adds=(4, 5, 6), checkpoint=True),
        Commit(OLD + 2 * DAY, removes=(Removal(5, OLD + 2 * DAY),)),
        Commit(-HOUR, removes=(Removal(6, -HOUR),)),
    ),
    stray_files=(StrayFile("p=a/orphan.parquet", modified=OLD), StrayFile("orphan.parquet", modified=OLD)),
)

ROW = Delete(Compare("id", Op.EQ, 10, Type.INTEGER))
ROWS = Delete(In("id", (10, 20), Type.INTEGER))  # one of file 1, one of file 2
PARTITION = Delete(Compare("p", Op.EQ, "a", Type.STRING))

_COMMIT = (Crash(CrashPoint.COMMIT_WRITTEN), Crash(CrashPoint.COMMITTED), Crash(CrashPoint.CHECKSUM))
_FILES = (
    *(Crash(CrashPoint.FILE_CREATED, nth) for nth in range(2)),
    *(Crash(CrashPoint.FILE_CLOSED, 0, written) for written in Written),
)
_CHECKPOINT = (Crash(CrashPoint.CHECKPOINT), Crash(CrashPoint.POINTER_DELETED))
_VACUUM = (
    *(Crash(point, nth) for point in (CrashPoint.COMMIT_WRITTEN, CrashPoint.COMMITTED) for nth in range(2)),
    *(Crash(CrashPoint.START), Crash(CrashPoint.END), Crash(CrashPoint.CHECKSUM, 1)),
    *(Crash(CrashPoint.DELETION, nth) for nth in range(2)),
)


def with_features(*features: Feature) -> Table:
    return replace(TABLE, features=tuple(feature.value for feature in features))


#: The commands by name: their table, the command, and where it may be killed.
_COMMANDS: dict[str, tuple[Table, Delete | Vacuum, Iterable[Crash]]] = {
    "partition": (TABLE, PARTITION, _COMMIT),
    "rows": (TABLE, ROWS, _FILES + _COMMIT),
    "vectors": (with_features(Feature.DELETION_VECTORS), ROWS, (*_FILES[:1], *_FILES[2:], *_COMMIT)),
    "changes": (with_features(Feature.CHANGE_DATA_FEED), ROWS, (*_FILES, Crash(CrashPoint.FILE_CLOSED, 2), *_COMMIT)),
    "checkpoint": (with_features(Feature.FREQUENT_CHECKPOINTS), ROW, _CHECKPOINT),
    "v2 checkpoint": (
        with_features(Feature.V2_CHECKPOINTS, Feature.FREQUENT_CHECKPOINTS),
        ROW,
        (*_CHECKPOINT, Crash(CrashPoint.CHECKPOINT, 1)),
    ),
    "full": (TABLE, Vacuum(mode=Mode.FULL), _VACUUM),
    "lite": (TABLE, Vacuum(mode=Mode.LITE), (*_VACUUM[:-1],)),
    "inventory": (TABLE, Vacuum(mode=Mode.INVENTORY_QUERY), _VACUUM),
    "unlogged": (TABLE, Vacuum(logging=False), _VACUUM[-2:]),
    "vacuum with checkpoints": (with_features(Feature.FREQUENT_CHECKPOINTS), Vacuum(), _CHECKPOINT),
}


def _after(command: Delete | Vacuum) -> tuple[Step, ...]:
    """What follows a command that was killed: the same again, a DELETE, and a VACUUM beyond the retention, with reads."""
    return (Read(), command, ROWS, SetClock(Moment(2 * WEEK)), Vacuum(), Read(before_step=0), Read())


def _cases() -> Iterator[tuple[str, Case]]:
    for name, (table, command, crashes) in _COMMANDS.items():
        for crash in crashes:
            killed = replace(command, crash=crash)
            at = f"{crash.point.value} {crash.nth} {crash.written.value}"
            yield f"{name}: {at}", Case(table, (killed, *_after(command)))


#: By command and effect. The first step is the one that is killed.
CRASHES: dict[str, Case] = dict(_cases())

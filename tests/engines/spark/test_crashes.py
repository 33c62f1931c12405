"""DELETE and VACUUM on storage that stops at each point, and two sessions of which one is held at a point."""

from __future__ import annotations

import os
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from deltalog.log import read_log
from deltalog.snapshot import Snapshot
from engines.kind import Provider
from engines.object_store import Storage
from engines.port import EngineDied, Outcome, now
from engines.spark.adapter import SparkEngine
from engines.spark.kind import ENGINE
from engines.spark.sessions.session import activate
from engines.spark.storage.file_system import held, stopped
from harness.tables.plan import plan_table
from harness.tables.storage import write_table
from model.text.layout import without_random
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import Crash, CrashPoint, Delete, Form, Mode, Read, Vacuum, VacuumForm, Written
from model.vocabulary.table import DAY, Column, Commit, DataFile, Feature, Kind, Removal, StrayFile, Table
from model.vocabulary.values import Type
from tests.slow import all_slow, slow_after
from tests.table_rows import read_rows

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("spark")]

CLOCK = now()

#: Three live files of three rows in two partitions, an old removed file, and what only a VACUUM FULL deletes. Younger than 30
#: days: else a checkpoint would clean the log up, and write one more checkpoint for it where they have sidecars.
TABLE = Table(
    columns=(Column("id", Type.INTEGER), Column("p", Type.STRING)),
    partition_by=("p",),
    files=tuple(
        DataFile(number, (partition,), tuple((10 * number + row,) for row in range(3)), -21 * DAY)
        for number, partition in enumerate("aabb")
    ),
    commits=(
        Commit(-20 * DAY, adds=(0, 1, 2, 3), checkpoint=True),
        Commit(-19 * DAY, removes=(Removal(3, -19 * DAY),)),
    ),
    stray_files=(
        StrayFile("orphan.parquet", modified=-30 * DAY),
        StrayFile("empty", Kind.DIRECTORY, modified=-30 * DAY, size=0),
    ),
)
BEFORE = 1  # the version
ROWS = [(10 * number + row, partition) for number, partition in enumerate("aab") for row in range(3)]

PARTITION = Delete(Compare("p", Op.EQ, "a", Type.STRING))
SOME = Delete(Compare("id", Op.NE, 21, Type.INTEGER))  # all rows of two files, two of the third

#: The lines of the effects at each point.
LINES = {
    CrashPoint.FILE_CREATED: r"create (p=./)?[^/]+\.(parquet|bin)|create _change_data/.+",
    CrashPoint.FILE_CLOSED: r"close (p=./)?[^/]+\.(parquet|bin)|close _change_data/.+",
    CrashPoint.COMMIT_WRITTEN: r"close _delta_log/\.\d{20}\.json\.\S+\.tmp",
    CrashPoint.COMMITTED: r"rename _delta_log/\S+ to _delta_log/\d{20}\.json",
    CrashPoint.CHECKSUM: r"rename _delta_log/\S+ to _delta_log/\d{20}\.crc",
    CrashPoint.CHECKPOINT: r"rename _delta_log/\S+ to _delta_log/(_sidecars/)?\d{20}\.checkpoint\.[^/]+",
    CrashPoint.POINTER_DELETED: r"delete _delta_log/_last_checkpoint",
    CrashPoint.DELETION: r"delete (?!_delta_log)\S+",
    CrashPoint.START: r"rename _delta_log/\S+ to _delta_log/0{19}2\.json",
    CrashPoint.END: r"rename _delta_log/\S+ to _delta_log/0{19}3\.json",
}
COMMIT = {CrashPoint.COMMIT_WRITTEN: 1, CrashPoint.COMMITTED: 1, CrashPoint.CHECKSUM: 1}
VACUUMED = {
    **{point: 2 * count for point, count in COMMIT.items()},
    CrashPoint.START: 1,
    CrashPoint.END: 1,
}


@dataclass(frozen=True)
class Command:
    """A command on a table with these features, how many effects of each kind it has, and the rows after it."""

    step: Delete | Vacuum
    points: dict[CrashPoint, int]
    features: tuple[Feature, ...] = ()

    @property
    def left(self) -> list[tuple[int, str]]:
        if isinstance(self.step, Vacuum):
            return ROWS
        return ROWS[6:] if self.step == PARTITION else [(21, "b")]

    @property
    def table(self) -> Table:
        return replace(TABLE, features=tuple(feature.value for feature in self.features))

    @property
    def crashes(self) -> list[Crash]:
        return [Crash(point, nth) for point, count in self.points.items() for nth in range(count)]


def files(count: int) -> dict[CrashPoint, int]:
    return {CrashPoint.FILE_CREATED: count, CrashPoint.FILE_CLOSED: count}


COMMANDS = {
    "rows": Command(SOME, {**files(1), **COMMIT}),
    "full": Command(Vacuum(mode=Mode.FULL), {**VACUUMED, CrashPoint.DELETION: 3}),
    "checkpoint": Command(
        PARTITION,
        {**COMMIT, CrashPoint.CHECKPOINT: 1, CrashPoint.POINTER_DELETED: 1},
        (Feature.FREQUENT_CHECKPOINTS,),
    ),
    "partition": Command(PARTITION, COMMIT),
    "vectors": Command(SOME, {**files(1), **COMMIT}, (Feature.DELETION_VECTORS,)),
    "change feed": Command(SOME, {**files(3), **COMMIT}, (Feature.CHANGE_DATA_FEED,)),
    "checkpoint with sidecars": Command(
        PARTITION,
        {**COMMIT, CrashPoint.CHECKPOINT: 2, CrashPoint.POINTER_DELETED: 1},
        (Feature.FREQUENT_CHECKPOINTS, Feature.V2_CHECKPOINTS),
    ),
    "lite": Command(Vacuum(mode=Mode.LITE), {**VACUUMED, CrashPoint.DELETION: 1}),
    "inventory": Command(Vacuum(mode=Mode.INVENTORY_TABLE), {**VACUUMED, CrashPoint.DELETION: 3}),
}


def made(root: Path, table: Table = TABLE) -> Path:
    write_table(plan_table(table, root, start=CLOCK))
    return root


def run(engine: SparkEngine, root: Path, step: Delete | Vacuum | Read) -> Outcome:
    return engine.run(root, step, clock=CLOCK, version=None)


def below(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def referenced(snapshot: Snapshot) -> set[str]:
    vectors = {add.deletion_vector.file for add in snapshot.adds.values() if add.deletion_vector}
    return {add.file for add in snapshot.adds.values()} | {str(file) for file in vectors if file}


def rows(root: Path) -> list[tuple[object, ...]]:
    """As the log and the files have them."""
    return sorted(read_rows(root, read_log(root).snapshot()))


def planned(spark: Any) -> set[str]:
    """The settings of the session that put the suite's file system below it. Delta sets some of its own."""
    return {key for key in spark.conf.getAll if key.startswith(("fs.", "tombstone.", "spark.sql.files."))}


def kinds(effects: tuple[str, ...]) -> Counter[CrashPoint]:
    return Counter(point for line in effects for point, lines in LINES.items() if re.fullmatch(lines, line))


#: What a killed process leaves: temporary files and checksums of the file system in the log, orphans outside of it.
LEFT_OVER = re.compile(r"_delta_log/(_sidecars/)?\..+\.(tmp|crc)|(p=./|_change_data/.*)?[^/]+\.(parquet|bin|crc)")


#: Each command, killed at each of its effects.
KILLS = [(name, crash) for name, command in COMMANDS.items() for crash in command.crashes]
#: Without ``--slow``: the first kill at each point.
_FIRST = list({crash.point: (name, crash) for name, crash in reversed(KILLS)}.values())


@pytest.mark.parametrize(
    ("name", "crash"), slow_after(len(_FIRST), [*_FIRST, *(one for one in KILLS if one not in _FIRST)])
)
def test_storage_is_as_a_killed_process_leaves_it(
    spark_engine: SparkEngine, tmp_path: Path, name: str, crash: Crash, pytestconfig: pytest.Config
) -> None:
    command = COMMANDS[name]
    root = made(tmp_path / "t", command.table)
    before = below(root)
    effects = run(spark_engine, root, replace(command.step, crash=crash)).effects
    assert effects is not None
    counts = kinds(effects)
    if crash.point not in (CrashPoint.START, CrashPoint.END):
        assert counts[crash.point] == crash.nth + 1, effects
    assert re.fullmatch(LINES[crash.point], effects[-1]), effects
    log, left = read_log(root), below(root)
    assert log.version == BEFORE + counts[CrashPoint.COMMITTED]
    assert rows(root) == (command.left if log.version > BEFORE else ROWS)
    deleted = {line.removeprefix("delete ") for line in effects if re.fullmatch(LINES[CrashPoint.DELETION], line)}
    replaced = {"_delta_log/_last_checkpoint", "_delta_log/._last_checkpoint.crc"}
    assert before.keys() - left.keys() <= deleted | replaced
    assert all(left.get(path) == content for path, content in before.items() if path not in deleted | replaced)
    new = left.keys() - before.keys() - referenced(log.snapshot())
    strays = {path for path in new if not re.fullmatch(r"_delta_log/(_sidecars/)?\d{20}\.\S+", path)}
    assert not {path for path in strays if not LEFT_OVER.fullmatch(path)}, strays
    if all_slow(pytestconfig) or crash.point in (CrashPoint.FILE_CLOSED, CrashPoint.DELETION):
        _works_afterwards(spark_engine, root)


def _works_afterwards(engine: SparkEngine, root: Path) -> None:
    """A DELETE, a VACUUM that keeps only what is live, and a read."""
    kept = [row for row in rows(root) if row[0] != 20]
    for step in (Delete(Compare("id", Op.EQ, 20, Type.INTEGER)), Vacuum(0, safety_check=False)):
        outcome = run(engine, root, step)
        assert outcome.error is None, outcome.error
    assert sorted(run(engine, root, Read()).rows) == kept == rows(root)
    outside = {path for path in below(root) if not path.startswith("_delta_log/")}
    live = referenced(read_log(root).snapshot())
    assert {path for path in outside if not path.endswith(".crc")} == live


def test_the_same_point_has_the_same_effects_each_time(spark_engine: SparkEngine, tmp_path: Path) -> None:
    found = set()
    table = replace(TABLE, features=(Feature.CHANGE_DATA_FEED.value,))
    step = replace(SOME, crash=Crash(CrashPoint.FILE_CLOSED, 2))
    for number in range(2):
        effects = run(spark_engine, made(tmp_path / f"t{number}", table), step).effects
        assert effects is not None
        found.add(tuple(map(without_random, effects)))
    assert len(found) == 1, found


def test_a_file_is_whole_half_or_empty_when_it_is_closed(spark_engine: SparkEngine, tmp_path: Path) -> None:
    sizes = {}
    for written in Written:
        root = made(tmp_path / written.name)
        effects = run(spark_engine, root, replace(SOME, crash=Crash(CrashPoint.FILE_CLOSED, 0, written))).effects
        assert effects is not None
        name = effects[-1].split()[1]
        sizes[written] = (root / name).stat().st_size
        assert rows(root) == ROWS
    assert sizes[Written.EMPTY] == 0 < sizes[Written.HALF] == sizes[Written.WHOLE] // 2


@pytest.mark.parametrize(
    "step",
    slow_after(
        1,
        [
            replace(PARTITION, spelling=Spelling.LINK),
            replace(PARTITION, form=Form.SQL_MANAGED),
            replace(PARTITION, form=Form.API_NAME),
            Vacuum(form=VacuumForm.API_PATH),
            replace(PARTITION, spelling=Spelling.DOUBLED_SLASH),
        ],
    ),
)
def test_a_stop_ends_with_its_step(
    spark: Any, spark_engine: SparkEngine, tmp_path: Path, step: Delete | Vacuum
) -> None:
    root = made(tmp_path / "case" / "t")
    point = CrashPoint.COMMITTED if isinstance(step, Delete) else CrashPoint.DELETION
    outcome = run(spark_engine, root, replace(step, crash=Crash(point)))
    assert outcome.error is not None and outcome.effects is not None
    assert re.fullmatch(LINES[point], outcome.effects[-1])
    assert not planned(spark)
    assert [path.name for path in root.parent.iterdir()] == ["t"]
    _works_afterwards(spark_engine, root)


def test_an_effect_that_is_reported_as_failed(spark: Any, tmp_path: Path) -> None:
    """The process lives on: the DELETE fails, cleans up, and is committed."""
    root = made(tmp_path / "t")
    activate(spark)
    with (
        pytest.raises(Py4JJavaError, match=r"Storage failed right after this: rename .+ to _delta_log/0{19}2\.json"),
        stopped(spark, root, Crash(CrashPoint.COMMITTED), lives_on=True) as stop,
    ):
        spark.sql(f"DELETE FROM delta.`{root}` WHERE p = 'a'").collect()
    assert stop.effects is not None and kinds(stop.effects)[CrashPoint.COMMITTED] == 1
    assert read_log(root).version == BEFORE + 1 and rows(root) == ROWS[6:]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "crash"),
    [
        ("rows", Crash(CrashPoint.FILE_CLOSED)),
        ("checkpoint", Crash(CrashPoint.POINTER_DELETED)),
        ("full", Crash(CrashPoint.DELETION, 1)),
    ],
)
def test_a_killed_process_leaves_the_same(
    provider: Provider, spark: Any, spark_engine: SparkEngine, tmp_path: Path, name: str, crash: Crash
) -> None:
    command = COMMANDS[name]
    stopped_at, killed_at = made(tmp_path / "stopped", command.table), made(tmp_path / "killed", command.table)
    assert run(spark_engine, stopped_at, replace(command.step, crash=crash)).effects is not None
    killed = provider.lease(0)
    with (
        suppress(Py4JError, ConnectionError),  # what ends the hold finds no JVM
        held(spark, killed_at, crash.point, crash.nth, beside=(), after=True) as hold,
    ):
        assert hold.start(lambda: run(spark_engine, killed_at, command.step))
        os.kill(killed.pid, signal.SIGKILL)
        with pytest.raises(EngineDied):
            hold.finish()
    assert sizes(killed_at) == sizes(stopped_at)
    assert rows(killed_at) == rows(stopped_at)
    _works_afterwards(spark_engine, killed_at)
    assert provider.lease(0).generation > killed.generation


def sizes(root: Path) -> list[tuple[str, int]]:
    """Outside of the log, where files have times in them."""
    content = below(root).items()
    return sorted((without_random(path), -1 if "_delta_log" in path else len(data)) for path, data in content)


def test_a_cluster_cannot_be_stopped() -> None:
    (limits,) = ENGINE.with_options({"spark_master": "spark://host:7077"}).limits_in(Storage.LOCAL) or ()
    assert not limits.capabilities.crashes and "stops" in limits.reason


# Two sessions --------------------------------------------------------------------------------------------------------


@pytest.fixture
def other(spark: Any) -> Iterator[Any]:
    """Another session of the JVM."""
    session = spark.newSession()
    yield session
    assert not planned(spark) | planned(session)


def delete(spark: Any, root: Path, where: str) -> Callable[[], object]:
    def command() -> object:
        try:
            return [tuple(row) for row in spark.sql(f"DELETE FROM delta.`{root}` WHERE {where}").collect()]
        except PySparkException as error:
            return type(error).__name__

    return command


def test_a_delete_meets_what_another_session_committed_meanwhile(spark: Any, other: Any, tmp_path: Path) -> None:
    pairs = {
        ("id = 1", "id = 2"): "ConcurrentAppendException",  # the same file
        ("id = 1", "p = 'b'"): [(1,)],
    }
    for number, ((first, second), expected) in enumerate(pairs.items()):
        found = set()
        for again in range(2 if isinstance(expected, str) else 1):
            root = made(tmp_path / f"t{number}-{again}")
            with held(spark, root, CrashPoint.COMMITTED, beside=[other]) as hold:
                assert hold.start(delete(spark, root, first))
                held_so_far = hold.effects
                assert re.fullmatch(f"held: {LINES[CrashPoint.COMMIT_WRITTEN]}", held_so_far[-1])
                activate(other)
                assert delete(other, root, second)() == [(3 if "p" in second else 1,)]
                assert hold.effects[len(held_so_far)].startswith("create "), "the other session comes next"
                assert hold.finish() == expected
            effects = tuple(map(without_random, hold.effects))
            found.add((effects, read_log(root).version, tuple(rows(root))))
        ((_, version, left),) = found
        assert version == BEFORE + (1 if isinstance(expected, str) else 2)
        assert len(left) == 8 if isinstance(expected, str) else left == tuple(row for row in ROWS[:6] if row[0] != 1)


def test_a_command_that_does_not_reach_the_point_just_ends(spark: Any, other: Any, tmp_path: Path) -> None:
    root = made(tmp_path / "t")
    with held(spark, root, CrashPoint.CHECKPOINT, beside=[other]) as hold:
        assert not hold.start(delete(spark, root, "id = 1"))
        assert hold.finish() == [(1,)]


def test_sessions_that_are_held_leave_slots_for_the_tasks_of_others(spark: Any, other: Any, tmp_path: Path) -> None:
    """Each worker of a run can hold one: with a slot for each processor, two that are held at once stopped the others."""
    sessions = [spark, *(spark.newSession() for _ in range(os.cpu_count() or 1))]
    with ExitStack() as stack:
        holds = []
        for number, session in enumerate(sessions):
            root = made(tmp_path / f"t{number}")
            hold = stack.enter_context(held(session, root, CrashPoint.FILE_CREATED, beside=[other], limit=30))
            assert hold.start(delete(session, root, "id = 1"))
            holds.append(hold)
        activate(other)
        assert other.range(100).repartition(3).count() == 100
        assert [hold.finish() for hold in holds] == [[(1,)]] * len(sessions) and not any(hold.is_late for hold in holds)


def test_a_hold_has_a_limit_and_its_error_names_the_point(spark: Any, other: Any, tmp_path: Path) -> None:
    jvm, path = spark._jvm, spark._jvm.org.apache.hadoop.fs.Path(str(tmp_path / "t" / "f.parquet"))

    def create() -> None:
        path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf()).create(path).close()

    with held(spark, tmp_path / "t", CrashPoint.FILE_CREATED, beside=[other], limit=1) as hold:
        assert hold.start(create)
        with pytest.raises(
            Py4JJavaError, match=r"held at FILE_CREATED for 1 s, and not released, before this: create f"
        ):
            hold.command.result()
        assert hold.is_late
    assert hold.effects == ("held: make directory .",) and not any((tmp_path / "t").iterdir())
    with (
        held(spark, tmp_path / "t", CrashPoint.COMMITTED, beside=[other], limit=1) as hold,
        pytest.raises(Py4JJavaError, match=r"The point COMMITTED was not reached within 1 s"),
    ):
        hold.start(lambda: jvm.java.lang.Thread.sleep(2000))

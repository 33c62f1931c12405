"""The adapter of delta-rs: the calls it makes, and a child process that dies or hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime, timezone
from decimal import Decimal
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from engines.arrow_rows import rows_of, type_of
from engines.deltalake import worker
from engines.deltalake.adapter import DeltalakeEngine
from engines.deltalake.capabilities import capabilities_of as capabilities_named
from engines.deltalake.operations import DELETE_MISTAKES
from engines.deltalake.script import DeltalakeScript
from engines.deltalake.script_functions import counts
from engines.deltalake.sql import sql
from engines.deltalake.tables import NONE, Tables
from engines.dialect import ScriptedCase, ScriptRun
from engines.kind import Settings
from engines.port import EngineDied, EngineUnavailable, Outcome
from engines.provider import kind_of, provider_for
from engines.restricted import Restricted
from harness.campaigns.record import case_record
from harness.running.judge import Judge, JudgedCase
from harness.tables.processors import processors_for
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from model.vocabulary.predicate import (
    And,
    Between,
    Call,
    Cast,
    Compare,
    Constant,
    Function,
    Holds,
    In,
    Language,
    Like,
    Literal,
    Member,
    Missing,
    Not,
    Of,
    Op,
    Or,
    Predicate,
    Relate,
)
from model.vocabulary.rules import DELTA_RS, DELTA_RS_COUNTS
from model.vocabulary.steps import (
    Delete,
    DeleteMistake,
    EngineStep,
    InvalidDelete,
    InvalidVacuum,
    Literals,
    Mode,
    Moment,
    Read,
    Vacuum,
    VacuumMistake,
)
from model.vocabulary.table import DAY, HOUR, Column, Commit, DataFile, Feature, Removal, StrayFile, Table
from model.vocabulary.values import AnyType, ArrayOf, DecimalOf, MapOf, StructOf, Type
from reference_engine import ReferenceEngine
from tests.builders.observations import make

TABLE = Table(
    columns=(Column("p", Type.STRING), Column("v", Type.INTEGER)),
    partition_by=("p",),
    files=(
        DataFile(0, ("a",), ((1,), (2,), (None,)), -9 * DAY),
        DataFile(1, ("b",), ((1,), (3,)), -9 * DAY),
        DataFile(2, ("b",), ((4,),), -9 * DAY),
    ),
    commits=(Commit(-8 * DAY, adds=(0, 1, 2)), Commit(-HOUR, removes=(Removal(2, -8 * DAY),))),
    stray_files=(StrayFile("orphan.parquet", modified=-9 * DAY), StrayFile("young.parquet")),
    features=(Feature.CHANGE_DATA_FEED.value,),
)
ONE = Delete(Compare("v", Op.EQ, 1, Type.INTEGER))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(TABLE, tmp_path, start=now())


def test_every_mistake_is_refused(judged: Callable[[Case], JudgedCase]) -> None:
    # docs/findings-deltalake.md, "A condition that is no BOOLEAN deletes whole files"
    mistakes = sorted(DELETE_MISTAKES - {DeleteMistake.NOT_BOOLEAN})
    of_vacuum = map(InvalidVacuum, (VacuumMistake.NOT_A_TABLE, VacuumMistake.MISSING_PATH))
    found = judged(Case(TABLE, (*map(InvalidDelete, mistakes), *of_vacuum, Read())))
    assert not found.violated, "not even by a known fault"
    assert {"DEL-REF-2A", "VAC-REF-1B"} <= {id for id, tally in found.tallies.items() if tally.met}


def now() -> int:
    return time.time_ns() // 1_000_000


def run(engine: DeltalakeEngine, root: Path, step: EngineStep, version: int | None = None) -> Outcome:
    return engine.run(root, step, clock=now(), version=version)


def test_versions_rules_and_capabilities(engine: DeltalakeEngine) -> None:
    assert next(iter(engine.versions.items())) == ("deltalake", metadata.version("deltalake"))
    assert engine.rules is DELTA_RS
    assert Mode.LITE in engine.capabilities.modes and not engine.capabilities.io_faults


def test_rows_are_read_by_the_names_of_the_columns() -> None:
    """1.1.4 and 1.2.1 put partition columns last in SELECT *."""
    assert rows_of(pa.table({"v": [1, 2], "p": ["a", "b"]}), ("p", "v")) == (("a", 1), ("b", 2))
    for names in (["v"], ["v", "q"], ["v", "p", "p"]):
        with pytest.raises(ValueError, match="the result has the columns"):
            rows_of(pa.table([[1]] * len(names), names=names), ("p", "v"))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot bind a thread to processors")
def test_a_step_uses_the_processors_that_were_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[set[int]] = []
    monkeypatch.setattr(os, "sched_setaffinity", lambda thread, processors: given.append(set(processors)))
    monkeypatch.setattr(os, "getpid", lambda: 7)
    for number in (1, 2, 4, None):
        worker.use_processors(number, [0, 3, 5])
    assert given == [{3}, {3, 5}, {0, 3, 5}]


def test_the_processors_are_drawn_by_the_table(tmp_path: Path) -> None:
    """They are recorded, and the same for each judgement of a case; not for an engine that plans without regard to them."""
    tables = [replace(TABLE, commits=(Commit(-day * DAY, adds=(0, 1, 2)), TABLE.commits[1])) for day in range(2, 9)]
    assert {processors_for(table) for table in tables} == {1, 2, 4}
    given: list[int] = []

    class Noting(ReferenceEngine):
        def use_processors(self, number: int) -> None:
            given.append(number)

    for table in tables:
        case = Case(table, (ONE,))
        judged = Judge(Noting(rules=DELTA_RS), [], tmp_path).judge(case)
        assert judged.processors == processors_for(table) == given[-1]
        line = case_record(judged, campaign="row-deletes", batch=0, index=0, origin="generated")
        assert line.processors == given[-1]
        assert Judge(Noting(), [], tmp_path).judge(case).processors is None
    assert len(given) == len(tables)


def test_a_script_uses_the_processors_that_were_drawn() -> None:
    case = ScriptedCase(TABLE, "/t", (ScriptRun(0, Read(), Moment(0)),), processors=2)
    assert DeltalakeScript(case, pip="deltalake").start() == ("use_processors(2)",)


def test_a_script_knows_the_counts_of_a_delete() -> None:
    answer = {name: number for number, name in enumerate(DELTA_RS_COUNTS)}
    assert counts(answer) == [list(range(len(DELTA_RS_COUNTS)))]


def test_a_panic_is_an_outcome(engine: DeltalakeEngine, root: Path) -> None:
    outcome = run(engine, root, Vacuum(1e15, mode=Mode.FULL))
    assert outcome.error is not None and outcome.error.exception == "PanicException"
    assert run(engine, root, Read()).error is None, "the process survives"


def child_of(engine: DeltalakeEngine, root: Path) -> subprocess.Popen[bytes]:
    """The engine's process, after a step."""
    run(engine, root, Read())
    assert engine._child is not None
    return engine._child


def test_an_abort_is_an_outcome(mortal: DeltalakeEngine, root: Path) -> None:
    child = child_of(mortal, root)
    os.kill(child.pid, signal.SIGSTOP)  # so that it cannot respond before it dies
    threading.Timer(0.2, os.kill, [child.pid, signal.SIGABRT]).start()
    threading.Timer(0.3, os.kill, [child.pid, signal.SIGCONT]).start()
    outcome = run(mortal, root, Read())
    assert outcome.error is not None and outcome.error.exception == "Aborted"
    assert len(run(mortal, root, Read()).rows) == 5


def test_a_process_that_dies_at_a_step_is_reported_and_replaced(mortal: DeltalakeEngine, root: Path) -> None:
    child = child_of(mortal, root)
    os.kill(child.pid, signal.SIGSTOP)  # so that it cannot respond before it dies
    killer = threading.Timer(0.2, child.kill)
    killer.start()
    with pytest.raises(EngineDied, match="READ killed its process"):
        run(mortal, root, Read())
    killer.join()
    assert len(run(mortal, root, Read()).rows) == 5


def test_a_process_that_died_between_two_steps_is_replaced(mortal: DeltalakeEngine, root: Path) -> None:
    child = child_of(mortal, root)
    child.kill()
    child.wait()
    assert len(run(mortal, root, Read()).rows) == 5


def test_a_step_that_exceeds_its_time_limit_ends_the_process(mortal: DeltalakeEngine, root: Path) -> None:
    child = child_of(mortal, root)
    mortal._time_limit = 0.2
    os.kill(child.pid, signal.SIGSTOP)
    with pytest.raises(EngineDied, match=r"exceeded its time limit of 0\.2 s"):
        run(mortal, root, Read())
    assert child.poll() is not None


@pytest.mark.parametrize(
    ("found", "remedy"),
    [(None, "tox -e gate-deltalake"), ("0.25.5", r"is not judged: `pip install 'deltalake>=1\.0\.0'`\.$")],
)
def test_without_a_package_that_is_judged_the_message_has_the_remedy(
    found: str | None, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(name: str) -> str:
        if found is None:
            raise metadata.PackageNotFoundError(name)
        return found

    monkeypatch.setattr(metadata, "version", version)
    provider = provider_for("deltalake", Settings(Path(), started=lambda pid: None))
    with pytest.raises(EngineUnavailable, match=remedy):
        provider.start()


@pytest.mark.parametrize(
    ("version", "refused"),
    [
        ("1.0.0", {"deletionVectors", "deletionVectorsOff", "columnMappingName", "columnMappingId", "v2Checkpoints"}),
        ("1.5.1", {"columnMappingName", "columnMappingId", "v2Checkpoints"}),
        ("1.6.1", {"v2Checkpoints"}),
        ("1.6.3", set()),
    ],
)
def test_older_versions_support_fewer_features(version: str, refused: set[str]) -> None:
    newest, older = capabilities_named("1.6.6").features, capabilities_named(version).features
    assert newest is not None and older is not None and {feature.value for feature in newest - older} == refused


def test_capabilities_do_not_need_the_engine() -> None:
    assert kind_of("deltalake").capabilities_of(None) == capabilities_named("1.6.6")
    spark = kind_of("spark").capabilities_of(None)
    assert spark == replace(EVERYTHING, languages=frozenset({Language.SPARK}), keeps_versions=False)


def test_a_restricted_engine_has_fewer_capabilities(engine: DeltalakeEngine, root: Path) -> None:
    restricted = Restricted(engine, Capabilities(modes=frozenset({Mode.LITE})))
    assert restricted.capabilities.modes == {Mode.LITE}
    assert (restricted.name, restricted.versions, restricted.rules) == (engine.name, engine.versions, engine.rules)
    assert len(restricted.run(root, Read(), clock=now(), version=None).rows) == 5


# Conditions and types ---------------------------------------------------------------------------------------------------

V, X, N, TEXT = (
    *(Compare("v", Op.GT, -3, Type.INTEGER), Of("x")),
    *(Literal(1, Type.INTEGER), Literal("a", Type.STRING)),
)


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        (Constant(None), "NULL"),
        (Compare("a b", Op.EQ, None, Type.STRING), '"a b" = NULL'),
        (Compare('q"', Op.NE, "it's", Type.STRING), "\"q\"\"\" <> 'it''s'"),
        (Compare("v", Op.NULL_SAFE_EQ, 7, Type.INTEGER), "\"v\" IS NOT DISTINCT FROM CAST('7' AS INT)"),
        (Between("d", date(2020, 1, 2), None, Type.DATE), "\"d\" BETWEEN DATE '2020-01-02' AND NULL"),
        (In("b", (True, None), Type.BOOLEAN), '"b" IN (TRUE, NULL)'),
        (Like("s", "50\\%"), "\"s\" LIKE '50\\%'"),
        (Or(And(V, V), V), '(("v" > -3) AND ("v" > -3)) OR ("v" > -3)'),
        (Compare("x", Op.EQ, Decimal("1.50"), DecimalOf(5, 2)), "\"x\" = CAST('1.50' AS DECIMAL(5, 2))"),
        (Compare("x", Op.EQ, b"\x01\xff", Type.BINARY), "\"x\" = X'01FF'"),
        (
            Compare("t", Op.LT, datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=timezone.utc), Type.TIMESTAMP),
            "\"t\" < '2020-01-02T03:04:05.000006Z'",
        ),
        (
            Compare("t", Op.LT, datetime(2020, 1, 2, 3, 4, 5), Type.TIMESTAMP_NTZ),
            "\"t\" < '2020-01-02 03:04:05.000000'",
        ),
        (Relate(X, Op.NULL_SAFE_EQ, Of("y")), '"x" IS NOT DISTINCT FROM "y"'),
        (Holds(Call(Function.STARTSWITH, (X, TEXT))), "starts_with(\"x\", CAST('a' AS VARCHAR))"),
        (
            Relate(Call(Function.CONCAT, (X, TEXT)), Op.NE, TEXT),
            "(\"x\" || CAST('a' AS VARCHAR)) <> CAST('a' AS VARCHAR)",
        ),
        (Missing(Call(Function.REMAINDER, (X, Literal(3, Type.LONG)))), "(\"x\" % CAST('3' AS BIGINT)) IS NULL"),
        (Missing(Call(Function.SUBSTRING, (X, N, N))), "substr(\"x\", CAST('1' AS INT), CAST('1' AS INT)) IS NULL"),
        (Missing(Call(Function.SUBSTRING, (X, Literal(-1, Type.INTEGER), N))), 'right("x", 1) IS NULL'),
        (Missing(Call(Function.TRIM, (X,))), "btrim(\"x\", ' ') IS NULL"),
    ],
)
def test_conditions_are_written_for_datafusion(predicate: Predicate, text: str) -> None:
    assert sql(predicate) == text


@pytest.mark.parametrize(
    ("predicate", "plain", "exponents"),
    [
        (Compare("x", Op.EQ, 1.5, Type.DOUBLE), '"x" = 1.5', '"x" = 1.5E+0'),
        (In("x", (Decimal("1.50"), None), DecimalOf(5, 2)), '"x" IN (1.50, NULL)', '"x" IN (1.50E+0, NULL)'),
        (
            Compare("x", Op.EQ, Decimal("99999999999999999.9"), DecimalOf(18, 1)),  # the DOUBLE of several
            *["\"x\" = CAST('99999999999999999.9' AS DECIMAL(18, 1))"] * 2,
        ),
        (
            Relate(Member(Of("s"), "x"), Op.EQ, Literal(Decimal("1.5"), DecimalOf(5, 1))),
            "\"s\"['x'] = 1.5",
            "\"s\"['x'] = 1.5E+0",
        ),
        (Not(Between("d", date(2020, 1, 2), None, Type.DATE)), *["NOT (\"d\" BETWEEN '2020-01-02' AND NULL)"] * 2),
        (And(V, Or(V, V)), '("v" > -3) AND (("v" > -3) OR ("v" > -3))', None),
    ],
)
def test_conditions_are_written_without_types(predicate: Predicate, plain: str, exponents: str | None) -> None:
    assert sql(predicate, Literals.PLAIN) == plain
    assert sql(predicate, Literals.EXPONENTS) == (exponents or plain.replace("-3", "-3E+0"))


def test_only_releases_with_the_argument_keep_versions() -> None:
    assert [capabilities_named(version).keeps_versions for version in ("1.0.2", "1.1.0", "1.6.6")] == [
        False,
        True,
        True,
    ]


def test_users_write_is_distinct_from() -> None:
    safe = Compare("v", Op.NULL_SAFE_EQ, 7, Type.INTEGER)
    assert sql(Not(safe), Literals.PLAIN) == "\"v\" IS DISTINCT FROM CAST('7' AS INT)"
    assert sql(Not(safe)) == "NOT (\"v\" IS NOT DISTINCT FROM CAST('7' AS INT))"
    moment = Compare("t", Op.NULL_SAFE_EQ, datetime(2020, 1, 2), Type.TIMESTAMP_NTZ)
    assert sql(Not(moment), Literals.PLAIN).startswith('NOT (("t" IS NOT NULL AND "t" = ')


def test_an_unsupported_condition_is_an_error() -> None:
    with pytest.raises(TypeError, match="Cast is not supported in SQL for DataFusion"):
        sql(Holds(Cast(X, Type.BOOLEAN)))
    with pytest.raises(TypeError, match="Call is not supported in SQL for DataFusion"):
        sql(Holds(Call(Function.RLIKE, (X, TEXT))))


@pytest.mark.parametrize(
    ("arrow", "type"),
    [
        (pa.int8(), Type.BYTE),
        (pa.string_view(), Type.STRING),
        (pa.dictionary(pa.int32(), pa.string()), Type.STRING),
        (pa.decimal128(10, 2), DecimalOf(10, 2)),
        (pa.timestamp("us", tz="UTC"), Type.TIMESTAMP),
        (pa.timestamp("us"), Type.TIMESTAMP_NTZ),
        (pa.list_(pa.int64()), ArrayOf(Type.LONG)),
        (pa.map_(pa.string(), pa.date32()), MapOf(Type.STRING, Type.DATE)),
        (pa.struct({"x": pa.bool_()}), StructOf((("x", Type.BOOLEAN),))),
    ],
    ids=str,
)
def test_types_of_arrow(arrow: pa.DataType, type: AnyType) -> None:
    assert type_of(arrow) == type
    with pytest.raises(ValueError, match="no type for Arrow's time32"):
        type_of(pa.time32("s"))


def test_a_table_that_cannot_be_opened_again_after_a_read_is_no_error_of_the_suite(tmp_path: Path) -> None:
    class Once(Tables):
        def opened(self, path: Path | str, version: int | None = None, given: Mapping[str, Any] = NONE) -> DeltaTable:
            table = super().opened(path, version, given)
            (tmp_path / "_delta_log" / f"{0:020}.json").unlink()
            return table

    write_deltalake(str(tmp_path), pa.table({"v": [1]}))
    read = worker.outcome(Once(), tmp_path, Read(), None)
    assert read.error is None and read.rows == ((1,),)
    assert read.answers["count_rows of to_pyarrow_dataset"].rows == ((1, 0, 0),)

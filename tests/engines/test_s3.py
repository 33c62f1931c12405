"""DELETE and VACUUM on a real S3 server, where versitygw is installed: `tox -e s3` installs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deltalog.log import read_log
from engines.deltalake.adapter import DeltalakeEngine
from engines.object_store import ObjectStore
from engines.port import EngineDied, EngineUnavailable
from engines.s3_gateway import VARIABLE, Gateway
from harness.tables.plan import plan_table
from harness.tables.storage import write_table
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Delete, Read, Vacuum
from model.vocabulary.table import Column, Commit, DataFile, Table
from model.vocabulary.table_roots import TableRoot
from model.vocabulary.values import Type

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    shutil.which(os.environ.get(VARIABLE, "versitygw")) is None, reason="there is no versitygw here"
)

TABLE = Table(
    columns=(Column("n", Type.LONG),),
    partition_by=(),
    files=(DataFile(0, (), ((1,), (2,)), modified=-1000), DataFile(1, (), ((3,),), modified=-1000)),
    commits=(Commit(at=-1000, adds=(0, 1)),),
)


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    made = Gateway(tmp_path.resolve(), lambda pid: None)
    yield made
    made.close()


@pytest.fixture
def engine(gateway: Gateway) -> Iterator[DeltalakeEngine]:
    made = DeltalakeEngine(gateway.store)
    yield made
    made.close()


def written(directory: Path, name: TableRoot = TableRoot.PLAIN) -> Path:
    root = directory.resolve() / "case" / name.value
    write_table(plan_table(TABLE, root, start=1_700_000_000_000))
    return root


@pytest.mark.parametrize("name", [name for name in TableRoot if name is not TableRoot.ENCODED])
def test_delta_rs_works_on_objects_that_are_files_here(
    engine: DeltalakeEngine, tmp_path: Path, name: TableRoot
) -> None:
    root = written(tmp_path, name)
    deleted = engine.run(root, Delete(Compare("n", Op.EQ, 1, Type.LONG)), clock=0, version=None)
    assert deleted.error is None and read_log(root).version == 1
    assert sorted(engine.run(root, Read(), clock=0, version=None).rows) == [(2,), (3,)]
    listed = engine.run(root, Vacuum(retain_hours=0, safety_check=False, dry_run=True), clock=0, version=None)
    assert [Path(str(row[0])).is_file() for row in listed.rows] == [True]


def test_times_are_in_whole_seconds(engine: DeltalakeEngine) -> None:
    assert engine.rules.time_unit == 1000 and not engine.rules.directories
    assert DeltalakeEngine().rules.time_unit == 1


def test_a_server_that_is_gone_is_no_fault_of_the_engine(
    engine: DeltalakeEngine, gateway: Gateway, tmp_path: Path
) -> None:
    root = written(tmp_path)
    gateway.close()
    with pytest.raises(EngineDied, match=r"The S3 server at .* is gone"):
        engine.run(root, Read(), clock=0, version=None)


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"secret_key": "another"}, "signature we calculated does not match"),
        ({"access_key": "another"}, "No user exists with the provided access key ID"),
        ({"bucket": "another"}, "The specified bucket does not exist"),
        ({"endpoint": "http://127.0.0.1:1"}, "Connection refused"),
    ],
)
def test_what_cannot_work_is_told_before_anything_is_run(
    gateway: Gateway, tmp_path: Path, change: dict[str, str], cause: str
) -> None:
    from engines.deltalake.tables import require_usable

    require_usable(gateway.store, tmp_path.resolve() / "probe")
    wrong: ObjectStore = replace(gateway.store, **change)
    with pytest.raises(EngineUnavailable) as refused:
        require_usable(wrong, tmp_path.resolve() / "probe")
    assert cause in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("script", sorted((ROOT / "docs" / "findings" / "s3").glob("*.py")), ids=lambda path: path.stem)
def test_a_script_shows_the_fault(script: Path) -> None:
    binary = shutil.which(os.environ.get(VARIABLE, "versitygw"))
    assert binary is not None
    path = os.pathsep.join([str(Path(binary).parent), os.environ["PATH"]])
    environ = {**os.environ, "PATH": path}
    run = subprocess.run([sys.executable, str(script)], env=environ, capture_output=True, text=True, check=False)
    assert run.returncode == 1, run.stdout + run.stderr[-1000:]

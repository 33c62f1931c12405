"""A real S3 server, where versitygw is installed: `tox -e s3` installs it, and judges smoke on it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.object_store import ObjectStore
from engines.port import EngineUnavailable
from engines.s3_gateway import VARIABLE, Gateway

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    shutil.which(os.environ.get(VARIABLE, "versitygw")) is None, reason="there is no versitygw here"
)


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    made = Gateway(tmp_path.resolve(), lambda pid: None)
    yield made
    made.close()


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
    gateway: Gateway, tmp_path: Path, change: dict[str, Any], cause: str
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

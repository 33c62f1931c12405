"""The S3 server of a run: what stands in for versitygw here is a script, but where the real one is installed (``tox -e s3``)."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from engines.object_store import ObjectStore
from engines.port import EngineDied, EngineUnavailable
from engines.s3_gateway import BUCKET, INSTALL, VARIABLE, Gateway

#: Accepts connections on the address after --port, until it is killed.
LISTENS = """
import socket, sys, time
host, port = sys.argv[sys.argv.index("--port") + 1].split(":")
with socket.create_server((host, int(port))) as server:
    while True:
        server.accept()[0].close()
"""


def server(directory: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> Path:
    """A server of this text, which the environment names."""
    path = directory / "versitygw"
    path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setenv(VARIABLE, str(path))
    return path


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    made = tmp_path / "run"
    made.mkdir()
    return made.resolve()


def test_it_serves_the_directory_under_its_own_path(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server(tmp_path, monkeypatch, LISTENS)
    started: list[int] = []
    gateway = Gateway(directory, started.append)
    try:
        gateway.store.require_reachable()
        (directory / "a file").write_text("seen", encoding="utf-8")
        key = str(directory / "a file").lstrip("/")
        assert (directory / "s3" / BUCKET / key).read_text(encoding="utf-8") == "seen"
        assert len(started) == 1 and os.kill(started[0], 0) is None  # type: ignore[func-returns-value]
    finally:
        gateway.close()
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], 0)
    with pytest.raises(EngineDied, match=r"The S3 server at http://127.0.0.1:.* is gone"):
        gateway.store.require_reachable()


def test_each_run_has_keys_of_its_own(directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server(tmp_path, monkeypatch, LISTENS)
    other = tmp_path / "other"
    other.mkdir()
    gateways = [Gateway(one, lambda pid: None) for one in (directory, other)]
    for gateway in gateways:
        gateway.close()
    one, two = (gateway.store for gateway in gateways)
    assert one.access_key != two.access_key and one.secret_key != two.secret_key


def test_a_server_that_ends_at_once_is_told_with_its_last_words(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = server(tmp_path, monkeypatch, "import sys; sys.exit('xattr not supported on this filesystem')")
    with pytest.raises(EngineUnavailable) as refused:
        Gateway(directory, lambda pid: None)
    assert str(refused.value).startswith(
        f"The S3 server {path} did not start (its log ends: xattr not supported on this filesystem): see that it is versitygw"
    )


@pytest.mark.parametrize("named", ["no-such-server", None])
def test_without_a_server_the_remedy_is_named(
    directory: Path, monkeypatch: pytest.MonkeyPatch, named: str | None
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    if named:
        monkeypatch.setenv(VARIABLE, named)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(EngineUnavailable) as refused:
        Gateway(directory, lambda pid: None)
    assert f"{named or 'versitygw'} is not found: use `tox -e s3` or `tox -e own-bucket`, or `{INSTALL}`" in str(
        refused.value
    )


def test_what_is_no_program_is_told(directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = server(tmp_path, monkeypatch, "")
    path.write_bytes(b"\x00\x01")
    with pytest.raises(EngineUnavailable, match=r"cannot be run \(Exec format error\)"):
        Gateway(directory, lambda pid: None)


def test_uris_are_paths_after_the_bucket() -> None:
    store = ObjectStore("http://127.0.0.1:1", "bucket", "key", "secret")
    assert store.prefix("s3a") + "/tmp/t" == "s3a://bucket/tmp/t"
    assert (
        store.in_paths("s3a://bucket/tmp/t is no table of s3a://other/x", "s3a")
        == "/tmp/t is no table of s3a://other/x"
    )

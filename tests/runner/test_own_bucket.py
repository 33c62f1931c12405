"""A run in a bucket: what it asks for, what it says of a wrong one, and what it leaves, however it ends."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import pytest

from engines.bucket import Bucket
from engines.bucket_run import BucketRun
from engines.machine import MachineFailed
from engines.port import EngineUnavailable
from engines.provider import kind_of
from model.codec import dumps
from model.vocabulary.case import Case
from model.vocabulary.steps import Read
from records.mistakes import UsageMistake
from runner.command_line.bucket import bucket_of
from strategies.restriction.capabilities import restricted_to
from tests.builders.s3_server import BUCKET, Served, s3_server
from tests.handmade.steps import IN_A, PARTITIONED
from tests.runner.in_process import run_suite
from tests.runner.test_interrupted import in_a_terminal
from tests.runner.test_workspace import until

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "team/tests"
_ANY = datetime(2020, 1, 1, tzinfo=timezone.utc)
NEIGHBOUR = "team/tests.parquet"
KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}


@pytest.fixture
def served() -> Iterator[Served]:
    with s3_server() as server:
        yield server


def bucket(served: Served) -> Bucket:
    store = bucket_of(f"s3://{BUCKET}/{PREFIX}", served.endpoint, KEYS)
    assert store is not None
    return Bucket(store)


def test_keys_are_passed_on_as_they_are_page_by_page(served: Served) -> None:
    objects = bucket(served)
    paths = ["/a b/c%20d", "/p=a%3Db/x#1?&+=", "/größe/ü", "/dir/", "/dir/x", "/a//b", "/tab\tx"]
    for path in paths:
        objects.put(path, path.encode())
    assert sorted(served.objects) == sorted(f"{PREFIX}{path}" for path in paths)
    assert sorted(found.path for found in objects.list("/")) == sorted(paths)
    assert objects.get("/a b/c%20d") == b"/a b/c%20d"
    assert {found.modified % 1000 for found in objects.list("/")} == {0}
    assert [found.size for found in objects.list("/dir/x")] == [6]
    objects.delete(["/p=\uffff/x", *paths])
    assert served.objects == {} and ("DELETE", f"{PREFIX}/p=\uffff/x") in served.requests


def test_a_busy_server_is_asked_again(served: Served) -> None:
    served.busy = 2
    bucket(served).put("/x", b"1")
    assert served.objects.keys() == {f"{PREFIX}/x"}


def test_a_server_that_refuses_is_no_fault_of_an_engine(served: Served) -> None:
    served.refuses = frozenset({"PUT"})
    with pytest.raises(MachineFailed, match=f"The bucket {BUCKET} at http.* does not serve .*AccessDenied"):
        bucket(served).put("/x", b"1")


@pytest.mark.parametrize("refused", ["LIST", "PUT", "GET", "DELETE"])
def test_a_run_needs_all_rights(served: Served, refused: str, tmp_path: Path) -> None:
    served.refuses = frozenset({refused})
    store = bucket_of(f"s3://{BUCKET}/{PREFIX}", served.endpoint, KEYS)
    assert store is not None
    with pytest.raises(EngineUnavailable, match=r"AccessDenied.*: see that the bucket is there, and that the key may"):
        BucketRun(store, tmp_path)
    assert not served.objects or refused == "DELETE"


def test_a_prefix_that_is_not_empty_is_refused(served: Served, tmp_path: Path) -> None:
    bucket(served).put("/x", b"1")
    store = bucket_of(f"s3://{BUCKET}/{PREFIX}", served.endpoint, KEYS)
    assert store is not None
    with pytest.raises(
        EngineUnavailable, match=rf"s3://{BUCKET}/{PREFIX} is not empty \(it has {PREFIX}/x\): name a new"
    ):
        BucketRun(store, tmp_path)
    assert served.objects.keys() == {f"{PREFIX}/x"}


def test_a_store_does_not_show_its_keys() -> None:
    store = bucket_of("s3://b/p", None, {**KEYS, "AWS_SESSION_TOKEN": "token"})
    assert store is not None and store.session_token == "token" and store.endpoint is None
    assert not {"secret", "token"} & set(repr(store).replace("'", " ").split())


def test_a_bucket_needs_keys() -> None:
    with pytest.raises(UsageMistake, match="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment"):
        bucket_of("s3://b/p", None, {})


def place(served: Served) -> tuple[str, ...]:
    """The options of a run in the bucket, in which others have an object."""
    served.objects[NEIGHBOUR] = (b"of somebody else", _ANY)
    served.page = 1000
    return ("--profile", "smoke", "--table-root", f"s3://{BUCKET}/{PREFIX}")


@pytest.fixture
def keys(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in served.environ.items():
        monkeypatch.setenv(name, value)


def assert_nothing_is_left(served: Served) -> None:
    assert served.objects == {NEIGHBOUR: (b"of somebody else", _ANY)}
    written = {key for method, key in served.requests if method in ("PUT", "DELETE")}
    assert written and all(key.startswith(f"{PREFIX}/") for key in written)


@pytest.mark.parametrize(("arguments", "code"), [((), 0), (("--known-bad", "commits-twice"), 1)])
def test_a_run_that_ends_leaves_nothing(
    served: Served, keys: None, tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    case = tmp_path / "case.json"
    supported = kind_of("deltalake").capabilities_of(None)
    case.write_text(dumps(restricted_to(Case(PARTITIONED, (IN_A, Read())), capabilities=supported)), encoding="utf-8")
    ended = run_suite(tmp_path / "report", *place(served), "--replay", str(case), *arguments, engine="deltalake")
    assert ended.code == code, ended.said
    assert_nothing_is_left(served)


@pytest.mark.parametrize("requests", [60, 105])
def test_a_key_that_expires_ends_the_run(served: Served, keys: None, tmp_path: Path, requests: int) -> None:
    """Whether the suite learns it first, or the engine, whose error is no answer."""
    served.expires = requests
    ended = run_suite(tmp_path / "report", *place(served), engine="deltalake")
    sentence = rf"The bucket {BUCKET} at {served.endpoint} does not serve \(.*ExpiredToken.*\)"
    assert ended.code == 2 and "Traceback" not in ended.said and "FAILED" not in ended.said, ended.said
    assert re.search(
        rf"^{sentence}\.\nThe run did not complete: it says nothing about the engine\.\n"
        rf"{sentence}: delete what the run has left below s3://{BUCKET}/{PREFIX}/.*\.$",
        ended.said,
        re.MULTILINE,
    ), ended.said


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_nothing(served: Served, tmp_path: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-m", "pytest", "suites", "--engine", "deltalake", "-p", "no:xdist", *place(served)]
    environ = {**os.environ, **served.environ}
    process = in_a_terminal([*command, "--report-dir", str(tmp_path)], cwd=ROOT, env=environ)
    until(lambda: any("case-2" in key for key in list(served.objects)), "a case is in the bucket", limit=120)
    process.send_signal(how)
    process.communicate()
    until(lambda: served.objects.keys() == {NEIGHBOUR}, "the bucket is clean")
    assert_nothing_is_left(served)

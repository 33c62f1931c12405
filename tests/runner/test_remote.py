"""A run through Spark Connect: what is left out, with the reason, and what the command line refuses."""

from __future__ import annotations

import json
import re
import socket
from datetime import datetime, timezone
from pathlib import Path

import pytest

from engines.object_store import ObjectStore
from engines.port import EngineUnavailable, now
from engines.spark.masters import remote as subject
from engines.spark.masters.names import is_cluster
from engines.spark.masters.remote import server_settings
from engines.spark.masters.server import ServerLease, probed, require_reachable
from engines.spark.server_adapter import SparkServerEngine
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.commands import CommandKind
from model.vocabulary.steps import API_DELETE_FORMS, API_VACUUM_FORMS
from runner.command_line.bucket import bucket_of
from runner.run.circumstances import set_up
from runner.run.plan import limits_of
from tests.builders.s3_server import BUCKET, Served, s3_server
from tests.runner.test_options import chosen


def test_only_sql_is_judged() -> None:
    (limits,) = limits_of(chosen("--spark-remote=local"))
    assert "only SQL without them is judged" in limits.reason
    assert EVERYTHING.delete_forms - limits.capabilities.delete_forms == {*API_DELETE_FORMS}
    assert EVERYTHING.vacuum_forms - limits.capabilities.vacuum_forms == {*API_VACUUM_FORMS}
    assert limits.capabilities.io_faults and limits.capabilities.crashes and not limits.capabilities.earlier_sessions


def test_the_header_names_it() -> None:
    own = chosen("--spark-remote=local")
    assert own.scripts == 0, "a script runs Spark without Connect"
    assert set_up(own.kind, own.storage) == {"master": "sc://local"}


# A separate server --------------------------------------------------------------------------------------------------------


SERVER = "--spark-remote=sc://spark.example:15002/;token=secret"


def test_on_a_server_nothing_is_judged_that_needs_more_than_sql() -> None:
    (limits,) = limits_of(chosen(SERVER))
    found = limits.capabilities
    assert not (found.io_faults or found.crashes or found.sessions or found.earlier_sessions or found.sets_clock)
    assert EVERYTHING.commands - found.commands == {
        CommandKind.CHECKPOINT,
        CommandKind.COMPACT_LOG,
        CommandKind.CLEAN_UP_LOG,
        CommandKind.SHALLOW_CLONE,
        CommandKind.VACUUM_CLONE,
    }
    assert found.modes == EVERYTHING.modes and found.features == EVERYTHING.features and found.types == EVERYTHING.types


def test_a_token_is_in_no_header() -> None:
    own = chosen(SERVER)
    assert set_up(own.kind, own.storage) == {"master": "sc://spark.example:15002"}
    assert own.scripts == 0, "a script starts a Spark of its own"
    assert not is_cluster("sc://spark.example:15002"), "nobody knows it"


def test_nothing_listens_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(EngineUnavailable) as refusal:
        require_reachable(f"sc://127.0.0.1:{port}/;token=secret")
    assert str(refusal.value) == (
        f"--spark-remote sc://127.0.0.1:{port} cannot be reached (Connection refused): start the server, or correct its address."
    )


class Remote:
    """A client of a server whose CREATE TABLE leaves this commit; None: it writes elsewhere."""

    version = "4.2.0"

    def __init__(self, info: dict[str, object] | None) -> None:
        self._info = info

    def sql(self, text: str) -> Remote:
        found = re.search("`(.*)`", text)
        assert found is not None
        if self._info is not None:
            line = json.dumps({"commitInfo": {"timestamp": now(), **self._info}})
            self.write(f"{found[1]}/_delta_log/{0:020}.json", f"{line}\n".encode())
        return self

    def write(self, path: str, content: bytes) -> None:
        Path(path).parent.mkdir(parents=True)
        Path(path).write_bytes(content)

    def collect(self) -> list[object]:
        return []


@pytest.mark.parametrize(
    ("info", "delta"),
    [("Apache-Spark/4.2.0 Delta-Lake/4.4.0", "4.4.0"), ("Databricks-Runtime/17.3.x-scala2.13", None)],
)
def test_a_server_says_its_versions(info: str, delta: str | None, tmp_path: Path) -> None:
    found = probed(Remote({"engineInfo": info}), "sc://h:1", tmp_path)
    assert (found.spark, found.delta, found.engine_info) == ("4.2.0", delta, info)
    assert not list(tmp_path.iterdir()), "nothing stays behind"


def test_a_server_that_does_not_share_the_directory(tmp_path: Path) -> None:
    with pytest.raises(
        EngineUnavailable, match=r"sc://h:1 and this run do not share .*: name a directory with --table-root"
    ):
        probed(Remote(None), "sc://h:1/;token=x", tmp_path)


class RemoteInBucket(Remote):
    """... in a bucket, by URIs of this scheme."""

    def __init__(self, info: dict[str, object] | None, served: Served, scheme: str) -> None:
        super().__init__(info)
        self._served, self._scheme = served, scheme

    def write(self, path: str, content: bytes) -> None:
        assert path.startswith(f"{self._scheme}://{BUCKET}/team/")
        self._served.objects[path.removeprefix(f"{self._scheme}://{BUCKET}/")] = content, datetime.now(timezone.utc)


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_a_server_may_share_a_bucket_alone(scheme: str, tmp_path: Path) -> None:
    info = "Apache-Spark/4.2.0 Delta-Lake/4.4.0"
    with s3_server() as served:
        store = bucket_of(f"{scheme}://{BUCKET}/team", served.endpoint, served.environ)
        found = probed(RemoteInBucket({"engineInfo": info}, served, scheme), "sc://h:1", tmp_path, store)
        assert found.delta == "4.4.0" and not served.objects and not list(tmp_path.iterdir()), "nothing stays behind"
        sentence = rf"sc://h:1 and this run do not share {scheme}://{BUCKET}/team: name a bucket"
        with pytest.raises(EngineUnavailable, match=sentence):
            probed(RemoteInBucket(None, served, scheme), "sc://h:1/;token=x", tmp_path, store)


def test_on_a_server_tables_in_a_bucket_have_uris() -> None:
    store = ObjectStore("http://127.0.0.1:1", "lake", "key", "secret", key_prefix="team", scheme="s3")
    lease = ServerLease(1, "sc://h:1", "4.2.0", store)
    engine = SparkServerEngine(lambda lost: lease, store)
    assert str(engine._named_in_steps(Path("/team/run/table"))) == "s3://lake/team/run/table"
    assert engine.rules.file_uris == "s3://lake/team" and not engine.rules.directories and not engine.rules.own_clock
    here = SparkServerEngine(lambda lost: lease)
    assert here._named_in_steps(Path("/run/table")) == Path("/run/table") and here.rules.directories


def test_a_server_with_another_clock(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match=r"The clock of .* differs from this machine's by \+3600 s: "):
        probed(Remote({"timestamp": now() + 3_600_000}), "sc://h:1", tmp_path)


# The run's own server -----------------------------------------------------------------------------------------------------


def test_an_environment_without_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "spark_jars", lambda: tmp_path)
    with pytest.raises(EngineUnavailable, match="This PySpark has no server for Spark Connect: judge one of Spark 4 "):
        server_settings({})


def test_an_environment_without_a_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spark-connect_2.13-4.2.0.jar").touch()
    monkeypatch.setattr(subject, "spark_jars", lambda: tmp_path)

    def missing(name: str) -> None:
        raise ImportError("no grpc")

    monkeypatch.setattr(subject.importlib, "import_module", missing)  # type: ignore[attr-defined]
    with pytest.raises(EngineUnavailable) as refusal:
        server_settings({})
    assert str(refusal.value) == (
        "The client of Spark Connect cannot be loaded (no grpc): use `tombstone gate VERSION`, or install 'pyspark[connect]'."
    )


def test_the_users_plugins_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spark-connect_2.13-4.2.0.jar").touch()
    monkeypatch.setattr(subject, "spark_jars", lambda: tmp_path)
    monkeypatch.setattr(subject.importlib, "import_module", lambda name: None)  # type: ignore[attr-defined]
    plugins = server_settings({"spark.plugins": "org.example.Plugin"})["spark.plugins"]
    assert plugins == "org.example.Plugin,org.apache.spark.sql.connect.SparkConnectPlugin"

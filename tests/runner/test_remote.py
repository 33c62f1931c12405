"""A run through Spark Connect: what is left out, with the reason, and what the command line refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.port import EngineUnavailable
from engines.spark.masters import remote as subject
from engines.spark.masters.remote import server_settings
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.steps import API_DELETE_FORMS, API_VACUUM_FORMS
from runner.run.circumstances import set_up
from runner.run.plan import limits_of
from tests.runner.test_options import chosen, mistake


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


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--spark-cluster=2"], "--spark-cluster and --spark-remote cannot be judged in one run: name one of them."),
        (["--engine=deltalake"], "--spark-remote is for Spark, which deltalake does not run on: leave it out."),
        (["--spark-master=local[2]"], "--spark-remote starts a master of its own: leave out the other one, local[2]."),
    ],
)
def test_what_cannot_be_combined(arguments: list[str], sentence: str) -> None:
    assert mistake("--spark-remote=local", *arguments) == sentence


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
        "The client of Spark Connect cannot be loaded (no grpc): use tox -e connect, or install 'pyspark[connect]'."
    )


def test_the_users_plugins_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spark-connect_2.13-4.2.0.jar").touch()
    monkeypatch.setattr(subject, "spark_jars", lambda: tmp_path)
    monkeypatch.setattr(subject.importlib, "import_module", lambda name: None)  # type: ignore[attr-defined]
    plugins = server_settings({"spark.plugins": "org.example.Plugin"})["spark.plugins"]
    assert plugins == "org.example.Plugin,org.apache.spark.sql.connect.SparkConnectPlugin"

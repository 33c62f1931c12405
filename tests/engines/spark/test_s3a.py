"""Spark's side of tables in S3: its settings and jars, and what the adapter makes of an answer. Without a JVM."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engines.object_store import ObjectStore
from engines.port import EngineDied, EngineError, EngineUnavailable, Outcome
from engines.spark import adapter
from engines.spark.jvm import jars
from engines.spark.jvm.jars import Dependency
from engines.spark.storage import s3a
from model.vocabulary.steps import Read, Vacuum

STORE = ObjectStore("http://127.0.0.1:1", "bucket", "key", "secret")


def test_a_path_means_an_object_of_the_bucket() -> None:
    conf = s3a.s3a_settings(STORE, Path("/run"))
    assert conf["spark.hadoop.fs.defaultFS"] == "s3a://bucket"
    assert conf["spark.delta.logStore.s3a.impl"].endswith("S3SingleDriverLogStore")
    # What is no table stays on this machine, in the run's directory.
    assert (
        conf["spark.sql.warehouse.dir"] == "file:/run/warehouse"
        and conf["spark.hadoop.fs.s3a.buffer.dir"] == "/run/s3a"
    )


def test_what_s3a_needs_is_asked_for_without_the_whole_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Dependency] = []

    def downloaded(wanted: Sequence[Dependency], **_: Any) -> tuple[Path, ...]:
        asked.extend(wanted)
        return ()

    monkeypatch.setattr(s3a, "downloaded_jars", downloaded)
    monkeypatch.setattr(s3a, "_hadoop", lambda: "3.5.0")
    s3a.s3a_jars(java=Path("java"), ivy_settings=None)
    assert {one.artifact: one.alone for one in asked} == {
        "hadoop-aws": True,
        "s3": False,
        "s3-transfer-manager": False,
        "sts": False,
        "analyticsaccelerator-s3": True,
    }


def test_a_hadoop_that_it_is_not_known_for_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3a, "_hadoop", lambda: "3.3.4")
    with pytest.raises(
        EngineUnavailable, match=r"works with Hadoop 3\.5\.0 only, .* use Delta 4\.4 with PySpark 4\.2\."
    ):
        s3a.s3a_jars(java=Path("java"), ivy_settings=None)


def test_ivy_is_given_each_module_and_whether_it_stands_alone() -> None:
    wanted = (Dependency("g", "a", "1"), Dependency("h", "b", "2", alone=True))
    found = [dict(one.attrib) for one in ElementTree.fromstring(jars._module(wanted)).iter("dependency")]
    assert found == [
        {"org": "g", "name": "a", "rev": "1", "conf": "default", "transitive": "true"},
        {"org": "h", "name": "b", "rev": "2", "conf": "default", "transitive": "false"},
    ]
    assert [str(one) for one in wanted] == ["g:a:1", "h:b:2"]


def test_answers_are_in_paths() -> None:
    listed = Outcome((("s3a://bucket/t/a b",), ("s3a://bucket/t",)), None, 0, 0)
    assert adapter._in_paths(listed, Vacuum(dry_run=True), STORE).rows == (("/t/a b",), ("/t",))
    rows = Outcome((("s3a://bucket/t",),), None, 0, 0)
    assert adapter._in_paths(rows, Read(), STORE) == rows, "a row of the table may hold any text"


def test_an_error_names_paths_unless_the_server_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = Outcome((), EngineError("E", None, None, "no table at s3a://bucket/t"), 0, 0)
    with pytest.raises(EngineDied, match="is gone"):
        adapter._in_paths(refused, Vacuum(), STORE)
    monkeypatch.setattr(ObjectStore, "require_reachable", lambda self: None)
    found = adapter._in_paths(refused, Vacuum(), STORE)
    assert found.error is not None and found.error.message == "no table at /t"

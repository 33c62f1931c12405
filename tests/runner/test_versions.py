"""The commands about versions: what tox is asked for. What they say is in ``tests/approved/transcripts``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from engines.versions import version_of
from runner import gate_version
from runner.judgeable import given_in


def test_what_tox_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[list[str], dict[str, str]]] = []

    def tox(command: list[str], *, environ: Mapping[str, str], **_: object) -> int:
        if "--notest" in command:  # it makes the environment
            return 0
        asked.append((command[3:], {key: value for key, value in environ.items() if key.startswith("TOMBSTONE_")}))
        return 0

    monkeypatch.setattr(gate_version, "exit_code_of", tox)
    given = {"deltalake==1.0.0": ["-x"], "3.3.2": []}
    for version, options in given.items():
        assert gate_version.main([version, *options]) == 0
    run = ["run", "-qq", "-e", "versioned", "--skip-env-install", "--"]
    assert asked == [([*run, *words], gate_version.variables(version_of(version))) for version, words in given.items()]
    assert asked[1][1] == {
        "TOMBSTONE_ENVIRONMENT": "delta-3.3.2-pyspark-3.5.7",
        "TOMBSTONE_REQUIREMENTS": "delta-spark==3.3.2\npyspark==3.5.7\njdk4py==17.0.9.2",
        "TOMBSTONE_ENGINE": "spark",
    }


def test_tox_reads_what_it_is_given() -> None:
    settings = (gate_version.ROOT / "tox.ini").read_text(encoding="utf-8")
    section = settings.partition("[testenv:versioned]")[2].partition("[")[0]
    assert all(f"{{env:{name}:" in section for name in gate_version.variables(version_of("4.4.0")))


@pytest.mark.parametrize(
    ("options", "name", "more"),
    [
        ([], "deltalake-1.6.3", []),
        (["--table-root", "/shared/new"], "deltalake-1.6.3", []),
        (["--table-root=s3a://lake/new"], "deltalake-1.6.3-bucket", ["boto3"]),
        (["--spark-remote", "sc://here:1"], "deltalake-1.6.3-connect", ["pandas<3", "pyspark[connect]"]),
        (
            ["--spark-remote", "local", "--table-root", "s3://lake/new"],
            "deltalake-1.6.3-bucket-connect",
            ["boto3", "pandas<3", "pyspark[connect]"],
        ),
    ],
)
def test_what_a_run_uses_has_an_environment_with_its_packages(options: list[str], name: str, more: list[str]) -> None:
    version = version_of("deltalake==1.6.3")
    found = gate_version.variables(replace(version, uses=gate_version.used_by(given_in(options))))
    assert found["TOMBSTONE_ENVIRONMENT"] == name
    assert found["TOMBSTONE_REQUIREMENTS"].split("\n") == [*version.requirements, *more]

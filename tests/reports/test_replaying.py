"""The commands of a report, for who has a clone and for the launcher's users."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from records.run import Header
from reports.text.circumstances import versions_of
from reports.text.replaying import replay_command, script_command
from runner.plugin import ROOT
from tests.builders.small_streams import header as made

CASE = Path("/reports/case.json")


@pytest.fixture
def header() -> Header:
    """Of a run on deltalake 1.6.6."""
    versions = {"deltalake": "1.6.6"}
    return made(engine="deltalake", option="deltalake", versions=versions, interpreter=".tox/gate-deltalake/bin/python")


@pytest.mark.parametrize(
    ("changed", "command"),
    [
        ({}, "deltalake"),
        ({"known_bad": "x", "options": ("--storage=s3",)}, "deltalake --known-bad x --storage=s3"),
        ({"interpreter": ".tox/deltalake-1.6.6/bin/python"}, "deltalake==1.6.6"),
        ({"interpreter": None}, "deltalake==1.6.6"),
        ({"option": "spark", "versions": {"delta": "4.4.0"}, "interpreter": ".tox/gate/bin/python"}, ""),
        ({"option": "spark", "versions": {"delta": "3.3.2"}, "interpreter": ".tox/delta-3.3.2/bin/python"}, "3.3.2"),
        ({"option": "my_engine:ENGINE", "interpreter": ".tox/gate/bin/python"}, "--engine my_engine:ENGINE"),
    ],
)
def test_the_launchers_users_replay_with_its_command(
    changed: dict[str, object], command: str, header: Header, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOMBSTONE_LAUNCHED", "1")
    told = replay_command(replace(header, **changed), CASE)  # type: ignore[arg-type]
    assert told == f"tombstone replay {CASE} {command}".rstrip()


@pytest.mark.parametrize("launched", [True, False])
def test_two_in_turn_are_replayed_in_turn(launched: bool, header: Header, monkeypatch: pytest.MonkeyPatch) -> None:
    if launched:
        monkeypatch.setenv("TOMBSTONE_LAUNCHED", "1")
    both = replace(header, engine="together", option="together:4.4.0,deltalake==1.6.6", interpreter=None)
    command = f"tombstone together 4.4.0 deltalake==1.6.6 --replay={CASE}"
    assert replay_command(both, CASE) == (command if launched else f".venv/bin/python -m {command}")


def test_a_script_is_run_by_a_python_that_is_named_whole(header: Header, monkeypatch: pytest.MonkeyPatch) -> None:
    assert script_command(header, CASE) == f".tox/gate-deltalake/bin/python {CASE}"
    monkeypatch.setenv("TOMBSTONE_LAUNCHED", "1")
    assert script_command(header, CASE) == f"{ROOT}/.tox/gate-deltalake/bin/python {CASE}"


def test_the_version_of_the_suite_is_the_last(header: Header) -> None:
    assert (
        versions_of(replace(header, versions={"deltalake": "1.6.6"}, suite="0.1.0"))
        == "deltalake 1.6.6, tombstone 0.1.0"
    )
    assert versions_of(replace(header, versions={"deltalake": "1.6.6"}, suite=None)) == "deltalake 1.6.6"

"""What each command asks of tox; and what is refused, in a sentence, before anything is made."""

from __future__ import annotations

import argparse
import re
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest

from runner import upgrade
from runner.command_line.commands import Parser
from runner.command_line.options import add_options
from shapes.__main__ import parser as shape_parser
from tombstone.__main__ import main, usage
from tombstone.commands import COMMANDS, GATES, MODULES, Job, job_of
from tombstone.mistakes import Mistake
from tombstone.paths import PATHS, resolved

ROOT = Path(__file__).parents[2]
REPORTS = "tombstone-reports"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Where the user stands."""
    for name in ("case.json", "known.toml", "accepted.toml", "delta.jar"):
        (tmp_path / name).touch()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("line", "environment", "arguments", "versions"),
    [
        ("gate --profile smoke -n 2", "gate", "--report-dir=HERE/REPORTS/gate --profile smoke -n 2", "spark"),
        ("gate --report-dir out", "gate", "--report-dir=HERE/out", "spark"),
        ("gate deltalake", "gate-deltalake", "--report-dir=HERE/REPORTS/gate", "deltalake"),
        ("gate 3.3.2", MODULES, "runner.gate_version 3.3.2 --report-dir=HERE/REPORTS/gate", "3.3.2"),
        ("gate --clause list", MODULES, "pytest -c tox.ini suites --clause list", ""),
        (
            "upgrade 3.3.2 4.4.0 --accept accepted.toml",
            MODULES,
            "runner.upgrade 3.3.2 4.4.0 --out=HERE/REPORTS/upgrade/3.3.2-4.4.0 --accept=HERE/accepted.toml",
            "3.3.2 4.4.0",
        ),
        (
            "together 4.4.0 deltalake==1.6.6 --minutes 5",
            MODULES,
            "runner.together 4.4.0 deltalake==1.6.6 --out=HERE/REPORTS/together/4.4.0-deltalake==1.6.6 --minutes 5",
            "4.4.0 deltalake==1.6.6",
        ),
        ("versions deltalake", MODULES, "runner.all_versions --out=HERE/REPORTS/versions deltalake", ""),
        (
            "replay case.json deltalake --known-bad x",
            "gate-deltalake",
            "--replay=HERE/case.json --known-bad x",
            "deltalake",
        ),
        ("replay case.json 4.3.1", MODULES, "runner.gate_version 4.3.1 --replay=HERE/case.json", "4.3.1"),
        (
            "shape a s3://b/c --jobs 2 --out x",
            MODULES,
            "shapes --relative-to=HERE a s3://b/c --jobs 2 --out=HERE/x",
            "",
        ),
        (
            "rehearse a 3.3.2 4.4.0 --at +30d",
            MODULES,
            "rehearsal --relative-to=HERE --out=HERE/REPORTS/rehearsal a 3.3.2 4.4.0 --at +30d",
            "3.3.2 4.4.0",
        ),
        (
            "rehearse a 4.4.0 --model-only --out x",
            MODULES,
            "rehearsal --relative-to=HERE a 4.4.0 --model-only --out=HERE/x",
            "",
        ),
        ("merge a b", MODULES, "reports merge HERE/a HERE/b --out=HERE/REPORTS/merged", ""),
        ("compare a b --out c", MODULES, "reports compare HERE/a HERE/b --out=HERE/c", ""),
        ("explain 01a58165dab6", MODULES, "runner.explain --reports=HERE/REPORTS 01a58165dab6", ""),
        ("demo", MODULES, "runner.demo --out=HERE/REPORTS/demo", ""),
    ],
)
def test_what_a_command_asks_for(line: str, environment: str, arguments: str, versions: str, here: Path) -> None:
    words = arguments.replace("HERE", str(here)).replace("REPORTS", REPORTS).split()
    assert job_of(line.split(), here) == Job(environment, tuple(words), tuple(versions.split()))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("upgrad 1 2", "upgrad is not a command: did you mean upgrade?"),
        ("xyz", "xyz is not a command: `tombstone --help` lists them."),
        ("upgrade 4.4.0", "Name two versions: "),
        ("replay other.json", "other.json is not a file: name an existing one."),
        ("gate --known-faults other.toml", "--known-faults other.toml is not a file: name an existing one."),
        ("gate --jars=other.jar", "--jars other.jar does not exist: "),
        ("compare a c", "c does not exist: "),
        ("explain", "Name a clause, a case or a known fault: "),
    ],
)
def test_a_mistake_is_refused_with_a_sentence(line: str, sentence: str, here: Path) -> None:
    with pytest.raises(Mistake, match=f"^{re.escape(sentence)}"):
        job_of(line.split(), here)


def test_a_mistake_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["upgrad"]) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1 and not said.out


def test_the_usage_has_all_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0 and main([]) == 2
    assert capsys.readouterr().out.strip() == usage()
    assert all(f"\n  {name}" in usage() for name in (*COMMANDS, "doctor"))


def test_the_environments_are_those_of_tox() -> None:
    tox = ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", encoding="utf-8")
    assert all(tox.has_section(f"testenv:{name}") for name in (MODULES, *GATES.values()))
    assert tox[f"testenv:{MODULES}"]["commands"] == "python -m {posargs}"


# Paths ----------------------------------------------------------------------------------------------------------------


class _Options:
    """Stands for pytest's parser: collects what is declared."""

    def __init__(self) -> None:
        self.metavars: dict[str, str] = {}

    def getgroup(self, name: str, description: str = "") -> _Options:
        return self

    def addoption(self, *names: str, **attributes: Any) -> None:
        self.metavars[names[-1]] = attributes.get("metavar") or ""


def test_every_option_that_takes_a_path_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = _Options()
    add_options(declared)
    found = {name for name, metavar in declared.metavars.items() if re.search(r"DIR|FILE|PATH|CASE|URI", metavar)}

    def read(parser: argparse.ArgumentParser, *_: object) -> None:
        found.update(
            action.option_strings[-1]
            for action in parser._actions
            if action.metavar in ("DIR", "FILE") and action.option_strings
        )
        raise SystemExit

    monkeypatch.setattr(Parser, "parse_known_args", read)
    with pytest.raises(SystemExit):
        upgrade.main([])
    found.update(one.option_strings[-1] for one in shape_parser()._actions if one.metavar == "FILE")
    assert found == set(PATHS)


def test_paths_are_relative_to_where_the_user_stands(here: Path) -> None:
    words = [
        "--known-faults",
        "known.toml",
        "--jars=delta.jar",
        "--jars",
        str(here / "a"),
        "--table-root",
        "s3://x/y",
        "-v",
    ]
    assert resolved(
        [*words, "--spark-conf", "spark.jars.ivySettings=case.json", "--spark-conf", "a=b", "--out"], here
    ) == [
        f"--known-faults={here}/known.toml",
        f"--jars={here}/delta.jar",
        f"--jars={here}/a",
        "--table-root=s3://x/y",
        "-v",
        f"--spark-conf=spark.jars.ivySettings={here}/case.json",
        "--spark-conf=a=b",
        "--out",
    ]

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
from tombstone.commands import COMMANDS, GATES, MODULES
from tombstone.paths import PATHS

ROOT = Path(__file__).parents[2]


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

"""Which options a user gives to a gate, and whether the gate would take them: before an environment is made, or a gate is run."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from engines.kind import Version
from records.mistakes import UsageMistake
from runner.command_line.commands import Parser
from runner.command_line.options import OptionGroup, add_options

ROOT = Path(__file__).resolve().parent.parent.parent


class _Group:
    """Replaces pytest's parser and its groups, in which ``runner.command_line.options`` declares options."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self._parser = parser

    def getgroup(self, name: str, description: str = "") -> OptionGroup:
        return self

    def addoption(self, *names: str, **attributes: Any) -> None:
        raise NotImplementedError


class _Declared(_Group):
    """Collects the options; those without a given value have none."""

    def addoption(self, *names: str, **attributes: Any) -> None:
        self._parser.add_argument(*names, **{name: value for name, value in attributes.items() if name != "default"})


def given(
    arguments: Sequence[str], *, flags: Mapping[str, str] | None = None, values: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The suite's options among these arguments to pytest, by name: ``report_dir``. Only those that are given.

    ``flags`` and ``values`` are options of pytest's own to look for, without and with a value, each with the name to return it
    by. Raises UsageMistake where a value is missing.
    """
    parser = Parser(prog="tox -e gate --", add_help=False, allow_abbrev=False, argument_default=argparse.SUPPRESS)
    add_options(_Declared(parser))
    for option, name in (flags or {}).items():
        parser.add_argument(option, dest=name, action="store_const", const=option)
    for option, name in (values or {}).items():
        parser.add_argument(option, dest=name)
    found, _ = parser.parse_known_args(list(arguments))
    return vars(found)


#: Options of pytest's and pytest-xdist's own that take a value.
_WITH_VALUE = (
    *("-n", "--numprocesses", "--maxprocesses", "--dist", "--maxfail", "-k", "-m", "-o", "-p", "-r", "-W", "--tb"),
    "--color",
)


class _Passed(argparse.Action):
    """Keeps an option of a gate as it is given."""

    def __call__(self, _: object, namespace: argparse.Namespace, values: object, option: str | None = None) -> None:
        namespace.options = [*namespace.options, option, *([values] if isinstance(values, str) else [])]


class _PassedOn(_Group):
    """Takes the options that the command does not have itself."""

    def addoption(self, *names: str, **attributes: Any) -> None:
        if not set(names) & self._parser._option_string_actions.keys():  # argparse has no API for them
            flag = attributes.get("action") == "store_true"
            self._parser.add_argument(*names, action=_Passed, nargs=0 if flag else None, help=argparse.SUPPRESS)


def parsed(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """The arguments of a command; ``options`` has those of a gate with their values, and the ``unknown`` ones, so no value of
    an option is taken for an argument of the command. Raises UsageMistake if a value is missing.
    """
    passed = _PassedOn(parser)
    add_options(passed)
    for option in _WITH_VALUE:
        passed.addoption(option)
    parser.set_defaults(options=[])
    found, unknown = parser.parse_known_intermixed_args(list(arguments))
    found.options, found.unknown = [*found.options, *unknown], unknown
    return found


def check_engine(options: Mapping[str, Any], version: Version) -> None:
    """Raise UsageMistake if ``--engine`` is not that of the version."""
    engine = options.get("engine", version.engine)
    if engine != version.engine:
        raise UsageMistake(
            f"--engine {engine} is not the engine of {version.title}: leave it out, as the version names its engine."
        )


def check_gate(arguments: Sequence[str]) -> None:
    """Raise UsageMistake, with pytest's or the suite's own sentence, if a gate would not take these arguments.

    They are tried in this environment, which has no engine and takes seconds: pytest reads them, and collects no test.
    """
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        "tox.ini",
        "suites",
        "--collect-only",
        "--ignore-glob=*",
        "-q",
        *arguments,
    ]
    tried = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    if tried.returncode in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return
    said = _sentence(tried.stderr) or f"a gate does not take {' '.join(arguments)}"
    if tried.returncode == pytest.ExitCode.USAGE_ERROR:
        said = f"{said}: docs/options.md lists the options of a gate."
    raise UsageMistake(said)


def _sentence(errors: str) -> str:
    """pytest's message on standard error, without its usage and its headings."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith(("ERROR: usage:", "inifile:", "rootdir:"))]
    return "; ".join(line.removeprefix("Exit: ").removeprefix("ERROR: ").rpartition(": error: ")[2] for line in said)

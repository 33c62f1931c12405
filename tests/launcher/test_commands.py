"""The tables of options and commands are those of the suite and of pytest. ``tests/approved/transcripts`` has the mistakes."""

from __future__ import annotations

from configparser import ConfigParser
from pathlib import Path

import pytest

from engines.object_store import Storage
from engines.provider import ENGINES, kind_of
from runner.command_line.page import PAGE, page
from suites.profiles import PROFILES
from tombstone import options
from tombstone.__main__ import main, usage
from tombstone.commands import COMMANDS
from tombstone.jobs import _JOBS, GATES, MODULES
from tombstone.options import PYTEST, RUN

ROOT = Path(__file__).parents[2]


def test_the_usage_has_all_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0 and main([]) == 2
    assert capsys.readouterr().out.strip() == usage()
    assert all(f"\n  {name}" in usage() for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_shows_its_words_and_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    said = capsys.readouterr().out
    own = COMMANDS[name]
    shown = [*own.options, *(RUN if name == "gate" else ())]
    assert said.startswith(f"usage: tombstone {own.usage}") and all(one.name in said for one in shown)


def test_each_command_has_a_job() -> None:
    assert COMMANDS.keys() == {*_JOBS, "doctor"}


def test_the_environments_are_those_of_tox() -> None:
    tox = ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", encoding="utf-8")
    assert all(tox.has_section(f"testenv:{name}") for name in (MODULES, "surface", *GATES.values()))
    assert tox[f"testenv:{MODULES}"]["commands"] == "python -m {posargs}"


def test_the_names_in_the_table_are_those_of_the_suite() -> None:
    assert (*PROFILES,) == options.PROFILES and {*ENGINES} == {*options.ENGINES}
    assert (Storage.LOCAL.value, Storage.S3.value) == options.STORAGES
    of_engines = {one.name for engine in ENGINES for one in kind_of(engine).options}
    assert {one.name for one in RUN if one.engine} == of_engines


def test_the_table_has_all_options_of_pytest(pytestconfig: pytest.Config) -> None:
    """A gate passes them on, and refuses what no plugin has."""
    own = {name for one in RUN for name in one.names}
    declared = set(pytestconfig._parser.optparser._option_string_actions) - own  # argparse has no API for them
    known = {name for one in PYTEST for name in one.names}
    assert not {name for name in declared - known if not name.startswith(("--slow", "--cov"))}


def test_the_page_of_options_is_made_of_the_table() -> None:
    """``python -m runner.command_line.page`` writes it."""
    assert PAGE.read_text(encoding="utf-8") == page()

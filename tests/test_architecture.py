"""ARCHITECTURE.md draws the arrows that the import contracts of pyproject.toml allow, and that the code has."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

ROOT = Path(__file__).parent.parent
#: Commands put the parts of several rooms together: what they import is no import of their room.
COMMANDS = {"reports": "__main__.py"}
ROOMS = ("deltalog", "engines", "harness", "model", "reports", "runner", "selfcheck", "strategies", "suites")


def drawn() -> set[tuple[str, str]]:
    return set(re.findall(r"^ +(\w+) --> (\w+)$", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"), re.MULTILINE))


def forbidden() -> set[tuple[str, str]]:
    """The pairs of whole rooms between which a contract forbids every import."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    return {
        (source, target)
        for contract in settings["contracts"]
        if contract["type"] == "forbidden"
        for source in contract["source_modules"]
        for target in contract["forbidden_modules"]
        if source in ROOMS and target in ROOMS
    }


def imported(room: str) -> set[str]:
    """The other rooms that a room's modules import, without its command."""
    found: set[str] = set()
    command = ROOT / room / COMMANDS[room] if room in COMMANDS else None
    for path in set((ROOT / room).rglob("*.py")) - {command}:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.split(".")[0])
            elif isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
    return found & set(ROOMS) - {room}


@pytest.mark.parametrize("room", ROOMS)
def test_an_arrow_is_drawn_where_a_room_imports_another(room: str) -> None:
    assert {target for source, target in drawn() if source == room} == imported(room)


def test_each_pair_of_rooms_is_drawn_or_forbidden() -> None:
    """The selfcheck may import every room."""
    pairs = {(source, target) for source in ROOMS for target in ROOMS if source not in (target, "selfcheck")}
    assert forbidden() == pairs - drawn()


def test_a_contract_lets_no_module_pass_but_the_commands() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    passing = {line for contract in settings["contracts"] for line in contract.get("ignore_imports", ())}
    targets = ("runner.deviations", "runner.options", "selfcheck.prediction")
    assert passing == {f"reports.__main__ -> {target}" for target in targets}


def test_the_contracts_are_about_these_rooms() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    assert sorted(settings["root_packages"]) == sorted(ROOMS)

"""ARCHITECTURE.md lists the rooms by level, as the layers contract of pyproject.toml does, and the code keeps to it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
#: What is no room: tests, benchmarks, and examples that know the rooms from outside.
OUTSIDE = {"benchmarks", "examples", "tests"}


def levels(contract: str) -> list[set[str]]:
    """The layers of the contract with this beginning of its name, the highest first."""
    (found,) = (one for one in SETTINGS["contracts"] if one["name"].startswith(contract))
    return [set(re.split(r" [|:] ", layer)) for layer in found["layers"]]


def test_the_levels_are_listed_as_the_contract_has_them() -> None:
    rows = re.findall(r"^\| (`\w+/`[^|]*) \|", ARCHITECTURE, re.MULTILINE)
    assert [set(re.findall(r"`(\w+)/`", row)) for row in rows] == levels("A room imports only rooms below it")


def test_every_package_is_in_a_level() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - OUTSIDE
    assert set().union(*levels("A room imports only rooms below it")) == packages == set(SETTINGS["root_packages"])


def test_every_part_of_a_room_with_levels_is_in_one() -> None:
    for room in ("strategies", "model", "deltalog", "harness", "faults", "reports", "runner"):
        parts = {path.parent.name for path in (ROOT / room).glob("*/__init__.py")} - {"schema"}  # two JSON files
        modules = {path.stem for path in (ROOT / room).glob("*.py")} - {"__init__"}
        assert set().union(*levels(f"The {room}:")) == parts | modules


def test_no_module_passes_a_contract() -> None:
    assert not [contract["name"] for contract in SETTINGS["contracts"] if contract.get("ignore_imports")]


def test_every_file_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"`((?:\w+/)+(?:\w+\.py)?)`", ARCHITECTURE))
    assert not [path for path in sorted(named) if not (ROOT / path).exists()]

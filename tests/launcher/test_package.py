"""What pyproject.toml says of the package."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from packaging.requirements import Requirement

from records.suite_version import VERSION

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_that_of_the_suite() -> None:
    read = SETTINGS["tool"]["hatch"]["version"]
    match = re.search(read["pattern"], (ROOT / read["path"]).read_text(encoding="utf-8"))
    assert match is not None and match["version"] == VERSION
    assert SETTINGS["project"]["dynamic"] == ["version"]


def test_only_the_launcher_is_installed() -> None:
    assert SETTINGS["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["tombstone"]


def test_what_the_launcher_imports_is_required() -> None:
    required = {Requirement(one).name for one in SETTINGS["project"]["dependencies"]}
    text = "".join(one.read_text(encoding="utf-8") for one in (ROOT / "tombstone").glob("*.py"))
    imported = set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE))
    assert imported - set(sys.stdlib_module_names) - {"tombstone"} <= required
    assert required == {"filelock", "platformdirs", "tox", "packaging"}, "tox runs; runner.doctor needs packaging"

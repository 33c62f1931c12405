"""The scripts of docs/findings/together: each stands alone, is named by docs/together.md, and tells what it cannot tell."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.test_findings_scripts import EXIT_CODES, PACKAGES, imported

DOCS = Path(__file__).parents[2] / "docs"
SCRIPTS = sorted((DOCS / "findings" / "together").glob("*.py"))

#: With the data, and the code that runs in the other environments.
MAX_LINES = 90


def heading(script: Path) -> str:
    return ast.get_docstring(ast.parse(script.read_text(encoding="utf-8")), clean=False) or ""


def test_a_script_is_short_and_needs_no_package_itself() -> None:
    texts = {script: script.read_text(encoding="utf-8") for script in SCRIPTS}
    assert [script for script, text in texts.items() if len(text.splitlines()) > MAX_LINES] == []
    assert [script for script, text in texts.items() if {*imported(ast.parse(text))} - sys.stdlib_module_names] == []


def test_a_script_names_its_environments_its_command_and_its_exit_codes() -> None:
    for script in SCRIPTS:
        installed = re.findall(r"^    ([A-Z]+)/bin/pip install (.+)$", heading(script), re.MULTILINE)
        assert len(installed) == 2, script
        assert {package.partition("==")[0] for _, packages in installed for package in packages.split()} <= PACKAGES
        interpreters = " ".join(f"{name}/bin/python" for name, _ in installed)
        assert f"    python {script.name} {interpreters}    {EXIT_CODES}\n" in heading(script), script


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
@pytest.mark.parametrize("interpreters", [(), ("no/python", "no/python")], ids=["none", "not there"])
def test_a_script_without_its_environments_cannot_tell(script: Path, interpreters: tuple[str, ...]) -> None:
    ended = subprocess.run(
        [sys.executable, str(script), *interpreters], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 2 and ended.stdout.startswith("CANNOT TELL: "), ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("name", "code", "word"),
    [("no_way_back", 0, "HOLDS"), ("rows_come_back_after_upgrade", 1, "VIOLATED")],
)
def test_a_script_of_delta_rs_runs_on_one_version_twice(name: str, code: int, word: str) -> None:
    """deltalake 1.6.6 takes its own table back, and reads the rows of its own DELETE too, where paths are spelled otherwise."""
    (script,) = (one for one in SCRIPTS if one.stem == name)
    ended = subprocess.run(
        [sys.executable, str(script), sys.executable, sys.executable],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == code and ended.stdout.endswith(f"{word}\n"), ended.stdout + ended.stderr

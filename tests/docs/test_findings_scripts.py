"""The scripts by hand: each is short, stands alone, and is named by its page, or by its finding."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.finding.entries import ROOT, findings

DOCS = Path(__file__).parents[2] / "docs"
TRINO = DOCS.parent / "examples" / "trino_engine"
PAGES = {
    DOCS / "findings" / "s3": DOCS / "s3.md",
    TRINO / "findings": TRINO / "findings.md",
}
SCRIPTS = [script for folder in PAGES for script in sorted(folder.glob("*.py"))]
BY_HAND = [ROOT / one.script for one in findings().values() if one.script]

#: With the data.
MAX_LINES = 79
#: What a package from PyPI is imported as, where that is another name.
MODULES = {"delta-spark": "delta", "pyspark-client": "pyspark"}
PACKAGES = {
    "boto3",
    "deltalake",
    "delta-spark",
    "moto",
    "pandas",
    "pyarrow",
    "pysail",
    "pyspark",
    "pyspark-client",
    "trino",
}
EXIT_CODES = "# exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL"


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." if node.level else (node.module or "").split(".")[0]


def mistakes(name: str, text: str, most: int = MAX_LINES) -> Iterator[str]:
    """What is wrong with a script of this name, which may have ``most`` lines."""
    tree = ast.parse(text)
    docstring = ast.get_docstring(tree, clean=False) or ""
    if len(text.splitlines()) > most:
        yield "it is long"
    (packages,) = re.findall(r"^    pip install (.+)$", docstring, re.MULTILINE)
    names = re.findall(r"([a-z][a-z0-9-]+)(?:\[[a-z]+\])?(?:[=<][^ ]*)?", packages)
    if foreign := {*names} - PACKAGES:
        yield f"it installs {foreign}"
    if missing := {*imported(tree)} - {MODULES.get(one, one) for one in names} - sys.stdlib_module_names:
        yield f"it imports {missing}, and does not install it"
    if f"    python {name}    {EXIT_CODES}\n" not in docstring:
        yield "it does not name its command and its exit codes"


def test_a_script_is_short_imports_what_it_installs_and_names_its_command_and_its_exit_codes() -> None:
    texts = {script: script.read_text(encoding="utf-8") for script in [*SCRIPTS, *BY_HAND]}
    assert [f"{script}: {one}" for script, text in texts.items() for one in mistakes(script.name, text)] == []


def test_a_page_names_exactly_its_scripts() -> None:
    for folder, page in {**PAGES, DOCS / "findings" / "together": DOCS / "together.md"}.items():
        named = set(re.findall(r"`(\w+\.py)`", page.read_text(encoding="utf-8")))
        assert named == {script.name for script in folder.glob("*.py")}, page


def test_each_script_by_hand_is_that_of_a_finding() -> None:
    folders = (DOCS / "findings", *(DOCS / "findings" / name for name in ("deltalake", "sail")))
    assert sorted(BY_HAND) == sorted(script for folder in folders for script in folder.glob("*.py"))


# Scripts of two engines in turn -------------------------------------------------------------------------------------------

TOGETHER = sorted((DOCS / "findings" / "together").glob("*.py"))

#: With the data, and the code that runs in the other environments.
MOST_LINES_TOGETHER = 90


def heading(script: Path) -> str:
    return ast.get_docstring(ast.parse(script.read_text(encoding="utf-8")), clean=False) or ""


def test_a_script_of_two_engines_is_short_and_needs_no_package_itself() -> None:
    texts = {script: script.read_text(encoding="utf-8") for script in TOGETHER}
    assert [script for script, text in texts.items() if len(text.splitlines()) > MOST_LINES_TOGETHER] == []
    assert [script for script, text in texts.items() if {*imported(ast.parse(text))} - sys.stdlib_module_names] == []


def test_a_script_of_two_engines_names_its_environments_its_command_and_its_exit_codes() -> None:
    for script in TOGETHER:
        installed = re.findall(r"^    ([A-Z]+)/bin/pip install (.+)$", heading(script), re.MULTILINE)
        assert len(installed) == 2, script
        assert {package.partition("==")[0] for _, packages in installed for package in packages.split()} <= PACKAGES
        interpreters = " ".join(f"{name}/bin/python" for name, _ in installed)
        assert f"    python {script.name} {interpreters}    {EXIT_CODES}\n" in heading(script), script


@pytest.mark.parametrize("script", TOGETHER, ids=lambda script: script.stem)
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
    (script,) = (one for one in TOGETHER if one.stem == name)
    ended = subprocess.run(
        [sys.executable, str(script), sys.executable, sys.executable],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == code and ended.stdout.endswith(f"{word}\n"), ended.stdout + ended.stderr

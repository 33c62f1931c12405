"""The scripts of docs/findings/, and of the examples of engines: each is short, stands alone, and is named by its page."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
SAIL = DOCS.parent / "examples" / "sail_engine"
TRINO = DOCS.parent / "examples" / "trino_engine"
PAGES = {
    DOCS / "findings": DOCS / "findings.md",
    DOCS / "findings" / "deltalake": DOCS / "findings-deltalake.md",
    DOCS / "findings" / "s3": DOCS / "s3.md",
    SAIL / "findings": SAIL / "findings.md",
    TRINO / "findings": TRINO / "findings.md",
}
SCRIPTS = {script: page for folder, page in PAGES.items() for script in sorted(folder.glob("*.py"))}

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

each_script = pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: f"{script.parent.name}/{script.stem}")


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." if node.level else (node.module or "").split(".")[0]


@each_script
def test_a_script_is_short(script: Path) -> None:
    assert len(script.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


@each_script
def test_a_script_imports_only_what_it_installs(script: Path) -> None:
    tree = ast.parse(script.read_text(encoding="utf-8"))
    (packages,) = re.findall(r"^    pip install (.+)$", ast.get_docstring(tree, clean=False) or "", re.MULTILINE)
    names = re.findall(r"([a-z][a-z0-9-]+)(?:\[[a-z]+\])?(?:[=<][^ ]*)?", packages)
    assert set(names) <= PACKAGES
    installed = {MODULES.get(name, name) for name in names}
    assert set(imported(tree)) <= installed | sys.stdlib_module_names


@each_script
def test_a_script_names_its_command_and_its_exit_codes(script: Path) -> None:
    docstring = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8")), clean=False) or ""
    assert f"    python {script.name}    {EXIT_CODES}\n" in docstring


@pytest.mark.parametrize("page", PAGES.values(), ids=lambda page: page.name)
def test_a_page_names_exactly_its_scripts(page: Path) -> None:
    named = set(re.findall(r"`(\w+\.py)`", page.read_text(encoding="utf-8")))
    assert named == {script.name for script in SCRIPTS if SCRIPTS[script] == page}

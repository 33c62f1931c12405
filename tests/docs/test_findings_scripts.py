"""The scripts by hand: each is short, stands alone, and is named by its page, or by its finding."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from runner.finding.entries import ROOT, findings
from runner.replay import read_case

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
    for folder, page in PAGES.items():
        named = set(re.findall(r"`(\w+\.py)`", page.read_text(encoding="utf-8")))
        assert named == {script.name for script in folder.glob("*.py")}, page


def test_the_page_of_two_engines_names_exactly_its_cases() -> None:
    files = sorted((DOCS / "findings" / "together").iterdir())
    named = re.findall(r"^\| .+`(\w+\.json)` with `", (DOCS / "together.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(named) == [file.name for file in files if read_case(file)]


def test_each_script_by_hand_is_that_of_a_finding() -> None:
    folders = (DOCS / "findings", *(DOCS / "findings" / name for name in ("deltalake", "sail")))
    assert sorted(BY_HAND) == sorted(script for folder in folders for script in folder.glob("*.py"))

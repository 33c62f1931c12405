"""What the suite found in delta-rs (docs/findings-deltalake.md) is there in the pinned deltalake, or is known to be mended."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "docs" / "findings" / "deltalake"
DOCUMENT = FOLDER.parent.parent / "findings-deltalake.md"

#: The version that EXPECTED speaks of.
PINNED = "1.6.6"
FAULT, RIGHT = 1, 0

#: Findings of older versions, which PINNED does right. Every other script shows its fault there.
MENDED = {
    "first_file_only",
    "lite_encoded_path",
    "log_as_partition",
    "young_encoded_tombstone",
    "young_tombstone",
}

SCRIPTS = sorted(FOLDER.glob("*.py"))
EXPECTED = {script.stem: RIGHT if script.stem in MENDED else FAULT for script in SCRIPTS}


def advice(name: str, code: int) -> str:
    """What to do about a script that ended with another exit code than the table says."""
    installed = version("deltalake")
    if code == RIGHT:
        return f"{name} is mended in deltalake {installed}: say so in docs/{DOCUMENT.name}, and add it to MENDED."
    if code == FAULT:
        return f"{name} is back in deltalake {installed}: say so in docs/{DOCUMENT.name}, and take it out of MENDED."
    return f"{name} could not be checked in deltalake {installed}, though it could in {PINNED}: exit code {code}."


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.stem for script in SCRIPTS])
def test_the_script_says_what_the_document_says(script: Path) -> None:
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    shown = f"\n{run.stdout}{run.stderr[-1000:]}"
    assert run.returncode == EXPECTED[script.stem], advice(script.stem, run.returncode) + shown


def test_the_document_speaks_of_every_script_and_of_no_other() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for name in EXPECTED:
        assert f"`{name}.py`" in text, f"docs/{DOCUMENT.name} does not name {name}.py"
        assert f"\n| `{name}` |" in text, f"the table of versions in docs/{DOCUMENT.name} has no line for {name}"
    told = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    assert told == set(EXPECTED), (
        f"docs/{DOCUMENT.name} has {sorted(told - set(EXPECTED))}, and there is no such script"
    )
    assert set(EXPECTED) >= MENDED, f"there is no script for {sorted(MENDED - set(EXPECTED))}"


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_table_of_versions_agrees_for_the_pinned_one(name: str) -> None:
    lines = [line for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    heads = [cell.strip() for cell in next(line for line in lines if PINNED in line).strip("|").split("|")]
    cells = [
        cell.strip() for cell in next(line for line in lines if line.startswith(f"| `{name}` |")).strip("|").split("|")
    ]
    said = cells[heads.index(PINNED)]
    assert said == ("fault" if EXPECTED[name] == FAULT else "right"), f"{name}: the table says {said} of {PINNED}"

"""The scripts of docs/findings/deltalake exit as docs/findings-deltalake.md states for the pinned deltalake."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.slow import slow_after

FOLDER = Path(__file__).parents[2] / "docs" / "findings" / "deltalake"
DOCUMENT = FOLDER.parent.parent / "findings-deltalake.md"

#: The version of EXPECTED.
PINNED = "1.6.6"
FAULT, RIGHT = 1, 0

#: Findings of older versions that are fixed in PINNED. Every other script exits with FAULT there.
FIXED = {
    "first_file_only",
    "kept_versions_order",
    "lite_encoded_path",
    "log_as_partition",
    "negative_decimal_read",
    "remove_partition_spelling",
    "wide_decimal_delete",
    "young_encoded_tombstone",
    "young_tombstone",
}

SCRIPTS = sorted(FOLDER.glob("*.py"))
EXPECTED = {script.stem: RIGHT if script.stem in FIXED else FAULT for script in SCRIPTS}


def advice(name: str, code: int) -> str:
    """What to do about a script whose exit code is not the table's."""
    installed = version("deltalake")
    if code == RIGHT:
        return f"{name} is fixed in deltalake {installed}: note it in docs/{DOCUMENT.name}, and add it to FIXED."
    if code == FAULT:
        return f"{name} is back in deltalake {installed}: note it in docs/{DOCUMENT.name}, and remove it from FIXED."
    return f"{name} could not be checked in deltalake {installed}, though it could in {PINNED}: exit code {code}."


#: What pyarrow says when a thread of its scan is still there while the interpreter ends, after all is done, once in some forty
#: times on a busy machine: https://github.com/apache/arrow/issues/34314, https://github.com/apache/arrow/issues/39862.
ABORTED_AT_THE_END = "terminate called without an active exception\n"
_ANSWERS = {"HOLDS": RIGHT, "VIOLATED": FAULT}


def code_of(run: subprocess.CompletedProcess[str]) -> int:
    """The script's exit code; of one that pyarrow aborted after its answer, the answer's."""
    if run.returncode == -signal.SIGABRT and run.stderr == ABORTED_AT_THE_END:
        return _ANSWERS.get(run.stdout.splitlines()[-1].partition(" ")[0], run.returncode)
    return run.returncode


@pytest.mark.parametrize(
    ("said", "code"), [("[7]\nVIOLATED on deltalake 1.6.6\n", FAULT), ("HOLDS on deltalake\n", RIGHT), ("[7]\n", -6)]
)
def test_the_answer_counts_if_pyarrow_aborts_after_it(said: str, code: int) -> None:
    assert code_of(subprocess.CompletedProcess([], -6, said, ABORTED_AT_THE_END)) == code
    assert code_of(subprocess.CompletedProcess([], -6, said, "another text\n")) == -6


#: The others run at night.
FIFTH = SCRIPTS[::5]


@pytest.mark.parametrize("script", slow_after(len(FIFTH), [*FIFTH, *sorted({*SCRIPTS} - {*FIFTH})]))
def test_a_script_exits_as_the_document_states(script: Path) -> None:
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    shown = f"\n{run.stdout}{run.stderr[-1000:]}"
    code = code_of(run)
    assert code == EXPECTED[script.stem], advice(script.stem, code) + shown


def test_the_table_of_versions_has_a_line_for_each_script() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == sorted(EXPECTED)
    assert set(EXPECTED) >= FIXED, f"there is no script for {sorted(FIXED - set(EXPECTED))}"


def test_the_table_of_versions_agrees_for_the_pinned_one() -> None:
    lines = [line for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    place = re.split(r" *\| *", next(line for line in lines if PINNED in line)).index(PINNED)
    rows = [re.split(r" *\| *", line) for line in lines if re.match(r"\| `\w+` \|", line)]
    stated = {row[1].strip("`"): {"fault": FAULT, "right": RIGHT}.get(row[place]) for row in rows}
    assert stated == EXPECTED

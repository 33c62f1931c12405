"""What action.yml runs (.ci/upgrade-action), with a fake Python instead of venv, pip and tox."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

#: "python -m venv" copies it; "tox" writes a comparison, unless the exit code is 2, and exits with $ENDS.
_PYTHON = """#!/usr/bin/env bash
echo "$@" >> "$HOME/asked"
if [ "$2" = venv ]; then mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && exit 0; fi
if [ "$2" = tox ]; then
    while [ $# -gt 1 ]; do [ "$1" = --out ] && out="$2"; shift; done
    [ "$ENDS" = 2 ] || { mkdir -p "$out" && echo "# What changed" > "$out/comparison.md"; }
    exit "$ENDS"
fi
"""


_NOT_COMPARED = "The two versions could not be compared: see the log of the step.\n"


@pytest.mark.parametrize(
    ("ends", "allows", "code", "verdict", "summary"),
    [
        (0, "false", 0, "upgrade", ""),
        (1, "true", 1, "do-not-upgrade", ""),
        (3, "false", 3, "look-first", ""),
        (3, "true", 0, "look-first", ""),
        (2, "true", 2, "error", _NOT_COMPARED),
    ],
)
def test_the_verdict_and_the_summary_are_written(
    ends: int, allows: str, code: int, verdict: str, summary: str, tmp_path: Path
) -> None:
    suite, work, programs = tmp_path / "suite", tmp_path / "work", tmp_path / "bin"
    for directory in (suite / ".ci", work, programs):
        directory.mkdir(parents=True)
    script = suite / ".ci" / "upgrade-action"
    script.write_text((ROOT / ".ci" / "upgrade-action").read_text())
    script.chmod(0o755)
    (programs / "python").write_text(_PYTHON)
    (programs / "python").chmod(0o755)
    environ = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "ENDS": str(ends),
        "GITHUB_WORKSPACE": str(work),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "TOMBSTONE_FROM": "3.3.2",
        "TOMBSTONE_TO": "4.4.0; rm -rf /",
        "TOMBSTONE_PROFILE": "smoke",
        "TOMBSTONE_KNOWN_FAULTS": "known.toml",
        "TOMBSTONE_ACCEPT": "/elsewhere/accepted.toml",
        "TOMBSTONE_ALLOW_CHANGES": allows,
    }
    done = subprocess.run([script], env=environ, check=False)
    assert done.returncode == code
    report = work / "tombstone-report"
    assert (tmp_path / "output").read_text() == f"verdict={verdict}\nreport={report}\n"
    told = tmp_path / "summary"
    assert (told.read_text() if told.exists() else "") == summary, "the comparison itself writes the rest"
    asked = (tmp_path / "asked").read_text().splitlines()[-1]
    assert asked.endswith(
        f"-e upgrade -- 3.3.2 4.4.0; rm -rf / --out {report} --profile smoke --known-faults {work}/known.toml "
        "--accept /elsewhere/accepted.toml"
    )


def inputs_of_the_action() -> dict[str, bool]:
    """Whether each must be given."""
    inputs = (ROOT / "action.yml").read_text(encoding="utf-8").partition("inputs:\n")[2].partition("\noutputs:")[0]
    return {
        name: "required: true" in rest for name, rest in re.findall(r"^  (\S+):((?:\n    .*)+)", inputs, re.MULTILINE)
    }


def inputs_in(page: str) -> list[set[str]]:
    """The inputs that each block of a page gives to the action."""
    steps = re.findall(
        r"^( *)(?:- )?uses: \S+/tombstone@\S+\n\1with:\n((?:\1  .*\n)+)", page.replace("- uses", "  uses"), re.MULTILINE
    )
    return [set(re.findall(r"^ *([^:\n]+):", given, re.MULTILINE)) for _, given in steps]


def test_documented_workflows_give_the_inputs_that_the_action_has() -> None:
    known = inputs_of_the_action()
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    documented = [given for page in pages for given in inputs_in(page.read_text(encoding="utf-8"))]
    assert documented and known["from"] and not known["accept"]
    for given in documented:
        assert {name for name, required in known.items() if required} <= given <= known.keys()

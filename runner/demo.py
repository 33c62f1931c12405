"""``python -m runner.demo``: the pages of runs that are kept in ``docs/demo``, made in ``build/demo`` without an engine.

A healthy run (Delta 4.4.0 on Spark), a known-bad engine, an upgrade that must not be made, and the index of all of them.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from records.mistakes import UsageMistake
from reports.__main__ import main as reports
from runner.commands import ended

ROOT = Path(__file__).resolve().parent.parent

#: Where the streams are kept, and where the pages go.
KEPT, MADE = ROOT / "docs" / "demo", ROOT / "build" / "demo"


def main(arguments: list[str]) -> int:
    """0 if each command on the kept streams ends as it must."""
    if arguments:
        raise UsageMistake("tox -e demo takes no arguments: its pages go to build/demo.")
    shutil.rmtree(MADE, ignore_errors=True)
    shutil.copytree(KEPT, MADE)
    base, candidate = MADE / "upgrade" / "base", MADE / "upgrade" / "candidate"
    commands = {
        ("render", MADE / "healthy"): 0,
        ("render", MADE / "broken"): 0,
        ("render", base): 0,
        ("render", candidate): 0,
        ("compare", base, candidate, "--out", MADE / "upgrade"): 1,
        ("index", MADE): 1,
    }
    wrong = [command for command, code in commands.items() if reports([str(part) for part in command]) != code]
    for command in wrong:
        print(f"python -m reports {' '.join(map(str, command))} ended otherwise than it must.", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    ended(main)

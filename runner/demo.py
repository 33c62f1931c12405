"""``python -m runner.demo [--out DIR]``: the pages of runs that are kept in ``docs/demo``, made without an engine.

A run of Delta 4.4.0 on Spark and one of delta-rs, a known-bad engine, an upgrade that must not be made, and the index of all.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from records.mistakes import UsageMistake
from reports.command import main as reports
from runner.command_line.commands import ended
from tombstone.commands import DEMO
from tombstone.reading import asked_of

ROOT = Path(__file__).resolve().parent.parent

#: Where the streams are kept, and where the pages go if nothing else is said.
KEPT, MADE = ROOT / "docs" / "demo", ROOT / "build" / "demo"

#: By which a directory is known as one of an earlier demo, and may be replaced.
_MARK = ".tombstone-demo"


def main(arguments: list[str]) -> int:
    """0 if each command on the kept streams ends as it must."""
    made = asked_of(DEMO, arguments).out or MADE
    _clear(made)
    shutil.copytree(KEPT, made)
    (made / _MARK).touch()
    base, candidate = made / "upgrade" / "base", made / "upgrade" / "candidate"
    commands = {
        ("render", made / "healthy"): 0,
        ("render", made / "delta-rs"): 0,
        ("render", made / "broken"): 0,
        ("render", base): 0,
        ("render", candidate): 0,
        ("compare", base, candidate, "--out", made / "upgrade"): 1,
        ("index", made): 1,
    }
    wrong = [command for command, code in commands.items() if reports([str(part) for part in command]) != code]
    for command in wrong:
        print(f"python -m reports {' '.join(map(str, command))} did not end as it must.", file=sys.stderr)
    if not wrong:
        print(
            "The demo shows what it should: healthy engines (PASS), one that is wrong on purpose (FAIL), and an upgrade that "
            f"must not be made (DO NOT UPGRADE). Begin with {made / 'index.html'}"
        )
    return 2 if wrong else 0


def _clear(made: Path) -> None:
    """Remove an earlier demo. Raises UsageMistake if the directory is not a demo."""
    if made.exists() and made != MADE and not (made / _MARK).is_file():
        raise UsageMistake(f"--out {made} exists and is not a demo: name a new directory.")
    shutil.rmtree(made, ignore_errors=True)


if __name__ == "__main__":
    ended(main)

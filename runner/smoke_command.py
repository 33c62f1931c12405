"""What judges smoke's cases where a run has its tables, or its server, elsewhere: a gate, or ``selfcheck.power``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

#: The first argument of a command that judges known-bad engines, not the engine itself.
POWER = "--power"


def without_power(arguments: Sequence[str]) -> tuple[bool, list[str]]:
    """Whether ``--power`` is the first argument, and the others."""
    return (True, [*arguments[1:]]) if arguments[:1] == [POWER] else (False, [*arguments])


def smoke_command(engine: str, *arguments: str, power: bool) -> list[str]:
    """The command that judges smoke's cases on an engine, or known-bad engines by them: which clauses notice them."""
    if power:
        judged = ["-m", "selfcheck.power", "--predicted"]
    else:
        judged = ["-m", "pytest", "-c", "tox.ini", "suites"]
    return [sys.executable, *judged, "--profile", "smoke", "--engine", engine, *arguments]

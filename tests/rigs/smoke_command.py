"""The command that judges smoke's cases where the tables or the server are elsewhere: a gate, or ``selfcheck.power``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from runner.command_line.commands import Parser


def smoke_arguments(parser: Parser, arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The command's arguments, and the others, which are passed on. ``parser`` knows the first. Raises UsageMistake."""
    parser.add_argument("--power", action="store_true", help="judge known-bad engines (selfcheck.power)")
    return parser.parse_known_args(arguments)


def smoke_command(engine: str, *arguments: str, power: bool) -> list[str]:
    """The command that judges smoke's cases on an engine, or known-bad engines by them: which clauses notice them."""
    if power:
        judged = ["-m", "selfcheck.power", "--predicted"]
    else:
        judged = ["-m", "pytest", "-c", "tox.ini", "suites"]
    return [sys.executable, *judged, "--profile", "smoke", "--engine", engine, *arguments]

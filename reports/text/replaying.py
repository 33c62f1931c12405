"""The command that judges a case of a run again, for a shell in the suite's checkout."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from engines.versions import name_of
from records.run import Header

_ROOT = Path(__file__).resolve().parent.parent.parent


def place_of(path: Path) -> str:
    """A path as it is named from the suite's checkout: relative if it is below."""
    whole = path.absolute()
    return str(whole.relative_to(_ROOT) if whole.is_relative_to(_ROOT) else whole)


def python_here() -> str:
    """The Python of this process, as named from the suite's checkout."""
    return place_of(Path(sys.executable))


def replay_command(header: Header, case: Path) -> str:
    """The command for the file of a case: with the Python, engine and options of its run.

    A stream of an earlier release does not say where that was: an environment is made for the version.
    """
    engine = header.option or header.engine
    options = [*(() if header.known_bad is None else ("--known-bad", header.known_bad)), *header.options]
    if header.interpreter is None:
        version = name_of(engine, header.version)
        return shlex.join(
            [".venv/bin/tox", "-e", "gate-version", "--", version, *options, f"--replay={place_of(case)}"]
        )
    return command_with(header.interpreter, "--engine", engine, *options, case=case)


def command_with(python: str, *options: str, case: Path) -> str:
    """The command with this Python and these options, in one line, quoted for the shell.

    ``--replay=FILE`` is one word: pytest would look for settings of its own beside the file of ``--replay FILE``.
    """
    return shlex.join([python, "-m", "pytest", "suites", *options, f"--replay={place_of(case)}"])


def script_command(header: Header, script: Path) -> str:
    """The command that runs a reproduction script, in the run's environment, which has what it needs."""
    return shlex.join([header.interpreter or "python", place_of(script)])

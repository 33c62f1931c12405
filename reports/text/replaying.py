"""The command that judges a case of a run again: for a shell in the suite's checkout, or for the launcher's users."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from engines.provider import ENGINES, PAIR, is_pair
from engines.versions import name_of
from records.run import Header

#: The launcher sets it (``tombstone.tree``): its users do not stand in the suite's folder.
_LAUNCHED = "TOMBSTONE_LAUNCHED"

#: The environments of the newest releases, by what the launcher calls them.
_NEWEST = {"gate": (), "gate-deltalake": ("deltalake",)}

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
    if _LAUNCHED in os.environ:
        return shlex.join(["tombstone", *_judged_again(engine, case, _launched(header, engine)), *options])
    if header.interpreter is None:
        again = _judged_again(engine, case, (name_of(engine, header.version),))
        return shlex.join([".venv/bin/python", "-m", "tombstone", *again, *options])
    return command_with(header.interpreter, "--engine", engine, *options, case=case)


def _judged_again(engine: str, case: Path, version: Sequence[str]) -> list[str]:
    """The command and its words. ``version``: those of one engine."""
    if is_pair(engine):
        return ["together", *engine.removeprefix(PAIR).split(","), f"--replay={place_of(case)}"]
    return ["replay", place_of(case), *version]


def _launched(header: Header, engine: str) -> tuple[str, ...]:
    """The launcher's words for what the run judged."""
    environment = Path(header.interpreter or "").parent.parent.name
    if environment in _NEWEST and engine in ENGINES:
        return _NEWEST[environment]
    return (name_of(engine, header.version),) if engine in ENGINES else ("--engine", engine)


def command_with(python: str, *options: str, case: Path) -> str:
    """The command with this Python and these options, in one line, quoted for the shell.

    ``--replay=FILE`` is one word: pytest would look for settings of its own beside the file of ``--replay FILE``.
    """
    return shlex.join([python, "-m", "pytest", "suites", *options, f"--replay={place_of(case)}"])


def script_command(header: Header, script: Path) -> str:
    """The command that runs a reproduction script, in the run's environment, which has what it needs."""
    python = header.interpreter or "python"
    both = () if header.pair is None else ("--a", "A/bin/python", "--b", "B/bin/python")
    return shlex.join([str(_ROOT / python) if _LAUNCHED in os.environ else python, place_of(script), *both])

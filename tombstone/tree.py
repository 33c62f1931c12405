"""Where the suite lies, and how tox runs it there."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO

import platformdirs
from filelock import FileLock

from tombstone.archive import NAME, digest_of, lay_out
from tombstone.jobs import MODULES, Job
from tombstone.mistakes import Mistake
from tombstone.processes import exit_code_of

_ARCHIVE = Path(__file__).with_name(NAME)
_THIS = ".".join(map(str, sys.version_info[:2]))


@dataclass(frozen=True)
class Python:
    """An interpreter: its release (3.11), and its path; None: that of this process."""

    release: str = _THIS
    path: str | None = None


def suite_version() -> str:
    """That of the package; in a clone that of the clone, where no package may be installed."""
    if _ARCHIVE.is_file():
        return version("tombstone")
    text = (Path(__file__).parents[1] / "records" / "suite_version.py").read_text(encoding="utf-8")
    return text.partition('VERSION: Final = "')[2].partition('"')[0]


def tree_for(python: Python) -> Path:
    """The suite, laid out for this Python: the environments of each lie in a tree of its own. In a clone: the clone."""
    if not _ARCHIVE.is_file():
        return Path(__file__).resolve().parent.parent
    name = f"{suite_version()}-{digest_of(_ARCHIVE)}-python-{python.release}"
    place = platformdirs.user_cache_path("tombstone") / "suite" / name
    lay_out(_ARCHIVE, place)
    return place


def run(job: Job, tree: Path, python: Python) -> int:
    """Make the environment if it is not there, and run the job in it; the exit code. Raises Mistake or KeyboardInterrupt."""
    own = ("-x", f"testenv.base_python={python.path}") if python.path else ()
    _make(job.environment, tree, own)
    if job.environment == MODULES:  # without tox, which adds a line to every mistake
        environ = _environ()
        environ["PYTHONPATH"] = environ.get("TOMBSTONE_PYTHONPATH", "")
        command = [str(tree / ".tox" / MODULES / "bin" / "python"), "-m", *job.arguments]
        return exit_code_of(command, directory=tree, environ=environ)
    return _tox(tree, "--skip-env-install", "-e", job.environment, *own, "--", *job.arguments)


def _make(environment: str, tree: Path, own: Sequence[str]) -> None:
    """One launcher makes it, and others wait. Raises Mistake if it cannot be made: tox's exit code would be that of a verdict."""
    directory = tree / ".tox" / environment
    made = directory / ".tombstone-made"
    directory.parent.mkdir(exist_ok=True)
    with FileLock(directory.parent / f"{environment}.lock"):
        if made.is_file() and made.read_text() == _needs(tree) and (directory / "bin" / "python").exists():
            return
        print(f"Making the environment {environment}: once, it may take minutes.", file=sys.stderr, flush=True)
        with tempfile.TemporaryFile("w+") as said:
            if _tox(tree, "--notest", "-e", environment, *own, output=said):
                said.seek(0)
                print(said.read(), file=sys.stderr)
                raise Mistake(
                    "The environment cannot be made, as is said above, and nothing was judged: `tombstone doctor` looks for the "
                    "reason."
                )
        made.write_text(_needs(tree))


def _needs(tree: Path) -> str:
    """What tells that an environment is of this tree: a clone goes on."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(tree.glob("*.txt")))).hexdigest()


def _environ() -> dict[str, str]:
    """The variables of a run: nothing of another tox or pytest, and whole paths."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("TOX_", "PYTEST_"))}
    if places := environ.get("TOMBSTONE_PYTHONPATH"):
        environ["TOMBSTONE_PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, places.split(os.pathsep)))
    environ["TOMBSTONE_LAUNCHED"] = "1"
    return environ


def _tox(tree: Path, *arguments: str, output: IO[str] | None = None) -> int:
    launched = tree / "runner" / "command_line" / "launched.py"
    command = [sys.executable, str(launched), "tox", "run", "-qq", "-c", str(tree / "tox.ini"), *arguments]
    return exit_code_of(command, directory=tree, environ=_environ(), output=output)

"""The console script ``tombstone``."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from tombstone.commands import COMMANDS, REPORTS
from tombstone.jobs import job_of
from tombstone.mistakes import Mistake
from tombstone.processes import Terminated
from tombstone.reading import asked_of
from tombstone.tree import Python, run, suite_version, tree_for


def usage() -> str:
    lines = [(command.usage, command.sentence) for command in COMMANDS.values()]
    width = max(len(words) for words, _ in lines)
    return "\n".join(
        [
            "usage: tombstone COMMAND",
            "",
            "Judges DELETE and VACUUM of Delta Lake and of delta-rs.",
            "",
            *(f"  {words:{width}}  {sentence}" for words, sentence in lines),
            "",
            f"Reports go to {REPORTS}/ in the current directory. `tombstone COMMAND --help` lists the options of a command.",
            "Exit 0: PASS or UPGRADE; 1: FAIL or DO NOT UPGRADE; 3: LOOK FIRST; 2: INCONCLUSIVE, or a mistake.",
        ]
    )


def python_for(versions: Sequence[str]) -> Python:
    """A Python of this machine on which all these versions can be judged. Raises Mistake, with the remedy, if there is none."""
    if not versions:
        return Python()
    asked = [sys.executable, "-m", "runner.doctor", "python-for", *versions]
    done = subprocess.run(asked, cwd=tree_for(Python()), capture_output=True, text=True, check=False)
    if done.returncode:
        raise Mistake(done.stderr.strip())
    return Python(**json.loads(done.stdout))


def main(words: Sequence[str] | None = None) -> int:
    """The exit code. Only what a run answers is 1."""
    if words is None:
        code = main(sys.argv[1:])
        for late in (signal.SIGINT, signal.SIGTERM):
            signal.signal(late, signal.SIG_IGN)  # the answer stands
        return code
    signal.signal(signal.SIGTERM, _terminated)
    try:
        if not words or words[0] in ("--help", "-h", "help"):
            print(usage(), file=sys.stdout if words else sys.stderr)
            return 0 if words else 2
        if words[0] == "--version":
            print(f"tombstone {suite_version()}")
            return 0
        if words[0] == "doctor":
            asked_of(COMMANDS["doctor"], words[1:])
            return subprocess.call([sys.executable, "-m", "runner.doctor"], cwd=tree_for(Python()))
        job = job_of(words, Path.cwd())
        python = python_for(job.versions)
        return run(job, tree_for(python), python)
    except Mistake as mistake:
        print(mistake, file=sys.stderr)
        return 2
    except SystemExit as ended:  # after a help
        return int(ended.code or 0)
    except OSError as error:
        what = error.filename or "A file"
        print(
            f"{what} cannot be read or written ({error.strerror or error}): make room, or name another place.",
            file=sys.stderr,
        )
        return 2
    except Exception:  # noqa: BLE001 - Python would end with 1, which is a verdict
        traceback.print_exc()
        return 2
    except Terminated:
        return 128 + signal.SIGTERM
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _terminated(_: int, __: FrameType | None) -> None:
    raise Terminated


if __name__ == "__main__":
    sys.exit(main())

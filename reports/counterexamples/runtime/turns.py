"""A script of two engines in turn: each runs its steps in a process of its own, by the Python in which it is installed."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator

from engines.script_names import GIVEN, KNOWN, T


def given() -> argparse.Namespace:
    """The options of the script. With ``--side`` it is the process of a side."""
    parser = argparse.ArgumentParser()
    for option in ("--a", "--b", "--side"):
        parser.add_argument(option, help=argparse.SUPPRESS if option == "--side" else "the Python of this engine")
    return parser.parse_args()


def started(side: str) -> subprocess.Popen[str]:
    """The process of a side, whose engine starts."""
    command = [vars(GIVEN)[side], "-u", __file__, "--side", side]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def turn(process: subprocess.Popen[str]) -> int | None:
    """Lets a side run its next step. The exit code if it is the judged one."""
    global T
    assert process.stdin is not None and process.stdout is not None
    print(json.dumps({"T": T, **KNOWN}), file=process.stdin, flush=True)
    for line in process.stdout:
        if line.startswith("DONE "):
            done = json.loads(line[len("DONE ") :])
            assert done["error"] is None, done["error"]
            T = done["T"]
            return None if done["code"] is None else int(done["code"])
        if line.strip():
            print(line, end="")
    raise RuntimeError("the process of an engine ended")


def serve(steps: Iterator[None]) -> None:
    """Starts the engine; then runs a step for each line that the script writes."""
    next(steps)
    for line in sys.stdin:
        globals().update(json.loads(line))
        code = error = None
        try:
            next(steps)
        except StopIteration as end:
            code = end.value
        except BaseException as problem:  # a panic of Rust is not an Exception
            error = repr(problem)
        print("\nDONE", json.dumps({"T": T, "code": code, "error": error}))


def two_pythons() -> bool:
    """Whether both are given. If not, says what to do."""
    if not (GIVEN.a and GIVEN.b):
        print(f"CANNOT TELL: name the Python of each engine with --a and --b.\n{__doc__}")
    return bool(GIVEN.a and GIVEN.b)


def undecided(reason: str, command: str) -> int:
    """CANNOT TELL (2)."""
    print(f"CANNOT TELL: {reason}")
    print(f"To check it: {command}")
    return 2

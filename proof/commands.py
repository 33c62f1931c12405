"""What the two commands share: how they read their line, and how they say what was wrong with it."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from typing import NoReturn

from engines.port import EngineUnavailable
from runner.options import UsageMistake


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are one sentence."""

    def error(self, message: str) -> NoReturn:
        raise UsageMistake(f"{message}: `{self.prog} --help` says what can be asked for.")


def whole(text: str) -> int:
    """A number from 1 on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


def positive(text: str) -> float:
    """A finite number above 0."""
    number = float(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


def ended(main: Callable[[list[str]], int]) -> NoReturn:
    """Run a command on the process' arguments, and exit: 2 with one sentence where it cannot be done."""
    try:
        code = main(sys.argv[1:])
    except (UsageMistake, EngineUnavailable) as mistake:
        print(mistake, file=sys.stderr)
        code = 2
    except BrokenExecutor:
        print("A worker process died: nothing is proven. What was written before that is kept.", file=sys.stderr)
        code = 2
    sys.exit(code)

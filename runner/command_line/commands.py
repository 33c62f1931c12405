"""Parsing and error handling for the project's commands: a mistake is reported in one sentence."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from functools import wraps
from typing import NoReturn

from engines.port import EngineUnavailable
from records.mistakes import UsageMistake, told
from runner.command_line.launched import end_with_launcher


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageMistake(f"{message}: `{self.prog} --help` lists the options.")


Main = Callable[[list[str]], int]

#: What a command says that the user interrupts, and the exit code that shells use then.
INTERRUPTED = "Interrupted. What was written before that is kept."
INTERRUPTED_CODE = 128 + signal.SIGINT


def in_a_sentence(main: Main) -> Main:
    """The command; if it fails, exit code 2 and one sentence on standard error. Interrupted: 130. Only its own answer ends with
    1.
    """

    @wraps(main)
    def wrapped(arguments: list[str]) -> int:
        try:
            end_with_launcher()
            return main(arguments)
        except (UsageMistake, EngineUnavailable) as mistake:
            print(mistake, file=sys.stderr)
        except BrokenExecutor:
            print("A worker process died: the run is INCONCLUSIVE. What it wrote before is kept.", file=sys.stderr)
        except KeyboardInterrupt:
            print(INTERRUPTED, file=sys.stderr)
            return INTERRUPTED_CODE
        except Exception as error:  # noqa: BLE001 - whatever it is, it is no verdict
            return told(error)
        return 2

    return wrapped


def ended(main: Main) -> NoReturn:
    """Run a command on the process' arguments, and exit."""
    sys.exit(in_a_sentence(main)(sys.argv[1:]))

"""What the child process answers: what the engine's own calls return or raise, or an error of the suite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class CallRefused(Exception):
    """A call of the engine raised ``failure``: that is its answer."""

    def __init__(self, failure: BaseException) -> None:
        super().__init__(str(failure))
        self.failure = failure


class SessionGone(Exception):
    """No session is open in this process: it was started after the one in which the session opened the table."""


@dataclass(frozen=True)
class Failed:
    """An error of the suite in the child process. ``session_gone``: its kind is SessionGone."""

    error: str  # the exception with its class
    traceback: str
    session_gone: bool = False


def asked(call: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T:
    """What a call of the engine returns. Raises Refused for any exception of it: a panic of Rust is no Exception."""
    try:
        return call(*arguments, **named)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as failure:
        raise CallRefused(failure) from failure

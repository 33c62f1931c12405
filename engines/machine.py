"""Trouble of the machine, which is no fault of an engine: no space, no file handles, no memory, no network.

An engine reports it in its own words; most print the text of the operating system, or its error number. The I/O faults that the
suite injects into a step are of another kind: an error of input and output, a permission.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engines.port import EngineDied, Outcome


class MachineFailed(EngineDied):
    """The machine failed. The first line of the message is the cause, in one sentence, with a remedy."""


@dataclass(frozen=True)
class _Kind:
    """``signs`` are parts of messages, besides the operating system's own texts for ``numbers``."""

    sentence: str
    numbers: tuple[int, ...]
    signs: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()  # the names of classes


_KINDS = (
    _Kind(
        "the disk is full ({sign}): free some space, or name another place with --table-root or TMPDIR",
        (errno.ENOSPC, errno.EDQUOT),
    ),
    _Kind(
        "no file handles are left ({sign}): raise the limit (ulimit -n), or use fewer workers (-n)",
        (errno.EMFILE, errno.ENFILE),
    ),
    _Kind(
        "no memory is left ({sign}): use fewer workers (-n), or give the machine more",
        (errno.ENOMEM,),
        ("java.lang.OutOfMemoryError", "unable to create native thread"),
        ("MemoryError", "ArrowMemoryError", "OutOfMemoryError"),
    ),
    _Kind(
        "the network is gone, or what was reached through it ({sign}): see that it is there",
        (
            errno.ENETDOWN,
            errno.ENETUNREACH,
            errno.EHOSTUNREACH,
            errno.ECONNREFUSED,
            errno.ECONNRESET,
            errno.ETIMEDOUT,
        ),
        ("Temporary failure in name resolution", "java.net.UnknownHostException"),
    ),
    _Kind(
        "the server of the storage is too busy ({sign}): run again, or use fewer workers (-n)",
        (),
        ("SlowDown", "Status Code: 503", "503 Service Unavailable"),
    ),
)

_BY_NUMBER: Mapping[int, _Kind] = {number: kind for kind in _KINDS for number in kind.numbers}
_BY_SIGN: Mapping[str, _Kind] = {
    sign: kind for kind in _KINDS for sign in (*map(os.strerror, kind.numbers), *kind.signs)
}
_BY_EXCEPTION: Mapping[str, _Kind] = {name: kind for kind in _KINDS for name in kind.exceptions}

#: How Rust prints an error number, and what it prints before it aborts the process.
_RUST_NUMBER = re.compile(r"\(os error (\d+)\)")
_RUST_MEMORY = re.compile(r"memory allocation of (\d+) bytes failed")

#: Bytes. The tables of the suite need far less than this: more is asked for by a mistake of the engine.
_MOST_MEMORY = 2**36


def trouble_in(text: str, exception: str = "") -> str | None:
    """The machine's trouble that an error reports, in one sentence; None if it reports none. ``exception`` is the class of the
    error, without its package.
    """
    for number in map(int, _RUST_NUMBER.findall(text)):
        if number in _BY_NUMBER:
            return _sentence(_BY_NUMBER[number], os.strerror(number))
    for sign, kind in _BY_SIGN.items():
        if sign in text:
            return _sentence(kind, sign)
    if exception in _BY_EXCEPTION:
        return _sentence(_BY_EXCEPTION[exception], exception)
    memory = _RUST_MEMORY.search(text)
    if memory and int(memory[1]) <= _MOST_MEMORY:
        return _sentence(_BY_EXCEPTION["MemoryError"], memory[0])
    return None


def trouble_of(error: BaseException) -> str | None:
    """The machine's trouble behind an exception of Python, or behind its cause, in one sentence; None if there is none."""
    for one in _causes(error):
        if isinstance(one, OSError) and one.errno is not None and one.errno in _BY_NUMBER:
            return _sentence(_BY_NUMBER[one.errno], os.strerror(one.errno))
        if isinstance(one, (OSError, MemoryError)) and (found := trouble_in(str(one), _name(one))):
            return found
    return None


def require_machine(outcome: Outcome) -> None:
    """Raises MachineFailed if an error of the outcome is the machine's."""
    for one in (outcome, *outcome.answers.values(), outcome.second):
        error = None if one is None else one.error
        if error is not None and (trouble := trouble_in(error.message, error.exception)):
            raise MachineFailed(f"{trouble}\n{error.exception}: {error.message}")


def raise_if_of_the_machine(error: BaseException) -> None:
    """Raises MachineFailed if an exception of Python is the machine's."""
    trouble = trouble_of(error)
    if trouble is not None:
        raise MachineFailed(f"{trouble}\n{type(error).__name__}: {error}") from error


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception, what it was raised from, and so on."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__


def _name(error: BaseException) -> str:
    """The name of the exception's class, MemoryError for those that derive from it."""
    return "MemoryError" if isinstance(error, MemoryError) else type(error).__name__


def _sentence(kind: _Kind, sign: str) -> str:
    return f"The machine failed: {kind.sentence.format(sign=sign)}."

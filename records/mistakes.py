"""What a user did wrong."""

from __future__ import annotations

import sys
import traceback

from tombstone.mistakes import Mistake

#: A mistake of the user, in one sentence that says what to do; the exit code is 2.
UsageMistake = Mistake


class StreamError(UsageMistake):
    """A run stream is not there, or not valid."""


def sentence_of(error: OSError, what: str = "A file") -> str:
    """What the machine refuses, such as room or a right, in one sentence that says what to do.

    ``what`` is named where the error names no file.
    """
    return (
        f"{error.filename or what} cannot be read or written ({error.strerror or error}): see that there is room, and that you "
        "may, or name another place."
    )


def told(error: Exception, what: str = "A file") -> int:
    """Say on standard error what kept a command from its answer: 2. Python itself would end with 1, which is a verdict."""
    if isinstance(error, OSError):
        print(sentence_of(error, what), file=sys.stderr)
    else:
        traceback.print_exception(error)
    return 2

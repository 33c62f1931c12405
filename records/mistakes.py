"""What a user did wrong."""

from __future__ import annotations


class UsageMistake(Exception):
    """A mistake of the user, in one sentence that says what to do; the exit code is 2."""


class StreamError(UsageMistake):
    """A run stream is not there, or not valid."""

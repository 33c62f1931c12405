"""By what an error is recognised, in the form in which a run records it: while a case is judged, and in a stream of it."""

from __future__ import annotations

from collections.abc import Iterable

from records.run import RecordedError

#: The classes of errors with which an engine ends its own process, or would have.
CRASHES = ("Aborted", "PanicException")


def is_reported(error: RecordedError | None, texts: Iterable[str]) -> bool:
    """Whether an error has one of these classes or conditions, or one of these texts in its message."""
    return error is not None and any(
        text in (error.exception, error.condition) or text in error.message for text in texts
    )


def is_crash(error: RecordedError | None) -> bool:
    """Whether the engine crashed instead of answering."""
    return error is not None and error.exception in CRASHES

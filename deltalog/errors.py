"""The errors of the log reader and writer."""

from __future__ import annotations


class DeltaLogError(Exception):
    """The base class of these errors."""


class StoreError(OSError):
    """Storage did not give what it was asked for, which says nothing about the file."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.missing = isinstance(error, (FileNotFoundError, NotADirectoryError))
        self.denied = isinstance(error, PermissionError) or "ACCESS_DENIED" in str(error)


class MalformedPath(DeltaLogError):
    """The path of an action is not the URI of a file."""


class MalformedAction(DeltaLogError):
    """A JSON value is not an action of the protocol."""


class NotATable(DeltaLogError):
    """There is no table at this path."""


class UnreadableCommit(DeltaLogError):
    """A line of a commit file is not an action. The message names the file and the line."""


class UnreadableCheckpoint(DeltaLogError):
    """A checkpoint is incomplete, damaged or not supported. The message names the file."""


class MissingVersion(DeltaLogError):
    """The version cannot be rebuilt: a commit is missing, or the version does not exist."""


class IncompleteState(DeltaLogError):
    """The actions include no protocol or no metadata."""


class AlreadyWritten(DeltaLogError):
    """The file exists, and a log is never overwritten (PROTOCOL.md, "Creation of New Log Entries")."""


class MalformedVector(DeltaLogError):
    """The bytes of a deletion vector are invalid, or contradict its descriptor."""


class UnsupportedType(DeltaLogError):
    """A column type is not supported."""


class UnsupportedRows(DeltaLogError):
    """The rows of a file cannot be read."""

"""What can go wrong with a log. Every message is one sentence that says where and what."""

from __future__ import annotations


class DeltaLogError(Exception):
    """Any fault that the reader or the writer of a log reports."""


class MalformedPath(DeltaLogError):
    """The path of an action is no URI that leads to a file."""


class MalformedAction(DeltaLogError):
    """A JSON value is not an action of the protocol."""


class NotATable(DeltaLogError):
    """There is no table at this place."""


class UnreadableCommit(DeltaLogError):
    """A commit file holds a line that is not an action. The text names the file and the line."""


class UnreadableCheckpoint(DeltaLogError):
    """A checkpoint is incomplete, damaged, or of a kind that is not read here. The text names the file."""


class MissingVersion(DeltaLogError):
    """The log does not lead to the version that was asked for: a commit between lacks, or it was never written."""


class IncompleteState(DeltaLogError):
    """The actions replayed hold no protocol or no metadata."""


class AlreadyWritten(DeltaLogError):
    """The file exists, and a log is never overwritten (PROTOCOL.md, "Creation of New Log Entries")."""


class MalformedVector(DeltaLogError):
    """A deletion vector's bytes are not what the protocol says, or not what its descriptor says."""


class UnsupportedType(DeltaLogError):
    """A column type that is not handled here."""


class UnsupportedRows(DeltaLogError):
    """The rows of a file cannot be read here. The text says why."""

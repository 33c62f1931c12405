"""What an engine asks of a table's storage, and of what kinds of path."""

from __future__ import annotations

from enum import Enum


class Operation(str, Enum):
    OPEN = "open"
    LIST = "list"
    STATUS = "status"  # of one path: its size, its time, whether it is there
    CREATE = "create"
    RENAME = "rename"  # to this path
    DELETE = "delete"


#: The operations that change the storage.
WRITES = (Operation.CREATE, Operation.RENAME, Operation.DELETE)


class PathKind(str, Enum):
    DATA_FILE = "data files"
    CHANGE_FILE = "change files"
    VECTOR = "vector files"
    DIRECTORY = "directories of data"
    COMMIT = "commits"
    CHECKPOINT = "checkpoints"  # sidecars and _last_checkpoint too
    CHECKSUM = "checksums"
    LOG = "the log's directory"
    OTHER = "other files of the log"

"""The names of the files in ``_delta_log``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from uuid import UUID

LOG_DIRECTORY = "_delta_log"
LAST_CHECKPOINT = "_last_checkpoint"
SIDECARS = "_sidecars"

#: The file in which a VACUUM stores the bookmark for LITE, and the key of the version in it (docs/delta.md 1.3).
LAST_VACUUM_INFO = "_last_vacuum_info"
LAST_VACUUM_KEY = "latestCommitVersionOutsideOfRetentionWindow"

_VERSION = r"(?P<version>[0-9]{20})"
_UUID = r"(?P<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"


class LogFileKind(str, Enum):
    COMMIT = "commit"
    CHECKPOINT = "checkpoint"  # classic, in one file
    CHECKPOINT_PART = "checkpoint part"  # one of several files
    CHECKPOINT_UUID = "checkpoint with uuid"  # V2, Parquet or JSON
    CHECKSUM = "checksum"
    COMPACTED = "compacted"


_PATTERNS = (
    (LogFileKind.COMMIT, re.compile(rf"{_VERSION}\.json")),
    (LogFileKind.CHECKPOINT, re.compile(rf"{_VERSION}\.checkpoint\.parquet")),
    (
        LogFileKind.CHECKPOINT_PART,
        re.compile(rf"{_VERSION}\.checkpoint\.(?P<part>[0-9]{{10}})\.(?P<parts>[0-9]{{10}})\.parquet"),
    ),
    (LogFileKind.CHECKPOINT_UUID, re.compile(rf"{_VERSION}\.checkpoint\.{_UUID}\.(?:parquet|json)")),
    (LogFileKind.CHECKSUM, re.compile(rf"{_VERSION}\.crc")),
    (LogFileKind.COMPACTED, re.compile(rf"{_VERSION}\.(?P<last>[0-9]{{20}})\.compacted\.json")),
)


@dataclass(frozen=True)
class LogFileName:
    """A parsed name. ``part`` counts from 1; ``last`` is the last version of a log compaction, whose first is ``version``."""

    kind: LogFileKind
    version: int
    part: int = 1
    parts: int = 1
    last: int | None = None


def commit_name(version: int) -> str:
    """PROTOCOL.md, "Delta Log Entries": the version with 20 digits."""
    return f"{version:020d}.json"


def checkpoint_name(version: int, part: int = 1, parts: int = 1) -> str:
    """PROTOCOL.md, "Checkpoint Naming Scheme": classic for one part, else part ``part`` (from 1) of ``parts``."""
    if parts == 1:
        return f"{version:020d}.checkpoint.parquet"
    return f"{version:020d}.checkpoint.{part:010d}.{parts:010d}.parquet"


def uuid_checkpoint_name(version: int, uuid: UUID) -> str:
    """PROTOCOL.md, "UUID-named checkpoint", in Parquet."""
    return f"{version:020d}.checkpoint.{uuid}.parquet"


def compacted_name(first: int, last: int) -> str:
    """PROTOCOL.md, "Log Compaction Files": of the commits of these and all versions between them."""
    return f"{first:020d}.{last:020d}.compacted.json"


def checksum_name(version: int) -> str:
    """PROTOCOL.md, "Version Checksum File Schema"."""
    return f"{version:020d}.crc"


def parse_name(name: str) -> LogFileName | None:
    """Parses the name of a file in ``_delta_log``; ``None`` if the protocol does not define it."""
    for kind, pattern in _PATTERNS:
        match = pattern.fullmatch(name)
        if match:
            groups = match.groupdict()
            part, parts = (int(groups.get(name) or 1) for name in ("part", "parts"))
            last = int(groups["last"]) if "last" in groups else None
            return LogFileName(kind, int(groups["version"]), part, parts, last)
    return None

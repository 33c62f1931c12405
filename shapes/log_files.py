"""What is in ``_delta_log`` beside commits and checkpoints, in words."""

from __future__ import annotations

from collections.abc import Iterable

from deltalog.storage.names import LAST_CHECKPOINT, LAST_VACUUM_INFO, SIDECARS, LogFileKind, parse_name
from deltalog.storage.store import Stored

_BY_NAME = {
    LAST_CHECKPOINT: "last-checkpoint",
    LAST_VACUUM_INFO: "last-vacuum-info",
    SIDECARS: "sidecars",
    "_changes": "changes",
    "_commits": "staged-commits",
    "_staged_commits": "staged-commits",
}
_BY_KIND = {LogFileKind.CHECKSUM: "checksums", LogFileKind.COMPACTED: "compacted"}
_CRC = ".crc"  # of Hadoop's local file system


def others_of(found: Iterable[Stored]) -> tuple[str, ...]:
    """Sorted; nothing for a part of an incomplete checkpoint."""
    return tuple(sorted({word for one in found if (word := _word(one)) is not None}))


def _word(found: Stored) -> str | None:
    name = None if found.is_directory else parse_name(found.name)
    if name is not None:
        return _BY_KIND.get(name.kind)
    if found.name.startswith(".") and found.name.endswith(_CRC):
        return "hadoop-checksums"
    return _BY_NAME.get(found.name, "other")

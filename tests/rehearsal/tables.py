"""A table for the tests of the rehearsal: files of every fate, with all times fixed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from deltalog.entries.actions import Action, Add, CommitInfo, Metadata, Protocol, Remove
from deltalog.entries.commits import write_commit
from deltalog.storage.times import set_modified
from deltalog.values.schemas import schema_string
from model.vocabulary.table import DAY

#: When the VACUUMs of these tests run, ms since the epoch and as users write it.
AT = 1_764_547_200_000
WRITTEN = "2025-12-01T00:00:00Z"

METADATA = Metadata("a", schema_string([("a", "long")]))

#: The data files, each with its size in bytes: so many days before AT they were written, and removed.
EXPIRED, RECENT, LIVE = "p=1/expired.parquet", "p=1/recent.parquet", "p=2/live.parquet"
ORPHAN, YOUNG, HIDDEN = "p=2/orphan.parquet", "p=2/young.parquet", "_mine/old.txt"
AGES = {EXPIRED: (40, 1000), RECENT: (40, 200), LIVE: (40, 30), ORPHAN: (10, 4), YOUNG: (1, 5), HIDDEN: (90, 6)}
REMOVED = {EXPIRED: 20, RECENT: 2}


def info(operation: str) -> CommitInfo:
    return CommitInfo({"operation": operation, "operationParameters": {}})


def write_table(
    root: Path,
    *,
    properties: Mapping[str, str] | None = None,
    protocol: Protocol | None = None,
    first: tuple[Action, ...] = (),
    stamps: Mapping[str, int] | None = None,
) -> Path:
    """``stamps``: what the removes say of their times, in days before AT; None: the truth."""
    said = REMOVED if stamps is None else stamps
    metadata = Metadata("a", METADATA.schema_string, (), properties or {})
    adds = [Add(path, {}, size, AT - age * DAY, True) for path, (age, size) in AGES.items() if path in (*REMOVED, LIVE)]
    write_commit(root, 0, [info("WRITE"), protocol or Protocol(1, 2), metadata, *first, *adds], modified=AT - 40 * DAY)
    for version, path in enumerate(REMOVED, start=1):
        remove = Remove(path, AT - said[path] * DAY, True)
        write_commit(root, version, [info("DELETE"), remove], modified=AT - REMOVED[path] * DAY)
    for path, (age, size) in AGES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(b"x" * size)
        set_modified(root / path, AT - age * DAY)
    (root / "empty").mkdir()
    return root

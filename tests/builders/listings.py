"""Directory listings for VACUUM, references in the log, and the model's predictions.

>>> predict({"d/orphan": file(), "d/live": file()}, live=["d/live"])["d/orphan"] == must_delete(Reason.ORPHAN)
True
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from model.prediction.fates import Fate, PathFate, Reason
from model.prediction.paths import StorageEntry, parents
from model.prediction.retention import Cutoff
from model.prediction.scans import FullScan, References, Scan
from model.prediction.vacuum import predict_vacuum
from model.vocabulary.steps import IOFault
from model.vocabulary.table import HOUR, WEEK, Kind

CLOCK = 1_700_000_000_000
LINE = CLOCK - WEEK
#: The cutoff at the table's own retention.
AT = Cutoff(LINE, LINE, LINE)
#: RETAIN 0: the cutoff is anywhere between the first two.
WINDOW = Cutoff(CLOCK, CLOCK + 10, LINE)
OLD, YOUNG = LINE - HOUR, LINE + HOUR

FULL = FullScan()
KEEP, DELETE, UNSPECIFIED = Fate.KEEP, Fate.DELETE, Fate.UNSPECIFIED

PARTITION_BY = ("p", "_p")
DIRECTORY = StorageEntry(Kind.DIRECTORY, OLD, 0)


def file(modified: int = OLD) -> StorageEntry:
    return StorageEntry(Kind.FILE, modified, 10)


def link(target: str | None) -> StorageEntry:
    return StorageEntry(Kind.LINK, OLD, 0, target)


def tree(things: Mapping[str, StorageEntry]) -> dict[str, StorageEntry]:
    """The things with all directories above them.

    >>> list(tree({"d/e/f": file()}))
    ['d', 'd/e', 'd/e/f']
    """
    return {**{parent: DIRECTORY for path in things for parent in parents(path)}, **things}


def predict(
    things: Mapping[str, StorageEntry],
    *,
    live: Collection[str] = (),
    partition_by: tuple[str, ...] = PARTITION_BY,
    cutoff: Cutoff = AT,
    scan: Scan = FULL,
    faulty_path: tuple[IOFault, str] | None = None,
    directories: bool = True,
    **references: Any,
) -> dict[str, PathFate]:
    """The predicted fates of the things and of the directories above them."""
    named = References(live=frozenset(live), **references)
    return predict_vacuum(
        tree(things),
        named,
        partition_by=partition_by,
        cutoff=cutoff,
        scan=scan,
        faulty_path=faulty_path,
        directories=directories,
    )


def must_keep(reason: Reason, listed: bool | None = False) -> PathFate:
    return PathFate(KEEP, reason, listed)


def must_delete(reason: Reason) -> PathFate:
    return PathFate(DELETE, reason, True)


def unspecified(reason: Reason, listed: bool | None) -> PathFate:
    return PathFate(UNSPECIFIED, reason, listed)

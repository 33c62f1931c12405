"""Which commits a LITE VACUUM reads (docs/delta.md 1.3; Delta: VacuumCommand.getFilesFromDeltaLog)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Window:
    """The versions whose commits are read, both ends included."""

    first: int
    last: int


class LogPruned(Exception):
    """The log lacks commits that no LITE VACUUM has read: LITE must be refused (docs/delta.md 1.3)."""


def monotonized(commit_times: Mapping[int, int]) -> dict[int, int]:
    """The commit times (ms, by version) as Delta uses them: strictly ascending by version.

    A commit that is not later than its predecessor counts as one millisecond later (Delta:
    DeltaHistoryManager.monotonizeCommitTimestamps). In-commit timestamps are ascending already.
    """
    times: dict[int, int] = {}
    latest: int | None = None
    for version, time in sorted(commit_times.items()):
        latest = time if latest is None or time > latest else latest + 1
        times[version] = latest
    return times


def last_outside_retention(commit_times: Mapping[int, int], cutoff: int) -> int | None:
    """The last version that was committed at or before the cutoff (ms); None if all are inside the retention.

    A LITE VACUUM records it in ``_last_vacuum_info`` (nothing for None), whether or not it deletes files.
    """
    versions = [version for version, time in monotonized(commit_times).items() if time <= cutoff]
    return max(versions, default=None)


def lite_window(commit_times: Mapping[int, int], *, cutoff: int, last_vacuumed: int | None) -> Window | None:
    """The versions that a LITE VACUUM reads; None if there is nothing to do.

    ``commit_times`` are the times (ms since the epoch) of the commits that the log still has: mtimes of their files, or
    in-commit timestamps. ``last_vacuumed`` is the version in ``_last_vacuum_info``. Raises LogPruned if commits are
    missing that no LITE VACUUM has read, and ValueError if there are no commits.
    """
    if not commit_times:
        raise ValueError("a log without commits has no window")
    last = last_outside_retention(commit_times, cutoff)
    if last is None:
        return None
    earliest, newest = min(commit_times), max(commit_times)
    if earliest != 0 and (last_vacuumed is None or last_vacuumed < earliest):
        raise LogPruned(f"the log begins at version {earliest}, and LITE has read it up to version {last_vacuumed}")
    # If everything was read before, the newest version is read again.
    first = min(newest, earliest if last_vacuumed is None else last_vacuumed + 1)
    return Window(first, last) if first <= last else None

"""The files of a log by what they are, of one listing of ``_delta_log``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deltalog.checkpoints.reading import LoggedCheckpoint, find_checkpoints
from deltalog.errors import MissingVersion, NotATable
from deltalog.storage.names import LAST_CHECKPOINT, LAST_VACUUM_INFO, LOG_DIRECTORY, SIDECARS, LogFileKind, parse_name
from shapes.store import Store

#: What is in ``_delta_log`` beside commits and checkpoints, by its name there.
_OTHERS = {
    LAST_CHECKPOINT: "last-checkpoint",
    LAST_VACUUM_INFO: "last-vacuum-info",
    SIDECARS: "sidecars",
    "_changes": "changes",
    "_commits": "staged-commits",
    "_staged_commits": "staged-commits",
}
_CRC = ".crc"  # of Hadoop's local file system


@dataclass(frozen=True)
class LogListing:
    """``commits`` are the versions of the commits that are there, in order; ``checkpoints`` are complete by their names."""

    commits: tuple[int, ...]
    checkpoints: tuple[LoggedCheckpoint, ...]
    others: tuple[str, ...]

    @property
    def version(self) -> int:
        """The latest."""
        return max([*self.commits, *(checkpoint.version for checkpoint in self.checkpoints)])

    def bases(self) -> Iterator[LoggedCheckpoint | None]:
        """The checkpoints from which the latest version can be rebuilt, the newest first, and None if it needs none. Raises
        MissingVersion.
        """
        missing = self._missing()
        found: list[LoggedCheckpoint | None] = [one for one in reversed(self.checkpoints) if one.version >= missing]
        if missing < 0:
            found.append(None)
        if not found:
            raise MissingVersion(f"the commit of version {missing} is missing, and there is no checkpoint after it")
        return iter(found)

    def _missing(self) -> int:
        """The greatest version without a commit; -1 if all have one."""
        wanted = self.version
        for version in reversed(self.commits):
            if version != wanted:
                break
            wanted -= 1
        return wanted


def list_log(store: Store) -> LogListing:
    """Raises NotATable if there is no commit and no checkpoint, and StoreError."""
    commits: list[int] = []
    checkpoints: list[str] = []
    others: set[str] = set()
    for entry in store.list(LOG_DIRECTORY):
        name = None if entry.is_directory else parse_name(entry.name)
        if name is None:
            others.add(_other(entry.name))
        elif name.kind is LogFileKind.COMMIT:
            commits.append(name.version)
        elif name.kind in (LogFileKind.CHECKSUM, LogFileKind.COMPACTED):
            others.add("checksums" if name.kind is LogFileKind.CHECKSUM else "compacted")
        else:
            checkpoints.append(entry.name)
    found = find_checkpoints(map(Path, checkpoints))  # for their names alone
    if not commits and not found:
        raise NotATable(f"{LOG_DIRECTORY} is not there, or has neither a commit nor a checkpoint")
    return LogListing(tuple(sorted(commits)), found, tuple(sorted(others)))


def _other(name: str) -> str:
    if name.startswith(".") and name.endswith(_CRC):
        return "hadoop-checksums"
    return _OTHERS.get(name, "other")

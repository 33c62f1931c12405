"""The files of a log by what they are, of one listing of ``_delta_log``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from deltalog.checkpoints.reading import LoggedCheckpoint, find_checkpoints
from deltalog.errors import MissingVersion, NotATable
from deltalog.storage.names import LOG_DIRECTORY, LogFileKind, parse_name
from deltalog.storage.store import Store, Stored

C = TypeVar("C")


@dataclass(frozen=True)
class LogFiles(Generic[C]):
    """Commits by version, and the complete checkpoints, both in the order of versions."""

    commits: Mapping[int, C]
    checkpoints: tuple[LoggedCheckpoint, ...]

    @property
    def version(self) -> int:
        """The latest version."""
        return max([*self.commits, *(checkpoint.version for checkpoint in self.checkpoints)])

    def bases(self, version: int | None = None) -> list[LoggedCheckpoint | None]:
        """What ``version`` (None: the latest) can be rebuilt from: checkpoints, the newest first, and None if it needs none.

        Raises MissingVersion if there is nothing.
        """
        wanted = missing = self.version if version is None else version
        while missing in self.commits:
            missing -= 1
        newest = reversed(self.checkpoints)
        found: list[LoggedCheckpoint | None] = [one for one in newest if missing <= one.version <= wanted]
        if missing < 0:
            found.append(None)
        if not found:
            raise MissingVersion(f"the commit of version {missing} is missing, and there is no checkpoint after it")
        return found


@dataclass(frozen=True)
class LogListing(LogFiles[Stored]):
    """``files`` are all that lie in ``_delta_log`` itself, by name, ``others`` what is neither a commit nor of a checkpoint."""

    files: Mapping[str, Stored]
    others: tuple[Stored, ...]


def list_log(store: Store, directory: Path = Path(LOG_DIRECTORY)) -> LogListing:
    """Raises NotATable if there is no commit and no checkpoint, and what ``store`` raises."""
    found = sorted(store.list(str(directory)), key=lambda one: one.name)
    files = {one.name: one for one in found if not one.is_directory}
    checkpoints = find_checkpoints(directory / name for name in files)
    commits = {
        name.version: one
        for one in files.values()
        if (name := parse_name(one.name)) is not None and name.kind is LogFileKind.COMMIT
    }
    if not commits and not checkpoints:
        raise NotATable(f"{LOG_DIRECTORY} is not there, or has neither a commit nor a checkpoint")
    used = {one.name for one in commits.values()} | {file.name for one in checkpoints for file in one.files}
    return LogListing(commits, checkpoints, files, tuple(one for one in found if one.name not in used))

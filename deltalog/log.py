"""A table's log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from deltalog.checkpoints.reading import LoggedCheckpoint, read_checkpoint, read_parts
from deltalog.entries.actions import Action, Add, Cdc, FileKey, Metadata, Protocol, Remove
from deltalog.entries.commits import LoggedCommit, read_commit
from deltalog.errors import DeltaLogError, MissingVersion, NotATable, UnreadableCheckpoint
from deltalog.frozen import FrozenMap
from deltalog.log_files import LogFiles, list_log
from deltalog.snapshot import Snapshot, replay
from deltalog.storage.names import LOG_DIRECTORY
from deltalog.storage.store import LOCAL, walk


@dataclass(frozen=True)
class Rebuilt:
    """A version, and the actions that lead to it: from the version rebuilt before it, or if ``from_nothing``, from nothing."""

    version: int
    actions: tuple[Action, ...]
    from_nothing: bool


@dataclass(frozen=True)
class Log(LogFiles[LoggedCommit]):
    """The contents of ``_delta_log``: the commits, the checkpoints (read when needed), and the paths of all other files, relative
    to ``_delta_log``."""

    root: Path
    others: tuple[str, ...]

    @property
    def half_checkpoint(self) -> bool:
        """Whether the newest checkpoint cannot be read, as its writer left it."""
        try:
            for checkpoint in self.checkpoints[-1:]:
                read_parts(checkpoint)
        except UnreadableCheckpoint:
            return True
        return False

    def is_checkpointed(self, add: Add) -> bool:
        """Whether readers find this add in the newest checkpoint, and in no commit after it."""
        return bool(self.checkpoints) and add.key not in self._added_later

    @cached_property
    def _added_later(self) -> frozenset[FileKey]:
        """By commits after the newest checkpoint."""
        later = self.commits_after(self.checkpoints[-1].version)
        return frozenset(add.key for commit in later for add in commit.adds)

    @cached_property
    def latest(self) -> Mapping[tuple[type[Action], str], int]:
        """The latest version whose commit has an action of a kind (Add, Remove, Cdc) for a file, by both."""
        return {
            (type(action), action.file): version
            for version in sorted(self.commits)
            for action in self.commits[version].actions
            if isinstance(action, (Add, Remove, Cdc))
        }

    def commits_after(self, version: int) -> tuple[LoggedCommit, ...]:
        """The commits with a higher version, in order."""
        return tuple(self.commits[number] for number in sorted(self.commits) if number > version)

    def snapshot(self, version: int | None = None) -> Snapshot:
        """The state at ``version``; ``None`` is the latest.

        If every commit from version 0 on exists, they are replayed without a checkpoint, so that all tombstones are seen.
        Otherwise the newest complete checkpoint after which no commit is missing is the base.
        Raises MissingVersion, IncompleteState and UnreadableCheckpoint.
        """
        wanted = self.version if version is None else version
        if not 0 <= wanted <= self.version:
            raise MissingVersion(f"the table at {self.root} has no version {wanted}; its latest is {self.version}")
        try:
            bases = self.bases(wanted)
        except MissingVersion as error:
            raise MissingVersion(f"version {wanted} of the table at {self.root} cannot be rebuilt: {error}") from None
        base = None if bases[-1] is None else bases[0]
        state = None if base is None else replay([(base.version, read_checkpoint(base))])
        later = range(0 if base is None else base.version + 1, wanted + 1)
        return replay(((number, self.commits[number].actions) for number in later), base=state)

    def rebuilt(self) -> Iterator[Rebuilt]:
        """Every version for which ``snapshot`` raises nothing, in order, from the same commits and checkpoints.

        All versions together cost as much as one replay.
        """
        checkpoints = {checkpoint.version: checkpoint for checkpoint in self.checkpoints}  # of several, the last counts
        whole = True  # whether every commit so far exists
        pending: list[Action] | None = []  # since the version rebuilt last; None: nothing to go on from
        from_nothing, missing = True, {Protocol, Metadata}
        for version in range(self.version + 1):
            whole = whole and version in self.commits
            based = not whole and version in checkpoints
            if based:
                pending, from_nothing, missing = _actions_in(checkpoints[version]), True, {Protocol, Metadata}
            elif version not in self.commits:
                pending = None
            elif pending is not None:
                pending += self.commits[version].actions
            if pending is None:
                continue
            missing -= set(map(type, pending))
            if missing:
                pending = None if based else pending
                continue
            yield Rebuilt(version, tuple(pending), from_nothing)
            pending, from_nothing = [], False


def _actions_in(checkpoint: LoggedCheckpoint) -> list[Action] | None:
    """None if it cannot be read."""
    try:
        return list(read_checkpoint(checkpoint))
    except DeltaLogError:
        return None


def read_log(root: Path, *, unit: int = 1) -> Log:
    """Read the log of the table at ``root``. The times of commits are in whole ``unit`` ms, rounded down.

    Raises NotATable if there is no commit and no checkpoint, UnreadableCommit and OSError.
    """
    directory = root / LOG_DIRECTORY
    try:
        listing = list_log(LOCAL, directory)
    except NotATable as error:
        raise NotATable(f"there is no Delta table at {root}: {error}") from None
    commits = {
        version: read_commit(directory / one.name, version, one.modified_ns, unit=unit)
        for version, one in listing.commits.items()
    }
    others: list[str] = []
    for one in listing.others:
        if not one.is_directory:
            others.append(one.name)
        elif one.target is None:
            found = walk(LOCAL, str(directory / one.name))
            others += (Path(path).relative_to(directory).as_posix() for path, below in found if not below.is_directory)
    others.sort(key=lambda path: path.split("/"))
    return Log(FrozenMap(commits), listing.checkpoints, root, tuple(others))

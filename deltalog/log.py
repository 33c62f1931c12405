"""A table's log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from deltalog.checkpoints.reading import LoggedCheckpoint, find_checkpoints, read_checkpoint, read_parts
from deltalog.entries.actions import Action, Add, Cdc, FileKey, Metadata, Protocol, Remove
from deltalog.entries.commits import LoggedCommit, read_commit
from deltalog.errors import DeltaLogError, MissingVersion, NotATable, UnreadableCheckpoint
from deltalog.frozen import FrozenMap
from deltalog.snapshot import Snapshot, replay
from deltalog.storage.names import LOG_DIRECTORY, LogFileKind, parse_name


@dataclass(frozen=True)
class Rebuilt:
    """A version, and the actions that lead to it: from the version rebuilt before it, or if ``from_nothing``, from nothing."""

    version: int
    actions: tuple[Action, ...]
    from_nothing: bool


@dataclass(frozen=True)
class Log:
    """The contents of ``_delta_log``: commits by version, complete checkpoints (read when needed) in the order of
    versions, and the paths of all other files, relative to ``_delta_log``."""

    root: Path
    commits: Mapping[int, LoggedCommit]
    checkpoints: tuple[LoggedCheckpoint, ...]
    others: tuple[str, ...]

    @property
    def version(self) -> int:
        """The latest version."""
        return max([*self.commits, *(checkpoint.version for checkpoint in self.checkpoints)])

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
        if self._has_commits(-1, wanted):
            return replay((number, self.commits[number].actions) for number in range(wanted + 1))
        for checkpoint in reversed(self.checkpoints):
            if checkpoint.version <= wanted and self._has_commits(checkpoint.version, wanted):
                base = replay([(checkpoint.version, read_checkpoint(checkpoint))])
                later = range(checkpoint.version + 1, wanted + 1)
                return replay(((number, self.commits[number].actions) for number in later), base=base)
        raise MissingVersion(self._gap(wanted))

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

    def _has_commits(self, base: int, wanted: int) -> bool:
        return wanted >= 0 and all(number in self.commits for number in range(base + 1, wanted + 1))

    def _gap(self, wanted: int) -> str:
        if wanted < 0 or wanted > self.version:
            return f"the table at {self.root} has no version {wanted}; its latest is {self.version}"
        missing = max(number for number in range(wanted + 1) if number not in self.commits)
        return (
            f"version {wanted} of the table at {self.root} cannot be rebuilt: the commit of version {missing} is "
            "missing, and there is no complete checkpoint after it"
        )


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
    if not directory.is_dir():
        raise NotATable(f"there is no Delta table at {root}: it has no directory {LOG_DIRECTORY}")
    files = sorted(path for path in directory.rglob("*") if not path.is_dir())
    top = [path for path in files if path.parent == directory]
    checkpoints = find_checkpoints(top)
    used = {file for checkpoint in checkpoints for file in checkpoint.files}
    commits: dict[int, LoggedCommit] = {}
    others: list[str] = []
    for path in files:
        name = parse_name(path.name) if path.parent == directory else None
        if name is not None and name.kind is LogFileKind.COMMIT:
            commits[name.version] = read_commit(path, name.version, unit=unit)
        elif path not in used:
            others.append(path.relative_to(directory).as_posix())
    if not commits and not checkpoints:
        raise NotATable(f"there is no Delta table at {root}: {LOG_DIRECTORY} has neither a commit nor a checkpoint")
    return Log(root, FrozenMap(commits), checkpoints, tuple(others))

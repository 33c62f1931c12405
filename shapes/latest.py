"""The latest version of a table, of the newest complete checkpoint and the commits after it, read once and in one direction.

The commits come first, from the newest to the oldest, and the checkpoint last, so that only what the commits are about must be
remembered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from deltalog.checkpoints.reading import LoggedCheckpoint
from deltalog.entries.actions import Action, Add, CommitInfo, DomainMetadata, Metadata, Protocol, Remove, Txn, Unknown
from deltalog.errors import (
    DeltaLogError,
    IncompleteState,
    MalformedAction,
    MalformedPath,
    StoreError,
    UnreadableCheckpoint,
    UnreadableCommit,
)
from deltalog.log_files import LogListing
from deltalog.storage.names import LOG_DIRECTORY, SIDECARS, commit_name
from deltalog.storage.paths import decode
from deltalog.storage.store import Store
from shapes.checkpoint_rows import rows_of
from shapes.commit_lines import actions_of
from shapes.logged_files import LoggedFile, of_action
from shapes.tally import FileTally


@dataclass
class Latest:
    """``infos`` are the commitInfos of the commits that were read, by version; ``damaged``: a newer checkpoint cannot be read."""

    tally: FileTally
    base: LoggedCheckpoint | None
    damaged: bool
    protocol: Protocol | None = None
    metadata: Metadata | None = None
    sidecars: int = 0
    infos: dict[int, Mapping[str, object] | None] = field(default_factory=dict)
    domains: dict[str, bool] = field(default_factory=dict)  # whether it is there still
    applications: set[int] = field(default_factory=set)  # digests

    def take(self, item: Action | LoggedFile, version: int, *, last: bool) -> None:
        """Commits come from the newest to the oldest. Raises MalformedAction."""
        if isinstance(item, LoggedFile):
            self.tally.take(item, last=last)
        elif isinstance(item, (Add, Remove)):
            self.tally.take(of_action(item), last=last)
        elif isinstance(item, Protocol):
            self.protocol = self.protocol or item
        elif isinstance(item, Metadata):
            self.metadata = self.metadata or item
        elif isinstance(item, Txn):
            self.applications.add(hash(item.app_id))
        elif isinstance(item, DomainMetadata):
            self.domains.setdefault(item.domain, not item.removed)
        elif isinstance(item, CommitInfo) and self.infos.get(version) is None:
            self.infos[version] = item.fields


def latest_of(store: Store, root: str, log: LogListing) -> Latest:
    """Raises DeltaLogError and StoreError."""
    failed: UnreadableCheckpoint | None = None
    for base in log.bases():
        latest = Latest(FileTally(root), base, failed is not None)
        try:
            _read(latest, store, log)
        except UnreadableCheckpoint as error:
            failed = failed or error
            continue
        if latest.protocol is None or latest.metadata is None:
            raise IncompleteState("the log has no protocol action or no metaData action")
        return latest
    assert failed is not None, "there is a base"
    raise failed


def _read(latest: Latest, store: Store, log: LogListing) -> None:
    oldest = -1 if latest.base is None else latest.base.version
    for version in reversed(list(log.commits)):
        if version <= oldest:
            break
        latest.infos[version] = None
        path = f"{LOG_DIRECTORY}/{commit_name(version)}"
        try:
            for action in actions_of(store, path):
                latest.take(action, version, last=False)
        except MalformedAction as error:
            raise UnreadableCommit(f"{commit_name(version)}: {error}") from None
    if latest.base is not None:
        for file in latest.base.files:
            _read_checkpoint(latest, store, f"{LOG_DIRECTORY}/{file.name}")


def _read_checkpoint(latest: Latest, store: Store, path: str) -> None:
    """With its sidecars. Raises UnreadableCheckpoint and StoreError."""
    sidecars = []
    for item in _items(store, path):
        if isinstance(item, Unknown) and item.kind == "sidecar":
            sidecars.append(_sidecar(item))
        else:
            _take_last(latest, item)
    for sidecar in sidecars:
        for item in _items(store, sidecar):
            _take_last(latest, item)
    latest.sidecars += len(sidecars)


def _items(store: Store, path: str) -> Iterator[Action | LoggedFile]:
    """A missing file makes the checkpoint incomplete, like a damaged one."""
    try:
        yield from actions_of(store, path) if path.endswith(".json") else rows_of(store, path)
    except UnreadableCommit as error:
        raise UnreadableCheckpoint(str(error)) from None
    except StoreError as error:
        if not error.missing:
            raise
        raise UnreadableCheckpoint(f"{path.rpartition('/')[2]} is not there") from None


def _take_last(latest: Latest, item: Action | LoggedFile) -> None:
    try:
        latest.take(item, -1, last=True)
    except DeltaLogError as error:
        raise UnreadableCheckpoint(str(error)) from None


def _sidecar(action: Unknown) -> str:
    """Its path from the table's root. The log has a name, or a path whose last part counts."""
    path = action.value.get("path") if isinstance(action.value, Mapping) else None
    try:
        name = decode(str(path or "")).rpartition("/")[2]
    except MalformedPath:
        name = ""
    if not name:
        raise UnreadableCheckpoint("a sidecar action has no usable path")
    return f"{LOG_DIRECTORY}/{SIDECARS}/{name}"

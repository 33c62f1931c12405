"""The latest version of a table, of the newest complete checkpoint and the commits after it, read once and in one direction.

The commits come first, from the newest to the oldest, and the checkpoint last, so that only what the commits are about must be
remembered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from deltalog.checkpoints.reading import LoggedCheckpoint, read_parts
from deltalog.entries.actions import Action, Add, CommitInfo, DomainMetadata, Metadata, Protocol, Remove, Txn
from deltalog.entries.commits import read_lines
from deltalog.errors import IncompleteState, UnreadableCheckpoint
from deltalog.log_files import LogListing
from deltalog.storage.names import LOG_DIRECTORY
from deltalog.storage.store import Store, lines_of
from shapes.logged_files import Rows, of_action
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

    def take(self, action: Action, version: int) -> None:
        """Commits come from the newest to the oldest."""
        if isinstance(action, (Add, Remove)):
            self.tally.take(of_action(action), last=False)
        elif isinstance(action, Protocol):
            self.protocol = self.protocol or action
        elif isinstance(action, Metadata):
            self.metadata = self.metadata or action
        elif isinstance(action, Txn):
            self.applications.add(hash(action.app_id))
        elif isinstance(action, DomainMetadata):
            self.domains.setdefault(action.domain, not action.removed)
        elif isinstance(action, CommitInfo) and self.infos.get(version) is None:
            self.infos[version] = action.fields


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
    for version, commit in reversed([*log.commits.items()]):
        if version <= oldest:
            break
        latest.infos[version] = None
        for action in read_lines(lines_of(store, f"{LOG_DIRECTORY}/{commit.name}"), commit.name):
            latest.take(action, version)
    if latest.base is not None:
        rows = Rows(partial(latest.tally.take, last=True))
        found = read_parts(latest.base, store, rows.read, rows.columns)
        latest.sidecars = len(found.sidecars)
        for action in found.actions:
            latest.take(action, oldest)

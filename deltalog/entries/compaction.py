"""Log compaction files: several commits in one file. Readers may use them; ``deltalog.log`` does not."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path

from deltalog.entries.actions import Action, Add, DomainMetadata, Metadata, Protocol, Remove, Txn
from deltalog.entries.commits import LoggedCommit, commit_bytes, parse_commit
from deltalog.storage.files import write_new
from deltalog.storage.names import LOG_DIRECTORY, compacted_name


def compacted(commits: Iterable[LoggedCommit]) -> tuple[Action, ...]:
    """The newest action of these consecutive commits on each thing, without commitInfo and change files.

    Source: PROTOCOL.md, "Log Compaction Files" and "Action Reconciliation".
    """
    found: dict[Hashable, Action] = {}
    for action in (action for commit in commits for action in commit.actions):
        if isinstance(action, (Protocol, Metadata)):
            found[type(action).__name__] = action
        elif isinstance(action, (Add, Remove)):
            found["file", action.key] = action
        elif isinstance(action, Txn):
            found["txn", action.app_id] = action
        elif isinstance(action, DomainMetadata):
            found["domain", action.domain] = action
    return tuple(found.values())


def write_compaction(root: Path, commits: Sequence[LoggedCommit], *, modified: int | None = None) -> Path:
    """Write the compaction file of these consecutive commits, at least two; return its path.

    ``modified``: the file's modification time in ms since the epoch (``None``: now). Raises AlreadyWritten.
    """
    path = root / LOG_DIRECTORY / compacted_name(commits[0].version, commits[-1].version)
    write_new(path, commit_bytes(compacted(commits)), modified)
    return path


def read_compaction(path: Path) -> tuple[Action, ...]:
    """The actions of a compaction file. Raises UnreadableCommit and OSError."""
    return parse_commit(path.read_bytes(), path.name)

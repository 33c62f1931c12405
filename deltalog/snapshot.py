"""The state of a table at a version: its reconciled actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from deltalog.entries.actions import Action, Add, DomainMetadata, FileKey, Metadata, Protocol, Remove, Txn
from deltalog.errors import IncompleteState, MissingVersion
from deltalog.frozen import FrozenMap


@dataclass(frozen=True)
class Snapshot:
    """PROTOCOL.md, "Action Reconciliation".

    ``adds`` are the live files, ``removes`` all tombstones without a later add, expired ones too. ``dataChange`` is false
    in all of them as in a checkpoint, so that the state does not depend on whether a checkpoint was read. Removed domains
    are left out.
    """

    version: int
    protocol: Protocol
    metadata: Metadata
    adds: Mapping[FileKey, Add]
    removes: Mapping[FileKey, Remove]
    txns: Mapping[str, Txn]
    domains: Mapping[str, DomainMetadata]


def replay(commits: Iterable[tuple[int, Iterable[Action]]], *, base: Snapshot | None = None) -> Snapshot:
    """Reconcile ``commits``, pairs of a version and its actions in ascending order, on top of ``base``.

    The newest reference to a logical file wins. Raises MissingVersion for a gap between versions, IncompleteState if there
    is no protocol or no metadata.
    Source: PROTOCOL.md, "Action Reconciliation".
    """
    version = None if base is None else base.version
    protocol = None if base is None else base.protocol
    metadata = None if base is None else base.metadata
    adds: dict[FileKey, Add] = {} if base is None else dict(base.adds)
    removes: dict[FileKey, Remove] = {} if base is None else dict(base.removes)
    txns: dict[str, Txn] = {} if base is None else dict(base.txns)
    domains: dict[str, DomainMetadata] = {} if base is None else dict(base.domains)
    for number, actions in commits:
        if version is not None and number != version + 1:
            raise MissingVersion(f"version {number} cannot be replayed on version {version}: it does not follow it")
        version = number
        for action in actions:
            if isinstance(action, Add):
                key = action.key
                removes.pop(key, None)
                adds[key] = action.reconciled
            elif isinstance(action, Remove):
                key = action.key
                adds.pop(key, None)
                removes[key] = action.reconciled
            elif isinstance(action, Protocol):
                protocol = action
            elif isinstance(action, Metadata):
                metadata = action
            elif isinstance(action, Txn):
                txns[action.app_id] = action
            elif isinstance(action, DomainMetadata):
                if action.removed:
                    domains.pop(action.domain, None)
                else:
                    domains[action.domain] = action
    if version is None:
        raise IncompleteState("there is no commit to replay")
    if protocol is None or metadata is None:
        missing = "protocol" if protocol is None else "metaData"
        raise IncompleteState(f"the log up to version {version} has no {missing} action")
    return Snapshot(
        version, protocol, metadata, FrozenMap(adds), FrozenMap(removes), FrozenMap(txns), FrozenMap(domains)
    )

"""What the chapters share in judging that a step leaves the table's definition alone."""

from __future__ import annotations

from dataclasses import replace

from deltalog.actions import DomainMetadata, Metadata, Protocol, Txn
from deltalog.snapshot import Snapshot
from harness.clause import Violation
from harness.evidence import changes
from harness.expectations import NoActions, Unchanged, about
from harness.observation import Observation


def redefined(observation: Observation) -> Violation | None:
    """What is wrong where a step changed the table's protocol or metadata, its transactions or its domains.

    The domain of row tracking holds the highest row id, and whoever writes files raises it (PROTOCOL.md, "Row Tracking").
    """
    before, after = observation.before.snapshot, observation.after.snapshot
    changed = ["protocol"] if _protocol(before) != _protocol(after) else []
    changed += [part for part in ("metadata", "txns") if getattr(before, part) != getattr(after, part)]
    changed += ["domains"] if _domains(before) != _domains(after) else []
    if not changed:
        return None
    message = f"{type(observation.step).__name__.upper()} changed the table's {' and '.join(changed)}."
    old = [
        path
        for path in changes(observation.before, observation.after)
        if path in observation.before.listing and path.startswith("_delta_log/")
    ]
    if old and not any(isinstance(action, _DEFINITION) for commit in observation.commits for action in commit.actions):
        return Violation("log", message, about(old[0], Unchanged(old[0])))
    return Violation("log", message, NoActions(("protocol", "metaData", "txn", "domainMetadata")))


_DEFINITION = (Protocol, Metadata, Txn, DomainMetadata)


def _protocol(snapshot: Snapshot) -> Protocol:
    """With its features in order: they are sets (PROTOCOL.md, "Protocol Evolution"), and a checkpoint has its own order."""
    found = snapshot.protocol
    readers, writers = found.reader_features, found.writer_features
    return replace(
        found,
        reader_features=None if readers is None else tuple(sorted(readers)),
        writer_features=None if writers is None else tuple(sorted(writers)),
    )


def _domains(snapshot: Snapshot) -> dict[str, DomainMetadata]:
    return {name: domain for name, domain in snapshot.domains.items() if name != "delta.rowTracking"}

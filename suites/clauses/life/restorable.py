"""Whether a RESTORE can and may go back to its version."""

from __future__ import annotations

from deltalog.entries.actions import Add
from deltalog.errors import DeltaLogError
from deltalog.snapshot import Snapshot
from harness.observing.steps.observation import CommandObservation
from harness.observing.table.vacuum_inputs import files_of
from model.vocabulary.commands import Restore


def why_not_restorable(c: CommandObservation) -> str | None:
    """Why a RESTORE must be refused, as a part of a sentence; None: it must not, or the command is another."""
    if not isinstance(c.step.command, Restore) or c.version == c.before.version:
        return None
    wanted = restored_snapshot(c)
    if wanted is None:
        return f"the log no longer has version {c.version}"
    gone = sorted(path for path in files_of(_to_add(c, wanted), c.root) if c.before.entry(path) is None)
    if gone:
        return f"{gone[0]}, which version {c.version} needs, is gone"
    if is_beyond_retention(c):
        return f"version {c.version} is older than the retention"
    return None


def restored_snapshot(c: CommandObservation) -> Snapshot | None:
    """The state at the version to restore; None where the log no longer has it."""
    try:
        return c.before.log.snapshot(c.version)
    except DeltaLogError:
        return None


def is_beyond_retention(c: CommandObservation) -> bool:
    """Whether the version must not be read any more, by the engine's rules (docs/delta.md 1.7)."""
    expected = c.versions.get(c.version)
    old = expected is not None and expected.committed < c.clock - c.table.retention
    return old and c.rules.blocks_expired_versions


def _to_add(c: CommandObservation, wanted: Snapshot) -> list[Add]:
    """The files that are not live now: an engine need not look for the others."""
    return [add for key, add in wanted.adds.items() if key not in c.before.snapshot.adds]

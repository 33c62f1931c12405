"""What the chapters share in judging that a step leaves the table's definition alone."""

from __future__ import annotations

from deltalog.actions import DomainMetadata
from deltalog.snapshot import Snapshot
from suites.clause import Law, Violation
from suites.observation import Seen


def redefined(seen: Seen) -> Violation | None:
    """What is wrong where a step changed the table's protocol or metadata, its transactions or its domains.

    The domain of row tracking holds the highest row id, and whoever writes files raises it (PROTOCOL.md, "Row Tracking").
    """
    before, after = seen.before.snapshot, seen.after.snapshot
    changed = [part for part in ("protocol", "metadata", "txns") if getattr(before, part) != getattr(after, part)]
    changed += ["domains"] if _domains(before) != _domains(after) else []
    if not changed:
        return None
    message = f"{type(seen.step).__name__.upper()} changed the table's {' and '.join(changed)}."
    return Violation("log", message, Law("definition_stays"))


def _domains(snapshot: Snapshot) -> dict[str, DomainMetadata]:
    return {name: domain for name, domain in snapshot.domains.items() if name != "delta.rowTracking"}

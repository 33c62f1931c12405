"""What the chapters share in judging that a step leaves the table's definition alone."""

from __future__ import annotations

from suites.clause import Law, Violation
from suites.observation import Seen


def redefined(seen: Seen) -> Violation | None:
    """What is wrong where a step changed the table's protocol or metadata, its transactions or its domains."""
    before, after = seen.before.snapshot, seen.after.snapshot
    parts = ("protocol", "metadata", "txns", "domains")
    changed = [part for part in parts if getattr(before, part) != getattr(after, part)]
    if not changed:
        return None
    message = f"{type(seen.step).__name__.upper()} changed the table's {' and '.join(changed)}."
    return Violation("log", message, Law("definition_stays"))

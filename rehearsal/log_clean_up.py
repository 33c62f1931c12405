"""Which versions stay readable after the next clean-up of a table's log, by the model (docs/delta.md 2.5)."""

from __future__ import annotations

from model.prediction.lite import monotonized
from model.vocabulary.table import DAY
from rehearsal.definition import log_retention_of
from rehearsal.reading import ReadTable
from rehearsal.rehearsed import CleanUp
from rehearsal.releases import Release
from rehearsal.versions import Range

_ENABLED = "delta.enableExpiredLogCleanup"


def clean_up_of(read: ReadTable, release: Release, at: int) -> CleanUp:
    """The clean-up at ``at``, ms since the epoch, by PROTOCOL.md ("Metadata Cleanup"): of the commits that are older than the
    retention of the log, those before the newest checkpoint among them are deleted, and this checkpoint stays. Modification
    times count, also with in-commit timestamps.

    Raises UsageMistake.
    """
    configuration = read.state.snapshot.metadata.configuration
    retention = log_retention_of(configuration)
    cutoff = at - retention
    if release.rules.rounds_log_retention:
        cutoff -= cutoff % DAY
    times = monotonized({version: commit.modified for version, commit in read.state.log.commits.items()})
    expired = max((version for version, time in times.items() if time <= cutoff), default=-1)
    kept = max((one.version for one in read.names.checkpoints if one.version <= expired), default=0)
    # A version is readable from its log if a checkpoint, or the first commit, and all commits after it are there.
    readable = [one.version for one in read.state.log.rebuilt()]
    lost = [version for version in readable if version < kept]
    return CleanUp(
        enabled=configuration.get(_ENABLED, "true").lower() == "true",
        after_any_commit=release.rules.cleans_up_anytime,
        retention_ms=retention,
        lost=Range(lost[0], lost[-1]) if lost else None,
        kept=Range(max(kept, readable[0]), readable[-1]),
    )

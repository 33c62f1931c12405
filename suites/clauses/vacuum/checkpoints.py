"""VAC-CKPT: whether a VACUUM learns of tombstones from commits or from a checkpoint changes nothing.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from deltalog.actions import FileKey, Remove
from deltalog.checkpoints import Checkpoint, read_checkpoint
from deltalog.errors import UnreadableCheckpoint
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, each
from harness.expectations import CheckpointRemoves, about
from harness.root_paths import relative_action
from harness.vacuum_observation import VacuumObservation
from model.layout import is_named_by_engine
from model.table import Feature
from suites.clauses.vacuum.fates import exactly, referred_or_freed


@clause(
    "VAC-CKPT-1A",
    "A checkpoint between a remove and the VACUUM changes nothing in what is protected and what goes.",
    of=VacuumObservation,
    sources=("P Checkpoints",),
)
def removed_before_a_checkpoint(v: VacuumObservation) -> Judgement:
    newest = max((checkpoint.version for checkpoint in v.before.log.checkpoints), default=-1)
    if not v.ran or newest < 0:
        return NOT_EXERCISED
    later = {remove.file for commit in v.before.log.commits_after(newest) for remove in commit.removes}
    earlier = v.before.tombstones.keys() - later - v.before.live.keys()
    return exactly(v, [path for path in referred_or_freed(v) if path in earlier])


@clause(
    "VAC-CKPT-1B",
    "Commits that have been cleaned up, with a checkpoint in their place, change nothing in what is protected and what goes.",
    of=VacuumObservation,
    sources=("P Checkpoints", "P Metadata Cleanup"),
    needs=("pruned_logs",),
)
def pruned_log(v: VacuumObservation) -> Judgement:
    pruned = 0 not in v.before.log.commits
    return exactly(v, referred_or_freed(v)) if v.ran and pruned else NOT_EXERCISED


@clause(
    "VAC-CKPT-2",
    "A checkpoint that is written along with a VACUUM keeps every tombstone that is inside retention.",
    of=VacuumObservation,
    sources=("P Checkpoints", "P Action Reconciliation"),
    needs=(Feature.FREQUENT_CHECKPOINTS,),
)
def checkpoints_keep_tombstones(v: VacuumObservation) -> Judgement:
    # Log cleanup may also give an older checkpoint of version 2 a twin by a classic name, of its old state.
    new = [checkpoint for checkpoint in v.after.log.checkpoints if checkpoint.version > v.before.version]
    if not new:
        return NOT_EXERCISED
    line = v.clock - v.table.retention
    unexpired = {key: one for key, one in v.before.snapshot.removes.items() if (one.deletion_timestamp or 0) > line}
    kept = frozenset.intersection(*(_removes_in(v, checkpoint) for checkpoint in new))
    paths = sorted({one.file for one in unexpired.values() if not is_named_by_engine(one.file)})

    def problem(key: FileKey) -> Violation | None:
        if key in kept:
            return None
        stamp = v.instant(unexpired[key].deletion_timestamp or 0)
        message = f"The checkpoint of version {new[-1].version} has lost the tombstone of {key[0]}, which is inside retention."
        facts = (f"{key[0]} was removed at {stamp}", f"the retention reaches back to {v.instant(line)}")
        return Violation(key[0], message, about(key[0], CheckpointRemoves(paths)), facts)

    return each(sorted(unexpired, key=str), problem)


def _removes_in(v: VacuumObservation, checkpoint: Checkpoint) -> frozenset[FileKey]:
    """The tombstones that a checkpoint holds; none where it cannot be read."""
    try:
        actions = read_checkpoint(checkpoint)
    except UnreadableCheckpoint:
        return frozenset()
    return frozenset(relative_action(action, v.before.root).key for action in actions if isinstance(action, Remove))

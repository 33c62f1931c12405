"""VAC-CKPT: it makes no difference whether a VACUUM reads tombstones from commits or from a checkpoint."""

from __future__ import annotations

from deltalog.checkpoints.reading import LoggedCheckpoint, read_checkpoint
from deltalog.entries.actions import FileKey, Remove
from deltalog.errors import UnreadableCheckpoint
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each
from harness.judging.severity import Cause
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.root_paths import relative_action
from model.text.layout import is_named_by_engine
from records.expectations import Removes, about
from suites.clauses.shared import harms
from suites.clauses.shared.by_command import clauses_of
from suites.clauses.vacuum.path_rules import by_log_or_age, keeps_and_deletes


def _removed_before_a_checkpoint(v: VacuumObservation) -> list[str]:
    newest = max((checkpoint.version for checkpoint in v.before.log.checkpoints), default=-1)
    if newest < 0:
        return []
    later = {remove.file for commit in v.before.log.commits_after(newest) for remove in commit.removes}
    earlier = v.before.tombstones.keys() - later - v.before.live.keys()
    return [path for path in by_log_or_age(v) if path in earlier]


TOMBSTONES = (
    clause(
        "VAC-CKPT-1A",
        "A checkpoint between a remove and the VACUUM does not change what is kept and what is deleted.",
        sources=("P Checkpoints",),
        harm=harms.TOMBSTONES_HIDDEN,
    )(keeps_and_deletes(_removed_before_a_checkpoint)),
    clause(
        "VAC-CKPT-1B",
        "Commits that have been cleaned up, with a checkpoint in their place, do not change what is kept and what is deleted.",
        sources=("P Checkpoints", "P Metadata Cleanup"),
        harm=harms.TOMBSTONES_HIDDEN,
        needs=("pruned_logs",),
    )(keeps_and_deletes(by_log_or_age, when=lambda v: 0 not in v.before.log.commits)),
)


_LOST = Cause("a tombstone inside retention is left out")


@clause(
    "VAC-CKPT-2",
    "A checkpoint that is written along with a VACUUM contains every tombstone that is inside retention.",
    sources=("P Checkpoints", "P Action Reconciliation"),
    harm=harms.TOMBSTONES_HIDDEN,
    needs=("checkpoints_of_vacuums",),
)
def checkpoints_keep_tombstones(v: VacuumObservation) -> Judgement:
    # Log cleanup may also rewrite an older checkpoint of version 2 under a classic name, with its old state.
    new = [checkpoint for checkpoint in v.after.log.checkpoints if checkpoint.version > v.before.version]
    if not new:
        return NOT_EXERCISED
    oldest = v.clock - v.table.retention
    removes = v.before.snapshot.removes.items()
    retained = {key: remove for key, remove in removes if (remove.deletion_timestamp or 0) > oldest}
    kept = frozenset.intersection(*(_removes_in(v, checkpoint) for checkpoint in new))
    paths = sorted({remove.file for remove in retained.values() if not is_named_by_engine(remove.file)})

    def problem(key: FileKey) -> Violation | None:
        if key in kept:
            return None
        path, time = key[0], v.instant(retained[key].deletion_timestamp or 0)
        message = f"The checkpoint of version {new[-1].version} must contain the tombstone of {path}, which is inside retention; it does not."
        facts = (f"{path} was removed at {time}", f"the retention begins at {v.instant(oldest)}")
        return Violation(path, message, about(path, Removes(paths, checkpoint=True)), facts, cause=_LOST)

    return each(sorted(retained, key=str), problem)


AS_OF_DELETE = clauses_of("VAC-CKPT", "VAC-CRC")


def _removes_in(v: VacuumObservation, checkpoint: LoggedCheckpoint) -> frozenset[FileKey]:
    """The keys of the tombstones in a checkpoint; none if it cannot be read."""
    try:
        actions = read_checkpoint(checkpoint)
    except UnreadableCheckpoint:
        return frozenset()
    return frozenset(relative_action(action, v.before.root).key for action in actions if isinstance(action, Remove))

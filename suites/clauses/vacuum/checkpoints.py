"""VAC-CKPT: it makes no difference whether a VACUUM reads tombstones from commits or from a checkpoint."""

from __future__ import annotations

from collections.abc import Callable

from deltalog.checkpoints.reading import LoggedCheckpoint, read_checkpoint
from deltalog.entries.actions import FileKey, Remove
from deltalog.errors import UnreadableCheckpoint
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.root_paths import relative_action
from model.text.layout import is_named_by_engine
from model.vocabulary.table import Feature
from records.expectations import Removes, about
from suites.clauses.shared import checkpoint_contents, harms
from suites.clauses.shared.log_files import check_checkpoint, check_pointer, check_pointer_checksum, new_checkpoints
from suites.clauses.shared.version_checksums import counts, definition, files, judge_checksums, new_checksums, vectors
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


@clause(
    "VAC-CKPT-3",
    "A checkpoint that is written along with a VACUUM holds the state of its version: protocol, metadata, every live file with its statistics, and none twice.",
    sources=("P Checkpoints", "P Action Reconciliation"),
    harm=harms.TOMBSTONES_HIDDEN,
    needs=("checkpoints_of_vacuums",),
)
def checkpoints_hold_the_state(v: VacuumObservation) -> Judgement:
    return each(new_checkpoints(v), lambda checkpoint: check_checkpoint(v, checkpoint))


@clause(
    "VAC-CKPT-4",
    "After a VACUUM that writes a checkpoint, _last_checkpoint names it.",
    sources=("P Last Checkpoint File", "C 2.5"),
    harm=harms.CHECKPOINT_NOT_THERE,
    needs=("checkpoints_of_vacuums",),
)
def pointer_names_the_checkpoint(v: VacuumObservation) -> Judgement:
    return judgement(check_pointer(v)) if new_checkpoints(v) else NOT_EXERCISED


@clause(
    "VAC-CKPT-5",
    "The checksum in the _last_checkpoint that a VACUUM writes is that of its JSON.",
    sources=("P Last Checkpoint File", "P JSON checksum"),
    harm=harms.WRONG_POINTER,
    needs=("pointer_checksums",),
)
def pointer_has_its_checksum(v: VacuumObservation) -> Judgement:
    return check_pointer_checksum(v)


def _in_checkpoints(check: checkpoint_contents.ContentCheck) -> Callable[[VacuumObservation], Judgement]:
    def judge(v: VacuumObservation) -> Judgement:
        return checkpoint_contents.judge_checkpoints(v, check)

    return judge


def _in_v2_checkpoints(check: checkpoint_contents.ContentCheck) -> Callable[[VacuumObservation], Judgement]:
    def judge(v: VacuumObservation) -> Judgement:
        return checkpoint_contents.judge_v2_checkpoints(v, check)

    return judge


CHECKPOINTS = (
    clause(
        "VAC-CKPT-6",
        "A checkpoint that is written along with a VACUUM holds neither commitInfo nor cdc, and its removes neither stats nor tags.",
        sources=("P Checkpoints",),
        harm=harms.CHECKPOINT_HOLDS_MORE,
        needs=("checkpoints_of_vacuums",),
    )(_in_checkpoints(checkpoint_contents.check_kinds_held)),
    clause(
        "VAC-CKPT-7",
        "In a checkpoint that is written along with a VACUUM, dataChange of every add and remove is false.",
        sources=("C 2.5",),
        harm=harms.CHECKPOINT_CHANGES_DATA,
        implementation="spark",
        needs=(Feature.FREQUENT_CHECKPOINTS,),
    )(_in_checkpoints(checkpoint_contents.check_data_change)),
    clause(
        "VAC-CKPT-12",
        "In a checkpoint that is written along with a VACUUM, every remove has the extended metadata and the row tracking fields that it has in the log.",
        sources=("C 2.3",),
        harm=harms.REMOVES_WITHOUT_SIZES,
        implementation="spark",
        needs=(Feature.FREQUENT_CHECKPOINTS,),
    )(_in_checkpoints(checkpoint_contents.check_removes)),
    clause(
        "VAC-CKPT-8",
        "A V2 checkpoint that is written along with a VACUUM has one checkpointMetadata, with its version and, where its tags count actions and bytes, with true counts.",
        sources=("P V2 Spec", "P Checkpoint Metadata"),
        harm=harms.WRONG_V2_METADATA,
        since="3.0",  # the first with V2 checkpoints
        needs=("v2_checkpoints",),
    )(_in_v2_checkpoints(checkpoint_contents.check_metadata)),
    clause(
        "VAC-CKPT-9",
        "A V2 checkpoint that is written along with a VACUUM names each of its sidecars once, with the size and the modification time of the file in _delta_log/_sidecars.",
        sources=("P Sidecar File Information",),
        harm=harms.WRONG_SIDECAR,
        since="3.0",  # the first with V2 checkpoints
        needs=("v2_checkpoints",),
    )(_in_v2_checkpoints(checkpoint_contents.check_sidecars)),
    clause(
        "VAC-CKPT-10",
        "A V2 checkpoint that is written along with a VACUUM has its adds and removes all in its own file, or all in sidecars, which hold nothing else.",
        sources=("P V2 Spec", "P Sidecar Files"),
        harm=harms.DIVIDED_CHECKPOINT,
        since="3.0",  # the first with V2 checkpoints
        needs=("v2_checkpoints",),
    )(_in_v2_checkpoints(checkpoint_contents.check_division)),
)


@clause(
    "VAC-CKPT-11",
    "After a VACUUM that writes a V2 checkpoint, _last_checkpoint embeds what that checkpoint has: its name, size and modification time, its sidecars, and its other actions.",
    sources=("P V2 Spec", "C 2.5"),
    harm=harms.WRONG_EMBEDDED_ACTIONS,
    implementation="spark",
    since="3.0",  # the first with V2 checkpoints
    needs=(Feature.FREQUENT_CHECKPOINTS,),
)
def pointer_embeds_the_checkpoint(v: VacuumObservation) -> Judgement:
    return checkpoint_contents.check_embedded(v)


@clause(
    "VAC-CRC-1",
    "A version checksum that is written along with START or END describes its version: files, bytes, protocol, metadata, deletion vectors, in-commit timestamp.",
    sources=("P Version Checksum File",),
    harm=harms.WRONG_CHECKSUM,
    needs=("version_checksums",),
)
def checksums_describe_the_version(v: VacuumObservation) -> Judgement:
    return judge_checksums(new_checksums(v), counts, definition, vectors, files)


def _removes_in(v: VacuumObservation, checkpoint: LoggedCheckpoint) -> frozenset[FileKey]:
    """The keys of the tombstones in a checkpoint; none if it cannot be read."""
    try:
        actions = read_checkpoint(checkpoint)
    except UnreadableCheckpoint:
        return frozenset()
    return frozenset(relative_action(action, v.before.root).key for action in actions if isinstance(action, Remove))

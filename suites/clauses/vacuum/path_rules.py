"""Which paths a VACUUM must keep and which it must delete: functions and small factories of clause functions.

The expected fate of each path comes from the model (``model.prediction.vacuum.predict_vacuum``). Delta 4.4 deletes three kinds of paths
that must be kept (``DISPUTED``). Only VAC-SAFE-7C, VAC-SAFE-8C and VAC-INV-1C are about these, so that a defect is reported
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from deltalog.entries.actions import Add, Remove
from deltalog.storage.listing import Entry, EntryKind
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, each
from harness.judging.severity import Cause
from harness.observing import evidence
from harness.observing.steps.vacuum_observation import VacuumObservation
from model.prediction.fates import DISPUTED, KEPT_BY_AGE, Fate, Reason
from model.prediction.links import reached_directories
from model.prediction.paths import checksum_of
from model.prediction.scans import FullScan, InventoryScan, LiteScan
from model.vocabulary.severity import Severity
from model.vocabulary.steps import IOFault
from records.expectations import Expectation, Gone, Readable, Unchanged, about

VacuumJudge = Callable[[VacuumObservation], Judgement]
VacuumCondition = Callable[[VacuumObservation], bool]
VacuumPaths = Callable[[VacuumObservation], Iterable[str]]

#: Files that the log protects, whatever their age.
REFERENCED = (Reason.LIVE, Reason.LIVE_BY_URI, Reason.LIVE_VECTOR, Reason.RETAINED, Reason.RETAINED_VECTOR)

#: Files that are deleted once they, or the actions that removed them, are old enough.
UNPROTECTED = (Reason.EXPIRED, Reason.EXPIRED_VECTOR, Reason.ORPHAN, Reason.ORPHAN_VECTOR)


# Factories ----------------------------------------------------------------------------------------------------------


def always(v: VacuumObservation) -> bool:
    return True


def keeps(*reasons: Reason, when: VacuumCondition = always) -> VacuumJudge:
    """The paths that must be kept for these reasons are kept."""

    def judge(v: VacuumObservation) -> Judgement:
        return must_keep(v, with_reason(v, *reasons)) if when(v) else NOT_EXERCISED

    return judge


def deletes(*reasons: Reason, when: VacuumCondition = always) -> VacuumJudge:
    """The paths that must be deleted for these reasons are deleted."""

    def judge(v: VacuumObservation) -> Judgement:
        paths = with_reason(v, *reasons, fate=Fate.DELETE)
        return must_delete(v, paths) if v.ran and when(v) else NOT_EXERCISED

    return judge


def keeps_and_deletes(paths: VacuumPaths, *, when: VacuumCondition = always) -> VacuumJudge:
    """Of these paths exactly those are deleted that must be."""

    def judge(v: VacuumObservation) -> Judgement:
        return must_match_prediction(v, paths(v)) if v.ran and when(v) else NOT_EXERCISED

    return judge


# Judging paths ------------------------------------------------------------------------------------------------------


def unchanged(before: Entry, after: Entry | None) -> bool:
    """Whether a path is still there: a file with the same bytes, a link with the same target."""
    return after is not None and (after.kind, after.digest, after.target) == (before.kind, before.digest, before.target)


def expect_kept(v: VacuumObservation, path: str) -> Expectation:
    """That the path is unchanged. If an engine made up the name of a live file, that the table can be read."""
    live = path in v.before.live and path not in v.after.listing
    return about(path, Unchanged(path), otherwise=Readable() if live else None)


def not_kept(v: VacuumObservation, path: str) -> Cause:
    """The cause for a path that must be kept. A directory is no loss that only LITE, an inventory or a file's path keeps."""
    before, reason = v.before.listing[path], v.fates[path].reason
    action = "deleted" if path not in v.after.listing else "changed"
    if before.kind is EntryKind.DIRECTORY and reason in (Reason.NOT_SCANNED, Reason.PARENT):
        return Cause(f"directory {action}: {reason.value}", Severity.WRONG_WORDS)
    return Cause(f"{action}: {reason.value}", Severity.DATA_LOSS)


def check_kept(who: str, v: VacuumObservation, path: str) -> Violation | None:
    """The path must still be there, a file with the same bytes. ``who`` begins the message: "VACUUM"."""
    after = v.after.listing.get(path)
    if unchanged(v.before.listing[path], after):
        return None
    action = "deleted" if after is None else "changed"
    message = f"{who} {action} {path}, which must be kept: {v.fates[path].reason.value}."
    return Violation(path, message, expect_kept(v, path), evidence.of_path(v, path), cause=not_kept(v, path))


def must_keep(v: VacuumObservation, paths: Iterable[str]) -> Judgement:
    """Judge that each of these paths is still there, files with the same bytes.

    Dry and refused runs are judged too, but do not count as exercising the clause: nothing should happen in them anyway.
    """

    judged = each(sorted(paths), lambda path: check_kept("VACUUM", v, path))
    return judged if v.ran else Judgement(0, judged.violations)


def must_delete(v: VacuumObservation, paths: Iterable[str]) -> Judgement:
    """Judge that each of these paths is deleted."""

    def problem(path: str) -> Violation | None:
        if path not in v.after.listing:
            return None
        message = f"VACUUM did not delete {path}, which must be deleted: {v.fates[path].reason.value}."
        facts = (*evidence.of_path(v, path), *evidence.of_answer(v))
        cause = Cause(f"not deleted: {v.fates[path].reason.value}", Severity.SPACE_KEPT)
        return Violation(path, message, about(path, Gone(path)), facts, cause=cause)

    return each(sorted(paths), problem)


def must_match_prediction(v: VacuumObservation, paths: Iterable[str]) -> Judgement:
    """Judge that of these paths exactly those are deleted that must be."""
    paths = list(paths)
    kept = must_keep(v, [path for path in paths if v.fates[path].fate is Fate.KEEP])
    deleted = must_delete(v, [path for path in paths if v.fates[path].fate is Fate.DELETE])
    return Judgement(kept.subjects + deleted.subjects, kept.violations + deleted.violations)


# Selecting paths ----------------------------------------------------------------------------------------------------


def with_reason(v: VacuumObservation, *reasons: Reason, fate: Fate = Fate.KEEP) -> list[str]:
    """The paths outside the log that have this fate for one of these reasons."""
    return [
        path
        for path, predicted in v.fates.items()
        if predicted.fate is fate and predicted.reason in reasons and path in v.before.data
    ]


def all_paths(v: VacuumObservation) -> list[str]:
    """All paths outside the log except the disputed ones."""
    return [path for path, predicted in v.fates.items() if path in v.before.data and predicted.reason not in DISPUTED]


def by_log_or_age(v: VacuumObservation) -> list[str]:
    """The files whose fate depends on the log or on their age."""
    kept = with_reason(v, *REFERENCED, *KEPT_BY_AGE)
    return kept + with_reason(v, *UNPROTECTED, Reason.CHANGE_FILE, fate=Fate.DELETE)


def by_cutoff(v: VacuumObservation) -> list[str]:
    """The files whose fate depends on where the cutoff is."""
    kept = with_reason(v, Reason.RETAINED, Reason.RETAINED_VECTOR, *KEPT_BY_AGE)
    return kept + with_reason(v, *UNPROTECTED, fate=Fate.DELETE)


def deleted(v: VacuumObservation) -> list[str]:
    """The paths below the root that VACUUM itself deleted.

    Excludes checksum files that Hadoop deletes along with their file, and a file that another process deleted meanwhile.
    """
    return sorted(path for path in v.vanished - deleted_by_others(v) if checksum_of(path) not in v.vanished)


def deleted_by_others(v: VacuumObservation) -> frozenset[str]:
    """The path that another process deletes while VACUUM runs."""
    path = v.step.faulty_path if v.step.io_fault is IOFault.FILE_VANISHES else None
    return frozenset() if path is None else frozenset({path})


def change_files(v: VacuumObservation) -> frozenset[str]:
    """The paths that a cdc action of the log names."""
    return frozenset(cdc.file for commit in v.before.log.commits.values() for cdc in commit.cdcs)


# Kinds of runs ------------------------------------------------------------------------------------------------------


def is_full(v: VacuumObservation) -> bool:
    """Whether VACUUM lists the table's directory."""
    return isinstance(v.scan, FullScan)


def is_lite(v: VacuumObservation) -> bool:
    """Whether VACUUM uses the removes in the log instead of a listing."""
    return isinstance(v.scan, LiteScan)


def is_not_lite(v: VacuumObservation) -> bool:
    return not is_lite(v)


def is_by_inventory(v: VacuumObservation) -> bool:
    return isinstance(v.scan, InventoryScan)


def is_logged(v: VacuumObservation) -> bool:
    """Whether VACUUM writes START and END. By default it does where storage is a local file system (docs/delta.md 1.5)."""
    return v.rules.logs_by_default if v.step.logging is None else v.step.logging


def must_succeed(v: VacuumObservation) -> bool:
    """Whether there is no reason to refuse the VACUUM, nor for it to fail. Inline deletion vectors are VAC-LIVE-6's."""
    return not v.fails and not v.retain_refused and not has_inline_vectors(v)


def has_inline_vectors(v: VacuumObservation) -> bool:
    """Whether a deletion vector of the table, or in its log, is stored inline in its action (storage type i)."""
    state = v.before
    actions: list[Add | Remove] = [*state.snapshot.adds.values(), *state.snapshot.removes.values()]
    for commit in state.log.commits.values():
        actions += [*commit.adds, *commit.removes]
    return any(action.deletion_vector is not None and action.deletion_vector.storage == "i" for action in actions)


def same_cutoff(first: VacuumObservation, second: VacuumObservation) -> bool:
    """Whether two runs treat the same paths as old: their cutoffs are equal, or nothing lies between them.

    Never for a RETAIN that moves the cutoff, which is measured by the wall clock.
    """
    if first.moves_cutoff or second.moves_cutoff:
        return False
    if first.cutoff == second.cutoff:
        return True
    if second.rules.own_clock:
        return False
    times = [entry.modified for entry in second.before.data.values()]
    times += [remove.deletion_timestamp or 0 for remove in second.before.snapshot.removes.values()]
    return not any(first.cutoff.earliest <= time <= second.cutoff.latest for time in times)


# Symbolic links -----------------------------------------------------------------------------------------------------


def linked_directories(v: VacuumObservation) -> frozenset[str]:
    """The directories to which visible links of the table lead, as paths relative to the root (``.`` is the root itself).

    Hadoop's local file system treats such a link as the directory, so a listing descends into it.
    """
    if not is_full(v):
        return frozenset()
    reached = reached_directories(v.before.things, v.table.partition_by, v.rules.reserved_names)
    return frozenset(path for path in reached if _is_directory(v, path))


def _is_directory(v: VacuumObservation, path: str) -> bool:
    entry = v.before.entry(path)
    return path in (".", "..") or (entry is not None and entry.kind is EntryKind.DIRECTORY)


def outside_behind_links(v: VacuumObservation) -> frozenset[str]:
    """The paths outside the root, below a directory to which a visible link of the table leads."""
    above = tuple(f"{directory}/" for directory in linked_directories(v) if directory.startswith(".."))
    return frozenset(path for path in v.before.beside if path.startswith(above))


def lost_disputed_paths(v: VacuumObservation) -> bool:
    """Whether the VACUUM deleted a disputed path that the table may have needed, which clauses of their own report."""
    inside = any(v.fates[path].reason in DISPUTED for path in v.vanished if path in v.fates)
    return inside or any(path not in v.after.beside for path in outside_behind_links(v))

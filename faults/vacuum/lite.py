"""Faults of LITE VACUUMs."""

from __future__ import annotations

from faults.machinery import files
from faults.machinery.fault import vacuum_fault, when
from faults.machinery.runs import full_run_fault, lite_run_fault
from faults.machinery.tampering import Tampering
from faults.vacuum.bookmark import bookmark, write_bookmark
from model.prediction.refusals import CANNOT_VACUUM_LITE


def _strays(t: Tampering) -> list[str]:
    """The unreferenced files except change files: it varies whether a step's change files are older than the cutoff."""
    return [path for path in files.unreferenced(t) if not path.startswith("_change_data/")]


def _added_again(t: Tampering) -> list[str]:
    """The live files that some commit removed."""
    removed = [t.log.file(remove) for commit in t.log.history.values() for remove in commit.removes]
    return [path for path in removed if path in t.log.live]


def _change_files(t: Tampering, version: int) -> list[str]:
    """The change files that a commit refers to."""
    return [cdc.file for cdc in t.log.history[version].cdcs]


def _all_change_files(t: Tampering) -> list[str]:
    return [path for version in t.log.history for path in _change_files(t, version)]


def _removed_by(t: Tampering, version: int) -> list[str]:
    """The files below the root that a commit removed and that are not live."""
    return [path for path in map(t.log.file, t.log.history[version].removes) if path in t.log.tombstones]


def _commit_time(t: Tampering, version: int) -> int:
    """The time of a commit before the step, ms since the epoch."""
    commit = t.log.history[version]
    stamp = commit.info.fields.get("inCommitTimestamp") if commit.info else None
    enabled = t.log.has("delta.enableInCommitTimestamps")
    return int(str(stamp)) if enabled and stamp is not None else commit.modified


def _of_commits_at(after_cutoff: int) -> files.ChosenPaths:
    """The change files of the commits made so many ms after the cutoff, and what they removed, if that is expired."""

    def paths(t: Tampering) -> list[str]:
        versions = [version for version in t.log.history if _commit_time(t, version) == t.cutoff + after_cutoff]
        removed = [path for version in versions for path in _removed_by(t, version)]
        expired = [path for path in removed if t.log.tombstones[path] < t.cutoff]
        return [*expired, *(path for version in versions for path in _change_files(t, version))]

    return paths


def _keep_bookmark(t: Tampering) -> None:
    found = bookmark(t)
    write_bookmark(t, max(t.log.history) if found is None else found)


def _refused(t: Tampering) -> bool:
    """A LITE VACUUM that was refused because commits that it has not read are missing."""
    error = t.outcome.error
    return error is not None and error.condition == CANNOT_VACUUM_LITE.condition


# fmt: off
FAULTS = (
    lite_run_fault("lite-lists-the-directory", "VAC-LITE-1A", files.delete_old(_strays),
        "LITE deletes old files that no action refers to."),
    lite_run_fault("lite-ignores-its-window", "VAC-LITE-1A", files.delete_all(files.removed_at(lambda after: after < 0)),
        "LITE deletes what any commit removed, in its window or not, if the tombstone is expired.",
        rules={"lite_window": True}),
    lite_run_fault("lite-ignores-retention", "VAC-SAFE-2", files.delete_all(files.tombstones),
        "LITE deletes removed files inside retention."),
    lite_run_fault("lite-forgets-live-files", "VAC-SAFE-1", files.delete_all(_added_again),
        "LITE deletes a file that a commit of its window removed, though a later one added it again."),
    lite_run_fault("lite-goes-by-file-age", "VAC-LITE-1B",
        files.restore_all(lambda t: [path for path in t.disk.deleted if not t.old(path)]),
        "LITE keeps a removed file that is itself younger than retention."),
    lite_run_fault("lite-forgets-vectors", "VAC-LITE-1B", files.restore_all(lambda t: t.log.vector_tombstones),
        "LITE keeps the deletion vectors of removed files.", rules={"lite_window": True}),
    lite_run_fault("lite-keeps-change-files", "VAC-LITE-1E", files.restore_all(_all_change_files),
        "LITE keeps the change files of its window."),
    lite_run_fault("lite-window-ends-early", "VAC-EDGE-1C", files.restore_all(_of_commits_at(0)),
        "LITE leaves out the commit made exactly at the cutoff."),
    lite_run_fault("lite-window-ends-late", "VAC-EDGE-1C", files.delete_all(_of_commits_at(1)),
        "LITE includes the commit made a millisecond after the cutoff."),
    lite_run_fault("lite-takes-tombstones-at-the-cutoff", "VAC-EDGE-1D",
        files.delete_all(files.removed_at(lambda after: after == 0)),
        "LITE deletes a file whose tombstone is exactly at the cutoff."),
    lite_run_fault("lite-keeps-tombstones-before-the-cutoff", "VAC-EDGE-1D",
        files.restore_all(files.removed_at(lambda after: after == -1)),
        "LITE keeps a file whose tombstone is one ms before the cutoff."),
    lite_run_fault("lite-forgets-its-bookmark", "VAC-LITE-1D", lambda t: write_bookmark(t, None),
        "LITE does not record how far it has read the log."),
    lite_run_fault("lite-bookmark-is-too-far", "VAC-LITE-1D", lambda t: write_bookmark(t, max(t.log.history)),
        "LITE records that it has read the log to its end, though its window ends before."),
    full_run_fault("full-keeps-the-bookmark", "VAC-LITE-1D", _keep_bookmark,
        "A VACUUM that lists the directory leaves LITE's bookmark, or writes one."),
    vacuum_fault("lite-runs-on-a-pruned-log", "VAC-LITE-1C", when(_refused, Tampering.succeed),
        "LITE does nothing, and succeeds, where commits that it has not read are missing."),
    vacuum_fault("lite-on-a-pruned-log-changes-something", "VAC-LITE-1C",
        when(_refused, files.delete_first(lambda t: [*files.tombstones(t), *t.disk.files])),
        "LITE is refused on a pruned log, and has deleted a file anyway."),
)
# fmt: on

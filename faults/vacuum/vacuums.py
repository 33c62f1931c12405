"""Faults of VACUUM: what it deletes and what it keeps, its checks, its DRY RUN and its records."""

from __future__ import annotations

import shutil
from pathlib import Path

from faults.machinery import actions, files
from faults.machinery.fault import vacuum_fault, when
from faults.machinery.members import raised
from faults.machinery.rows import read_rows
from faults.machinery.runs import completed, dry_run, full_run, full_run_fault, refused_retain
from faults.machinery.tampering import Tampering
from model.prediction.paths import VISIBLE_PREFIXES, in_underscored_partition
from model.prediction.refusals import TOO_SHORT
from model.vocabulary.table import DAY, DEFAULT_RETENTION, WEEK, retention_of


def _in_underscored_partitions(t: Tampering) -> list[str]:
    """The files in partition directories that begin with _ or a dot."""
    return [path for path in t.disk.files if in_underscored_partition(path, t.log.partition_by)]


def _resemble_partitions(t: Tampering) -> list[str]:
    """The hidden files with a directory whose name only begins like a partition column."""
    columns = tuple(column for column in t.log.partition_by if column.startswith(("_", ".")))
    return [path for path in files.hidden(t) if any(name.startswith(columns) for name in path.split("/"))]


def delete_directory(t: Tampering) -> None:
    """Delete the first visible directory that is not empty, with all its content."""
    for path in t.disk.directories:
        if not t.hidden(path) and t.disk.is_filled(path):
            shutil.rmtree(t.root / path)
            return


def _empty_root(t: Tampering) -> None:
    shutil.rmtree(t.root)
    t.root.mkdir()


def _kept(paths: files.ChosenPaths) -> files.ChosenPaths:
    """Those of these files that the step left."""
    return lambda t: [path for path in paths(t) if (t.root / path).is_file()]


def _first_filled(t: Tampering) -> list[str]:
    """The first live file with rows: delta-rs itself deletes some live files."""
    return [path for path in _kept(files.live)(t) if read_rows(t.root / path).num_rows][:1]


def _visible_and_not_live(t: Tampering) -> list[str]:
    return [path for path in t.disk.files if path not in t.log.live and not t.hidden(path)]


def _change_data(t: Tampering) -> list[str]:
    """The files in _change_data and _delta_index."""
    return [path for path in t.disk.files if any(name.startswith(VISIBLE_PREFIXES) for name in path.split("/"))]


def _sets_retention(t: Tampering) -> bool:
    return "delta.deletedFileRetentionDuration" in t.log.configuration


def _expired_at_first(t: Tampering) -> list[str]:
    """The files whose tombstone is inside the table's retention, but was not inside the one that it had at first."""
    first = t.log.first_definition
    text = first.configuration.get("delta.deletedFileRetentionDuration") if first else None
    cutoff = t.clock - (retention_of(text) if text else DEFAULT_RETENTION)
    return [path for path in files.tombstones(t) if first and t.cutoff < t.log.tombstones[path] < cutoff]


def _unchecked_zero(t: Tampering) -> bool:
    return t.vacuum.retain_hours == 0 and not t.vacuum.safety_check


_TRANSACTION = b'{"txn": {"appId": "a", "version": 1}}\n'
_append_to_old_commit = files.in_each(files.oldest_commit, files.with_bytes(lambda data: data + _TRANSACTION))


# fmt: off
FAULTS = (
    full_run_fault("vacuums-a-live-file", "VAC-SAFE-1", files.delete_first(files.live),
        "VACUUM deletes an old file that the current version refers to."),
    full_run_fault("vacuums-inside-retention", "VAC-SAFE-2 VAC-SAFE-10D",
        files.delete_first(files.removed_at(lambda after: after > 0)),
        "VACUUM deletes a file whose tombstone is inside retention."),
    full_run_fault("vacuums-by-the-first-retention", "VAC-SAFE-2", files.delete_all(_expired_at_first),
        "VACUUM uses the retention that the table had at first."),
    full_run_fault("vacuums-by-file-age", "VAC-SAFE-2", files.delete_old(files.tombstones),
        "VACUUM uses a removed file's own age instead of its tombstone's."),
    full_run_fault("vacuums-a-young-orphan", "VAC-SAFE-3 VAC-DRY-2A", files.delete_first(files.unreferenced),
        "VACUUM deletes an unreferenced file younger than retention."),
    full_run_fault("vacuums-a-hidden-file", "VAC-SAFE-4", files.delete_first(files.hidden),
        "VACUUM deletes a hidden file."),
    full_run_fault("vacuums-live-under-underscore", "VAC-SAFE-5A",
        files.delete_first(lambda t: [path for path in _in_underscored_partitions(t) if path in t.log.live]),
        "VACUUM deletes a live file in a partition directory that begins with _ or a dot."),
    full_run_fault("skips-underscored-partitions", "VAC-SAFE-5B", files.restore_all(_in_underscored_partitions),
        "VACUUM treats partition directories that begin with _ or a dot as hidden."),
    full_run_fault("matches-partition-names-loosely", "VAC-SAFE-5C", files.delete_first(_resemble_partitions),
        "VACUUM enters a hidden directory whose name only begins like a partition column."),
    full_run_fault("deletes-directories-recursively", "VAC-SAFE-6A", delete_directory,
        "VACUUM deletes a directory with all its content."),
    full_run_fault("empties-the-root", "VAC-SAFE-6B", _empty_root,
        "VACUUM leaves the table's root empty."),
    full_run_fault("corrupts-a-live-file", "VAC-SAFE-10B", files.in_each(_first_filled, files.truncate),
        "After VACUUM a live file has lost its rows."),
    full_run_fault("keeps-an-expired-file", "VAC-LIVE-1", files.restore_first(files.tombstones),
        "VACUUM keeps an old file whose tombstone is expired."),
    full_run_fault("keeps-orphans", "VAC-LIVE-2 VAC-DRY-2B", files.restore_first(files.unreferenced),
        "VACUUM keeps an old file that no action ever referred to."),
    full_run_fault("keeps-empty-directories", "VAC-LIVE-3", files.restore_all(lambda t: t.disk.directories),
        "VACUUM keeps empty directories."),
    full_run_fault("hides-change-data", "VAC-LIVE-4", files.restore_all(_change_data),
        "VACUUM treats _change_data and _delta_index as hidden."),
    full_run_fault("cutoff-early-for-tombstones", "VAC-EDGE-1A",
        files.restore_first(files.removed_at(lambda after: after == 0)),
        "A tombstone at the cutoff still protects its file."),
    full_run_fault("cutoff-late-for-tombstones", "VAC-EDGE-1A",
        files.delete_first(files.removed_at(lambda after: after == 1)),
        "A tombstone one ms after the cutoff no longer protects its file."),
    full_run_fault("cutoff-early-for-files", "VAC-EDGE-1B", files.restore_first(files.unreferenced_at(-1)),
        "An unreferenced file modified one ms before the cutoff is kept."),
    full_run_fault("cutoff-late-for-files", "VAC-EDGE-1B", files.delete_first(files.unreferenced_at(0)),
        "An unreferenced file modified at the cutoff is deleted."),
    vacuum_fault("ignores-the-tables-retention", "VAC-KEEP-1A",
        when(lambda t: full_run(t) and _sets_retention(t), files.use_cutoff(lambda t: t.clock - WEEK)),
        "VACUUM keeps files for a week, whatever the table property says."),
    vacuum_fault("keeps-a-day-by-default", "VAC-KEEP-1B",
        when(lambda t: full_run(t) and not _sets_retention(t), files.use_cutoff(lambda t: t.clock - DAY)),
        "VACUUM keeps files for a day where the table property is not set."),
    vacuum_fault("checks-nothing", "VAC-CHK-1A", when(refused_retain, Tampering.succeed),
        "A RETAIN that is too short is not refused."),
    vacuum_fault("checks-always", "VAC-CHK-1B", when(_unchecked_zero, lambda t: t.refuse(TOO_SHORT.condition)),
        "A RETAIN that is too short is refused though the check is off."),
    vacuum_fault("refuses-retain", "VAC-CHK-1C",
        when(lambda t: (t.vacuum.retain_hours or 0) >= 1, lambda t: t.refuse(TOO_SHORT.condition)),
        "A RETAIN of an hour or more is refused."),
    vacuum_fault("refuses-to-run", "VAC-CHK-2",
        when(lambda t: t.vacuum.retain_hours is None, lambda t: t.refuse("DELTA_TABLE_ONLY_OPERATION")),
        "A VACUUM without RETAIN is refused."),
    vacuum_fault("dry-run-deletes", "VAC-DRY-1",
        when(dry_run, files.delete_all(lambda t: [t.path_in(row) for row in t.outcome.rows])),
        "DRY RUN deletes what it lists."),
    vacuum_fault("dry-run-lists-too-little", "VAC-DRY-2C", when(dry_run, lambda t: t.answer(t.outcome.rows[:-1])),
        "DRY RUN leaves out the last path."),
    vacuum_fault("dry-run-lists-too-much", "VAC-DRY-2C", when(dry_run, lambda t: t.list_also(files.live(t)[:1])),
        "DRY RUN lists a live file."),
    vacuum_fault("starts-without-end", "VAC-LOG-1A", when(completed, actions.drop_last_commit),
        "VACUUM commits START and no END."),
    vacuum_fault("claims-what-it-did-not-delete", "VAC-LOG-1B", actions.metrics("VACUUM END", raised("numDeletedFiles")),
        "VACUUM's END counts one file too many."),
    full_run_fault("rewrites-the-log", "VAC-LOG-1C", _append_to_old_commit,
        "VACUUM rewrites an old commit."),
    vacuum_fault("logs-though-off", "VAC-LOG-1D",
        when(lambda t: completed(t) and t.vacuum.logging is False, actions.commit_empty),
        "VACUUM commits though logging is off."),
    # Only the second run may be wrong: if the first kept a file that it must delete, the case would end there.
    vacuum_fault("deletes-more-on-the-next-run", "VAC-IDEM-1A",
        when(lambda t: full_run(t) and t.runs > 0, files.delete_first(files.protected)),
        "A VACUUM right after another deletes a file that the first had to keep."),
    vacuum_fault("never-settles", "VAC-IDEM-1B",
        when(lambda t: full_run(t) and t.settled, files.delete_first(files.protected)),
        "A VACUUM after one that deleted nothing deletes something."),
    full_run_fault("vacuum-changes-the-metadata", "VAC-LOG-1E", actions.set_table_property,
        "A VACUUM's commit sets a table property."),
    full_run_fault("vacuum-writes-a-file", "VAC-SAFE-11", files.write("vacuumed.parquet"),
        "VACUUM leaves a new file in the table's directory."),
    full_run_fault("vacuum-touches-what-stays", "VAC-SAFE-12", files.in_each(_kept(lambda t: t.disk.files), Path.touch),
        "VACUUM sets the modification time of the files that it keeps to the present."),
    full_run_fault("vacuum-truncates-what-stays", "VAC-SAFE-2 VAC-SAFE-3", files.in_each(_kept(_visible_and_not_live), files.truncate),
        "VACUUM truncates the files that it must keep."),
    full_run_fault("vacuum-truncates-earlier-versions", "VAC-SAFE-10F", files.in_each(_kept(files.tombstones), files.truncate),
        "VACUUM truncates the files that only earlier versions refer to."),
)
# fmt: on

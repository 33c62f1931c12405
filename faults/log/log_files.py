"""Faults of DELETE and of VACUUM in the log: its files, its checkpoints, and what commits record of themselves."""

from __future__ import annotations

from deltalog.storage.names import LOG_DIRECTORY
from faults.machinery import actions, documents, files
from faults.machinery.actions import info_fault
from faults.machinery.disk import drop_checksum, move_time
from faults.machinery.fault import Condition, Tamper, committed, delete_fault, vacuum_fault, when
from faults.machinery.members import put, put_present, within
from faults.machinery.runs import completed
from faults.machinery.tampering import Tampering
from model.vocabulary.table import MINUTE, Feature

# Files of the log -----------------------------------------------------------------------------------------------------

rewrite_oldest_commit = files.in_each(files.oldest_commit, files.add_a_line)
write_junk = files.write(f"{LOG_DIRECTORY}/junk")


def uncommit_below_checkpoint(t: Tampering) -> None:
    for version in t.log.history:
        if version < t.log.newest_checkpoint:
            t.log.uncommit(version)


def _clean_up_everything(t: Tampering) -> None:
    """As soon as there is a new checkpoint, delete all commits before the step, of any age."""
    for version in t.log.history if files.checkpoint_files(t) else ():
        t.log.uncommit(version)


def _delete_pointer(t: Tampering) -> None:
    drop_checksum(t.root / files.POINTER)
    t.disk.delete(files.POINTER)


#: Change the pointer along with a new checkpoint.
_point_to_nothing = when(
    lambda t: bool(files.checkpoint_files(t)), files.write(files.POINTER, b'{"version": 999, "size": 1}')
)


def without_first(kind: str) -> Tamper:
    """Drop the first action of a kind from each new checkpoint."""
    return documents.in_files(files.checkpoint_files, documents.without_first(kind))


# What commits record --------------------------------------------------------------------------------------------------


_date_back = files.in_each(files.commits, lambda path: move_time(path, -10 * MINUTE))


def _repeat_transaction(t: Tampering) -> None:
    infos = [commit.info.fields for _, commit in sorted(t.log.history.items()) if commit.info]
    known = [info["txnId"] for info in infos if "txnId" in info]
    actions.every(actions.commit_infos, put(txnId=known[-1] if known else "0"))(t)


_TRANSACTION = actions.append({"txn": {"appId": "x", "version": 1}})


def _has_condition(t: Tampering) -> bool:
    return committed(t) and t.delete.where is not None


def _is_made(operation: str) -> Condition:
    return lambda t: bool(actions.infos(operation)(t))


# fmt: off
FAULTS = (
    # the files of the log
    delete_fault("delete-rewrites-an-old-commit", "DEL-LOG-1", when(committed, rewrite_oldest_commit),
        "DELETE rewrites the oldest commit, with the same actions."),
    delete_fault("delete-drops-commits-below-a-checkpoint", "DEL-LOG-1", when(committed, uncommit_below_checkpoint),
        "DELETE deletes the commits below the newest checkpoint, young ones too."),
    delete_fault("delete-leaves-junk-in-the-log", "DEL-LOG-1", when(committed, write_junk),
        "DELETE leaves a file in the log that is no part of it."),
    delete_fault("delete-loses-the-pointer", "DEL-LOG-1", when(committed, _delete_pointer),
        "DELETE deletes _last_checkpoint."),
    delete_fault("delete-checkpoint-loses-a-tombstone", "DEL-CKPT-1", without_first("remove"),
        "A checkpoint that DELETE writes lacks a tombstone.", needs=[Feature.FREQUENT_CHECKPOINTS]),
    delete_fault("delete-checkpoint-loses-a-file", "DEL-CKPT-1", without_first("add"),
        "A checkpoint that DELETE writes lacks a live file.", needs=[Feature.FREQUENT_CHECKPOINTS]),
    delete_fault("delete-points-to-nothing", "DEL-CKPT-2", _point_to_nothing,
        "_last_checkpoint names a checkpoint that does not exist after a DELETE that writes one.",
        needs=[Feature.FREQUENT_CHECKPOINTS]),
    vacuum_fault("vacuum-loses-the-pointer", "VAC-LOG-1C", when(completed, _delete_pointer),
        "VACUUM deletes _last_checkpoint."),
    vacuum_fault("vacuum-cleans-up-everything", "VAC-LOG-1C", when(completed, _clean_up_everything),
        "A VACUUM that writes a checkpoint deletes all earlier commits, young ones too.",
        needs=[Feature.FREQUENT_CHECKPOINTS]),
    vacuum_fault("vacuum-checkpoint-loses-a-file", "VAC-CKPT-3", when(completed, without_first("add")),
        "A checkpoint that VACUUM writes lacks a live file.", needs=[Feature.FREQUENT_CHECKPOINTS]),
    vacuum_fault("vacuum-points-to-nothing", "VAC-CKPT-4", when(completed, _point_to_nothing),
        "_last_checkpoint names a checkpoint that does not exist after a VACUUM that writes one.",
        needs=[Feature.FREQUENT_CHECKPOINTS]),
    # what commits record
    info_fault("commit-is-stamped-zero", "DEL-INFO-2A", put(timestamp=0), "commitInfo's timestamp of a DELETE is 0."),
    info_fault("in-commit-time-is-one", "DEL-INFO-2B", put_present(inCommitTimestamp=1),
        "The in-commit timestamp of a DELETE is 1, earlier than that of the commit before.", needs=[Feature.IN_COMMIT_TIMESTAMPS]),
    delete_fault("commit-is-dated-back", "DEL-INFO-2C", when(committed, _date_back),
        "The commit's file is ten minutes older than the DELETE."),
    delete_fault("commits-a-transaction", "DEL-INFO-3A", _TRANSACTION,
        "The commit of a DELETE has an action txn."),
    delete_fault("transaction-ids-repeat", "DEL-INFO-3B", _repeat_transaction,
        "commitInfo has no txnId of its own."),
    info_fault("reads-another-version", "DEL-INFO-1B", put(readVersion=999), "commitInfo of a DELETE names another version as the one that it read."),
    info_fault("delete-says-snapshot-isolation", "DEL-INFO-1B", put(isolationLevel="SnapshotIsolation"),
        "commitInfo of a DELETE records another isolation level."),
    info_fault("records-another-predicate", "DEL-INFO-4", within("operationParameters", put(predicate='["(other#1L = 5)"]')),
        "commitInfo records a predicate on a column that the condition does not name.", run=_has_condition),
    info_fault("records-an-empty-predicate", "DEL-INFO-4", within("operationParameters", put(predicate="[]")),
        "commitInfo records a DELETE with a condition as one without.", run=_has_condition),
    info_fault("start-and-end-are-stamped-zero", "VAC-LOG-3A", put(timestamp=0), "commitInfo's timestamps of START and END are 0.", make=vacuum_fault),
    info_fault("in-commit-times-stand-still", "VAC-LOG-3B", put_present(inCommitTimestamp=1),
        "The in-commit timestamps of START and END are 1.", make=vacuum_fault, needs=[Feature.IN_COMMIT_TIMESTAMPS]),
    vacuum_fault("start-and-end-are-dated-back", "VAC-LOG-3F", when(completed, _date_back),
        "The files of START and END are ten minutes older than the VACUUM."),
    vacuum_fault("ends-with-a-transaction", "VAC-LOG-3C", when(_is_made("VACUUM END"), _TRANSACTION),
        "VACUUM's END has an action txn."),
    info_fault("vacuum-says-serializable", "VAC-LOG-3D", put(isolationLevel="Serializable"),
        "START and END record another isolation level.", make=vacuum_fault),
    info_fault("vacuum-records-more", "VAC-LOG-3E", within("operationMetrics", put(numSkippedFiles="0")),
        "START and END have a metric that no release has.", make=vacuum_fault),
)
# fmt: on

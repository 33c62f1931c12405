"""Faults of DELETE and of VACUUM in the log: its files, its checkpoints, and what commits record of themselves."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from deltalog.storage.names import LAST_CHECKPOINT, LOG_DIRECTORY
from faults.machinery import actions
from faults.machinery.disk import drop_checksum
from faults.machinery.fault import Condition, Tamper, delete_fault, vacuum_fault, when
from faults.machinery.rows import read_rows, write_rows
from faults.machinery.runs import completed
from faults.machinery.table_log import JsonAction
from faults.machinery.tampering import Tampering
from model.vocabulary.table import Feature

_MINUTE = 60_000_000_000  # ns


def _committed(t: Tampering) -> bool:
    return bool(t.log.written)


# Files of the log -----------------------------------------------------------------------------------------------------


def _log(t: Tampering) -> Path:
    return t.root / LOG_DIRECTORY


def _rewrite_oldest_commit(t: Tampering) -> None:
    path = t.log.commit_file(min(t.log.history))
    drop_checksum(path)
    path.write_bytes(path.read_bytes() + b"\n")


def _delete_below_checkpoint(t: Tampering) -> None:
    for version in t.log.history:
        if version < t.log.newest_checkpoint:
            t.log.uncommit(version)


def _clean_up_everything(t: Tampering) -> None:
    """As soon as there is a new checkpoint, delete all commits before the step, of any age."""
    if _new_checkpoints(t):
        for version in t.log.history:
            t.log.uncommit(version)


def write_junk(t: Tampering) -> None:
    (_log(t) / "junk").write_bytes(b"x")


def _delete_pointer(t: Tampering) -> None:
    drop_checksum(_log(t) / LAST_CHECKPOINT)
    (_log(t) / LAST_CHECKPOINT).unlink(missing_ok=True)


def _point_to_nothing(t: Tampering) -> None:
    """Change the pointer along with a new checkpoint."""
    path = _log(t) / LAST_CHECKPOINT
    if _new_checkpoints(t):
        drop_checksum(path)
        path.write_text(json.dumps({"version": 999, "size": 1}), encoding="utf-8")


def _new_checkpoints(t: Tampering) -> list[Path]:
    """The Parquet files of new checkpoints, sidecars too."""
    found = sorted(path for path in _log(t).rglob("*.parquet") if "checkpoint" in path.name or path.parent != _log(t))
    return [path for path in found if not t.disk.existed(path.relative_to(t.root).as_posix())]


def without_first(kind: str) -> Tamper:
    """Drop the first action of a kind from each new checkpoint."""

    def tamper(t: Tampering) -> None:
        for path in _new_checkpoints(t):
            rows = read_rows(path)
            values = rows.column(kind).to_pylist() if kind in rows.column_names else []
            first = next((place for place, value in enumerate(values) if value is not None), None)
            if first is not None:
                write_rows(path, rows.take([place for place in range(rows.num_rows) if place != first]))

    return tamper


# What commits record --------------------------------------------------------------------------------------------------


def _each_info(change: Callable[[JsonAction], object]) -> Tamper:
    return actions.change_all(actions.commit_infos, change)


def _set(**values: Any) -> Tamper:
    return _each_info(lambda info: info.update(values))


def _set_present(key: str, value: Any) -> Tamper:
    return _each_info(lambda info: info.update({key: value}) if key in info else None)


def _set_member(key: str, member: str, value: Any) -> Tamper:
    return _each_info(lambda info: info.setdefault(key, {}).update({member: value}))


def _date_back(t: Tampering) -> None:
    for version in t.log.written:
        path = t.log.commit_file(version)
        at = path.stat().st_mtime_ns - 10 * _MINUTE
        os.utime(path, ns=(at, at))


def _repeat_transaction(t: Tampering) -> None:
    infos = [commit.info.fields for _, commit in sorted(t.log.history.items()) if commit.info]
    known = [info["txnId"] for info in infos if "txnId" in info]
    for info in actions.commit_infos(t):
        info["txnId"] = known[-1] if known else "0"
    t.log.save()


def _append(action: Mapping[str, Any]) -> Tamper:
    return lambda t: t.log.append(dict(action))


_TXN = {"txn": {"appId": "x", "version": 1}}


def _has_condition(t: Tampering) -> bool:
    return _committed(t) and t.delete.where is not None


def _is_made(operation: str) -> Condition:
    return lambda t: any(info.get("operation") == operation for info in actions.commit_infos(t))


# fmt: off
FAULTS = (
    # the files of the log
    delete_fault("delete-rewrites-an-old-commit", "DEL-LOG-1", when(_committed, _rewrite_oldest_commit),
        "DELETE rewrites the oldest commit, with the same actions."),
    delete_fault("delete-drops-commits-below-a-checkpoint", "DEL-LOG-1", when(_committed, _delete_below_checkpoint),
        "DELETE deletes the commits below the newest checkpoint, young ones too."),
    delete_fault("delete-leaves-junk-in-the-log", "DEL-LOG-1", when(_committed, write_junk),
        "DELETE leaves a file in the log that is no part of it."),
    delete_fault("delete-loses-the-pointer", "DEL-LOG-1", when(_committed, _delete_pointer),
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
    delete_fault("commit-is-stamped-zero", "DEL-INFO-2A", _set(timestamp=0),
        "commitInfo's timestamp of a DELETE is 0."),
    delete_fault("in-commit-time-is-one", "DEL-INFO-2B", _set_present("inCommitTimestamp", 1),
        "The in-commit timestamp of a DELETE is 1, earlier than that of the commit before.",
        needs=[Feature.IN_COMMIT_TIMESTAMPS]),
    delete_fault("commit-is-dated-back", "DEL-INFO-2C", when(_committed, _date_back),
        "The commit's file is ten minutes older than the DELETE."),
    delete_fault("commits-a-transaction", "DEL-INFO-3A", _append(_TXN),
        "The commit of a DELETE has an action txn."),
    delete_fault("transaction-ids-repeat", "DEL-INFO-3B", _repeat_transaction,
        "commitInfo has no txnId of its own."),
    delete_fault("reads-another-version", "DEL-INFO-1B", _set(readVersion=999),
        "commitInfo of a DELETE names another version as the one that it read."),
    delete_fault("delete-says-snapshot-isolation", "DEL-INFO-1B", _set(isolationLevel="SnapshotIsolation"),
        "commitInfo of a DELETE records another isolation level."),
    delete_fault("records-another-predicate", "DEL-INFO-4",
        when(_has_condition, _set_member("operationParameters", "predicate", '["(other#1L = 5)"]')),
        "commitInfo records a predicate on a column that the condition does not name."),
    delete_fault("records-an-empty-predicate", "DEL-INFO-4",
        when(_has_condition, _set_member("operationParameters", "predicate", "[]")),
        "commitInfo records a DELETE with a condition as one without."),
    vacuum_fault("start-and-end-are-stamped-zero", "VAC-LOG-3A", _set(timestamp=0),
        "commitInfo's timestamps of START and END are 0."),
    vacuum_fault("in-commit-times-stand-still", "VAC-LOG-3B", _set_present("inCommitTimestamp", 1),
        "The in-commit timestamps of START and END are 1.", needs=[Feature.IN_COMMIT_TIMESTAMPS]),
    vacuum_fault("start-and-end-are-dated-back", "VAC-LOG-3F", when(completed, _date_back),
        "The files of START and END are ten minutes older than the VACUUM."),
    vacuum_fault("ends-with-a-transaction", "VAC-LOG-3C", when(_is_made("VACUUM END"), _append(_TXN)),
        "VACUUM's END has an action txn."),
    vacuum_fault("vacuum-says-serializable", "VAC-LOG-3D", _set(isolationLevel="Serializable"),
        "START and END record another isolation level."),
    vacuum_fault("vacuum-records-more", "VAC-LOG-3E", _set_member("operationMetrics", "numSkippedFiles", "0"),
        "START and END have a metric that no release has."),
)
# fmt: on

"""Faults of DELETE and of VACUUM in version checksums, and in the checksum of ``_last_checkpoint``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from deltalog.storage.names import LAST_CHECKPOINT, LOG_DIRECTORY, checksum_name
from faults.machinery.disk import drop_checksum
from faults.machinery.fault import Tamper, delete_fault, vacuum_fault, when
from faults.machinery.runs import completed
from faults.machinery.table_log import JsonAction
from faults.machinery.tampering import Tampering
from model.vocabulary.table import Feature


def _edited(path: Path, change: Callable[[JsonAction], object]) -> None:
    """Change the JSON object in a file of the log, but not the file's modification time."""
    at = path.stat().st_mtime_ns
    document = json.loads(path.read_bytes())
    change(document)
    drop_checksum(path)
    path.write_text(json.dumps(document), encoding="utf-8")
    os.utime(path, ns=(at, at))


def _each(change: Callable[[JsonAction], object]) -> Tamper:
    """Change the version checksums that the step wrote."""

    def tamper(t: Tampering) -> None:
        for version in t.log.written:
            path = t.root / LOG_DIRECTORY / checksum_name(version)
            if path.exists():
                _edited(path, change)

    return tamper


def _count_more(*names: str) -> Tamper:
    """Count one more, where a checksum has these members."""
    return _each(lambda found: found.update({name: found[name] + 1 for name in names if found.get(name) is not None}))


def _shift_bins(found: JsonAction) -> None:
    """Count the files of each bin of the histogram of sizes in the next."""
    for name in ("fileSizeHistogram", "histogramOpt"):
        if found.get(name):
            found[name]["fileCounts"] = [0, *found[name]["fileCounts"][:-1]]


def _lose_a_property(found: JsonAction) -> None:
    found["metadata"]["configuration"] = {}


def _lower_the_protocol(found: JsonAction) -> None:
    found["protocol"]["minWriterVersion"] -= 1


def _lose_domains(found: JsonAction) -> None:
    if found.get("domainMetadata"):
        found["domainMetadata"] = []


def _lose_a_file(found: JsonAction) -> None:
    found["allFiles"] = (found.get("allFiles") or [])[1:]


def _empty_bins(found: JsonAction) -> None:
    if found.get("deletedRecordCountsHistogramOpt"):
        found["deletedRecordCountsHistogramOpt"] = {"deletedRecordCounts": [0] * 10}


def _break(t: Tampering) -> None:
    for version in t.log.written:
        path = t.root / LOG_DIRECTORY / checksum_name(version)
        if path.exists():
            drop_checksum(path)
            path.write_bytes(path.read_bytes()[:-20])


def _miscompute_pointer(t: Tampering) -> None:
    path = t.root / LOG_DIRECTORY / LAST_CHECKPOINT
    name = f"{LOG_DIRECTORY}/{LAST_CHECKPOINT}"
    if path.exists() and not (t.disk.existed(name) and (t.before / name).read_bytes() == path.read_bytes()):
        _edited(path, lambda found: found.update(checksum="0" * 32) if "checksum" in found else None)


_NEEDS = ["version_checksums"]

# fmt: off
FAULTS = (
    delete_fault("checksum-counts-a-file-more", "DEL-CRC-1", _count_more("numFiles"),
        "The version checksum of a DELETE counts a file more than are live.", needs=_NEEDS),
    delete_fault("checksum-counts-a-byte-more", "DEL-CRC-1", _count_more("tableSizeBytes"),
        "The version checksum of a DELETE has another size of the table.", needs=_NEEDS),
    delete_fault("checksum-counts-two-definitions", "DEL-CRC-1", _count_more("numMetadata", "numProtocol"),
        "The version checksum of a DELETE counts two protocols and two metaData.", needs=_NEEDS),
    delete_fault("checksum-misplaces-sizes", "DEL-CRC-1", _each(_shift_bins),
        "The histogram of file sizes in the version checksum of a DELETE counts files in the wrong bins.", needs=_NEEDS),
    delete_fault("checksum-breaks-off", "DEL-CRC-1", _break,
        "The version checksum of a DELETE breaks off in the middle of its JSON.", needs=_NEEDS),
    delete_fault("checksum-loses-properties", "DEL-CRC-2", _each(_lose_a_property),
        "The metadata in the version checksum of a DELETE lacks the table's properties.", needs=_NEEDS),
    delete_fault("checksum-lowers-the-protocol", "DEL-CRC-2", _each(_lower_the_protocol),
        "The protocol in the version checksum of a DELETE has a lower writer version.", needs=_NEEDS),
    delete_fault("checksum-loses-domains", "DEL-CRC-2", _each(_lose_domains),
        "The version checksum of a DELETE lacks the domain of row tracking.", needs=[Feature.ROW_TRACKING]),
    delete_fault("checksum-has-another-time", "DEL-CRC-2", _count_more("inCommitTimestampOpt"),
        "The in-commit timestamp in the version checksum of a DELETE is not that of its commit.",
        needs=[Feature.IN_COMMIT_TIMESTAMPS]),
    delete_fault("checksum-counts-a-deleted-row-more", "DEL-CRC-3", _count_more("numDeletedRecordsOpt"),
        "The version checksum of a DELETE counts a deleted row more than the deletion vectors have.", needs=_NEEDS),
    delete_fault("checksum-counts-a-vector-more", "DEL-CRC-3", _count_more("numDeletionVectorsOpt"),
        "The version checksum of a DELETE counts a deletion vector more than there are.", needs=_NEEDS),
    delete_fault("checksum-empties-bins", "DEL-CRC-3", _each(_empty_bins),
        "The histogram of deleted rows in the version checksum of a DELETE counts no file.", needs=_NEEDS),
    delete_fault("checksum-lists-a-file-less", "DEL-CRC-4", _each(_lose_a_file),
        "The version checksum of a DELETE does not list the first live file.", needs=_NEEDS),
    delete_fault("delete-miscomputes-the-pointer", "DEL-CKPT-3", _miscompute_pointer,
        "The checksum in _last_checkpoint is wrong after a DELETE that writes a checkpoint.",
        needs=[Feature.FREQUENT_CHECKPOINTS]),
    vacuum_fault("vacuum-checksum-counts-a-file-less", "VAC-CRC-1",
        when(completed, _each(lambda found: found.update(numFiles=found["numFiles"] - 1))),
        "The version checksums of START and END count a file less than are live.", needs=_NEEDS),
    vacuum_fault("vacuum-checksum-loses-properties", "VAC-CRC-1", when(completed, _each(_lose_a_property)),
        "The metadata in the version checksums of START and END lacks the table's properties.", needs=_NEEDS),
    vacuum_fault("vacuum-miscomputes-the-pointer", "VAC-CKPT-5", when(completed, _miscompute_pointer),
        "The checksum in _last_checkpoint is wrong after a VACUUM that writes a checkpoint.",
        needs=[Feature.FREQUENT_CHECKPOINTS]),
)
# fmt: on

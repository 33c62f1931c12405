"""Faults of DELETE and of VACUUM in version checksums, and in the checksum of ``_last_checkpoint``."""

from __future__ import annotations

from faults.machinery import files
from faults.machinery.documents import in_objects
from faults.machinery.fault import Tamper, delete_fault, vacuum_fault, when
from faults.machinery.members import Edit, JsonAction, becomes, put, put_present, raised, within
from faults.machinery.runs import completed
from faults.machinery.tampering import Tampering
from model.vocabulary.table import Feature


def _each(*edits: Edit) -> Tamper:
    """Change the version checksums that the step wrote."""
    return in_objects(files.checksums, *edits)


def _count_more(*names: str) -> Tamper:
    """Count one more, where a checksum has these members."""
    return _each(*(becomes(name, lambda found: found + 1) for name in names))


def _shifted(bins: JsonAction) -> JsonAction:
    """The files of each bin of a histogram are counted in the next."""
    return {**bins, "fileCounts": [0, *bins["fileCounts"][:-1]]}


def _lose_a_file(found: JsonAction) -> None:
    found["allFiles"] = (found.get("allFiles") or [])[1:]


_lose_properties = _each(within("metadata", put(configuration={})))


def _pointer(t: Tampering) -> list[str]:
    """_last_checkpoint, if the step has changed it."""
    new, old = t.root / files.POINTER, t.before / files.POINTER
    return [files.POINTER] if new.exists() and not (old.exists() and old.read_bytes() == new.read_bytes()) else []


_miscompute_pointer = in_objects(_pointer, put_present(checksum="0" * 32))

_NEEDS = ["version_checksums"]

# fmt: off
FAULTS = (
    delete_fault("checksum-counts-a-file-more", "DEL-CRC-1", _count_more("numFiles"),
        "The version checksum of a DELETE counts a file more than are live.", needs=_NEEDS),
    delete_fault("checksum-counts-a-byte-more", "DEL-CRC-1", _count_more("tableSizeBytes"),
        "The version checksum of a DELETE has another size of the table.", needs=_NEEDS),
    delete_fault("checksum-counts-two-definitions", "DEL-CRC-1", _count_more("numMetadata", "numProtocol"),
        "The version checksum of a DELETE counts two protocols and two metaData.", needs=_NEEDS),
    delete_fault("checksum-misplaces-sizes", "DEL-CRC-1", _each(becomes("fileSizeHistogram", _shifted), becomes("histogramOpt", _shifted)),
        "The histogram of file sizes in the version checksum of a DELETE counts files in the wrong bins.", needs=_NEEDS),
    delete_fault("checksum-breaks-off", "DEL-CRC-1", files.in_each(files.checksums, files.cut_off),
        "The version checksum of a DELETE breaks off in the middle of its JSON.", needs=_NEEDS),
    delete_fault("checksum-loses-properties", "DEL-CRC-2", _lose_properties,
        "The metadata in the version checksum of a DELETE lacks the table's properties.", needs=_NEEDS),
    delete_fault("checksum-lowers-the-protocol", "DEL-CRC-2", _each(within("protocol", raised("minWriterVersion", by=-1))),
        "The protocol in the version checksum of a DELETE has a lower writer version.", needs=_NEEDS),
    delete_fault("checksum-loses-domains", "DEL-CRC-2", _each(becomes("domainMetadata", lambda _: [])),
        "The version checksum of a DELETE lacks the domain of row tracking.", needs=[Feature.ROW_TRACKING]),
    delete_fault("checksum-has-another-time", "DEL-CRC-2", _count_more("inCommitTimestampOpt"),
        "The in-commit timestamp in the version checksum of a DELETE is not that of its commit.",
        needs=[Feature.IN_COMMIT_TIMESTAMPS]),
    delete_fault("checksum-counts-a-deleted-row-more", "DEL-CRC-3", _count_more("numDeletedRecordsOpt"),
        "The version checksum of a DELETE counts a deleted row more than the deletion vectors have.", needs=_NEEDS),
    delete_fault("checksum-counts-a-vector-more", "DEL-CRC-3", _count_more("numDeletionVectorsOpt"),
        "The version checksum of a DELETE counts a deletion vector more than there are.", needs=_NEEDS),
    delete_fault("checksum-empties-bins", "DEL-CRC-3", _each(becomes("deletedRecordCountsHistogramOpt", lambda _: {"deletedRecordCounts": [0] * 10})),
        "The histogram of deleted rows in the version checksum of a DELETE counts no file.", needs=_NEEDS),
    delete_fault("checksum-lists-a-file-less", "DEL-CRC-4", _each(_lose_a_file),
        "The version checksum of a DELETE does not list the first live file.", needs=_NEEDS),
    delete_fault("delete-miscomputes-the-pointer", "DEL-CKPT-3", _miscompute_pointer,
        "The checksum in _last_checkpoint is wrong after a DELETE that writes a checkpoint.",
        needs=[Feature.FREQUENT_CHECKPOINTS]),
    vacuum_fault("vacuum-checksum-counts-a-file-less", "VAC-CRC-1",
        when(completed, _each(becomes("numFiles", lambda found: found - 1))),
        "The version checksums of START and END count a file less than are live.", needs=_NEEDS),
    vacuum_fault("vacuum-checksum-loses-properties", "VAC-CRC-1", when(completed, _lose_properties),
        "The metadata in the version checksums of START and END lacks the table's properties.", needs=_NEEDS),
    vacuum_fault("vacuum-miscomputes-the-pointer", "VAC-CKPT-5", when(completed, _miscompute_pointer),
        "The checksum in _last_checkpoint is wrong after a VACUUM that writes a checkpoint.",
        needs=[Feature.FREQUENT_CHECKPOINTS]),
)
# fmt: on

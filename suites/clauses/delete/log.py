"""DEL-LOG, DEL-CKPT: the files of the log that a DELETE leaves."""

from __future__ import annotations

from collections.abc import Callable

from harness.judging.clause import NOT_EXERCISED, Judgement, clause, each, judgement
from harness.observing.steps.observation import DeleteObservation
from model.vocabulary.table import Feature
from suites.clauses.shared import harms
from suites.clauses.shared.checkpoint_clauses import checkpoint_clauses
from suites.clauses.shared.log_files import check_checkpoint, check_rest_of_log, new_checkpoints
from suites.clauses.shared.version_checksums import (
    ChecksumCheck,
    VersionChecksum,
    counts,
    counts_vectors,
    definition,
    files,
    judge_checksums,
    lists_files,
    new_checksums,
    vectors,
)


@clause(
    "DEL-LOG-1",
    "A DELETE adds the files of its own version to the log, and leaves every other file there as it was: bytes and modification time; except what log cleanup may delete.",
    sources=("P Delta Log Entries", "P Metadata Cleanup", "C 2.5"),
    harm=harms.LOG_FILES_LOST,
)
def rest_of_the_log(d: DeleteObservation) -> Judgement:
    return judgement(check_rest_of_log("DELETE", d)) if d.commits else NOT_EXERCISED


def _in_checksums(
    check: ChecksumCheck, *, having: Callable[[VersionChecksum], bool] = bool
) -> Callable[[DeleteObservation], Judgement]:
    """Judges by one check the version checksums of a DELETE that have what it is about."""

    def judge(d: DeleteObservation) -> Judgement:
        return judge_checksums(filter(having, new_checksums(d)), check)

    return judge


_CHECKSUM = ("P Version Checksum File",)
_WRITES = ("version_checksums",)
_WRITES_DETAILS = ("checksum_details",)

CHECKSUMS = (
    clause(
        "DEL-CRC-1",
        "A version checksum that is written along with a DELETE counts the live files of its version, their bytes, one protocol and one metaData; so does its histogram of file sizes.",
        sources=_CHECKSUM,
        harm=harms.WRONG_COUNTS,
        needs=_WRITES,
    )(_in_checksums(counts)),
    clause(
        "DEL-CRC-2",
        "A version checksum that is written along with a DELETE has the protocol, the metadata, the transaction identifiers and the domains of its version, and the in-commit timestamp and txnId of its commit.",
        sources=_CHECKSUM,
        harm=harms.WRONG_CHECKSUM,
        needs=_WRITES,
    )(_in_checksums(definition)),
    clause(
        "DEL-CRC-3",
        "If a version checksum that is written along with a DELETE counts deletion vectors, its figures are right: the number of vectors, the number of rows that they delete, and the histogram of these rows.",
        sources=_CHECKSUM,
        harm=harms.WRONG_COUNTS,
        needs=_WRITES_DETAILS,
    )(_in_checksums(vectors, having=counts_vectors)),
    clause(
        "DEL-CRC-4",
        "A version checksum that is written along with a DELETE and lists files lists exactly the live files of its version, each as the log has it.",
        sources=_CHECKSUM,
        harm=harms.WRONG_CHECKSUM,
        needs=_WRITES_DETAILS,
    )(_in_checksums(files, having=lists_files)),
)


@clause(
    "DEL-CKPT-1",
    "A checkpoint that is written along with a DELETE holds the state of its version: protocol, metadata, every live file with its statistics, every tombstone inside retention, none twice.",
    sources=("P Checkpoints", "P Action Reconciliation"),
    harm=harms.TOMBSTONES_LOST,
    needs=(Feature.FREQUENT_CHECKPOINTS,),
)
def checkpoints_hold_the_state(d: DeleteObservation) -> Judgement:
    return each(new_checkpoints(d), lambda checkpoint: check_checkpoint(d, checkpoint))


CHECKPOINTS = checkpoint_clauses("DELETE", DeleteObservation, Feature.FREQUENT_CHECKPOINTS)

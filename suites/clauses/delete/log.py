"""DEL-LOG, DEL-CKPT: the files of the log that a DELETE leaves."""

from __future__ import annotations

from collections.abc import Callable

from harness.judging.clause import NOT_EXERCISED, Judgement, clause, each, judgement
from harness.observing.steps.observation import DeleteObservation
from model.vocabulary.table import Feature
from suites.clauses.shared import checkpoint_contents, harms
from suites.clauses.shared.log_files import (
    check_checkpoint,
    check_pointer,
    check_pointer_checksum,
    check_rest_of_log,
    new_checkpoints,
)
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


@clause(
    "DEL-CKPT-2",
    "After a DELETE that writes a checkpoint, _last_checkpoint names it.",
    sources=("P Last Checkpoint File", "C 2.5"),
    harm=harms.CHECKPOINT_NOT_THERE,
    needs=(Feature.FREQUENT_CHECKPOINTS,),
)
def pointer_names_the_checkpoint(d: DeleteObservation) -> Judgement:
    return judgement(check_pointer(d)) if new_checkpoints(d) else NOT_EXERCISED


@clause(
    "DEL-CKPT-3",
    "The checksum in the _last_checkpoint that a DELETE writes is that of its JSON.",
    sources=("P Last Checkpoint File", "P JSON checksum"),
    harm=harms.WRONG_POINTER,
    needs=("pointer_checksums",),
)
def pointer_has_its_checksum(d: DeleteObservation) -> Judgement:
    return check_pointer_checksum(d)


def _in_checkpoints(check: checkpoint_contents.ContentCheck) -> Callable[[DeleteObservation], Judgement]:
    def judge(d: DeleteObservation) -> Judgement:
        return checkpoint_contents.judge_checkpoints(d, check)

    return judge


def _in_v2_checkpoints(check: checkpoint_contents.ContentCheck) -> Callable[[DeleteObservation], Judgement]:
    def judge(d: DeleteObservation) -> Judgement:
        return checkpoint_contents.judge_v2_checkpoints(d, check)

    return judge


CHECKPOINTS = (
    clause(
        "DEL-CKPT-4",
        "A checkpoint that is written along with a DELETE holds neither commitInfo nor cdc, and its removes neither stats nor tags.",
        sources=("P Checkpoints",),
        harm=harms.CHECKPOINT_HOLDS_MORE,
        needs=(Feature.FREQUENT_CHECKPOINTS,),
    )(_in_checkpoints(checkpoint_contents.check_kinds_held)),
    clause(
        "DEL-CKPT-5",
        "In a checkpoint that is written along with a DELETE, dataChange of every add and remove is false.",
        sources=("C 2.5",),
        harm=harms.CHECKPOINT_CHANGES_DATA,
        implementation="spark",
        needs=(Feature.FREQUENT_CHECKPOINTS,),
    )(_in_checkpoints(checkpoint_contents.check_data_change)),
    clause(
        "DEL-CKPT-10",
        "In a checkpoint that is written along with a DELETE, every remove has the extended metadata and the row tracking fields that it has in the log.",
        sources=("C 2.3",),
        harm=harms.REMOVES_WITHOUT_SIZES,
        implementation="spark",
        needs=(Feature.FREQUENT_CHECKPOINTS,),
    )(_in_checkpoints(checkpoint_contents.check_removes)),
    clause(
        "DEL-CKPT-6",
        "A V2 checkpoint that is written along with a DELETE has one checkpointMetadata, with its version and, where its tags count actions and bytes, with true counts.",
        sources=("P V2 Spec", "P Checkpoint Metadata"),
        harm=harms.WRONG_V2_METADATA,
        since="3.0",  # the first with V2 checkpoints
        needs=("v2_checkpoints",),
    )(_in_v2_checkpoints(checkpoint_contents.check_metadata)),
    clause(
        "DEL-CKPT-7",
        "A V2 checkpoint that is written along with a DELETE names each of its sidecars once, with the size and the modification time of the file in _delta_log/_sidecars.",
        sources=("P Sidecar File Information",),
        harm=harms.WRONG_SIDECAR,
        since="3.0",  # the first with V2 checkpoints
        needs=("v2_checkpoints",),
    )(_in_v2_checkpoints(checkpoint_contents.check_sidecars)),
    clause(
        "DEL-CKPT-8",
        "A V2 checkpoint that is written along with a DELETE has its adds and removes all in its own file, or all in sidecars, which hold nothing else.",
        sources=("P V2 Spec", "P Sidecar Files"),
        harm=harms.DIVIDED_CHECKPOINT,
        since="3.0",  # the first with V2 checkpoints
        needs=("v2_checkpoints",),
    )(_in_v2_checkpoints(checkpoint_contents.check_division)),
)


@clause(
    "DEL-CKPT-9",
    "After a DELETE that writes a V2 checkpoint, _last_checkpoint embeds what that checkpoint has: its name, size and modification time, its sidecars, and its other actions.",
    sources=("P V2 Spec", "C 2.5"),
    harm=harms.WRONG_EMBEDDED_ACTIONS,
    implementation="spark",
    since="3.0",  # the first with V2 checkpoints
    needs=(Feature.FREQUENT_CHECKPOINTS,),
)
def pointer_embeds_the_checkpoint(d: DeleteObservation) -> Judgement:
    return checkpoint_contents.check_embedded(d)

"""DEL-LOG, DEL-CKPT: the files of the log that a DELETE leaves."""

from __future__ import annotations

from harness.clause import NOT_EXERCISED, Judgement, clause, each, judgement
from harness.observation import DeleteObservation
from model.table import Feature
from suites.clauses.log_files import check_checkpoint, check_pointer, check_rest_of_log, new_checkpoints


@clause(
    "DEL-LOG-1",
    "A DELETE adds the files of its own version to the log, and leaves every other file there as it was: bytes and modification time; except what log cleanup may delete.",
    sources=("P Delta Log Entries", "P Metadata Cleanup", "C 2.5"),
)
def rest_of_the_log(d: DeleteObservation) -> Judgement:
    return judgement(check_rest_of_log("DELETE", d)) if d.commits else NOT_EXERCISED


@clause(
    "DEL-CKPT-1",
    "A checkpoint that is written along with a DELETE holds the state of its version: protocol, metadata, every live file with its statistics, every tombstone inside retention, none twice.",
    sources=("P Checkpoints", "P Action Reconciliation"),
    needs=(Feature.FREQUENT_CHECKPOINTS,),
)
def checkpoints_hold_the_state(d: DeleteObservation) -> Judgement:
    return each(new_checkpoints(d), lambda checkpoint: check_checkpoint(d, checkpoint))


@clause(
    "DEL-CKPT-2",
    "After a DELETE that writes a checkpoint, _last_checkpoint names it.",
    sources=("P Last Checkpoint File", "C 2.5"),
    needs=(Feature.FREQUENT_CHECKPOINTS,),
)
def pointer_names_the_checkpoint(d: DeleteObservation) -> Judgement:
    return judgement(check_pointer(d)) if new_checkpoints(d) else NOT_EXERCISED

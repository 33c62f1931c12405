"""Faults of DELETEs that must be refused, or that fail at a row."""

from __future__ import annotations

from faults.machinery import actions, files
from faults.machinery.fault import delete_fault, fault, has, when
from faults.machinery.tampering import Tampering
from model.vocabulary.steps import InvalidDelete
from model.vocabulary.table import Feature

_is_append_only = has("delta.appendOnly")


def _fails_at_a_row(t: Tampering) -> bool:
    return t.failed and not _is_append_only(t)


_HALF = (Feature.HALF_CHECKPOINT, Feature.HALF_CHECKPOINT_NAMED)

# fmt: off
FAULTS = (
    delete_fault("append-only-is-not-refused", "DEL-REF-1A", when(_is_append_only, lambda t: t.answer([(0,)])),
        "DELETE of an append-only table succeeds."),
    delete_fault("append-only-commits", "DEL-REF-1B", when(_is_append_only, actions.commit_empty),
        "A refused DELETE of an append-only table writes a commit."),
    fault("refuses-with-another-class", "DEL-REF-2A", lambda t: t.refuse("INTERNAL_ERROR"),
        "An invalid DELETE is refused with another error class.", on=InvalidDelete, rules={"error_classes": True}),
    fault("accepts-mistakes", "DEL-REF-2A", lambda t: t.answer([(0,)]),
        "An invalid DELETE succeeds.", on=InvalidDelete),
    fault("refused-delete-writes-a-file", "DEL-REF-2B", files.write("part-00000-left.snappy.parquet"),
        "A refused DELETE leaves a file behind.", on=InvalidDelete),
    delete_fault("failing-delete-says-nothing", "DEL-REF-4", when(_fails_at_a_row, lambda t: t.refuse(None)),
        "A DELETE whose condition fails at a row ends in an error without a class."),
    delete_fault("failing-delete-says-another-error", "DEL-REF-4", when(_fails_at_a_row, lambda t: t.refuse("CAST_OVERFLOW")),
        "A DELETE whose condition fails at a row names an error that is another one's."),
    delete_fault("failing-delete-succeeds", "DEL-REF-5", when(_fails_at_a_row, lambda t: t.answer([(0,)])),
        "A DELETE whose condition fails at a row ends as if no row matched."),
    delete_fault("half-read-table-is-written", "DEL-REF-6",
        when(lambda t: t.failed and t.log.half_checkpoint, actions.commit_empty),
        "A DELETE that cannot read the newest checkpoint is refused, and has written a commit.", needs=_HALF),
    delete_fault("failing-delete-loses-a-file", "DEL-REF-3", when(_fails_at_a_row, files.delete_first(files.live)),
        "A DELETE whose condition fails at a row has deleted a file before it fails."),
)
# fmt: on

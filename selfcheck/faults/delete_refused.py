"""Faults of DELETEs that must be refused, or that fail at a row."""

from __future__ import annotations

from selfcheck.faults.fault import fault
from selfcheck.faults.tampering import Tampering
from engines.port import Outcome
from model.steps import InvalidDelete, Delete


def _is_append_only(t: Tampering) -> bool:
    return t.table_property("delta.appendOnly") == "true"


@fault(
    "append-only-is-not-refused",
    "DELETE of an append-only table is answered as if it were done.",
    on=Delete,
    caught_by="DEL-REF-1A",
)
def append_only_is_not_refused(t: Tampering) -> Outcome | None:
    return t.answer([(0,)]) if _is_append_only(t) else None


@fault(
    "append-only-commits",
    "A refused DELETE of an append-only table writes a commit.",
    on=Delete,
    caught_by="DEL-REF-1B",
)
def append_only_commits(t: Tampering) -> Outcome | None:
    if _is_append_only(t):
        t.commit([])
    return None


@fault(
    "refuses-with-another-class",
    "A refusal has another error class.",
    on=InvalidDelete,
    caught_by="DEL-REF-2A",
    rules={"error_classes": True},
)
def refuses_with_another_class(t: Tampering) -> Outcome | None:
    return t.refuse("INTERNAL_ERROR")


@fault(
    "accepts-mistakes", "A DELETE with a mistake is answered as if it were done.", on=InvalidDelete, caught_by="DEL-REF-2A"
)
def accepts_mistakes(t: Tampering) -> Outcome | None:
    return t.answer([(0,)])


@fault("refused-delete-writes-a-file", "A refused DELETE leaves a file behind.", on=InvalidDelete, caught_by="DEL-REF-2B")
def refused_delete_writes_a_file(t: Tampering) -> Outcome | None:
    (t.root / "part-00000-left.snappy.parquet").write_bytes(b"PAR1")
    return None


@fault(
    "failing-delete-loses-a-file",
    "A DELETE whose condition fails at a row has deleted a file before.",
    on=Delete,
    caught_by="DEL-REF-3",
)
def failing_delete_loses_a_file(t: Tampering) -> Outcome | None:
    if t.outcome.error and not _is_append_only(t):
        t.delete_first(sorted(t.live))
    return None

"""Faults that only engines by the rules of delta-rs can have: in what they return and record, and in NULL structs that Delta on
Spark refuses to write."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from deltalog.log import read_log
from engines.port import Outcome
from faults.machinery import actions, files
from faults.machinery.fault import Question, delete_fault, fault, nothing, vacuum_fault, when
from faults.machinery.members import JsonAction, raised
from faults.machinery.rows import replace_rows, rows_of
from faults.machinery.runs import completed
from faults.machinery.tampering import Tampering
from model.vocabulary.readings import Reading
from model.vocabulary.rules import DELTA_RS
from model.vocabulary.steps import Read, Vacuum

_RULES = {"implementation": DELTA_RS.implementation}

_of_delete = partial(delete_fault, rules=_RULES)
_of_run = partial(vacuum_fault, run=completed, rules=_RULES)


def _metrics(t: Tampering) -> list[JsonAction]:
    return [info["operationMetrics"] for info in actions.commit_infos(t)]


def _return_other_counts(t: Tampering) -> Outcome | None:
    return None if t.failed else t.answer((*row[:2], int(str(row[2])) + 1, *row[3:]) for row in t.outcome.rows)


def _delete_null_structs(t: Tampering) -> None:
    for add in actions.new_adds(t):
        rows = rows_of(t, add)
        for field in rows.schema:
            if pa.types.is_struct(field.type) and not all(inner.nullable for inner in field.type):
                rows = rows.filter(pc.is_valid(rows.column(field.name)))
        if rows.num_rows < rows_of(t, add).num_rows:
            replace_rows(t, add, rows)


def _return_a_live_file(t: Tampering) -> Outcome:
    return t.list_also([*files.live(t), "_delta_log"][:1], scheme="")


def _forgets_what_to_keep(question: Question) -> Question:
    assert isinstance(question.step, Vacuum), "a VACUUM"
    return replace(question, step=replace(question.step, keep=()))


def _vectors_to_keep(t: Tampering) -> list[str]:
    """The deletion-vector files of the versions to keep that the current version does not refer to."""
    log = read_log(t.before)
    adds = [add for one in t.vacuum.kept_versions(log.version) for add in log.snapshot(one).adds.values()]
    return sorted({path for path in map(t.log.vector_file, adds) if path} - t.log.live_vectors)


# fmt: off
FAULTS = (
    _of_delete("records-other-counts", "DEL-MET-3A", actions.first(_metrics, raised("num_removed_files")),
        "operationMetrics of a DELETE count one removed file too many."),
    _of_delete("returns-other-counts", "DEL-MET-3B", _return_other_counts,
        "The metrics that DELETE returns count one removed file too many."),
    _of_delete("deletes-null-structs", "DEL-ROW-3 DEL-ROW-5B", _delete_null_structs,
        "Rows whose struct is NULL are deleted too, if one of its fields is NOT NULL."),
    fault("reads-less-by-pyarrow", "DEL-ROW-5C", lambda t: t.answer_to(Reading.ROWS, lambda rows: rows[1:]),
        "to_pyarrow_table misses a row that QueryBuilder reads.", on=Read, rules=_RULES),
    fault("skips-a-file-that-has-the-value", "READ-2D",
        when(lambda t: bool(t.outcome.rows), lambda t: t.answer_to(Reading.FILTERED, lambda rows: ((-1, *rows[0][1:]),))),
        "A dataset with a filter skips a file that has rows of it.", on=Read, rules=_RULES),
    vacuum_fault("vacuums-a-version-to-keep", "VAC-SAFE-13A VAC-SAFE-13B", nothing,
        "VACUUM forgets the versions that it is asked to keep.", asks=_forgets_what_to_keep, needs=("keeps_versions",)),
    vacuum_fault("vacuums-a-vector-of-a-version-to-keep", "VAC-SAFE-13B", files.delete_first(_vectors_to_keep),
        "VACUUM deletes the file of a deletion vector of a version that it is asked to keep.",
        run=completed, needs=("keeps_vectors_of_versions",)),
    _of_run("returns-less-than-it-deleted", "VAC-ANS-1A", lambda t: t.answer(t.outcome.rows[:-1]),
        "VACUUM does not return the last file that it deleted."),
    _of_run("returns-what-is-left", "VAC-ANS-1B", _return_a_live_file,
        "VACUUM returns a live file as deleted, and leaves it."),
    _of_run("returns-what-never-was", "VAC-ANS-1C", lambda t: t.list_also(["never-there.parquet"], scheme=""),
        "VACUUM returns a file as deleted that was not there."),
    _of_run("counts-one-more-than-it-deleted", "VAC-LOG-4", actions.metrics("VACUUM END", raised("numDeletedFiles")),
        "END counts one deleted file too many."),
)
# fmt: on

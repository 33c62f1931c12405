"""Faults of DELETEs from tables with a live file that nobody can read whole."""

from __future__ import annotations

import dataclasses
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from engines.port import Outcome
from faults.delete.deletes import full_row, is_plain, matches_row
from faults.delete.features import inline
from faults.machinery import actions
from faults.machinery.fault import delete_fault, when
from faults.machinery.members import JsonAction
from faults.machinery.rows import read_rows, write_rows
from faults.machinery.tampering import Tampering
from model.prediction.delete import ConditionScope, scope_of
from model.vocabulary.table import Feature

_UNREADABLE = (OSError, pa.ArrowException)


def _damaged(t: Tampering) -> list[str]:
    """The live files that cannot be read whole, of a DELETE of rows."""
    if scope_of(t.delete.where, t.log.partition_by) is not ConditionScope.ROWS:
        return []
    return [path for path in sorted(t.log.live) if not _can_be_read(t.before / path)]


def _can_be_read(path: Path) -> bool:
    try:
        read_rows(path)
    except _UNREADABLE:
        return False
    return True


def _commit(t: Tampering, *more: JsonAction) -> Outcome:
    """Commit these actions too, and succeed."""
    if t.log.written:
        t.log.append(*more)
    else:
        t.log.commit(t.outcome.ended, *more)
    return t.outcome if not t.failed else dataclasses.replace(t.outcome, rows=((-1,),), error=None)


def _first_groups(path: Path) -> pa.Table | None:
    """The rows of the row groups that can be read; None if there are none."""
    try:
        file = pq.ParquetFile(path)
    except _UNREADABLE:
        return None
    groups = []
    for number in range(file.num_row_groups):
        try:
            groups.append(file.read_row_group(number, use_threads=False))
        except _UNREADABLE:
            continue
    return pa.concat_tables(groups) if groups else None


def _rewrite_what_can_be_read(t: Tampering) -> Outcome | None:
    for path in _damaged(t) if is_plain(t) and t.delete.where is not None else []:
        rows, old, new = _first_groups(t.before / path), t.log.live[path], path.replace("part-", "part-6", 1)
        if rows is None or not any(matches_row(t, full_row(t, old, stored)) for stored in rows.to_pylist()):
            continue
        shutil.copy2(t.root / path, t.root / new)
        write_rows(t.root / new, rows)
        stat = (t.root / new).stat()
        add = {name: value for name, value in old.items() if name not in ("stats", "deletionVector")}
        add |= {"path": actions.encoded(new), "size": stat.st_size, "modificationTime": stat.st_mtime_ns // 1_000_000}
        return _commit(t, actions.removal(old, at=t.outcome.ended), {"add": add})
    return None


def _remove_missing(t: Tampering) -> Outcome | None:
    missing = [t.log.live[path] for path in _damaged(t) if not os.path.lexists(t.root / path)]
    return _commit(t, *(actions.removal(add, at=t.outcome.ended) for add in missing)) if missing else None


def _hide_rows_of_the_wrong_file(t: Tampering) -> Outcome | None:
    """Hide the first two rows of a file that cannot be read: those that match are in another one."""
    for path in _damaged(t) if t.log.has("delta.enableDeletionVectors") else []:
        old = t.log.live[path]
        if "numRecords" in (old.get("stats") or "") and "deletionVector" not in old:
            hidden = {"add": {**old, "deletionVector": inline([0, 1])}}
            return _commit(t, actions.removal(old, at=t.outcome.ended), hidden)
    return None


def _say_that_no_row_matches(t: Tampering) -> Outcome:
    actions.drop_last_commit(t)
    return t.answer([(0,)])


def _refuse_and_commit(t: Tampering) -> Outcome | None:
    actions.commit_empty(t)
    return None if t.failed else t.refuse("FAILED_READ_FILE.NO_HINT")


# fmt: off
FAULTS = (
    delete_fault("rewrites-what-it-can-read", "DEL-SAFE-1", _rewrite_what_can_be_read,
        "A DELETE rewrites a file of which a row group is damaged, without the rows that it could not read."),
    delete_fault("removes-a-missing-file", "DEL-SAFE-1", _remove_missing,
        "A DELETE of rows removes a live file that it does not find on storage."),
    delete_fault("hides-rows-of-a-damaged-file", "DEL-SAFE-1", _hide_rows_of_the_wrong_file,
        "A DELETE hides rows that do not match, in a file that it could not read whole.", needs=[Feature.DELETION_VECTORS]),
    delete_fault("passes-over-a-damaged-table", "DEL-SAFE-2", when(lambda t: bool(_damaged(t)), _say_that_no_row_matches),
        "A DELETE from a table with a damaged file ends as if no row matched."),
    delete_fault("commits-beside-a-damaged-file", "DEL-SAFE-3", when(lambda t: bool(_damaged(t)), _refuse_and_commit),
        "A DELETE that cannot read a live file is refused, and has written a commit."),
)
# fmt: on

"""Cases for a bucket and an engine that runs by the machine's clock: each file is as old as its upload, so that none is older
than a table's retention, unless that is 0 hours: then all are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from model.vocabulary.case import Case
from model.vocabulary.steps import AddStrayFiles, Append, SetClock, Vacuum
from model.vocabulary.table import Commit, DataFile, StrayFile


def with_all_files_old(case: Case) -> Case:
    """The case with a retention of 0 hours, if half of its files or more were drawn older than the first VACUUM's cutoff.

    Its times are apart already (``kept_apart``), so that no setting of the clock names a step. Tombstones then become as much
    younger as the retention becomes shorter, and each stays on its side of the cutoff. The other cases stay as they are, and
    VACUUM finds no file that is old.
    """
    if not _is_half_old(case):
        return case
    table, retention = case.table, case.table.retention
    commits = tuple(_younger(commit, retention) for commit in table.commits)
    return replace(case, table=replace(table, retention_hours=0, commits=commits))


def _is_half_old(case: Case) -> bool:
    """At the first VACUUM; False if there is none, or if it has a RETAIN of its own."""
    times = _times_of((*case.table.files, *case.table.stray_files))
    clock = 0
    for step in case.steps:
        if isinstance(step, SetClock):
            clock = step.to.offset
        elif isinstance(step, Append):
            times += _times_of(step.files)
        elif isinstance(step, AddStrayFiles):
            times += _times_of(step.stray_files)
        elif isinstance(step, Vacuum):
            old = sum(time < clock - case.table.retention for time in times)
            return step.retain_hours is None and old > 0 and 2 * old >= len(times)
    return False


def _younger(commit: Commit, by: int) -> Commit:
    """The commit with its tombstones so many ms younger. One without a time has none here either."""
    removes = tuple(
        removal if removal.deleted is None else replace(removal, deleted=removal.deleted + by)
        for removal in commit.removes
    )
    vectors = tuple(replace(vector, deleted=vector.deleted + by) for vector in commit.deletion_vectors)
    return replace(commit, removes=removes, deletion_vectors=vectors)


def _times_of(files: Iterable[DataFile | StrayFile]) -> list[int]:
    return [file.modified for file in files]

"""Faults of what VACUUM tells: its records in the log, its lists, and how it takes a failing file system."""

from __future__ import annotations

import os

from selfcheck.faults.fault import fault
from selfcheck.faults.runs import done, edit_record, metric, step_of, write_bookmark
from selfcheck.faults.tampering import Tampering
from engines.port import Outcome
from model.rules import Walk
from model.steps import IOFault, Vacuum

# START and END ------------------------------------------------------------------------------------------------------


@fault(
    "claims-what-it-did-not-do",
    "VACUUM says COMPLETED, with all its counts, and has deleted nothing.",
    on=Vacuum,
    caught_by="VAC-LOG-1B VAC-LIVE-1 VAC-LIVE-2",
)
def claims(t: Tampering) -> Outcome | None:
    if done(t):
        t.restore_all(t.things)
    return None


@fault(
    "does-what-it-does-not-claim",
    "VACUUM's END counts no deleted file, and there are some.",
    on=Vacuum,
    caught_by="VAC-LOG-1B",
)
def does_not_claim(t: Tampering) -> Outcome | None:
    if done(t) and metric(t, "numDeletedFiles"):
        edit_record(t, "END", numDeletedFiles="0")
    return None


@fault(
    "ends-without-start",
    "VACUUM commits its END and, in the place of START, nothing.",
    on=Vacuum,
    caught_by="VAC-LOG-1A",
)
def ends_without_start(t: Tampering) -> Outcome | None:
    if done(t) and len(t.written) == 2:
        first, last = sorted(t.written)
        t.rewrite(first, t.written[last])
        t.uncommit(last)
    return None


@fault("start-counts-one-more", "START's numFilesToDelete is one too many.", on=Vacuum, caught_by="VAC-LOG-1F")
def start_counts(t: Tampering) -> Outcome | None:
    count = metric(t, "numFilesToDelete")
    if done(t) and count is not None:
        edit_record(t, "START", numFilesToDelete=str(count + 1))
    return None


@fault("start-counts-no-bytes", "START's sizeOfDataToDelete is always 0.", on=Vacuum, caught_by="VAC-LOG-1F")
def start_counts_no_bytes(t: Tampering) -> Outcome | None:
    if done(t):
        edit_record(t, "START", sizeOfDataToDelete="0")
    return None


@fault(
    "counts-deleted-directories",
    "END's numVacuumedDirectories is the number of directories that were deleted.",
    on=Vacuum,
    caught_by="VAC-LOG-1G",
)
def counts_directories(t: Tampering) -> Outcome | None:
    if done(t):
        gone = [path for path in t.directories() if not (t.root / path).is_dir()]
        edit_record(t, "END", numVacuumedDirectories=str(len(gone)))
    return None


@fault(
    "logs-only-when-told",
    "Where logging is not set, VACUUM does not log.",
    on=Vacuum,
    caught_by="VAC-LOG-1H",
)
def logs_only_when_told(t: Tampering) -> Outcome | None:
    if done(t) and step_of(t).logging is None:
        for version in t.written:
            t.uncommit(version)
    return None


@fault(
    "dry-run-moves-the-bookmark",
    "DRY RUN writes _last_vacuum_info.",
    on=Vacuum,
    caught_by="VAC-DRY-1",
)
def dry_run_moves_the_bookmark(t: Tampering) -> Outcome | None:
    if step_of(t).dry_run and t.outcome.error is None:
        write_bookmark(t, max(t.history))
    return None


@fault("dry-run-lists-what-is-hidden", "DRY RUN lists hidden files.", on=Vacuum, caught_by="VAC-DRY-2C")
def dry_run_lists_hidden(t: Tampering) -> Outcome | None:
    if not step_of(t).dry_run or t.outcome.error is not None:
        return None
    return t.answer([*t.outcome.rows, *((f"file:{t.root / path}",) for path in t.files() if t.hidden(path))])


@fault(
    "dry-run-lists-no-directories",
    "DRY RUN lists files only.",
    on=Vacuum,
    caught_by="VAC-DRY-2C",
    rules={"walk": Walk.DIRECTORIES},
)
def dry_run_lists_files(t: Tampering) -> Outcome | None:
    if not step_of(t).dry_run or t.outcome.error is not None:
        return None
    named = [(row, os.path.relpath(str(row[0]).removeprefix("file:"), t.root)) for row in t.outcome.rows]
    return t.answer(row for row, path in named if t.things.get(path) != "directory")


# A failing file system ----------------------------------------------------------------------------------------------


def _fault(t: Tampering, *io_faults: IOFault) -> bool:
    """A real run in which this trouble was about."""
    return step_of(t).io_fault in io_faults and not step_of(t).dry_run


@fault(
    "failure-told-as-completed",
    "A deletion breaks, VACUUM ends with that error, and its END says COMPLETED.",
    on=Vacuum,
    caught_by="VAC-LOG-2A",
)
def failure_completed(t: Tampering) -> Outcome | None:
    if t.outcome.error is not None and _fault(t, IOFault.DELETE_CRASHES):
        edit_record(t, "END", status="COMPLETED", numDeletedFiles="1", numVacuumedDirectories="1")
    return None


@fault("failure-not-told", "A deletion breaks, and VACUUM answers as if it had not.", on=Vacuum, caught_by="VAC-LOG-2A")
def failure_not_told(t: Tampering) -> Outcome | None:
    return t.succeed() if t.outcome.error is not None and _fault(t, IOFault.DELETE_CRASHES) else None


@fault("failure-without-end", "A deletion breaks, and VACUUM writes no END.", on=Vacuum, caught_by="VAC-LOG-2A")
def failure_without_end(t: Tampering) -> Outcome | None:
    if t.outcome.error is not None and _fault(t, IOFault.DELETE_CRASHES) and t.written:
        t.uncommit(max(t.written))
    return None


@fault(
    "failure-loses-a-live-file",
    "A deletion breaks, and VACUUM deletes a live file on its way out.",
    on=Vacuum,
    caught_by="VAC-LOG-2A VAC-LOG-2E",
)
def failure_loses(t: Tampering) -> Outcome | None:
    if t.outcome.error is not None and _fault(t, IOFault.DELETE_CRASHES):
        t.delete_first(sorted(t.live))
    return None


@fault(
    "counts-what-it-could-not-delete",
    "VACUUM counts a file that could not be deleted as deleted.",
    on=Vacuum,
    caught_by="VAC-LOG-2B",
)
def counts_undeletable(t: Tampering) -> Outcome | None:
    count = metric(t, "numDeletedFiles")
    if done(t) and _fault(t, IOFault.CANNOT_DELETE) and count is not None:
        edit_record(t, "END", numDeletedFiles=str(count + 1))
    return None


@fault(
    "gives-up-at-what-it-cannot-delete",
    "VACUUM ends, and says COMPLETED, at the first file that it cannot delete.",
    on=Vacuum,
    caught_by="VAC-LOG-2B",
)
def gives_up(t: Tampering) -> Outcome | None:
    if done(t) and _fault(t, IOFault.CANNOT_DELETE):
        gone = t.deleted()
        t.restore_all(gone)
        edit_record(t, "END", numDeletedFiles="0")
    return None


@fault(
    "fails-at-what-it-cannot-delete",
    "VACUUM fails where a file cannot be deleted.",
    on=Vacuum,
    caught_by="VAC-LOG-2B",
)
def fails_at_undeletable(t: Tampering) -> Outcome | None:
    return t.refuse(None) if done(t) and _fault(t, IOFault.CANNOT_DELETE) else None


@fault(
    "fails-where-something-vanishes",
    "VACUUM fails where a file or a directory goes away meanwhile.",
    on=Vacuum,
    caught_by="VAC-LOG-2C",
)
def fails_where_something_vanishes(t: Tampering) -> Outcome | None:
    vanishes = _fault(t, IOFault.FILE_VANISHES, IOFault.DIRECTORY_VANISHES)
    return t.refuse(None) if done(t) and vanishes else None


@fault(
    "passes-over-what-it-cannot-list",
    "VACUUM does without a directory that it cannot list.",
    on=Vacuum,
    caught_by="VAC-LOG-2D",
)
def passes_over(t: Tampering) -> Outcome | None:
    return t.succeed() if t.outcome.error is not None and step_of(t).io_fault is IOFault.CANNOT_LIST else None


@fault(
    "deletes-though-it-cannot-list",
    "VACUUM fails where it cannot list a directory, and has deleted an old file before.",
    on=Vacuum,
    caught_by="VAC-LOG-2D",
)
def deletes_unlisted(t: Tampering) -> Outcome | None:
    if t.outcome.error is not None and _fault(t, IOFault.CANNOT_LIST):
        t.delete_first([*t.strangers(), *t.tombstones, *t.live])
    return None

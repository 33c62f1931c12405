"""Faults of what VACUUM records in the log and lists, and of how it handles I/O faults."""

from __future__ import annotations

from engines.port import Outcome
from faults.machinery import actions, files
from faults.machinery.fault import vacuum_fault, when
from faults.machinery.members import put, raised, within
from faults.machinery.runs import completed, dry_run, io_fault
from faults.machinery.tampering import Tampering
from faults.vacuum.bookmark import write_bookmark
from model.vocabulary.rules import Walk
from model.vocabulary.steps import IOFault

_crashed = io_fault(IOFault.DELETE_CRASHES, failed=True)
_cannot_delete = io_fault(IOFault.CANNOT_DELETE, failed=False)


def _counted_files(t: Tampering) -> bool:
    """A completed VACUUM whose END counts deleted files."""
    metrics = [info.get("operationMetrics", {}) for info in actions.commit_infos(t)]
    return completed(t) and any(int(found.get("numDeletedFiles") or 0) for found in metrics)


def _commit_end_as_start(t: Tampering) -> None:
    if len(t.log.written) == 2:
        first, last = sorted(t.log.written)
        t.log.rewrite(first, t.log.written[last])
        t.log.uncommit(last)


def _count_deleted_directories(t: Tampering) -> None:
    deleted = [path for path in t.disk.directories if not (t.root / path).is_dir()]
    actions.metrics("VACUUM END", put(numVacuumedDirectories=str(len(deleted))))(t)


def _list_no_directories(t: Tampering) -> Outcome:
    return t.answer(row for row in t.outcome.rows if t.disk.kinds.get(t.path_in(row)) != "directory")


def _record_success(t: Tampering) -> None:
    actions.metrics("VACUUM END", put(numDeletedFiles="1", numVacuumedDirectories="1"))(t)
    actions.every(actions.infos("VACUUM END"), within("operationParameters", put(status="COMPLETED")))(t)


def _give_up(t: Tampering) -> None:
    files.restore_all(lambda t: t.disk.deleted)(t)
    actions.metrics("VACUUM END", put(numDeletedFiles="0"))(t)


# fmt: off
FAULTS = (
    # START and END
    vacuum_fault("claims-what-it-did-not-do", "VAC-LOG-1B VAC-LIVE-1 VAC-LIVE-2",
        when(completed, files.restore_all(files.everything)),
        "VACUUM records COMPLETED, with all its counts, and has deleted nothing."),
    vacuum_fault("does-what-it-does-not-claim", "VAC-LOG-1B",
        when(_counted_files, actions.metrics("VACUUM END", put(numDeletedFiles="0"))),
        "VACUUM's END counts no deleted files though there are some."),
    vacuum_fault("ends-without-start", "VAC-LOG-1A", when(completed, _commit_end_as_start),
        "VACUUM commits END without START."),
    vacuum_fault("start-counts-one-more", "VAC-LOG-1F",
        when(completed, actions.metrics("VACUUM START", raised("numFilesToDelete"))),
        "START's numFilesToDelete is one too high."),
    vacuum_fault("start-counts-no-bytes", "VAC-LOG-1F",
        when(completed, actions.metrics("VACUUM START", put(sizeOfDataToDelete="0"))),
        "START's sizeOfDataToDelete is always 0."),
    vacuum_fault("counts-deleted-directories", "VAC-LOG-1G", when(completed, _count_deleted_directories),
        "END's numVacuumedDirectories is the number of deleted directories."),
    vacuum_fault("logs-only-when-told", "VAC-LOG-1H",
        when(lambda t: completed(t) and t.vacuum.logging is None, lambda t: t.log.undo()),
        "VACUUM does not log where logging is not set."),
    # DRY RUN
    vacuum_fault("dry-run-moves-the-bookmark", "VAC-DRY-1", when(dry_run, lambda t: write_bookmark(t, max(t.log.history))),
        "DRY RUN writes _last_vacuum_info."),
    vacuum_fault("dry-run-lists-what-is-hidden", "VAC-DRY-2C", when(dry_run, lambda t: t.list_also(files.hidden(t))),
        "DRY RUN lists hidden files."),
    vacuum_fault("dry-run-lists-no-directories", "VAC-DRY-2C", when(dry_run, _list_no_directories),
        "DRY RUN lists files only.", rules={"walk": Walk.DIRECTORIES}),
    # I/O faults
    vacuum_fault("failure-told-as-completed", "VAC-LOG-2A", when(_crashed, _record_success),
        "A deletion crashes, VACUUM fails with that error, and END records COMPLETED."),
    vacuum_fault("failure-not-told", "VAC-LOG-2A", when(_crashed, Tampering.succeed),
        "A deletion crashes, and VACUUM succeeds."),
    vacuum_fault("failure-without-end", "VAC-LOG-2A", when(_crashed, actions.drop_last_commit),
        "A deletion crashes, and VACUUM writes no END."),
    vacuum_fault("failure-loses-a-live-file", "VAC-LOG-2A VAC-LOG-2E", when(_crashed, files.delete_first(files.live)),
        "A deletion crashes, and VACUUM deletes a live file before it fails."),
    vacuum_fault("counts-what-it-could-not-delete", "VAC-LOG-2B",
        when(_cannot_delete, actions.metrics("VACUUM END", raised("numDeletedFiles"))),
        "VACUUM counts a file that could not be deleted as deleted."),
    vacuum_fault("gives-up-at-what-it-cannot-delete", "VAC-LOG-2B", when(_cannot_delete, _give_up),
        "VACUUM ends, with COMPLETED, at the first file that it cannot delete."),
    vacuum_fault("fails-at-what-it-cannot-delete", "VAC-LOG-2B", when(_cannot_delete, lambda t: t.refuse(None)),
        "VACUUM fails where a file cannot be deleted."),
    vacuum_fault("fails-where-something-vanishes", "VAC-LOG-2C",
        when(io_fault(IOFault.FILE_VANISHES, IOFault.DIRECTORY_VANISHES, failed=False), lambda t: t.refuse(None)),
        "VACUUM fails where a file or a directory disappears while it runs."),
    vacuum_fault("passes-over-what-it-cannot-list", "VAC-LOG-2D",
        when(lambda t: t.failed and t.vacuum.io_fault is IOFault.CANNOT_LIST, Tampering.succeed),
        "VACUUM skips a directory that it cannot list."),
    vacuum_fault("deletes-though-it-cannot-list", "VAC-LOG-2D",
        when(io_fault(IOFault.CANNOT_LIST, failed=True), files.delete_first(files.protected)),
        "VACUUM fails where it cannot list a directory, and has deleted a file before it fails."),
)
# fmt: on

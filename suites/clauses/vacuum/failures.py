"""VAC-LOG-2: how a VACUUM ends when the file system fails."""

from __future__ import annotations

from collections.abc import Mapping

from deltalog.storage.listing import EntryKind
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, judgement
from harness.judging.severity import Cause, data_loss
from harness.observing import evidence
from harness.observing.steps.vacuum_observation import VacuumObservation
from model.prediction.fates import Fate, Reason
from model.prediction.paths import is_visible
from model.vocabulary.severity import Severity
from model.vocabulary.steps import IOFault
from records.expectations import Fails, InfoIs, Operations, Readable, Unchanged, about
from suites.clauses.shared.causes import UNREADABLE
from suites.clauses.shared.checks import check_nothing_changed, check_table_rows
from suites.clauses.vacuum.command import check_not_refused
from suites.clauses.vacuum.log import (
    END,
    at,
    check_no_version,
    expected_operations,
    expected_value,
    info_of,
    operations,
)
from suites.clauses.vacuum.path_rules import (
    all_paths,
    deleted,
    expect_kept,
    has_inline_vectors,
    is_full,
    is_logged,
    linked_directories,
    must_match_prediction,
    must_succeed,
    not_kept,
)

_WRONG_END = Cause("the log does not tell how the run ended", Severity.WRONG_WORDS)


def _fault(v: VacuumObservation) -> str:
    kind = v.step.io_fault.value if v.step.io_fault else "no I/O fault"
    return f"the I/O fault at {v.step.faulty_path} ({kind})"


def _with(judged: Judgement, *problems: Violation | None) -> Judgement:
    """The judgement of the paths, and as one more subject the step as a whole."""
    return Judgement(judged.subjects + 1, (*(problem for problem in problems if problem), *judged.violations))


def _check_error(v: VacuumObservation) -> Violation | None:
    """The VACUUM must end in an error."""
    message = f"VACUUM must report {_fault(v)} as an error; it did not."
    return None if v.refused else Violation("step", message, Fails(), cause=Cause("no error", Severity.WRONG_WORDS))


@clause(
    "VAC-LOG-2A",
    "If a deletion fails with an exception, VACUUM ends in an error and, if it logs, in an END with the status FAILED and without metrics; what must be kept still exists.",
    sources=("S1", "C 1.2", "C 1.5"),
    harm=data_loss("A VACUUM that breaks off deletes what must be kept, or looks as if it had succeeded."),
    needs=(IOFault.DELETE_CRASHES,),
)
def broken_deletion(v: VacuumObservation) -> Judgement:
    """What must be deleted may be deleted or not, as the order of deletions is not specified."""
    if not v.fails or v.step.io_fault is not IOFault.DELETE_CRASHES or has_inline_vectors(v):
        return NOT_EXERCISED
    return _with(_nothing_lost(v), _check_error(v), _check_failed_end(v) if is_logged(v) else check_no_version(v))


def _nothing_lost(v: VacuumObservation) -> Judgement:
    """Judge that what must be kept exists after a VACUUM that failed."""
    kept = [path for path in all_paths(v) if v.fates[path].fate is Fate.KEEP]
    problems = [
        Violation(
            path,
            f"A VACUUM that failed deleted {path}, which must be kept: {v.fates[path].reason.value}.",
            expect_kept(v, path),
            evidence.of_path(v, path),
            cause=not_kept(v, path),
        )
        for path in kept
        if path not in v.after.listing
    ]
    return Judgement(len(kept), tuple(problems))


def _check_failed_end(v: VacuumObservation) -> Violation | None:
    """The log must record that the run failed."""
    found = operations(v)
    if found != expected_operations(v):
        message = f"A VACUUM that fails must commit START and END; it committed {found}."
        return Violation("log", message, Operations(expected_operations(v)), cause=_WRONG_END)
    end = info_of(v, END) or {}
    status, metrics = at(end, "operationParameters.status"), at(end, "operationMetrics")
    if status != "FAILED":
        message = f"The END of a VACUUM that failed must have the status FAILED; it has {status}."
        return Violation("log", message, InfoIs("operationParameters.status", "FAILED", END), cause=_WRONG_END)
    if metrics:
        shown = dict(metrics) if isinstance(metrics, Mapping) else metrics
        message = f"A VACUUM that failed must have no metrics in END; its END has the metrics {shown}."
        return Violation("log", message, InfoIs("operationMetrics", None, END), cause=_WRONG_END)
    return None


@clause(
    "VAC-LOG-2B",
    "VACUUM continues after a file that cannot be deleted: that file remains, every other path is kept or deleted as usual, END has the status COMPLETED and does not count the file.",
    sources=("C 1.2", "C 1.5"),
    harm=data_loss("After a file that cannot be deleted VACUUM goes wrong with the others."),
    needs=(IOFault.CANNOT_DELETE,),
)
def file_that_cannot_be_deleted(v: VacuumObservation) -> Judgement:
    path = _reached(v, IOFault.CANNOT_DELETE)
    if path is None:
        return NOT_EXERCISED
    if v.refused:
        return judgement(check_not_refused(v, f"with {_fault(v)}"))
    message = f"{path} could not be deleted and must still exist; it does not."
    lost = (
        None
        if path in v.after.listing
        else Violation(path, message, about(path, Unchanged(path)), cause=not_kept(v, path))
    )
    return _with(must_match_prediction(v, all_paths(v)), lost, _check_completed_end(v))


@clause(
    "VAC-LOG-2C",
    "A file or a directory that vanishes while VACUUM runs does not make it fail: every other path is kept or deleted as usual, END has the status COMPLETED and does not count the file.",
    sources=("C 1.2",),
    harm=data_loss("After a file that vanishes VACUUM goes wrong with the others."),
    needs=(IOFault.FILE_VANISHES, IOFault.DIRECTORY_VANISHES),
)
def vanishing(v: VacuumObservation) -> Judgement:
    if _reached(v, IOFault.FILE_VANISHES) is None and _reached(v, IOFault.DIRECTORY_VANISHES) is None:
        return NOT_EXERCISED
    if v.refused or v.step.dry_run:
        return judgement(check_not_refused(v, f"with {_fault(v)}"))
    return _with(must_match_prediction(v, all_paths(v)), _check_completed_end(v))


def _reached(v: VacuumObservation, io_fault: IOFault) -> str | None:
    """The path with this I/O fault, if VACUUM gets to it: a file to be deleted, or a directory to be listed."""
    path = v.step.faulty_path
    if v.step.io_fault is not io_fault or path is None or path not in v.before.listing or not must_succeed(v):
        return None
    if io_fault is IOFault.DIRECTORY_VANISHES:
        listed = is_full(v) and is_visible(path, v.table.partition_by, v.rules.reserved_names)
        return path if listed and v.before.listing[path].kind is EntryKind.DIRECTORY else None
    return path if v.fates[path].reason is Reason.FAULTY and v.fates[path].listed else None


def _check_completed_end(v: VacuumObservation) -> Violation | None:
    """END must record that the run completed in spite of the I/O fault. START is VAC-LOG-1F's."""
    if not is_logged(v):
        return None
    end = info_of(v, END) or {}
    expected = {"operationParameters.status": "COMPLETED"}
    if not linked_directories(v):
        expected["operationMetrics.numDeletedFiles"] = str(len(deleted(v)))
    wrong = [key for key, value in expected.items() if at(end, key) != value]
    if not wrong:
        return None
    texts = [f"{key} of {END} must be {expected[key]!r}, and is {at(end, key)!r}" for key in wrong]
    cause = Cause(f"another value: {wrong[0]} of {END}", Severity.WRONG_NUMBERS)
    return Violation("log", f"{'; '.join(texts)}.", expected_value(v, END, wrong[0], expected[wrong[0]]), cause=cause)


@clause(
    "VAC-LOG-2D",
    "If a directory cannot be listed, VACUUM ends in an error, dry run too, before anything is deleted or committed: nothing changes.",
    sources=("C 1.2",),
    harm=data_loss("VACUUM deletes files though it could not see all that protect them."),
    needs=(IOFault.CANNOT_LIST,),
)
def unreadable_directory(v: VacuumObservation) -> Judgement:
    if not v.fails or v.step.io_fault is not IOFault.CANNOT_LIST:
        return NOT_EXERCISED
    if not v.refused:
        return judgement(_check_error(v))
    changed = evidence.changes(v.before, v.after)
    facts = evidence.of_path(v, changed[0]) if changed else ()
    return judgement(check_nothing_changed(f"A VACUUM that failed with {_fault(v)}", v, facts))


@clause(
    "VAC-LOG-2E",
    "After a VACUUM that failed on the way an independent reader reads the table as before it.",
    sources=("S1",),
    harm=data_loss("After a VACUUM that broke off rows are gone from the table."),
    of_broken=True,
    needs=(IOFault.DELETE_CRASHES,),
)
def reads_after_a_failure(v: VacuumObservation) -> Judgement:
    if not v.fails or not v.refused or v.before.rows is None:
        return NOT_EXERCISED
    if v.after.broken is not None:
        message = f"After the VACUUM that failed the table must be readable; it is not: {v.after.broken}."
        return judgement(Violation("rows", message, Readable(), cause=UNREADABLE))
    return judgement(check_table_rows(v, v.before.rows, "the rows that it held before the VACUUM that failed"))

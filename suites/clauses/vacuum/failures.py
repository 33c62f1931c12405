"""VAC-LOG-2: what becomes of a VACUUM when the file system fails.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from deltalog.listing import EntryKind
from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, one
from harness.evidence import changes
from harness.expectations import Fails, InfoIs, NothingChanged, Of, Operations, Readable, RowsAre, Unchanged, about
from harness.vacuum_observation import VacuumObservation
from model.steps import IOFault
from model.vacuum import Fate, Reason, is_visible
from suites.clauses.vacuum.command import refusal
from suites.clauses.vacuum.fates import (
    all_paths,
    deleted,
    exactly,
    followed,
    has_inline_vectors,
    is_full,
    is_logged,
    must_run,
    stays,
)
from suites.clauses.vacuum.log import END, at, expected_operations, info_of, operations, stated, wrote_a_version


def _with(judged: Judgement, *problems: Violation | None) -> Judgement:
    """The judgement, with something said of the step as a whole."""
    return Judgement(judged.subjects + 1, (*(found for found in problems if found), *judged.violations))


def _what(v: VacuumObservation) -> str:
    return v.step.io_fault.value if v.step.io_fault else "no trouble"


def _untold(v: VacuumObservation) -> Violation | None:
    """What is wrong where a failure was not told."""
    if v.refused:
        return None
    message = f"The file system failed at {v.step.faulty_path} ({_what(v)}), and VACUUM told no error."
    return Violation("step", message, Fails())


@clause(
    "VAC-LOG-2A",
    "A deletion that breaks ends VACUUM with an error and, where it logs, in an END with the status FAILED and without metrics; what must stay is still there.",
    of=VacuumObservation,
    sources=("S1", "C 1.2", "C 1.5"),
    needs=(IOFault.DELETE_CRASHES,),
)
def broken_deletion(v: VacuumObservation) -> Judgement:
    """What must go may be gone or not: in what order VACUUM deletes is not promised."""
    if not v.fails or v.step.io_fault is not IOFault.DELETE_CRASHES or has_inline_vectors(v):
        return NOT_EXERCISED
    lost = _lost(v)
    problems = [_untold(v), _not_failed(v) if is_logged(v) else wrote_a_version(v)]
    return _with(lost, *problems)


def _lost(v: VacuumObservation) -> Judgement:
    """Judge that what must stay is there after a VACUUM that failed."""
    stay = [path for path in all_paths(v) if v.fates[path].fate is Fate.KEEP]
    gone = [path for path in stay if path not in v.after.listing]
    problems = [
        Violation(
            path,
            f"VACUUM failed, and deleted {path}: {v.fates[path].reason.value}.",
            stays(v, path),
            evidence.of_path(v, path),
        )
        for path in gone
    ]
    return Judgement(len(stay), tuple(problems))


def _not_failed(v: VacuumObservation) -> Violation | None:
    """What is wrong where the log does not say that the run failed."""
    found = operations(v)
    if found != expected_operations(v):
        message = f"A VACUUM that fails must commit START and END; it committed {found}."
        return Violation("log", message, Operations(expected_operations(v)))
    end = info_of(v, END) or {}
    status, metrics = at(end, "operationParameters.status"), at(end, "operationMetrics")
    if status != "FAILED":
        expectation = InfoIs("operationParameters.status", "FAILED", END)
        return Violation("log", f"VACUUM failed, and its END says {status}.", expectation)
    expectation = InfoIs("operationMetrics", None, END)
    return (
        Violation("log", f"VACUUM failed, and its END has the metrics {dict(metrics)}.", expectation)
        if metrics
        else None
    )


@clause(
    "VAC-LOG-2B",
    "A file that cannot be deleted stays, and VACUUM goes on: all else has its fate, END says COMPLETED and does not count the file.",
    of=VacuumObservation,
    sources=("C 1.2", "C 1.5"),
    needs=(IOFault.CANNOT_DELETE,),
)
def file_that_cannot_be_deleted(v: VacuumObservation) -> Judgement:
    path = _met(v, IOFault.CANNOT_DELETE)
    if path is None:
        return NOT_EXERCISED
    if v.refused:
        return one(refusal(v, f"failed with the file system at {v.step.faulty_path} ({_what(v)}), and must not"))
    gone = f"{path} could not be deleted, and it is gone."
    lost = None if path in v.after.listing else Violation(path, gone, about(path, Unchanged(path)))
    return _with(exactly(v, all_paths(v)), lost, _not_completed(v))


@clause(
    "VAC-LOG-2C",
    "A file or a directory that vanishes while VACUUM runs does not make it fail: all else has its fate, END says COMPLETED and does not count the file.",
    of=VacuumObservation,
    sources=("C 1.2",),
    needs=(IOFault.FILE_VANISHES, IOFault.DIRECTORY_VANISHES),
)
def vanishing(v: VacuumObservation) -> Judgement:
    if _met(v, IOFault.FILE_VANISHES) is None and _met(v, IOFault.DIRECTORY_VANISHES) is None:
        return NOT_EXERCISED
    if v.refused or v.step.dry_run:
        return one(refusal(v, f"failed with the file system at {v.step.faulty_path} ({_what(v)}), and must not"))
    return _with(exactly(v, all_paths(v)), _not_completed(v))


def _met(v: VacuumObservation, io_fault: IOFault) -> str | None:
    """The path that has this trouble, where VACUUM runs into it: a file to be deleted, a directory to be listed."""
    path = v.step.faulty_path
    if v.step.io_fault is not io_fault or path is None or path not in v.before.listing or not must_run(v):
        return None
    if io_fault is IOFault.DIRECTORY_VANISHES:
        listed = is_full(v) and is_visible(path, v.table.partition_by, v.rules.reserved_names)
        return path if listed and v.before.listing[path].kind is EntryKind.DIRECTORY else None
    return path if v.fates[path].reason is Reason.FAULTY and v.fates[path].listed else None


def _not_completed(v: VacuumObservation) -> Violation | None:
    """What is wrong with END where the run went on in spite of trouble. Its START is judged by VAC-LOG-1F."""
    end = info_of(v, END)
    if not is_logged(v):
        return None
    expected = {"operationParameters.status": "COMPLETED"}
    if not followed(v):
        expected["operationMetrics.numDeletedFiles"] = str(len(deleted(v)))
    keys = [key for key, value in expected.items() if at(end or {}, key) != value]
    if not keys:
        return None
    wrong = [f"{key} {at(end or {}, key)!r} and not {expected[key]!r}" for key in keys]
    return Violation("log", f"VACUUM's END has {' and '.join(wrong)}.", stated(v, END, keys[0], expected[keys[0]]))


@clause(
    "VAC-LOG-2D",
    "A directory that cannot be listed ends VACUUM with an error, dry run too, before anything is deleted or committed: nothing changes.",
    of=VacuumObservation,
    sources=("C 1.2",),
    needs=(IOFault.CANNOT_LIST,),
)
def unreadable_directory(v: VacuumObservation) -> Judgement:
    if not v.fails or v.step.io_fault is not IOFault.CANNOT_LIST:
        return NOT_EXERCISED
    changed = changes(v.before, v.after)
    if v.refused and changed:
        message = f"VACUUM could not list {v.step.faulty_path}, told an error, and changed {', '.join(changed)}."
        return one(Violation(changed[0], message, NothingChanged(), evidence.of_path(v, changed[0])))
    return one(_untold(v))


@clause(
    "VAC-LOG-2E",
    "After a VACUUM that failed on the way the table reads as before it, by an independent reader.",
    of=VacuumObservation,
    sources=("S1",),
    of_broken=True,
    needs=(IOFault.DELETE_CRASHES,),
)
def reads_after_a_failure(v: VacuumObservation) -> Judgement:
    if not v.fails or not v.refused or v.before.rows is None:
        return NOT_EXERCISED
    if v.after.broken is not None:
        return one(
            Violation("rows", f"After the VACUUM that failed the table cannot be read: {v.after.broken}.", Readable())
        )
    if v.after.rows == v.before.rows:
        return one(None)
    facts = ("a live file cannot be read",) if v.after.rows is None else evidence.of_rows(v.before.rows, v.after.rows)
    message = "After the VACUUM that failed the current version does not hold the rows of before."
    expectation = RowsAre(Of.TABLE, evidence.rows_as_json(v.before.rows))
    return one(Violation("rows", message, expectation, facts))

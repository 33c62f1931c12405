"""VAC-CHK, VAC-DRY, VAC-IDEM: which RETAIN is accepted, what DRY RUN returns, what a second run does."""

from __future__ import annotations

from collections.abc import Callable

from deltalog.storage.listing import EntryKind
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, data_loss
from harness.observing import evidence
from harness.observing.steps.vacuum_observation import VacuumObservation
from model.prediction.fates import Fate, Reason
from model.prediction.refusals import TOO_SHORT
from model.prediction.scans import LiteScan, ObjectScan
from model.vocabulary.severity import Severity
from records.expectations import (
    Fails,
    ForbiddenChange,
    Gone,
    Lists,
    NothingChanged,
    Succeeds,
    Unchanged,
    about,
    in_any_table,
)
from suites.clauses.shared import causes, harms
from suites.clauses.shared.checks import check_nothing_changed
from suites.clauses.vacuum.path_rules import (
    VacuumCondition,
    deleted,
    is_lite,
    linked_directories,
    lost_disputed_paths,
    must_succeed,
    not_kept,
    same_cutoff,
)


def check_not_refused(v: VacuumObservation, how: str = "") -> Violation | None:
    """The VACUUM must not end in an error. ``how`` says which one: "by name"."""
    error = v.outcome.error
    if error is None:
        return None
    message = f"The VACUUM{how and f' {how}'} must succeed; it failed with {error.condition or error.exception}."
    return Violation("step", message, Succeeds(), evidence.of_answer(v), cause=causes.error(v))


def not_refused(when: VacuumCondition) -> Callable[[VacuumObservation], Judgement]:
    """A VACUUM of this kind is not refused, if there is no other reason to refuse it."""

    def judge(v: VacuumObservation) -> Judgement:
        return judgement(check_not_refused(v)) if when(v) and must_succeed(v) else NOT_EXERCISED

    return judge


@clause(
    "VAC-CHK-1A",
    "RETAIN below the table's retention is refused while the safety check is on, dry run too, and nothing changes.",
    sources=("S1", "C 1.2"),
    harm=data_loss("Without the safety check a mistaken RETAIN deletes files that readers still need."),
    needs=("safety_check",),
)
def short_retain_is_refused(v: VacuumObservation) -> Judgement:
    """A negative RETAIN that is not ignored is refused also while the check is off (docs/delta.md 5)."""
    if not v.retain_refused:
        return NOT_EXERCISED
    error, classes = v.outcome.error, v.rules.retain_error_class
    expectation = Fails((TOO_SHORT.condition,) if classes else ())
    due = f"{TOO_SHORT.condition} ({min(TOO_SHORT.sqlstates)})" if classes else "an error"
    expected = f"RETAIN {v.step.retain_hours:g} HOURS must be refused with {due}"
    if error is None:
        accepted = Cause("not refused", Severity.DATA_LOSS)
        message = f"{expected}; it was accepted."
        return judgement(Violation("step", message, expectation, evidence.of_cutoff(v), cause=accepted))
    if classes and not TOO_SHORT.is_matched_by(error.condition, error.sqlstate):
        found = f"{error.condition or error.exception} ({error.sqlstate or 'no SQLSTATE'})"
        message = f"{expected}; it was refused with {found}."
        return judgement(Violation("step", message, expectation, evidence.of_answer(v), cause=causes.OTHER_ERROR))
    return judgement(check_nothing_changed("The refused VACUUM", v))


ACCEPTED = (
    clause(
        "VAC-CHK-1B",
        "RETAIN below the table's retention is allowed with the safety check off.",
        sources=("S1", "C 1.2"),
        harm=harms.VACUUM_REFUSED,
    )(not_refused(lambda v: v.too_short)),
    # That the cutoff does not move is VAC-KEEP-2B's.
    clause(
        "VAC-CHK-1C",
        "A RETAIN that does not round to 0 hours, also a negative one, is ignored: it is not refused, and it does not move the cutoff.",
        sources=("C 1.2",),
        harm=harms.VACUUM_REFUSED,
        since="4.1",
        implementation="spark",
    )(not_refused(lambda v: v.step.retain_hours is not None and v.retain is None)),
    clause(
        "VAC-CHK-2",
        "A VACUUM without RETAIN, or with one that is not below the table's retention, is not refused.",
        sources=("S1", "C 1.2"),
        harm=harms.VACUUM_REFUSED,
    )(not_refused(lambda v: v.step.retain_hours is None or (v.retain is not None and not v.too_short))),
)


# DRY RUN ------------------------------------------------------------------------------------------------------------


@clause(
    "VAC-DRY-1",
    "DRY RUN changes nothing at all: files, modification times, log, _last_vacuum_info.",
    sources=("S1",),
    harm=data_loss("A DRY RUN that deletes takes away what the user wanted to see first."),
    needs=("dry_run",),
)
def dry_run_changes_nothing(v: VacuumObservation) -> Judgement:
    if not v.step.dry_run:
        return NOT_EXERCISED
    changed = evidence.changes(v.before, v.after)
    facts = evidence.of_path(v, changed[0]) if changed else ()
    return judgement(check_nothing_changed("DRY RUN", v, facts))


def _dry_run_before(v: VacuumObservation) -> VacuumObservation | None:
    """The DRY RUN right before this real run with the same cutoff, the same scan and the same directories to list."""
    dry = v.previous
    if not v.ran or not isinstance(dry, VacuumObservation) or not dry.step.dry_run or dry.refused:
        return None
    return dry if same_cutoff(dry, v) and (dry.scan, _hidden_by_fault(dry)) == (v.scan, _hidden_by_fault(v)) else None


def _hidden_by_fault(v: VacuumObservation) -> str | None:
    """The path of an I/O fault that changes what VACUUM lists, and not only what it can delete."""
    return None if v.step.io_fault is None or v.step.io_fault.of_deletion else v.step.faulty_path


@clause(
    "VAC-DRY-2A",
    "A real run deletes nothing that the DRY RUN right before it did not list.",
    sources=("S1", "C 1.2"),
    harm=data_loss("VACUUM deletes what the DRY RUN that the user has approved did not list."),
    needs=("dry_run",),
)
def dry_run_lists_what_is_deleted(v: VacuumObservation) -> Judgement:
    dry = _dry_run_before(v)
    if dry is None:
        return NOT_EXERCISED
    listed = dry.listed

    def problem(path: str) -> Violation | None:
        if path in listed:
            return None
        message, facts = f"VACUUM deleted {path}; the DRY RUN before it did not list it.", evidence.of_path(v, path)
        if v.fates[path].fate is Fate.KEEP:
            return Violation(path, message, about(path, Unchanged(path)), facts, cause=not_kept(v, path))
        cause = Cause("deleted, and not listed", Severity.WRONG_WORDS)
        return Violation(path, message, about(path, Lists(path)), facts, step=dry.index, cause=cause)

    # What lies behind a link to a directory is listed, and deleted, by the link's name (VAC-SAFE-7C).
    return each([path for path in deleted(v) if v.fates[path].reason is not Reason.BEHIND_LINK], problem)


@clause(
    "VAC-DRY-2B",
    "The real run right after a DRY RUN deletes everything that the DRY RUN listed, except directories that are not empty.",
    sources=("S1", "C 1.2"),
    harm=harms.WRONG_DRY_RUN,
    needs=("dry_run",),
)
def dry_run_lists_only_what_is_deleted(v: VacuumObservation) -> Judgement:
    dry = _dry_run_before(v)
    if dry is None:
        return NOT_EXERCISED

    def may_be_kept(path: str) -> bool:
        if path in v.fates and v.fates[path].reason in (Reason.LINK, Reason.FAULTY):
            return True  # a link to a directory that is not empty; a file that cannot be deleted (VAC-LOG-2B)
        # A directory may have become empty only after VACUUM tried to delete it: the order of deletions is not specified.
        entry = v.before.listing.get(path)
        is_directory = entry is not None and entry.kind is EntryKind.DIRECTORY
        return is_directory and any(other.startswith(f"{path}/") for other in v.before.listing)

    def problem(path: str) -> Violation | None:
        if path not in v.after.listing or may_be_kept(path):
            return None
        message = f"The DRY RUN listed {path}; the VACUUM after it did not delete it."
        facts = evidence.of_path(v, path)
        predicted = dry.fates.get(path)
        if predicted is None or predicted.fate is Fate.KEEP:
            cause = Cause("listed, and must be kept", Severity.WRONG_WORDS)
            expectation = about(path, Lists(in_any_table(path, v.root), listed=False))
            return Violation(path, message, expectation, facts, step=dry.index, cause=cause)
        cause = Cause(f"not deleted: {predicted.reason.value}", Severity.SPACE_KEPT)
        return Violation(path, message, about(path, Gone(path)), facts, cause=cause)

    return each(sorted(dry.listed), problem)


@clause(
    "VAC-DRY-2C",
    "DRY RUN lists exactly the old files that nothing protects, and the directories below which nothing is old or protected, whether they are empty or not.",
    sources=("C 1.1", "C 1.2"),
    harm=harms.WRONG_DRY_RUN,
    needs=("dry_run",),
)
def dry_run_lists_exactly(v: VacuumObservation) -> Judgement:
    """So it lists directories that cannot be deleted as they hold young or hidden files (docs/delta.md 1.2, step 11)."""
    if not v.step.dry_run or v.refused or not must_succeed(v):
        return NOT_EXERCISED

    def problem(path: str) -> Violation | None:
        predicted, listed = v.fates.get(path), path in v.listed
        if not path:
            message = "DRY RUN must list paths below the root; it lists the root itself."
            return Violation("root", message, Lists(), evidence.of_answer(v), cause=Cause("listed: the root"))
        if predicted is not None and predicted.listed is listed:
            return None
        if predicted is None:
            message = f"DRY RUN lists {path}, which does not exist."
        elif listed:
            message = f"DRY RUN lists {path}: {predicted.reason.value}."
        else:
            message = f"DRY RUN does not list {path}: {predicted.reason.value}."
        why = "it does not exist" if predicted is None else predicted.reason.value
        cause = Cause(f"{'listed' if listed else 'not listed'}: {why}")
        expectation = about(path, Lists(in_any_table(path, v.root), listed=not listed))
        return Violation(path, message, expectation, evidence.of_path(v, path), cause=cause)

    decided = [path for path, predicted in v.fates.items() if predicted.listed is not None]
    return each([*decided, *_listed_and_missing(v)], problem)


def _listed_and_missing(v: VacuumObservation) -> list[str]:
    """Listed paths that do not exist, and that VACUUM can have neither from the log nor through a link."""
    missing = sorted(v.listed - v.fates.keys())
    if isinstance(v.scan, ObjectScan):  # it also tries to delete what the log names, whether that exists or not
        missing = [path for path in missing if path not in v.references.tombstones]
    if isinstance(v.scan, LiteScan):  # it lists what the log names, also what is deleted already
        return [path for path in missing if path not in v.scan.stamps and path not in v.scan.changes]
    links = tuple(f"{path}/" for path, entry in v.before.listing.items() if entry.kind is EntryKind.LINK)
    return [path for path in missing if not path.startswith(links)]


# A second run -------------------------------------------------------------------------------------------------------


def _first_run(v: VacuumObservation) -> VacuumObservation | None:
    """The real run right before this one with the same cutoff and mode, if neither had an I/O fault."""
    first = v.previous
    if not v.ran or not isinstance(first, VacuumObservation) or not first.ran:
        return None
    if first.step.io_fault or v.step.io_fault or not same_cutoff(first, v):
        return None
    if linked_directories(first) or lost_disputed_paths(v):
        return None
    return first if first.scan == v.scan or (is_lite(first) and is_lite(v)) else None


@clause(
    "VAC-IDEM-1A",
    "A second run right after the first deletes nothing but directories that the first one made empty.",
    sources=("S1",),
    harm=harms.LEFT_BY_THE_FIRST_RUN,
)
def second_run(v: VacuumObservation) -> Judgement:
    if _first_run(v) is None:
        return NOT_EXERCISED
    files = [path for path in deleted(v) if v.before.listing[path].kind is not EntryKind.DIRECTORY]
    if not files:
        return judgement(None)
    message = f"A second VACUUM right after the first must delete no file; it deleted {evidence.named(files)}."
    expectation = NothingChanged(ForbiddenChange.DELETION_OF_FILES)
    cause = _deleted_again(v, files)
    return judgement(Violation(files[0], message, expectation, evidence.of_path(v, files[0]), cause=cause))


def _deleted_again(v: VacuumObservation, paths: list[str]) -> Cause:
    """The cause for paths that a second run deletes: a loss if one of them must be kept."""
    lost = [path for path in paths if v.fates[path].fate is Fate.KEEP]
    return not_kept(v, lost[0]) if lost else Cause("deleted by the second run only", Severity.SPACE_KEPT)


@clause(
    "VAC-IDEM-1B",
    "A run right after one that deleted nothing deletes nothing.",
    sources=("S1",),
    harm=harms.LEFT_BY_THE_FIRST_RUN,
)
def run_after_one_without_work(v: VacuumObservation) -> Judgement:
    first = _first_run(v)
    if first is None or first.vanished:
        return NOT_EXERCISED
    paths = deleted(v)
    if not paths:
        return judgement(None)
    message = f"A VACUUM right after one that deleted nothing must delete nothing; it deleted {evidence.named(paths)}."
    cause = _deleted_again(v, paths)
    return judgement(
        Violation(
            paths[0], message, NothingChanged(ForbiddenChange.DELETION), evidence.of_path(v, paths[0]), cause=cause
        )
    )

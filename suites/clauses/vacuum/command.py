"""VAC-CHK, VAC-DRY, VAC-IDEM: which RETAIN is let through, what DRY RUN says, what a second run does.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from deltalog.listing import EntryKind
from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, each, one
from harness.evidence import changes
from harness.expectations import (
    AnswersPaths,
    Fails,
    Gone,
    Lists,
    NothingChanged,
    NothingDeleted,
    Succeeds,
    Unchanged,
    about,
)
from harness.vacuum_observation import VacuumObservation
from model.refusals import TOO_SHORT
from model.vacuum import Fate, LiteScan, ObjectScan, Reason
from suites.clauses.vacuum.fates import deleted, followed, is_lite, lost_what_is_disputed, must_run, same_line


@clause(
    "VAC-CHK-1A",
    "RETAIN below the table's retention is refused while the safety check is on, dry run too, and nothing changes.",
    of=VacuumObservation,
    sources=("S1", "C 1.2"),
)
def too_short_is_refused(v: VacuumObservation) -> Judgement:
    """A negative one, where it is not ignored, also while the check is off (docs/delta.md 5)."""
    if not v.retain_refused:
        return NOT_EXERCISED
    error, changed = v.outcome.error, changes(v.before, v.after)
    expectation = Fails((TOO_SHORT.condition,) if v.rules.retain_error_class else ())
    retain = f"RETAIN {v.step.retain_hours:g} HOURS"
    if error is None:
        return one(Violation("step", f"{retain} was not refused.", expectation, evidence.of_cutoff(v)))
    if v.rules.retain_error_class and error.condition != TOO_SHORT.condition:
        message = f"{retain} was refused with {error.condition}, not with {TOO_SHORT.condition}."
        return one(Violation("step", message, expectation, evidence.of_answer(v)))
    if not changed:
        return one(None)
    return one(Violation(changed[0], f"A refused VACUUM changed {', '.join(changed)}.", NothingChanged()))


@clause(
    "VAC-CHK-1B",
    "RETAIN below the table's retention is allowed with the safety check off.",
    of=VacuumObservation,
    sources=("S1", "C 1.2"),
)
def too_short_is_allowed(v: VacuumObservation) -> Judgement:
    return one(refusal(v)) if v.too_short and must_run(v) else NOT_EXERCISED


@clause(
    "VAC-CHK-1C",
    "A RETAIN that does not round to 0 hours, a negative one too, is ignored: it is neither refused nor does it move the cutoff.",
    of=VacuumObservation,
    sources=("C 1.2",),
    since="4.1",
    implementation="spark",
)
def other_retain_is_ignored(v: VacuumObservation) -> Judgement:
    """That the cutoff stays is judged by VAC-KEEP-2B."""
    return one(refusal(v)) if v.step.retain_hours is not None and v.retain is None and must_run(v) else NOT_EXERCISED


def refusal(v: VacuumObservation, how: str = "was refused") -> Violation | None:
    """What is wrong where a VACUUM ended in an error."""
    return Violation("step", f"The VACUUM {how}.", Succeeds(), evidence.of_answer(v)) if v.refused else None


@clause("VAC-CHK-2", "A VACUUM without RETAIN is not refused.", of=VacuumObservation, sources=("S1", "C 1.2"))
def plain_vacuum_runs(v: VacuumObservation) -> Judgement:
    return one(refusal(v)) if v.step.retain_hours is None and must_run(v) else NOT_EXERCISED


# DRY RUN ------------------------------------------------------------------------------------------------------------


@clause(
    "VAC-DRY-1",
    "DRY RUN changes nothing at all: files, modification times, log, _last_vacuum_info.",
    of=VacuumObservation,
    sources=("S1",),
)
def dry_run_changes_nothing(v: VacuumObservation) -> Judgement:
    if not v.step.dry_run:
        return NOT_EXERCISED
    changed = changes(v.before, v.after)
    if not changed:
        return one(None)
    message = f"DRY RUN changed {', '.join(changed)}."
    return one(Violation(changed[0], message, NothingChanged(), evidence.of_path(v, changed[0])))


def _announced(v: VacuumObservation) -> VacuumObservation | None:
    """The DRY RUN right before this real run, under the same settings: to the same cutoff, by the same way to look."""
    dry = v.previous
    if not v.ran or not isinstance(dry, VacuumObservation) or not dry.step.dry_run or dry.refused:
        return None
    return dry if same_line(dry, v) and (dry.scan, _unseen(dry)) == (v.scan, _unseen(v)) else None


def _unseen(v: VacuumObservation) -> str | None:
    """The path whose trouble changes what VACUUM sees, and not only what it can delete."""
    return None if v.step.io_fault is None or v.step.io_fault.of_deletion else v.step.faulty_path


@clause(
    "VAC-DRY-2A",
    "What a real run deletes is what the DRY RUN before it listed, or a part of it.",
    of=VacuumObservation,
    sources=("S1", "C 1.2"),
)
def dry_run_lists_what_goes(v: VacuumObservation) -> Judgement:
    dry = _announced(v)
    if dry is None:
        return NOT_EXERCISED
    listed = dry.listed

    def problem(path: str) -> Violation | None:
        if path in listed:
            return None
        message, facts = f"VACUUM deleted {path}; the DRY RUN before it did not list it.", evidence.of_path(v, path)
        if v.fates[path].fate is Fate.KEEP:
            return Violation(path, message, about(path, Unchanged(path)), facts)
        return Violation(path, message, about(path, Lists(path)), facts, step=dry.index)

    # What lies behind a link to a directory is listed, and deleted, by the link's name (VAC-SAFE-7C).
    return each([path for path in deleted(v) if v.fates[path].reason is not Reason.BEHIND_LINK], problem)


@clause(
    "VAC-DRY-2B",
    "Of what a DRY RUN listed, the real run leaves only directories that are not empty.",
    of=VacuumObservation,
    sources=("S1", "C 1.2"),
)
def dry_run_lists_only_what_goes(v: VacuumObservation) -> Judgement:
    dry = _announced(v)
    if dry is None:
        return NOT_EXERCISED

    def problem(path: str) -> Violation | None:
        # A directory may be emptied after it was tried: in what order VACUUM deletes is not promised.
        held = v.before.listing.get(path)
        if path not in v.after.listing:
            return None
        if (
            held
            and held.kind is EntryKind.DIRECTORY
            and any(other.startswith(f"{path}/") for other in v.before.listing)
        ):
            return None
        if path in v.fates and v.fates[path].reason in (Reason.LINK, Reason.FAULTY):
            return None  # a link to a directory that is not empty; what cannot be deleted (VAC-LOG-2)
        message, facts = f"The DRY RUN listed {path}, and the VACUUM after it left it.", evidence.of_path(v, path)
        judged = dry.fates.get(path)
        if judged is None or judged.fate is Fate.KEEP:
            expectation = about(path, Lists(path, listed=False))
            return Violation(path, message, expectation, facts, step=dry.index)
        return Violation(path, message, about(path, Gone(path)), facts)

    return each(sorted(dry.listed), problem)


@clause(
    "VAC-DRY-2C",
    "DRY RUN lists exactly the old files that nothing protects, and the directories below which nothing is old or protected, be they empty or not.",
    of=VacuumObservation,
    sources=("C 1.1", "C 1.2"),
)
def dry_run_lists_exactly(v: VacuumObservation) -> Judgement:
    """So it lists directories that cannot be deleted, as they hold young or hidden files (docs/delta.md 1.2, step 11)."""
    if not v.step.dry_run or v.refused or not must_run(v):
        return NOT_EXERCISED

    def problem(path: str) -> Violation | None:
        judged, found = v.fates.get(path), path in v.listed
        if not path:
            return Violation("root", "DRY RUN lists the root itself.", AnswersPaths(), evidence.of_answer(v))
        if judged is None:
            message = f"DRY RUN lists {path}, which is not there."
        elif found:
            message = f"DRY RUN lists {path}: {judged.reason.value}."
        else:
            message = f"DRY RUN does not list {path}: {judged.reason.value}."
        expectation = about(path, Lists(path, listed=not found))
        wrong = judged is None or judged.listed is not found
        return Violation(path, message, expectation, evidence.of_path(v, path)) if wrong else None

    told = [path for path, judged in v.fates.items() if judged.listed is not None]
    return each([*told, *_not_there(v)], problem)


def _not_there(v: VacuumObservation) -> list[str]:
    """Listed paths that lead nowhere. Through links to directories some do; and LITE lists what is gone already."""
    strange = sorted(v.listed - v.fates.keys())
    if isinstance(v.scan, ObjectScan):  # it, too, tries to delete what the log names, whether it is there or not
        strange = [path for path in strange if path not in v.references.tombstones]
    if isinstance(v.scan, LiteScan):
        return [path for path in strange if path not in v.scan.stamps and path not in v.scan.changes]
    links = tuple(f"{path}/" for path, entry in v.before.listing.items() if entry.kind is EntryKind.LINK)
    return [path for path in strange if not path.startswith(links)]


# A second run -------------------------------------------------------------------------------------------------------


def _repeats(v: VacuumObservation) -> VacuumObservation | None:
    """The real run right before this one, to the same cutoff and in the same mode, where all went well in both."""
    first = v.previous
    if not v.ran or not isinstance(first, VacuumObservation) or not first.ran:
        return None
    if first.step.io_fault or v.step.io_fault or not same_line(first, v) or followed(first) or lost_what_is_disputed(v):
        return None
    return first if (first.scan == v.scan or (is_lite(first) and is_lite(v))) else None


@clause(
    "VAC-IDEM-1A",
    "A second run right after deletes nothing but directories that the first one left empty.",
    of=VacuumObservation,
    sources=("S1",),
)
def second_run(v: VacuumObservation) -> Judgement:
    first = _repeats(v)
    if first is None:
        return NOT_EXERCISED
    wrong = [path for path in deleted(v) if v.before.listing[path].kind is not EntryKind.DIRECTORY]
    if not wrong:
        return one(None)
    message = f"A second VACUUM right after the first deleted {', '.join(wrong)}."
    return one(Violation(wrong[0], message, NothingDeleted(but_directories=True), evidence.of_path(v, wrong[0])))


@clause(
    "VAC-IDEM-1B", "A run right after one that deleted nothing deletes nothing.", of=VacuumObservation, sources=("S1",)
)
def settled(v: VacuumObservation) -> Judgement:
    first = _repeats(v)
    if first is None or first.vanished:
        return NOT_EXERCISED
    gone = deleted(v)
    if not gone:
        return one(None)
    message = f"A VACUUM right after one that deleted nothing deleted {', '.join(gone)}."
    return one(Violation(gone[0], message, NothingDeleted(), evidence.of_path(v, gone[0])))

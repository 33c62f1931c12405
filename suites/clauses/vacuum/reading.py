"""VAC-SAFE-10 and VAC-READ: which versions can be read after a VACUUM, which cannot, and that none reads as another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from deltalog.entries.actions import Add, CommitInfo, Remove
from deltalog.errors import DeltaLogError
from deltalog.snapshot import Snapshot
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, wrong_words
from harness.observing import evidence
from harness.observing.steps.observation import ChangesObservation, DeleteObservation, ReadObservation
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.steps.vacuums import vacuums_of
from harness.observing.table.vacuum_inputs import files_of, vector_path
from model.prediction.fates import DISPUTED, Fate
from model.prediction.refusals import BEYOND_RETENTION, MISSING_FILE
from model.vocabulary.severity import Severity
from records.expectations import ByReplay, Expectation, Fails, RowsOf
from suites.clauses.shared import causes, harms
from suites.clauses.shared.by_command import clauses_of
from suites.clauses.shared.checks import check_rows_read, check_table_rows, difference, rows_are
from suites.clauses.shared.earlier_versions import is_in_log
from suites.clauses.vacuum.path_rules import expect_kept, lost_disputed_paths


@clause(
    "VAC-SAFE-10A",
    "After VACUUM the engine reads the current version as before it.",
    sources=("S1",),
    harm=harms.FILES_LOST,
)
def engine_reads(r: ReadObservation) -> Judgement:
    last = r.after_step
    if not r.is_current or not isinstance(last, VacuumObservation) or not last.ran:
        return NOT_EXERCISED
    return NOT_EXERCISED if any(map(lost_disputed_paths, vacuums_of(r.earlier))) else judgement(check_rows_read(r))


@clause(
    "VAC-SAFE-10B",
    "After VACUUM an independent reader reads the current version as before it.",
    sources=("S1",),
    harm=harms.FILES_LOST,
)
def independent_reader_reads(v: VacuumObservation) -> Judgement:
    if not v.ran or v.before.rows is None or lost_disputed_paths(v):
        return NOT_EXERCISED
    return judgement(check_table_rows(v, v.before.rows, "the rows that it held before the VACUUM"))


@clause(
    "VAC-SAFE-10C",
    "After VACUUM the engine reads every version inside retention unchanged.",
    sources=("S1",),
    harm=harms.FILES_LOST,
)
def retained_versions_read(r: ReadObservation) -> Judgement:
    vacuums = vacuums_of(r.earlier)
    if r.is_current or not vacuums or not r.inside_retention or not _files_retained(r, vacuums):
        return NOT_EXERCISED
    return NOT_EXERCISED if any(map(lost_disputed_paths, vacuums)) else judgement(check_rows_read(r))


def _files_retained(r: ReadObservation, vacuums: list[VacuumObservation]) -> bool:
    """Whether no VACUUM so far was allowed to delete a file of the version.

    A tombstone can be older than the version that wrote it, so the version's age alone does not protect its files.
    """
    files = _files(r.before.log.snapshot(r.version))
    return all(v.fates[path].fate is Fate.KEEP for v in vacuums for path in files if path in v.fates)


def _files(snapshot: Snapshot) -> set[str]:
    """The files of a version: data files, and files of deletion vectors below the root."""
    return {path for add in snapshot.adds.values() for path in _named(add)}


def _named(action: Add | Remove) -> list[str]:
    vector = action.deletion_vector
    return [action.file] + ([vector.file] if vector and vector.storage == "u" and vector.file else [])


@clause(
    "VAC-SAFE-10D",
    "After VACUUM every data file and every deletion vector file of every version inside retention still exists.",
    sources=("S1", "P Deletion Vectors"),
    harm=harms.FILES_LOST,
)
def retained_versions_have_their_files(v: VacuumObservation) -> Judgement:
    """By the log alone, without reading: a file is needed unless all removes of it are outside retention.

    Not for a RETAIN that moves the cutoff, which then differs from the age limit of versions.
    """
    if not v.ran or v.moves_cutoff:
        return NOT_EXERCISED
    cutoff = v.cutoff.latest  # a clock that cannot be set advances during the step
    expired = _expired_files(v, cutoff)

    def problem(version: int) -> Violation | None:
        needed = _files(snapshots[version]) - expired
        lost = sorted(
            path for path in needed if path in v.vanished and not (path in v.fates and v.fates[path].reason in DISPUTED)
        )
        if not lost:
            return None
        message = f"VACUUM must keep the files of version {version}, which is inside retention; it deleted {evidence.named(lost)}."
        cause = Cause("deleted: a file of a version inside retention", Severity.DATA_LOSS)
        return Violation(lost[0], message, expect_kept(v, lost[0]), evidence.of_path(v, lost[0]), cause=cause)

    snapshots = {}
    for version, expected in v.versions.items():
        if version >= v.before.version or expected.committed < cutoff:
            continue
        try:
            snapshots[version] = v.before.log.snapshot(version)
        except DeltaLogError:
            continue  # nobody can read this version: its commits have been cleaned up
    return each(sorted(snapshots), problem)


def _expired_files(v: VacuumObservation, cutoff: int) -> set[str]:
    """The data files and deletion vector files below the root all of whose removes are as old as the cutoff, or older."""
    times: dict[str, int] = {}
    actions = [action for commit in v.before.log.commits.values() for action in commit.actions]
    for action in (*v.before.snapshot.removes.values(), *actions):
        if isinstance(action, Remove):
            for path in _named(action):
                times[path] = max(times.get(path, 0), action.deletion_timestamp or 0)
    return {path for path, time in times.items() if time <= cutoff}


@clause(
    "VAC-SAFE-10E",
    f"Reading a version older than the table's retention is refused, after VACUUM or without one: {BEYOND_RETENTION.condition}.",
    sources=("C 1.7",),
    harm=wrong_words("A reader of a version whose files may be gone is not told so."),
    since="4.1",
    implementation="spark",
)
def older_versions_are_refused(r: ReadObservation) -> Judgement:
    if r.is_current or not _is_beyond_retention(r) or not is_in_log(r):
        return NOT_EXERCISED
    error = r.outcome.error
    if error is not None and BEYOND_RETENTION.is_matched_by(error.condition, error.sqlstate):
        return judgement(None)
    found = "it succeeded" if error is None else f"it was refused with {error.condition or error.exception}"
    message = f"Reading version {r.version}, which is older than the retention, must be refused with {BEYOND_RETENTION.condition}; {found}."
    facts = (*_age(r), *evidence.of_answer(r))
    cause = causes.NOT_REFUSED if error is None else causes.OTHER_ERROR
    expectation = Fails((BEYOND_RETENTION.condition,))
    return judgement(Violation(f"version {r.version}", message, expectation, facts, cause=cause))


def _is_beyond_retention(r: ReadObservation) -> bool:
    """Whether the version is too old by each of its times: that of its file, and the one in its commitInfo."""
    oldest = r.clock - r.table.retention
    commit = r.before.log.commits.get(r.version)
    infos = [action for action in commit.actions if isinstance(action, CommitInfo)] if commit else []
    times = [info.fields.get("inCommitTimestamp") for info in infos]
    return all(
        time < oldest for time in (r.expected_version.committed, *(time for time in times if isinstance(time, int)))
    )


def _age(r: ReadObservation) -> tuple[str, ...]:
    committed, oldest = r.instant(r.expected_version.committed), r.instant(r.clock - r.table.retention)
    return (f"version {r.version} was committed at {committed}; the engine's clock less the retention is {oldest}",)


# Versions that VACUUM may have made unreadable ------------------------------------------------------------------------


@clause(
    "VAC-READ-1",
    "If VACUUM was allowed to delete files of a version, a read of that version, however old, returns exactly its rows or fails: it never returns other rows.",
    sources=("S1",),
    harm=harms.WRONG_OLD_VERSIONS,
)
def versions_are_read_whole_or_not_at_all(r: ReadObservation) -> Judgement:
    """The versions whose files VACUUM must keep are VAC-SAFE-10C's."""
    vacuums = vacuums_of(r.earlier)
    if r.is_current or not vacuums or not is_in_log(r) or (r.inside_retention and _files_retained(r, vacuums)):
        return NOT_EXERCISED
    expected = r.expected_version.rows
    if r.refused or r.rows == expected:
        return judgement(None)
    lost = _lost(r)
    gone = f"; of its files {len(lost)} are gone" if lost else ""
    message = f"Version {r.version} must be read as it was or not at all; the engine read {difference(expected, r.rows)}{gone}."
    facts = (*evidence.of_rows(expected, r.rows), *(fact for path in lost[:1] for fact in evidence.of_path(r, path)))
    refused = bool(lost) or _is_blocked(r)
    expectation: Expectation = Fails(()) if refused else rows_are(RowsOf.ANSWER, expected)
    return judgement(Violation(f"version {r.version}", message, expectation, facts, cause=_other_rows(bool(lost))))


def _lost(r: ReadObservation) -> list[str]:
    """The files of the version, data files and deletion vectors, that are not on storage, sorted."""
    return _missing(r, r.before.log.snapshot(r.version).adds.values())


def _missing(r: ReadObservation | ChangesObservation, actions: Iterable[Add | Remove]) -> list[str]:
    """The data files and the files of deletion vectors of these actions that are not on storage, sorted."""
    return sorted(path for path in files_of(actions, r.root) if r.before.entry(path) is None)


def _is_blocked(r: ReadObservation) -> bool:
    """Whether the version is refused for its age alone."""
    return not r.inside_retention and r.rules.blocks_expired_versions


def _other_rows(lost: bool) -> Cause:
    which = "files of it are gone" if lost else "all its files are there"
    return Cause(f"an old version is read as other rows: {which}", Severity.WRONG_ANSWERS)


@clause(
    "VAC-READ-2",
    "If files of a version are gone, a read of it fails with an error that names one of them, or that says that a file is missing or that the version is too old.",
    sources=("S1", "C 1.7"),
    harm=wrong_words("A reader of a version whose files are gone is not told so."),
)
def missing_files_are_named(r: ReadObservation) -> Judgement:
    error = r.outcome.error
    if error is None or r.is_current or not vacuums_of(r.earlier) or not is_in_log(r):
        return NOT_EXERCISED
    lost = _lost(r)
    if not lost:
        return NOT_EXERCISED
    missing = MISSING_FILE.at(r.rules.release)
    if error.condition in {*missing.conditions, *BEYOND_RETENTION.conditions}:
        return judgement(None)
    if any(path.rpartition("/")[2] in error.message for path in lost):
        return judgement(None)
    message = (
        f"The error of reading version {r.version} must say that files are missing, such as {lost[0]}; it says neither."
    )
    facts = (*evidence.of_answer(r), *evidence.of_path(r, lost[0]))
    due = BEYOND_RETENTION if _is_blocked(r) else missing
    of_classes = Fails((due.condition,)) if r.rules.error_classes else None
    expectation = of_classes or ByReplay("the names in the error's message are compared with the files that are gone")
    return judgement(Violation(f"version {r.version}", message, expectation, facts, cause=causes.OTHER_ERROR))


@clause(
    "VAC-READ-3",
    "After VACUUM the change data feed of a version contains exactly its changes, or cannot be read: never other changes.",
    sources=("S1", "P Add CDC File"),
    harm=harms.WRONG_OLD_VERSIONS,
    needs=("change_feed",),
)
def changes_are_read_whole_or_not_at_all(c: ChangesObservation) -> Judgement:
    if c.of is None or not c.vacuumed or c.step.commits:
        return NOT_EXERCISED
    expected = Counter({(*row, "delete"): count for row, count in c.of.prediction.deleted.items()})
    found = Counter(c.outcome.rows)
    if c.refused or found == expected:
        return judgement(None)
    lost = _lost_changes(c, c.of)
    message = f"The change feed of version {c.version} must be as it was, or not be read; it has {difference(expected, found)}."
    expectation: Expectation = Fails(()) if lost else rows_are(RowsOf.ANSWER, expected)
    facts = (*evidence.of_rows(expected, found), *(fact for path in lost[:1] for fact in evidence.of_path(c, path)))
    return judgement(Violation("rows", message, expectation, facts, cause=_other_rows(bool(lost))))


@clause(
    "VAC-READ-4",
    "If data files or change files of a version are gone, but no deletion vector, a read of its change data feed fails with an error that names a file of the version, or that says by class and SQLSTATE that a file is missing or that the version is too old.",
    sources=("S1", "C 1.7"),
    harm=wrong_words("A reader of changes whose files are gone is not told so."),
    needs=("change_feed",),
)
def missing_changes_are_named(c: ChangesObservation) -> Judgement:
    error = c.outcome.error
    if error is None or c.of is None or not c.vacuumed or not is_in_log(c):
        return NOT_EXERCISED
    lost = _lost_changes(c, c.of)
    # Delta reads deletion vectors in threads, and reports that one of them failed: nothing promises what that error says.
    actions: tuple[Add | Remove, ...] = (*c.of.removes, *c.of.hidden_rows)
    vectors = {vector_path(action, c.root) for action in actions}
    if not lost or not vectors.isdisjoint(lost):
        return NOT_EXERCISED
    documented = (MISSING_FILE.at(c.rules.release), BEYOND_RETENTION)
    if any(refusal.is_matched_by(error.condition, error.sqlstate) for refusal in documented):
        return judgement(None)
    other_class = all(error.condition not in refusal.conditions for refusal in documented)
    # The files are read at once. Which of those that cannot be read is named, also for another reason (DEL-CDF-1C), is chance.
    names = [*lost, *(cdc.file for cdc in c.of.change_files), *(remove.file for remove in c.of.removes)]
    if other_class and any(path.rpartition("/")[2] in error.message for path in names):
        return judgement(None)
    message = f"The error of reading the change feed of version {c.version} must say that files are missing, such as {lost[0]}; it says neither."
    facts = (*evidence.of_answer(c), *evidence.of_path(c, lost[0]))
    old = c.versions[c.version].committed < c.clock - c.table.retention and c.rules.blocks_expired_versions
    expectation: Expectation = ByReplay(
        "the error's SQLSTATE, or the names in its message, are compared with what is gone"
    )
    if other_class and c.rules.error_classes:
        expectation = Fails(((BEYOND_RETENTION if old else documented[0]).condition,))
    return judgement(Violation(f"version {c.version}", message, expectation, facts, cause=causes.OTHER_ERROR))


def _lost_changes(c: ChangesObservation, of: DeleteObservation) -> list[str]:
    """The files of a DELETE's changes that are not on storage: change files, removed files, deletion vectors."""
    lost = [cdc.file for cdc in of.change_files if c.before.entry(cdc.file) is None]
    return lost + _missing(c, (*of.removes, *of.hidden_rows))


EARLIER = clauses_of("VAC-SAFE-10F")

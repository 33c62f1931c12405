"""VAC-SAFE-10: what can be read after a VACUUM, and what cannot.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from deltalog.actions import Add, CommitInfo, Remove
from deltalog.errors import DeltaLogError
from deltalog.snapshot import Snapshot
from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, each, one
from harness.expectations import Fails, Of, RowsAre
from harness.observation import ReadObservation
from harness.vacuum_observation import VacuumObservation
from model.refusals import BEYOND_RETENTION
from model.vacuum import DISPUTED, Fate
from suites.clauses.reading import misread
from suites.clauses.vacuum.fates import lost_what_is_disputed, stays


def _vacuums(r: ReadObservation) -> list[VacuumObservation]:
    """The VACUUMs before the read that deleted, or may have: one that failed on the way, too."""
    return [
        observation
        for observation in r.earlier
        if isinstance(observation, VacuumObservation) and (observation.ran or observation.vanished)
    ]


@clause(
    "VAC-SAFE-10A",
    "After VACUUM the engine reads the current version as before it.",
    of=ReadObservation,
    sources=("S1",),
)
def engine_reads(r: ReadObservation) -> Judgement:
    last = next(
        (observation for observation in reversed(r.earlier) if not isinstance(observation, ReadObservation)), None
    )
    if not r.is_current or not isinstance(last, VacuumObservation) or not last.ran:
        return NOT_EXERCISED
    return NOT_EXERCISED if any(map(lost_what_is_disputed, _vacuums(r))) else one(misread(r))


@clause(
    "VAC-SAFE-10B",
    "After VACUUM an independent reader reads the current version as before it.",
    of=VacuumObservation,
    sources=("S1",),
)
def independent_reader_reads(v: VacuumObservation) -> Judgement:
    if not v.ran or v.before.rows is None or lost_what_is_disputed(v):
        return NOT_EXERCISED
    if v.after.rows == v.before.rows:
        return one(None)
    facts = ("a live file cannot be read",) if v.after.rows is None else evidence.of_rows(v.before.rows, v.after.rows)
    message = "After VACUUM the current version does not hold the rows of before."
    return one(Violation("rows", message, RowsAre(Of.TABLE, evidence.rows_as_json(v.before.rows)), facts))


@clause(
    "VAC-SAFE-10C",
    "After VACUUM the engine reads every version inside retention as it was.",
    of=ReadObservation,
    sources=("S1",),
)
def retained_versions_read(r: ReadObservation) -> Judgement:
    vacuums = _vacuums(r)
    if r.is_current or not vacuums or not r.inside_retention or not _files_retained(r, vacuums):
        return NOT_EXERCISED
    return NOT_EXERCISED if any(map(lost_what_is_disputed, vacuums)) else one(misread(r))


def _files_retained(r: ReadObservation, vacuums: list[VacuumObservation]) -> bool:
    """Whether no VACUUM so far was free to delete a file of the version that is read.

    A tombstone can be older than the version that it came with; the version's age alone does not protect its files.
    """
    files = _files(r.before.log.snapshot(r.version))
    return all(v.fates[path].fate is Fate.KEEP for v in vacuums for path in files if path in v.fates)


def _files(snapshot: Snapshot) -> set[str]:
    """The files that a version needs: data files, and those of its vectors that lie below the root."""
    adds = snapshot.adds.values()
    vectors = (add.deletion_vector.file for add in adds if add.deletion_vector and add.deletion_vector.storage == "u")
    return {add.file for add in adds} | {file for file in vectors if file is not None}


@clause(
    "VAC-SAFE-10D",
    "After VACUUM every file and every deletion vector's file of every version inside retention is still there, whoever reads it.",
    of=VacuumObservation,
    sources=("S1", "P Deletion Vectors"),
)
def retained_versions_have_their_files(v: VacuumObservation) -> Judgement:
    """By the log alone: what no remove, or one inside retention, has taken out of the version since.

    A RETAIN that has an effect puts the line elsewhere than versions have it.
    """
    if not v.ran or v.retain is not None:
        return NOT_EXERCISED
    line = v.cutoff.latest  # a clock that cannot be set moves on during the step
    removed = _removed_before(v, line)

    def problem(version: int) -> Violation | None:
        needed = _files(snapshots[version]) - removed
        lost = sorted(
            path for path in needed if path in v.vanished and not (path in v.fates and v.fates[path].reason in DISPUTED)
        )
        if not lost:
            return None
        message = f"Version {version} is inside retention, and VACUUM deleted {', '.join(lost)} of it."
        return Violation(lost[0], message, stays(v, lost[0]), evidence.of_path(v, lost[0]))

    snapshots = {}
    for version, promised in v.versions.items():
        if version >= v.before.version or promised.committed < line:
            continue
        try:
            snapshots[version] = v.before.log.snapshot(version)
        except DeltaLogError:
            continue  # the log of this version is gone: nobody can read it
    return each(sorted(snapshots), problem)


def _removed_before(v: VacuumObservation, line: int) -> set[str]:
    """The data files and vectors' files below the root of which every remove in the log is as old as the line, or older."""
    stamps: dict[str, int] = {}
    actions = [action for commit in v.before.log.commits.values() for action in commit.actions]
    for action in (*v.before.snapshot.removes.values(), *actions):
        if isinstance(action, Remove):
            for path in _named(action):
                stamps[path] = max(stamps.get(path, 0), action.deletion_timestamp or 0)
    return {path for path, stamp in stamps.items() if stamp <= line}


def _named(action: Add | Remove) -> list[str]:
    vector = action.deletion_vector
    return [action.file] + ([vector.file] if vector and vector.storage == "u" and vector.file else [])


@clause(
    "VAC-SAFE-10E",
    f"A version older than the table's retention is not read, after VACUUM or without one: {BEYOND_RETENTION.condition}.",
    of=ReadObservation,
    sources=("C 1.7",),
    since="4.1",
    implementation="spark",
)
def older_versions_are_refused(r: ReadObservation) -> Judgement:
    if r.is_current or not _is_beyond_retention(r) or not _is_in_log(r):
        return NOT_EXERCISED
    error, expectation = r.outcome.error, Fails((BEYOND_RETENTION.condition,))
    if error is None:
        message = f"Version {r.version} is older than the retention, and was read."
        return one(Violation(f"version {r.version}", message, expectation, _age(r)))
    if error.condition != BEYOND_RETENTION.condition:
        found = error.condition or error.exception
        message = f"Version {r.version} is older than the retention; reading it must be refused with {BEYOND_RETENTION.condition}, not with {found}."
        return one(Violation(f"version {r.version}", message, expectation, (*_age(r), *evidence.of_answer(r))))
    return one(None)


def _is_beyond_retention(r: ReadObservation) -> bool:
    """Whether the version is too old by all that may be taken for its time: its file's, and the one in its commitInfo."""
    line = r.clock - r.table.retention
    commit = r.before.log.commits.get(r.version)
    infos = [action for action in commit.actions if isinstance(action, CommitInfo)] if commit else []
    stamps = [info.fields.get("inCommitTimestamp") for info in infos]
    return all(
        time < line for time in (r.expected_version.committed, *(stamp for stamp in stamps if isinstance(stamp, int)))
    )


def _is_in_log(r: ReadObservation) -> bool:
    """Whether the log can still tell what the version was: a checkpoint's cleanup may have taken its commits."""
    try:
        r.before.log.snapshot(r.version)
    except DeltaLogError:
        return False
    return r.version in r.before.log.commits


def _age(r: ReadObservation) -> tuple[str, ...]:
    line = r.clock - r.table.retention
    return (
        f"version {r.version} was committed at {r.instant(r.expected_version.committed)}; the engine's clock less the retention is {r.instant(line)}",
    )

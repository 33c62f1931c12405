"""VAC-EDGE, VAC-KEEP: exactly where the cutoff of a VACUUM lies, and what moves it."""

from __future__ import annotations

from deltalog.storage.names import LAST_VACUUM_INFO, LAST_VACUUM_KEY
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause
from harness.observing import evidence
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.vacuum_inputs import commit_times
from model.prediction.fates import KEPT_BY_AGE, Fate, Reason
from model.prediction.lite import last_outside_retention, monotonized
from model.vocabulary.steps import Mode
from model.vocabulary.withdrawals import RETAIN_IGNORED
from records.expectations import FieldIs
from suites.clauses.shared import harms
from suites.clauses.shared.causes import OTHER_VERSION_RECORDED
from suites.clauses.vacuum.path_rules import (
    UNPROTECTED,
    by_cutoff,
    is_lite,
    is_not_lite,
    keeps_and_deletes,
    must_match_prediction,
    with_reason,
)


def _tombstones_near_the_cutoff(v: VacuumObservation) -> list[str]:
    times = {path: remove.deletion_timestamp or 0 for path, remove in v.before.tombstones.items()}
    near = {path for path, time in times.items() if abs(time - v.cutoff.state) <= 1}
    decided = with_reason(v, Reason.RETAINED) + with_reason(v, Reason.EXPIRED, fate=Fate.DELETE)
    return [path for path in decided if path in near]


def _files_near_the_cutoff(v: VacuumObservation) -> list[str]:
    decided = with_reason(v, *KEPT_BY_AGE) + with_reason(v, *UNPROTECTED, fate=Fate.DELETE)
    return [path for path in decided if _is_near(v, v.before.listing[path].modified)]


def _is_near(v: VacuumObservation, time: int) -> bool:
    """Whether the time of a file is at the cutoff, or the least that the storage tells beside it: 1 ms, in S3 one second."""
    return abs(time - v.cutoff.latest) <= v.rules.time_unit


NEAR_THE_CUTOFF = (
    clause(
        "VAC-EDGE-1A",
        "A tombstone 1 ms before the cutoff, or exactly at it, is expired; one 1 ms after it protects its file.",
        sources=("S1", "C 1.2"),
        harm=harms.WRONG_CUTOFF,
        exact_clock=True,
    )(keeps_and_deletes(_tombstones_near_the_cutoff, when=is_not_lite)),
    clause(
        "VAC-EDGE-1D",
        "For LITE a tombstone 1 ms before the cutoff is expired; one exactly at it, or 1 ms after it, protects its file.",
        sources=("C 1.3",),
        harm=harms.WRONG_CUTOFF,
        since="3.3",
        exact_clock=True,
        needs=(Mode.LITE, Mode.LITE_SETTING),
    )(keeps_and_deletes(_tombstones_near_the_cutoff, when=is_lite)),
    # For LITE a file's own age does not matter: see VAC-LITE-1B.
    clause(
        "VAC-EDGE-1B",
        "An unreferenced file modified 1 ms before the cutoff is deleted; one modified exactly at it, or 1 ms after it, is kept.",
        sources=("S1", "C 1.2"),
        harm=harms.WRONG_CUTOFF,
        exact_clock=True,
    )(keeps_and_deletes(_files_near_the_cutoff, when=is_not_lite)),
)


@clause(
    "VAC-EDGE-1C",
    "LITE examines the commits up to the cutoff: a commit exactly at it is the last one, a commit 1 ms later is not examined.",
    sources=("C 1.3",),
    harm=harms.WRONG_CUTOFF,
    since="3.3",
    exact_clock=True,
    needs=(Mode.LITE, Mode.LITE_SETTING),
)
def commits_at_the_cutoff(v: VacuumObservation) -> Judgement:
    """Shown by the files that are deleted, and by the version that LITE records in _last_vacuum_info."""
    if not v.ran or not is_lite(v) or v.cutoff.earliest != v.cutoff.latest:
        return NOT_EXERCISED
    times = monotonized(commit_times(v.before))
    near = [version for version, time in times.items() if _is_near(v, time)]
    if not near:
        return NOT_EXERCISED
    expected, found = last_outside_retention(times, v.cutoff.latest), v.after.last_vacuumed
    files = {action.file for version in near for action in v.before.log.commits[version].removes}
    candidates = (*with_reason(v, Reason.NOT_SCANNED), *by_cutoff(v))
    judged = must_match_prediction(v, [path for path in candidates if path in files])
    if expected == found:
        return Judgement(judged.subjects + len(near), judged.violations)
    facts = tuple(f"version {version} was committed at {v.instant(times[version])}" for version in near)
    message = (
        f"LITE must record {version_name(expected)}, the last one outside retention; it recorded {version_name(found)}."
    )
    facts = (*facts, *evidence.of_cutoff(v))
    wrong = Violation(
        "log", message, FieldIs(LAST_VACUUM_INFO, LAST_VACUUM_KEY, expected), facts, cause=OTHER_VERSION_RECORDED
    )
    return Judgement(judged.subjects + len(near), (*judged.violations, wrong))


def version_name(version: int | None) -> str:
    return "no version" if version is None else f"version {version}"


RETENTION = (
    clause(
        "VAC-EDGE-2",
        "RETAIN counts in whole hours: less than half an hour, also a negative value, is RETAIN 0 HOURS.",
        sources=("C 1.1",),
        harm=harms.WRONG_CUTOFF,
        implementation="spark",
    )(keeps_and_deletes(by_cutoff, when=lambda v: v.retain == 0 and v.step.retain_hours != 0)),
    clause(
        "VAC-KEEP-1A",
        "Without an effective RETAIN, the retention is the table's delta.deletedFileRetentionDuration.",
        sources=("S1", "C 1.2"),
        harm=harms.WRONG_RETENTION,
    )(keeps_and_deletes(by_cutoff, when=lambda v: not v.moves_cutoff and v.table.retention_hours is not None)),
    clause(
        "VAC-KEEP-1B",
        "If neither the table nor an effective RETAIN sets it, the retention is one week.",
        sources=("S1", "C 1.6"),
        harm=harms.WRONG_RETENTION,
    )(keeps_and_deletes(by_cutoff, when=lambda v: not v.moves_cutoff and v.table.retention_hours is None)),
    clause(
        "VAC-KEEP-2A",
        "RETAIN 0 HOURS, with the safety check off, sets the cutoff to the present: what is older and unprotected is deleted.",
        sources=("S1", "C 1.2"),
        harm=harms.WRONG_RETENTION,
    )(keeps_and_deletes(by_cutoff, when=lambda v: v.step.retain_hours == 0)),
    clause(
        "VAC-KEEP-2C",
        "RETAIN n HOURS, shorter or longer than the table's retention, sets the cutoff to n hours before the present.",
        sources=("S1", "C 1.2"),
        harm=harms.WRONG_RETENTION,
        before="4.1",
        withdrawal=RETAIN_IGNORED,
    )(keeps_and_deletes(by_cutoff, when=lambda v: bool(v.retain))),
    clause(
        "VAC-KEEP-2B",
        "A RETAIN that does not round to 0 hours, shorter or longer than the table's retention, does not move the cutoff.",
        sources=("C 1.2",),
        harm=harms.WRONG_RETENTION,
        since="4.1",
        implementation="spark",
    )(keeps_and_deletes(by_cutoff, when=lambda v: v.step.retain_hours is not None and v.retain is None)),
)

"""VAC-EDGE, VAC-KEEP: exactly where a VACUUM draws the line, and what moves it.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause
from harness.expectations import LastVacuum
from harness.vacuum_inputs import commit_times
from harness.vacuum_observation import VacuumObservation
from model.steps import Mode
from model.vacuum import Fate, Reason, last_outside_retention, monotonized
from suites.clauses.vacuum.fates import FREED, by_age, exactly, is_lite, with_reason


@clause(
    "VAC-EDGE-1A",
    "A tombstone one ms before the cutoff, or at it, is expired; one ms after it protects its file.",
    of=VacuumObservation,
    sources=("S1", "C 1.2"),
    exact_clock=True,
)
def tombstones_at_the_cutoff(v: VacuumObservation) -> Judgement:
    """For LITE one at the cutoff is not expired yet: see VAC-EDGE-1D."""
    return _tombstones_at_the_cutoff(v) if not is_lite(v) else NOT_EXERCISED


@clause(
    "VAC-EDGE-1D",
    "For LITE a tombstone one ms before the cutoff is expired; one at it, or one ms after, keeps its file from being deleted.",
    of=VacuumObservation,
    sources=("C 1.3",),
    since="3.3",
    exact_clock=True,
    needs=(Mode.LITE, Mode.LITE_SETTING),
)
def tombstones_at_the_cutoff_of_lite(v: VacuumObservation) -> Judgement:
    return _tombstones_at_the_cutoff(v) if is_lite(v) else NOT_EXERCISED


def _tombstones_at_the_cutoff(v: VacuumObservation) -> Judgement:
    if not v.ran:
        return NOT_EXERCISED
    stamps = {path: remove.deletion_timestamp or 0 for path, remove in v.before.tombstones.items()}
    near = {path for path, stamp in stamps.items() if abs(stamp - v.cutoff.state) <= 1}
    decided = with_reason(v, Reason.RETAINED) + with_reason(v, Reason.EXPIRED, fate=Fate.DELETE)
    return exactly(v, [path for path in decided if path in near])


@clause(
    "VAC-EDGE-1B",
    "An unreferenced file modified one ms before the cutoff goes; one modified at it, or one ms after, stays.",
    of=VacuumObservation,
    sources=("S1", "C 1.2"),
    exact_clock=True,
)
def files_at_the_cutoff(v: VacuumObservation) -> Judgement:
    """For LITE a file's own age does not matter: see VAC-LITE-1B."""
    if not v.ran or is_lite(v):
        return NOT_EXERCISED
    decided = with_reason(v, Reason.YOUNG) + with_reason(v, *FREED, fate=Fate.DELETE)
    return exactly(v, [path for path in decided if abs(v.before.listing[path].modified - v.cutoff.latest) <= 1])


@clause(
    "VAC-EDGE-1C",
    "LITE looks through the commits up to the cutoff: one at its very millisecond is the last, one a ms later is not looked at.",
    of=VacuumObservation,
    sources=("C 1.3",),
    since="3.3",
    exact_clock=True,
    needs=(Mode.LITE, Mode.LITE_SETTING),
)
def commits_at_the_cutoff(v: VacuumObservation) -> Judgement:
    """By the files that go, and by the version that LITE notes down."""
    if not v.ran or not is_lite(v) or v.cutoff.earliest != v.cutoff.latest:
        return NOT_EXERCISED
    times = monotonized(commit_times(v.before))
    near = [version for version, time in times.items() if abs(time - v.cutoff.latest) <= 1]
    if not near:
        return NOT_EXERCISED
    expected, found = last_outside_retention(times, v.cutoff.latest), v.after.last_vacuumed
    files = {action.file for version in near for action in v.before.log.commits[version].removes}
    judged = exactly(v, [path for path in (*with_reason(v, Reason.NOT_SCANNED), *by_age(v)) if path in files])
    if expected == found:
        return Judgement(judged.subjects + len(near), judged.violations)
    facts = tuple(f"version {version} was committed at {v.instant(times[version])}" for version in near)
    message = f"The last version outside retention is {named(expected)}; LITE notes down {named(found)}."
    expectation = LastVacuum(expected)
    wrong = Violation("log", message, expectation, (*facts, *evidence.of_cutoff(v)))
    return Judgement(judged.subjects + len(near), (*judged.violations, wrong))


def named(version: int | None) -> str:
    return "none" if version is None else f"version {version}"


@clause(
    "VAC-EDGE-2",
    "RETAIN counts in whole hours: less than half an hour, a negative one too, is RETAIN 0 HOURS.",
    of=VacuumObservation,
    sources=("C 1.1",),
    implementation="spark",
)
def small_retain_is_none(v: VacuumObservation) -> Judgement:
    rounded = v.retain == 0 and v.step.retain_hours != 0
    return exactly(v, by_age(v)) if v.ran and rounded else NOT_EXERCISED


@clause(
    "VAC-KEEP-1A",
    "Without an effective RETAIN, the retention is the table's delta.deletedFileRetentionDuration.",
    of=VacuumObservation,
    sources=("S1", "C 1.2"),
)
def retention_of_the_table(v: VacuumObservation) -> Judgement:
    told = v.ran and v.retain is None and v.table.retention_hours is not None
    return exactly(v, by_age(v)) if told else NOT_EXERCISED


@clause(
    "VAC-KEEP-1B",
    "Where neither the table nor an effective RETAIN sets it, the retention is one week.",
    of=VacuumObservation,
    sources=("S1", "C 1.6"),
)
def retention_by_default(v: VacuumObservation) -> Judgement:
    told = v.ran and v.retain is None and v.table.retention_hours is None
    return exactly(v, by_age(v)) if told else NOT_EXERCISED


@clause(
    "VAC-KEEP-2A",
    "RETAIN 0 HOURS, with the safety check off, draws the line at the present: what is older than that and unprotected goes.",
    of=VacuumObservation,
    sources=("S1", "C 1.2"),
)
def retain_nothing(v: VacuumObservation) -> Judgement:
    return exactly(v, by_age(v)) if v.ran and v.step.retain_hours == 0 else NOT_EXERCISED


@clause(
    "VAC-KEEP-2C",
    "RETAIN n HOURS, shorter or longer than the table's retention, draws the line n hours before the present.",
    of=VacuumObservation,
    sources=("S1", "C 1.2"),
    before="4.1",
)
def retain_moves_the_line(v: VacuumObservation) -> Judgement:
    return exactly(v, by_age(v)) if v.ran and v.retain else NOT_EXERCISED


@clause(
    "VAC-KEEP-2B",
    "Any RETAIN that does not round to 0 hours, shorter or longer than the table's retention, moves nothing.",
    of=VacuumObservation,
    sources=("C 1.2",),
    since="4.1",
    implementation="spark",
)
def other_retain_moves_nothing(v: VacuumObservation) -> Judgement:
    ignored = v.step.retain_hours is not None and v.retain is None
    return exactly(v, by_age(v)) if v.ran and ignored else NOT_EXERCISED

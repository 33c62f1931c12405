"""READ: what the engine reads, after whatever steps: of the current version, what the clauses of DELETE and VACUUM leave out."""

from __future__ import annotations

from harness.judging.clause import NOT_EXERCISED, Judgement, clause, judgement
from harness.observing.steps.crash_observation import CrashObservation
from harness.observing.steps.observation import DeleteObservation, ReadObservation
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.steps.vacuums import vacuums_of
from suites.clauses.shared import harms
from suites.clauses.shared.checks import check_rows_read
from suites.clauses.shared.earlier_versions import is_in_log
from suites.clauses.vacuum.path_rules import lost_disputed_paths

_SOURCES = ("P Action Reconciliation", "P Delta Log Entries")


@clause(
    "READ-1A",
    "A read of the current version returns its rows, after every step that is neither a DELETE nor a VACUUM (DEL-ROW-5A, VAC-SAFE-10A).",
    sources=_SOURCES,
    harm=harms.WRONG_READS,
)
def current_version_is_read(r: ReadObservation) -> Judgement:
    last = r.after_step
    judged_elsewhere = isinstance(last, (DeleteObservation, CrashObservation)) or (
        isinstance(last, VacuumObservation) and last.ran
    )
    if not r.is_current or judged_elsewhere or any(map(lost_disputed_paths, vacuums_of(r.earlier))):
        return NOT_EXERCISED
    return judgement(check_rows_read(r))


@clause(
    "READ-1B",
    "A read of an earlier version that the log still has returns its rows, whatever came after it, as long as no VACUUM ran (VAC-SAFE-10C, VAC-READ-1).",
    sources=_SOURCES,
    harm=harms.WRONG_READS,
)
def earlier_version_is_read(r: ReadObservation) -> Judgement:
    if r.is_current or vacuums_of(r.earlier) or not r.inside_retention or not is_in_log(r):
        return NOT_EXERCISED
    return judgement(check_rows_read(r))

"""LIFE-5: commands of a session that opened the table before others committed."""

from __future__ import annotations

from collections import Counter

from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, judgement
from harness.judging.severity import Cause
from harness.observing import evidence
from harness.observing.observation import (
    ConflictObservation,
    DeleteObservation,
    EarlierReadObservation,
    Observation,
)
from harness.observing.vacuum_observation import VacuumObservation
from model.prediction.conflicts import conflicts_named
from model.vocabulary.severity import Severity
from model.vocabulary.steps import Delete, Vacuum
from records.expectations import ByReplay, Change, NothingChanged
from suites.clauses import causes
from suites.clauses.checks import check_none, check_table_rows
from suites.clauses.earlier_versions import may_be_gone

_BY_REPLAY = ByReplay("a session must be kept open while others commit")


@clause(
    "LIFE-5A",
    "A DELETE or VACUUM of a session that opened the table before others committed leaves the rows that it leaves when it comes after them; or it is refused for a conflict, and then deletes and commits nothing.",
    sources=("S7",),
    needs=("earlier_sessions",),
)
def as_if_later(o: Observation) -> Judgement:
    if isinstance(o, ConflictObservation):
        return _refused(o)
    step = o.step
    if not isinstance(o, (DeleteObservation, VacuumObservation)) or not isinstance(step, (Delete, Vacuum)):
        return NOT_EXERCISED
    if not step.by_earlier or o.refused:
        return NOT_EXERCISED
    return judgement(check_table_rows(o, o.expected_rows, "the rows that a later session would have left"))


def _refused(c: ConflictObservation) -> Judgement:
    """What it wrote before it knew of the conflict belongs to no version: VACUUM deletes it."""
    lost = sorted(path for path in c.vanished if c.before.data[path].kind == "file")
    if c.commits or lost:
        paths = lost or [f"_delta_log/{c.after.version:020}.json"]
        what = "The refused command changed"
        cause = causes.changed(c, paths)
        expectation = NothingChanged(Change.DELETION_OF_FILES) if lost else _BY_REPLAY
        return judgement(check_none(paths, what, expectation, cause=cause))
    error = c.outcome.error
    if (
        error is not None
        and c.rules.error_classes
        and not conflicts_named(error.exception, error.condition, classes=True)
    ):
        found = error.condition or error.exception
        message = f"The command may be refused for a conflict only; it was refused with {found}."
        return judgement(Violation("step", message, _BY_REPLAY, evidence.of_answer(c), cause=causes.OTHER_ERROR))
    return judgement(None)


@clause(
    "LIFE-5B",
    "A query that a session made before others committed returns the rows of one version: of the one that it opened, or of a later one.",
    sources=("S7",),
    needs=("earlier_sessions",),
)
def one_version_is_read(r: EarlierReadObservation) -> Judgement:
    allowed = may_be_gone(r)
    if allowed is None or (r.refused and allowed):
        return NOT_EXERCISED  # a file that it needs may be gone
    versions = {version: known for version, known in r.versions.items() if version >= r.opened}
    if not r.refused and any(Counter(r.outcome.rows) == known.rows for known in versions.values()):
        return judgement(None)
    problem = "the query failed" if r.refused else f"it returned {len(r.outcome.rows)} rows, which no version has"
    message = f"The query must return the rows of one of the versions from {r.opened} on; {problem}."
    cause = Cause("rows of no version", Severity.WRONG_ANSWERS)
    facts = evidence.of_answer(r)
    return judgement(Violation("step", message, _BY_REPLAY, facts, cause=causes.error(r) if r.refused else cause))

"""LIFE-5: commands of a session that opened the table before others committed."""

from __future__ import annotations

from collections import Counter

from deltalog.entries.actions import Metadata
from deltalog.entries.commits import LoggedCommit
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, judgement
from harness.judging.severity import Cause, unreadable, wrong_answers
from harness.observing import evidence
from harness.observing.steps.observation import (
    ConflictObservation,
    DeleteObservation,
    EarlierReadObservation,
    Observation,
    OpenObservation,
)
from harness.observing.steps.vacuum_observation import VacuumObservation
from model.prediction.conflicts import conflicts_named
from model.vocabulary.severity import Severity
from model.vocabulary.steps import Delete, Vacuum
from records.expectations import ByReplay, ForbiddenChange, NothingChanged
from suites.clauses.shared import causes, harms
from suites.clauses.shared.checks import check_none, check_table_rows, difference
from suites.clauses.shared.earlier_versions import may_be_gone

_BY_REPLAY = ByReplay("a session must be kept open while others commit")


@clause(
    "LIFE-5A",
    "A DELETE or VACUUM of a session that opened the table before others committed leaves the same rows as one of a session that opened it after them; or it is refused for a conflict, and then deletes and commits nothing.",
    sources=("S7",),
    harm=harms.ROWS_OR_VERSIONS_LOST,
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
        expectation = NothingChanged(ForbiddenChange.DELETION_OF_FILES) if lost else _BY_REPLAY
        return judgement(check_none(paths, what, expectation, cause=cause))
    error = c.outcome.error
    if (
        error is not None
        and c.rules.error_classes
        and not conflicts_named(error.exception, error.condition, classes=True)
    ):
        found = error.condition or error.exception
        message = f"The command may be refused for a conflict only; it was refused with {found}."
        cause = Cause(f"refused with {found}", Severity.WRONG_WORDS)
        return judgement(Violation("step", message, _BY_REPLAY, evidence.of_answer(c), cause=cause))
    return judgement(None)


@clause(
    "LIFE-5B",
    "A query that a session made before others committed returns the rows of exactly one version: the one that it opened, or a later one.",
    sources=("S7",),
    harm=wrong_answers("A reader gets rows that no version of the table has."),
    needs=("earlier_sessions",),
)
def one_version_is_read(r: EarlierReadObservation) -> Judgement:
    allowed = may_be_gone(r)
    if r.streams or allowed is None or (r.refused and allowed):
        return NOT_EXERCISED  # a file that it needs may be gone
    versions = {version: known for version, known in r.versions.items() if version >= r.opened}
    if not r.refused and any(Counter(r.outcome.rows) == known.rows for known in versions.values()):
        return judgement(None)
    problem = "the query failed" if r.refused else f"it returned {len(r.outcome.rows)} rows, which no version has"
    message = f"The query must return the rows of one of the versions from {r.opened} on; {problem}."
    cause = Cause("rows of no version", Severity.WRONG_ANSWERS)
    facts = evidence.of_answer(r)
    return judgement(Violation("step", message, _BY_REPLAY, facts, cause=causes.error(r) if r.refused else cause))


@clause(
    "LIFE-5C",
    "A stream that skips commits which change rows delivers each row once: the rows of the version at which it starts, and the rows that later commits append; also after a DELETE and a VACUUM, unless they removed a file before the stream read it.",
    sources=("S9",),
    harm=wrong_answers("A stream loses rows that were appended, or delivers rows twice."),
    needs=("streams",),
)
def stream_delivers_each_row_once(r: EarlierReadObservation) -> Judgement:
    allowed = may_be_gone(r)
    if not r.streams or allowed is None:
        return NOT_EXERCISED
    commits = [r.after.log.commits.get(version) for version in range(r.opened + 1, r.after.version + 1)]
    if not r.versions.keys() >= {*range(r.opened, r.after.version + 1)} or not all(map(_can_be_streamed, commits)):
        return NOT_EXERCISED
    appends = [commit for commit in commits if commit and not any(remove.data_change for remove in commit.removes)]
    if r.refused and not allowed.isdisjoint(add.file for commit in appends for add in commit.adds):
        return NOT_EXERCISED
    expected = Counter(r.versions[r.opened].rows)
    for commit in appends:
        expected += r.versions[commit.version].rows - r.versions[commit.version - 1].rows
    found = Counter(r.outcome.rows)
    if found == expected and not r.refused:
        return judgement(None)
    problem = "it failed" if r.refused else f"it has delivered {difference(expected, found)}"
    message = f"The stream that began with version {r.opened} must deliver {expected.total()} rows; {problem}."
    facts = evidence.of_answer(r) if r.refused else evidence.of_rows(expected, found)
    cause = causes.error(r) if r.refused else causes.rows(expected, found)
    return judgement(Violation("step", message, _BY_REPLAY, facts, cause=cause))


def _can_be_streamed(commit: LoggedCommit | None) -> bool:
    """Not one that log clean-up has deleted, nor one that defines the table again: a stream may end there."""
    return commit is not None and not any(isinstance(action, Metadata) for action in commit.actions)


@clause(
    "LIFE-5D",
    "A stream of a table that can be read begins, and delivers what is there.",
    sources=("S9",),
    harm=unreadable("A table cannot be read as a stream."),
    needs=("streams",),
)
def stream_begins(o: OpenObservation) -> Judgement:
    if not o.step.streams:
        return NOT_EXERCISED
    if not o.refused:
        return judgement(None)
    message = "A stream of the table must begin; it failed."
    return judgement(Violation("step", message, _BY_REPLAY, evidence.of_answer(o), cause=causes.error(o)))

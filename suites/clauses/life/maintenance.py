"""LIFE-3 and LIFE-LOG: commands that change no row leave every version that must stay, row ids, and the state."""

from __future__ import annotations

from collections import Counter
from typing import TypeVar

from deltalog.errors import DeltaLogError
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, wrong_answers
from harness.observing.steps.observation import CommandObservation, Observation
from harness.observing.table.identified_rows import identified
from harness.observing.table.log_compactions import new_ranges
from harness.observing.table.table_state import RowId
from harness.observing.table.vacuum_inputs import commit_times
from model.prediction.lite import monotonized
from model.vocabulary.commands import KEEP_ROWS, CommandKind, Merge, Then, Update
from model.vocabulary.severity import Severity
from model.vocabulary.table import Feature
from model.vocabulary.values import Row
from records.expectations import ByReplay, ForbiddenChange, NothingChanged
from suites.clauses.shared import harms
from suites.clauses.shared.checks import difference
from suites.clauses.shared.log_files import check_compaction, log_cutoff

T = TypeVar("T")


@clause(
    "LIFE-3A",
    "Every version that is inside the retention of the log, by its commit's time and by that of its file, and could be rebuilt before a command, can be rebuilt after it.",
    sources=("P Metadata Cleanup", "C 2.5"),
    harm=harms.ROWS_OR_VERSIONS_LOST,
)
def versions_can_be_rebuilt(c: CommandObservation) -> Judgement:
    first = _first_to_keep(c)
    rebuilt = [version for version in sorted(c.versions) if first <= version <= c.before.version and _has(c, version)]

    def problem(version: int) -> Violation | None:
        try:
            c.after.log.snapshot(version)
        except DeltaLogError as lost:
            message = f"Version {version} is inside the retention of the log, which begins with version {first}; it cannot be rebuilt: {lost}."
            cause = Cause("a version inside the retention of the log is lost", Severity.DATA_LOSS)
            return Violation(f"version {version}", message, ByReplay("the log must be read"), cause=cause)
        return None

    return each(rebuilt, problem)


def _has(c: Observation, version: int) -> bool:
    """Whether the log as it was before the step has the version; its checkpoints are read as they are now."""
    log = c.before.log
    bases = [-1, *(checkpoint.version for checkpoint in log.checkpoints if checkpoint.version <= version)]
    return any(all(number in log.commits for number in range(base + 1, version + 1)) for base in bases)


def _first_to_keep(c: Observation) -> int:
    """The first version inside the retention of the log by both of its times; the one after the command, if none is inside.

    PROTOCOL.md, "Metadata Cleanup", recommends to keep the newest version outside too. Delta deletes it once a later version has a
    checkpoint, as "entries older than the retention interval" (S1, delta.logRetentionDuration).

    Engines go by the modification time of the commit's file, whatever its in-commit timestamp (docs/delta.md 2.5).
    """
    by_commit = monotonized({**commit_times(c.before), **commit_times(c.after)})
    commits = {**c.before.log.commits, **c.after.log.commits}
    by_file = monotonized({version: commit.modified for version, commit in commits.items()})
    cutoff = log_cutoff(c)
    inside = [one for one in by_commit if min(by_commit[one], by_file[one]) > cutoff]
    return min(inside, default=c.after.version)


@clause(
    "LIFE-3B",
    "With row tracking a command that changes no row keeps the row id and row commit version of every row; UPDATE and MERGE keep the ids of the rows that they do not delete.",
    sources=("P Row Tracking",),
    harm=harms.WRONG_ROW_IDS,
    needs=(Feature.ROW_TRACKING,),
)
def row_ids_kept(c: CommandObservation) -> Judgement:
    command = c.step.command
    if not c.table.has(Feature.ROW_TRACKING) or not c.defined.has(Feature.ROW_TRACKING) or not c.commits:
        return NOT_EXERCISED
    before, after = identified(c.before), identified(c.after)
    if before is None or after is None or c.after.rows != c.promised:
        return NOT_EXERCISED  # LIFE-1A
    if isinstance(command, KEEP_ROWS):
        return judgement(_other_ids(before, after))
    if isinstance(command, Update) or (isinstance(command, Merge) and not command.can(Then.DELETE)):
        return judgement(_other_ids(_ids(before), _ids(after))) if before.total() == after.total() else NOT_EXERCISED
    return NOT_EXERCISED


@clause(
    "LIFE-LOG-1A",
    "Who reads a log compaction instead of its commits finds the same state: live files, protocol, metadata, transactions, and every tombstone that is inside retention.",
    sources=("P Log Compaction Files", "P Action Reconciliation"),
    harm=wrong_answers("Rows that were deleted are in the table again, for those who read this file."),
    needs=(CommandKind.COMPACT_LOG,),
)
def compactions_hold_what_their_commits_leave(c: CommandObservation) -> Judgement:
    return each(new_ranges(c.before, c.after), lambda versions: check_compaction(c, *versions))


def _ids(rows: Counter[tuple[Row, RowId]]) -> Counter[int | None]:
    return Counter(id for _, (id, _) in rows.elements())


def _other_ids(before: Counter[T], after: Counter[T]) -> Violation | None:
    if before == after:
        return None
    lost = sorted((before - after).elements(), key=repr)
    facts = tuple(f"missing: {one}" for one in lost[:5])
    message = f"The rows must keep their row ids; the table has {difference(before, after)}."
    return Violation("rows", message, NothingChanged(ForbiddenChange.OF_ROW_IDS), facts, cause=Cause("other row ids"))

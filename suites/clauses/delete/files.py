"""DEL-ALL, DEL-META, DEL-NOOP, DEL-ROW-1, DEL-ROW-2: which files a DELETE removes."""

from __future__ import annotations

import json
import re

from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, space_kept, wrong_answers
from harness.observing import evidence
from harness.observing.steps.observation import DeleteObservation, damaged_paths
from model.prediction.delete import ConditionScope, LiveFile, matches
from model.text.layout import is_named_by_engine
from model.vocabulary.predicate import Predicate, columns_of, conjuncts
from model.vocabulary.severity import Severity
from model.vocabulary.steps import Delete
from model.vocabulary.table import Feature
from model.vocabulary.values import Row
from records.expectations import (
    ByReplay,
    Expectation,
    FieldHolds,
    FieldMatches,
    Measure,
    NoActions,
    NoFileWritten,
    Operations,
    Removes,
    RowsOf,
    Succeeds,
    about,
)
from suites.clauses.shared import causes, harms
from suites.clauses.shared.checks import MOST, check_nothing_changed, rows_are
from suites.clauses.shared.partition_texts import wrong_partition_text


def removed_exactly(d: DeleteObservation) -> Expectation:
    """The expectation for a DELETE that removed the wrong files: by their names, or by the rows that are left."""
    paths = sorted(d.prediction.touched)
    if any(map(is_named_by_engine, paths)):
        return rows_left(d, "which files the DELETE removes")
    return Removes(paths) if len(paths) <= MOST else ByReplay(f"it is to remove {len(paths):,} files")


def rows_left(d: DeleteObservation, what: str) -> Expectation:
    """The rows of the table after the DELETE, if they show ``what`` went wrong."""
    if not d.after.is_read or d.has_its_rows:
        return ByReplay(f"{what} does not show in the rows of the table")
    if d.after.rows is None and (text := wrong_partition_text(d)):
        return text
    return rows_are(RowsOf.TABLE, d.expected_rows)


def not_named(d: DeleteObservation, path: str) -> Expectation:
    """That the commit does not name this live file, which it removed or added."""
    if path in d.removed:
        return removed_exactly(d)
    return not_added(d, path)


def not_added(d: DeleteObservation, path: str) -> Expectation:
    encoded = json.dumps(d.before.live[path].path)
    return about(path, FieldHolds("add", "path", f"(?!{re.escape(encoded)}$).*", f"another path than {encoded}"))


def _check_removal(d: DeleteObservation, file: LiveFile) -> Violation | None:
    """A live file must be removed if the model predicts it, and only then."""
    expected, removed = file.path in d.prediction.touched, file.path in d.removed
    if expected == removed:
        return None
    why = "matches the condition and was not removed" if expected else "does not match the condition and was removed"
    cause = _wrong_removal(d, file, expected)
    return Violation(file.path, f"{file.path} {why}.", removed_exactly(d), evidence.of_delete(d), cause=cause)


def _wrong_removal(d: DeleteObservation, file: LiveFile, expected: bool) -> Cause:
    """The cause for a file that must be removed and is not (``expected``), or the other way round."""
    if expected and d.before.is_read and not file.visible and not d.refused:
        return Cause("not removed: a file without rows", Severity.SPACE_KEPT)
    if expected:
        return causes.rows_left(d, Cause("not removed, and its rows are right", Severity.SPACE_KEPT))
    return causes.rows_left(d, causes.NEEDLESS_REWRITE)


@clause(
    "DEL-ALL-1",
    "DELETE without a condition removes every live file, adds none and writes no new file.",
    sources=("S0", "S2"),
    harm=harms.DELETED_ROWS_STAY,
)
def whole_table(d: DeleteObservation) -> Judgement:
    if d.prediction.scope is not ConditionScope.TABLE or not d.before.live:
        return NOT_EXERCISED
    if d.adds or d.appeared:
        written = sorted(d.added | d.appeared)
        return judgement(
            Violation(
                written[0],
                f"A DELETE without a condition must write no file; it wrote {evidence.named(written)}.",
                NoFileWritten() if d.appeared else NoActions(("add",)),
                evidence.of_delete(d),
                cause=causes.rows_left(d, causes.NEEDLESS_WRITE),
            )
        )
    return each(d.live_files, lambda file: _check_removal(d, file))


@clause(
    "DEL-META-1",
    "A condition on partition columns alone removes exactly the live files whose partition values make it TRUE.",
    sources=("S0", "S2"),
    harm=harms.ROWS_LOST,
)
def partitions_exactly(d: DeleteObservation) -> Judgement:
    if d.prediction.scope is not ConditionScope.PARTITIONS:
        return NOT_EXERCISED
    return each(d.live_files, lambda file: _check_removal(d, file))


@clause(
    "DEL-META-2",
    "A DELETE of whole files writes no data file, no deletion vector and no change file, whatever features are on.",
    sources=("S0", "C 2.2"),
    harm=harms.NEEDLESS_FILES,
)
def partitions_write_nothing(d: DeleteObservation) -> Judgement:
    if d.prediction.scope is ConditionScope.ROWS or not d.prediction.commits:
        return NOT_EXERCISED
    if not d.appeared:
        return judgement(None)
    path = min(d.appeared)
    return judgement(
        Violation(
            path,
            f"A DELETE of whole files must write no file; it wrote {path}.",
            NoFileWritten(),
            evidence.of_path(d, path),
            cause=causes.rows_left(d, causes.NEEDLESS_WRITE),
        )
    )


@clause(
    "DEL-META-3",
    "All removes of a DELETE of whole files have the same deletionTimestamp.",
    sources=("S0", "C 2.3"),
    harm=harms.DIFFERENT_EXPIRY,
    implementation="spark",
)
def partitions_one_timestamp(d: DeleteObservation) -> Judgement:
    if d.prediction.scope is ConditionScope.ROWS or len(d.removes) < 2:
        return NOT_EXERCISED
    stamps = sorted({str(remove.deletion_timestamp) for remove in d.removes})
    if len(stamps) == 1:
        return judgement(None)
    return judgement(
        Violation(
            "commit",
            f"The removes must have one deletionTimestamp; they have {len(stamps)}: {', '.join(stamps)}.",
            FieldMatches("remove", "deletionTimestamp", Measure.OTHERS),
            cause=Cause("several deletionTimestamps"),
        )
    )


@clause(
    "DEL-META-4",
    "A DELETE without a condition, or with one over partition columns alone, reads no data file: it succeeds where none can be read.",
    sources=("S0", "S2", "C 2.2"),
    harm=wrong_answers("Rows cannot be deleted where one file is damaged, and deleting them takes long."),
    needs=(Feature.UNREADABLE_FILES,),
)
def reads_no_data(d: DeleteObservation) -> Judgement:
    if damaged_paths(d.table).isdisjoint(d.before.live) or d.prediction.scope is ConditionScope.ROWS:
        return NOT_EXERCISED
    if not d.refused:
        return judgement(None)
    message = "The DELETE decides on whole files, and must not read them; it was refused."
    return judgement(Violation("step", message, Succeeds(), evidence.of_answer(d), cause=causes.error(d)))


@clause(
    "DEL-NOOP-1",
    "A condition that matches no row, or no partition, writes no commit and changes nothing on storage.",
    sources=("S0", "C 2.2"),
    harm=space_kept("A DELETE without effect writes versions and files that nobody needs."),
)
def nothing_matched(d: DeleteObservation) -> Judgement:
    if d.prediction.commits:
        return NOT_EXERCISED
    if d.refused:
        return judgement(
            Violation(
                "step",
                "A DELETE that matches nothing must succeed; it was refused.",
                Succeeds(),
                evidence.of_answer(d),
                cause=causes.error(d),
            )
        )
    if d.commits:
        return judgement(
            Violation(
                "log",
                f"A DELETE that matches nothing must write no version; it wrote version {d.commits[0].version}.",
                Operations(()),
                evidence.of_delete(d),
                cause=causes.rows_left(d, Cause("a version is written", Severity.SPACE_KEPT)),
            )
        )
    return judgement(check_nothing_changed("A DELETE that matches nothing", d))


@clause(
    "DEL-ROW-1",
    "A condition with a data column removes exactly the files that contain at least one matching row; a file that gets a new deletion vector is both removed and added.",
    sources=("S0", "S2"),
    harm=harms.ROWS_LOST,
)
def rows_exactly(d: DeleteObservation) -> Judgement:
    if d.prediction.scope is not ConditionScope.ROWS or not d.prediction.commits:
        return NOT_EXERCISED
    return each(d.live_files, lambda file: _check_removal(d, file))


@clause(
    "DEL-ROW-1B",
    "The add of every live file that a DELETE does not remove is unchanged.",
    sources=("S0", "P Action Reconciliation"),
    harm=harms.ROWS_LOST,
)
def others_as_they_were(d: DeleteObservation) -> Judgement:
    others = sorted(set(d.before.live) - d.prediction.touched)
    if not d.prediction.commits:
        return NOT_EXERCISED

    def problem(path: str) -> Violation | None:
        now = d.after.live.get(path)
        if now == d.before.live[path] and path not in d.added:
            return None
        state = "is no longer live" if now is None else "was added again"
        message = f"{path} has no matching row and must stay live with its add; it {state}."
        cause = causes.rows_left(d, causes.NEEDLESS_REWRITE)
        return Violation(path, message, not_named(d, path), evidence.of_delete(d), cause=cause)

    return each(others, problem)


@clause(
    "DEL-ROW-2",
    "Partition conditions combined with data conditions only narrow the candidates: files of other partitions are untouched even if their rows would match.",
    sources=("S2",),
    harm=harms.ROWS_LOST,
)
def partitions_narrow(d: DeleteObservation) -> Judgement:
    where, names = d.step.where, d.table.partition_by
    if where is None or d.prediction.scope is not ConditionScope.ROWS:
        return NOT_EXERCISED
    parts = conjuncts(where)
    over_partitions = [part for part in parts if columns_of(part) and columns_of(part) <= frozenset(names)]
    over_data = [part for part in parts if not columns_of(part) <= frozenset(names)]

    def holds(part: Predicate, row: Row) -> bool:
        return matches(Delete(part, zone=d.step.zone), d.table, row) is True

    def outside(file: LiveFile) -> bool:
        partition = d.table.row(file.partition, (None,) * len(d.table.data_columns))
        return not all(holds(part, partition) for part in over_partitions)

    def would_match(row: Row) -> bool:
        return all(holds(part, row) for part in over_data)

    subjects = [file for file in d.live_files if outside(file) and any(would_match(row) for row in file.visible)]
    return each(subjects, lambda file: _check_removal(d, file))
